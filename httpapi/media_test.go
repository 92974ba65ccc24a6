package httpapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

// tinyWebP is a lossless image of 1 x 1 pixel, of codes with one symbol each.
const tinyWebP = "RIFF\x18\x00\x00\x00WEBPVP8L\f\x00\x00\x00/\x00\x00\x00\x00\xa8V\x91\xeb\xd1\xff\x00"

// picturesOf are images of each type that is accepted.
func picturesOf(t *testing.T) map[string][]byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, 20, 10), color.Palette{color.White, color.Black})
	out := map[string][]byte{}
	for name, encode := range map[string]func(*bytes.Buffer) error{
		"image/png":  func(b *bytes.Buffer) error { return png.Encode(b, img) },
		"image/jpeg": func(b *bytes.Buffer) error { return jpeg.Encode(b, img, nil) },
		"image/gif":  func(b *bytes.Buffer) error { return gif.Encode(b, img, nil) },
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		out[name] = b.Bytes()
	}
	return out
}

// upload is a file of a payload.
func upload(name string, data []byte) string {
	quoted, _ := json.Marshal(name)
	return fmt.Sprintf(`{"file_name":%s,"file_buffer":"%s"}`, quoted, base64.StdEncoding.EncodeToString(data))
}

// get reads what is no JSON.
func (f *fixture) get(key, method, path string, headers ...string) *httptest.ResponseRecorder {
	f.t.Helper()
	r := httptest.NewRequest(method, path, nil)
	r.Header.Set("x-api-key", key)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return exchanged(f.t, f.h, r)
}

// path is where an address of an answer leads to.
func (a answer) path(at string) string { return strings.TrimPrefix(a.str(at), "https://quire.example") }

func (f *fixture) wantBytes(path string, want []byte) {
	f.t.Helper()
	if rec := f.get(f.bob.key, "GET", path); rec.Code != 200 || !bytes.Equal(rec.Body.Bytes(), want) {
		f.t.Errorf("%s: %d with %d bytes, want %d", path, rec.Code, rec.Body.Len(), len(want))
	}
}

// TestMedia takes files through the life of an elemental and of a list.
func TestMedia(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	pics := picturesOf(t)
	one, two := upload("one.png", pics["image/png"]), upload("two.jpg", pics["image/jpeg"])
	all := fmt.Sprintf(`,"images":[%s,%s],"cover_images":[%s],"avatar":%s,"files":[{"file_name":"a b.txt","file_buffer":[104,105]},{"file_buffer":{"type":"Buffer","data":[0,1]}}]`,
		one, two, two, upload("", pics["image/gif"]))
	for _, c := range []struct{ name, create, update, read string }{
		{"elemental", "POST /v1/user/elemental", "/v1/user/elemental/", "/v1/elemental/"},
		{"list", "POST /v1/user/list", "/v1/user/list/", "/v1/list/"},
	} {
		method, path, _ := strings.Cut(c.create, " ")
		a := f.do(f.ann.key, method, path, `{"title":"With pictures","type_id":3,"category_id":18,"template":"x"`+all+`}`).want(201)
		id := a.str("response.id")
		a.has("response.images.0.width", "20", "response.images.0.height", "10", "response.files.0.name", `"a b.txt"`, "response.files.0.size", "2",
			"response.files.0.data", "null", "response.files.1.name", `"file-2"`, "response.updated_at", "null")
		if len(a.str("response.images.1.blur")) != 28 {
			t.Errorf("%s: blur is %q", c.name, a.str("response.images.1.blur"))
		}
		f.wantBytes(a.path("response.images.0.url"), pics["image/png"])
		f.wantBytes(a.path("response.images.1.url"), pics["image/jpeg"])
		f.wantBytes(a.path("response.cover_images.0.url"), pics["image/jpeg"])
		f.wantBytes(a.path("response.avatar_image"), pics["image/gif"])
		f.wantBytes(a.path("response.files.0.url"), []byte("hi"))
		f.do(f.bob.key, "GET", a.path("response.files.0.url"), "", "Accept", "application/json").want(200).
			has("response.name", `"a b.txt"`, "response.size", "2", "response.data", "[104,105]", "meta.total", "1")

		// What an update names is replaced, what it does not name stays.
		b := f.do(f.ann.key, "PUT", c.update+id, `{"images":[`+two+`],"cover_images":[]}`).want(200)
		b.has("response.cover_images", "[]", "response.files.1.size", "2")
		f.wantBytes(b.path("response.images.0.url"), pics["image/jpeg"])
		if b.str("response.avatar_image") != a.str("response.avatar_image") || len(b.at("response.images").([]any)) != 1 {
			t.Errorf("%s: %s", c.name, b.body)
		}
		f.do(f.bob.key, "GET", a.path("response.images.0.url"), "").failed(404, problem404.message)
		b = f.do(f.ann.key, "PUT", c.update+id, `{"images":null,"avatar":null}`).want(200).has("response.images", "[]", "response.avatar_image", "null")
		f.do(f.bob.key, "GET", a.path("response.avatar_image"), "").want(404)

		// Deleting the owner deletes them.
		deletion := c.update
		if c.name == "elemental" {
			deletion = c.read
		}
		f.do(f.ann.key, "DELETE", deletion+id, "").want(204)
		f.do(f.ann.key, "GET", b.path("response.files.0.url"), "").want(404)
	}
}

func TestAddAndRemoveMedia(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	id := f.elemental(f.ann, "With pictures", "")
	path := "/v1/user/elemental/" + id + "/files"
	pic := upload("p", picturesOf(t)["image/gif"])
	four := "[" + strings.TrimSuffix(strings.Repeat(pic+",", 4), ",") + "]"
	f.do(f.ann.key, "POST", path, `{}`).want(201).has("response.updated_at", "null")
	f.do(f.ann.key, "POST", path, `{"images":`+four+`,"cover_images":`+four+`,"avatar":`+pic+`}`).want(201)
	a := f.do(f.ann.key, "POST", path, `{"images":`+four+`,"files":[`+pic+`],"avatar":`+pic+`}`).want(201)
	if images := a.at("response.images").([]any); len(images) != 8 {
		t.Errorf("%d images", len(images))
	}
	f.do(f.ann.key, "POST", path, `{"images":`+four+`}`).want(201)
	f.do(f.ann.key, "POST", path, `{"images":`+four+`,"files":[`+pic+`]}`).failed(400, "images: at most 15 are allowed in all; there are 12", "images")
	f.do(f.ann.key, "POST", path, `{"images":[`+pic+`,`+pic+`,`+pic+`,`+pic+`,`+pic+`],"cover_images":`+four+`,"files":`+four+`}`).
		failed(400, "images: at most 4 are allowed in one request", "images", "files")
	f.do(f.ann.key, "PUT", "/v1/user/elemental/"+id, `{"cover_images":`+four+`}`).failed(400, "cover_images: at most 3 are allowed in one request", "cover_images")
	f.do(f.ann.key, "POST", path, `{"files":[{"file_buffer":[]}],"avatar":{"file_buffer":"AAAA"}}`).failed(400, "files/0/file_buffer: must not be empty", "files/0/file_buffer")
	f.do(f.ann.key, "POST", path, `{"avatar":{"file_buffer":"AAAA"}}`).
		failed(400, "avatar/file_buffer: must be a PNG, JPEG, GIF or WebP image; that is not what its bytes are", "avatar/file_buffer")

	// Ids of another kind and unknown ones are passed over.
	image, file := a.at("response.images.0.id"), a.at("response.files.0.id")
	b := f.do(f.ann.key, "DELETE", path, fmt.Sprintf(`{"images":[%v,%v,1],"files":[],"cover_images":[%v]}`, image, file, image)).want(200).has("response.files.0.id", fmt.Sprint(file))
	if images := b.at("response.images").([]any); len(images) != 11 {
		t.Errorf("%d images", len(images))
	}
	version := b.str("response.updated_at")
	f.do(f.ann.key, "DELETE", path, `{"images":[1],"avatar":false}`).want(200).has("response.updated_at", strconv.Quote(version))
	f.do(f.ann.key, "DELETE", path, fmt.Sprintf(`{"files":["%v"],"avatar":true}`, file)).want(200).has("response.files", "[]", "response.avatar_image", "null")
	f.do(f.ann.key, "DELETE", path, `{"images":[0],"avatar":1}`).want(400).has("errors.0.field", `"images/0"`, "errors.1.field", `"avatar"`)
}

func TestMediaAccess(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	pic := upload("p", picturesOf(t)["image/png"])
	files := `,"images":[` + pic + `],"files":[` + pic + `]`
	id, other := f.elemental(f.ann, "With pictures", files), f.elemental(f.ann, "Another one of Ann", files)
	a := f.do(f.bob.key, "GET", "/v1/elemental/"+id, "")
	list := f.do(f.ann.key, "POST", "/v1/user/list", `{"title":"x"`+files+`}`).want(201)
	listID := list.str("response.id")
	image, file, listFile := fmt.Sprint(a.at("response.images.0.id")), fmt.Sprint(a.at("response.files.0.id")), fmt.Sprint(list.at("response.files.0.id"))
	for _, path := range []string{
		"/v1/image/" + file, "/v1/image/" + listFile, "/v1/image/5", "/v1/image/x", "/v1/image/0",
		"/v1/elemental/" + id + "/file/" + image, "/v1/elemental/" + other + "/file/" + file, "/v1/elemental/" + id + "/file/" + listFile,
		"/v1/elemental/none/file/" + file, "/v1/elemental/" + id + "/file/-1",
		"/v1/list/" + listID + "/file/" + file, "/v1/list/5/file/" + listFile, "/v1/list/0/file/" + file,
	} {
		f.do(f.ann.key, "GET", path, "").failed(404, problem404.message)
	}
	for _, path := range []string{"/v1/image/" + image, "/v1/elemental/" + id + "/file/" + file, "/v1/list/" + listID + "/file/" + listFile} {
		f.do("", "GET", path, "").want(401)
		if rec := f.get(f.bob.key, "GET", path); rec.Code != 200 {
			t.Errorf("%s: %d", path, rec.Code)
		}
	}
	before := f.snapshot()
	// That it is no image is not looked at.
	bad := `{"images":[{"file_buffer":"AAAA"}]}`
	f.do(f.bob.key, "POST", "/v1/user/elemental/"+id+"/files", bad).want(403)
	f.do(f.bob.key, "PUT", "/v1/user/elemental/"+id, bad).want(403)
	f.do(f.bob.key, "PUT", "/v1/user/list/"+listID, bad).want(403)
	f.do(f.bob.key, "DELETE", "/v1/user/elemental/"+id+"/files", `{"images":[`+image+`]}`).want(403)
	f.do(f.bob.key, "POST", "/v1/user/elemental/none/files", bad).want(404)
	f.do(f.bob.key, "PUT", "/v1/user/list/5", bad).want(404)
	f.do("", "POST", "/v1/user/elemental/"+id+"/files", bad).want(401)
	if f.snapshot() != before {
		t.Error("something changed")
	}
	f.wantBytes("/v1/image/"+image, picturesOf(t)["image/png"])
}

// TestBatchMedia: files of one payload that are refused do not touch the others.
func TestBatchMedia(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	pic := upload("p", picturesOf(t)["image/png"])
	a := f.do(f.ann.key, "POST", "/v1/user/elementals", `[{"title":"The first payload","type_id":3,"images":[`+pic+`]},
		{"title":"The second payload","type_id":3,"images":[`+pic+`,{"file_buffer":"AAAA"}]},
		{"title":"The third payload","type_id":3,"files":[{"file_buffer":[256]}]},
		{"title":"The fourth payload","type_id":3,"cover_images":[`+pic+`,`+pic+`,`+pic+`,`+pic+`]}]`).want(206)
	a.has("response.created.0.index", "0", "response.created.0.elemental.images.0.width", "20", "response.errors.0.index", "1",
		"response.errors.0.errors.0.field", `"images/1/file_buffer"`, "response.errors.1.errors.0.field", `"files/0/file_buffer/0"`, "response.errors.2.errors.0.field", `"cover_images"`)
	f.do(f.ann.key, "GET", "/v1/elementals?search=payload", "").has("meta.total", "1")
}

func TestMediaKnowledge(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	pic := upload("p.png", picturesOf(t)["image/png"])
	id := f.elemental(f.ann, "With pictures", `,"images":[`+pic+`],"cover_images":[`+pic+`],"files":[`+upload("a.txt", []byte("x"))+`]`)
	a := f.do(f.ann.key, "GET", "/v1/elemental/"+id+"?format=json&fields=images,files", "")
	got := a.at("response.knowledge_base_json")
	want := map[string]any{"Images": []any{a.str("response.images.0.url")}, "Files": []any{map[string]any{"Name": "a.txt", "Url": a.str("response.files.0.url")}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("knowledge (-want +got):\n%s", diff)
	}
}

// With an idempotency key uploads are looked at ahead, with the same results.
func TestUploadOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	id := f.elemental(f.ann, "An elemental with files", "")
	good, bad := upload("a.png", picturesOf(t)["image/png"]), upload("b.png", []byte("no image"))
	for i, c := range []struct {
		path, body string
		status     int
	}{
		{"/v1/user/elemental/" + id + "/files", `{"images":[` + good + `],"avatar":` + good + `}`, 201},
		{"/v1/user/elemental/" + id + "/files", `{"images":[` + good + "," + bad + `]}`, 400},
		{"/v1/user/elementals", `[{"title":"With an image","type_id":3,"images":[` + good + `]},{"title":"With another","type_id":3,"images":[` + bad + `]}]`, 206},
		{"/v1/user/list", `{"title":"A list","cover_images":[` + good + `]}`, 201},
		{"/v1/user/list", `{"title":"A list","cover_images":5,"images":[7]}`, 400},
	} {
		first := f.do(f.ann.key, "POST", c.path, c.body, "Idempotency-Key", fmt.Sprint("k", i)).want(c.status)
		if again := f.do(f.ann.key, "POST", c.path, c.body, "Idempotency-Key", fmt.Sprint("k", i)); again.status != c.status || again.body != first.body {
			t.Errorf("%s again: %d %s, first %s", c.path, again.status, again.body, first.body)
		}
	}
	f.do(f.ann.key, "GET", "/v1/elemental/"+id, "").has("response.images.0.width", "20").has("response.images.0.height", "10")
}

// TestPixelsOfOneRequest: elementals whose images go over the limit of a call are refused
// alone, with and without a key.
func TestPixelsOfOneRequest(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	lib, err := quire.NewLibrary(t.Context(), f.store, &quire.LibraryOptions{MaxPixels: 40, MaxPixelsPerCall: 100})
	if err != nil {
		t.Fatal(err)
	}
	f.h = New(lib, nil, nil)
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 5))); err != nil {
		t.Fatal(err)
	}
	payload := func(images int) string {
		return `{"title":"One of many","type_id":3,"images":[` + strings.Join(slices.Repeat([]string{upload("a.png", b.Bytes())}, images), ",") + `]}`
	}
	const why = "the images of one call may have 100 pixels in all, and with this one they have more; send them in several calls"
	for _, key := range [][]string{nil, {"Idempotency-Key", "k"}} {
		f.do(f.ann.key, "POST", "/v1/user/elementals", "["+payload(1)+",7,"+payload(2)+","+payload(1)+"]", key...).want(206).has(
			"response.created.1.index", "3", "response.errors.1.index", "2",
			"response.errors.1.errors", `[{"field":"images/1/file_buffer","message":"`+why+`"}]`)
	}
	f.do(f.ann.key, "POST", "/v1/user/elementals", "["+payload(3)+"]").want(400)
}
