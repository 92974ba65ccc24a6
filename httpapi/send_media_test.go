package httpapi

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store/sqlite"
)

// TestSendMedia: conditional requests, ranges and HEAD, on each route.
func TestSendMedia(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	data := picturesOf(t)["image/png"]
	pic := upload(`p"\é.png`, data)
	a := f.do(f.ann.key, "POST", "/v1/user/elemental", `{"title":"With pictures","type_id":3,"category_id":18,"template":"x","images":[`+pic+`],"files":[`+pic+`]}`).want(201)
	list := f.do(f.ann.key, "POST", "/v1/user/list", `{"title":"x","files":[`+pic+`]}`).want(201)
	for _, path := range []string{a.path("response.images.0.url"), a.path("response.files.0.url"), list.path("response.files.0.url")} {
		whole := f.get(f.bob.key, "GET", path)
		for name, want := range map[string]string{
			"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Content-Length": fmt.Sprint(len(data)),
			"Content-Security-Policy": "default-src 'none'; sandbox", "Content-Disposition": `inline; filename*=utf-8''p%22%5C%C3%A9.png`,
		} {
			if got := whole.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		if whole.Header().Get("X-Request-Id") == "" {
			t.Errorf("%s: no X-Request-Id", path)
		}
		tag := whole.Header().Get("ETag")
		for _, c := range []struct {
			method string
			header []string
			status int
			body   string
		}{
			{"HEAD", nil, 200, ""},
			{"GET", []string{"If-None-Match", tag}, 304, ""},
			{"GET", []string{"If-None-Match", `"x", ` + tag}, 304, ""},
			{"GET", []string{"If-None-Match", `"x"`}, 200, string(data)},
			{"GET", []string{"If-Match", tag}, 200, string(data)},
			{"GET", []string{"Range", "bytes=1-3"}, 206, "PNG"},
			{"GET", []string{"Range", "bytes=-5"}, 206, string(data[len(data)-5:])},
			{"GET", []string{"Range", "bytes=0-1,3-4"}, 200, string(data)},
			{"GET", []string{"Range", "bytes=1-3", "If-Range", tag}, 206, "PNG"},
			{"GET", []string{"Range", "bytes=1-3", "If-Range", `"x"`}, 200, string(data)},
		} {
			rec := f.get(f.bob.key, c.method, path, c.header...)
			if rec.Code != c.status || rec.Body.String() != c.body {
				t.Errorf("%s %s %v: %d with %d bytes, want %d with %d", c.method, path, c.header, rec.Code, rec.Body.Len(), c.status, len(c.body))
			}
			if c.status != 304 && rec.Header().Get("Content-Disposition") == "" {
				t.Errorf("%s %s %v: no Content-Disposition", c.method, path, c.header)
			}
		}
		f.do(f.bob.key, "GET", path, "", "Range", "bytes=9999999-").failed(416, "the range is malformed or lies outside of the file")
		f.do(f.bob.key, "GET", path, "", "Range", "bytes=x").failed(416, "the range is malformed or lies outside of the file")
		out := f.do(f.bob.key, "GET", path, "", "If-Match", `"x"`).failed(412, "the file is not the one that If-Match names")
		if len(out.header["Content-Disposition"])+len(out.header["Etag"]) > 0 {
			t.Errorf("%s: an error with the headers of a file: %v", path, out.header)
		}
	}
}

// hostileFile is one of a set of files that an attacker might upload.
type hostileFile struct{ Name, Base64, Note string }

// TestHostileFiles: whatever a file is, it is never shown as something that can run.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	files := []hostileFile{
		{Name: "page.png", Base64: base64.StdEncoding.EncodeToString([]byte("<!doctype html><script>alert(1)</script>"))},
		{Name: "drawing.png", Base64: base64.StdEncoding.EncodeToString([]byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`))},
		{Name: "page.xhtml", Base64: base64.StdEncoding.EncodeToString([]byte(`<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></html>`))},
		{Name: "script.js", Base64: base64.StdEncoding.EncodeToString([]byte("alert(1)"))},
		{Name: "document.pdf", Base64: base64.StdEncoding.EncodeToString([]byte("%PDF-1.7\n"))},
		{Name: "two.png", Base64: base64.StdEncoding.EncodeToString([]byte(string(picturesOf(t)["image/png"]) + "<script>alert(1)</script>"))},
		{Name: "data.json", Base64: base64.StdEncoding.EncodeToString([]byte(`{"a":1}`))},
	}
	own := len(files)
	if text, err := os.ReadFile("../../shared/data/extra/files.json"); err == nil {
		var more []hostileFile
		if err := json.Unmarshal(text, &more); err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	} else {
		t.Log("../shared/data/extra/files.json is not there; own files only")
	}
	f := newFixture(t, nil)
	id := f.elemental(f.ann, "For hostile files", "")
	path := "/v1/user/elemental/" + id
	shown := 0
	for _, file := range files {
		payload := fmt.Sprintf(`{"file_name":%q,"file_buffer":%q}`, file.Name, file.Base64)
		for _, field := range []string{"images", "cover_images"} {
			f.do(f.ann.key, "PUT", path, `{"`+field+`":[`+payload+`]}`).want(400).has("errors.0.field", `"`+field+`/0/file_buffer"`)
		}
		f.do(f.ann.key, "POST", path+"/files", `{"avatar":`+payload+`}`).want(400).has("errors.0.field", `"avatar/file_buffer"`)
		a := f.do(f.ann.key, "PUT", path, `{"files":[`+payload+`]}`).want(200)
		r := httptest.NewRequest("GET", a.path("response.files.0.url"), nil)
		r.Header.Set("x-api-key", f.bob.key)
		rec := httptest.NewRecorder() // not recorded: a file that is JSON has the type of the envelope
		f.h.ServeHTTP(rec, r)
		want, err := base64.StdEncoding.DecodeString(file.Base64)
		if err != nil {
			t.Fatal(err)
		}
		if rec.Code != 200 || rec.Body.String() != string(want) {
			t.Errorf("%s: %d with %d bytes, want %d", file.Name, rec.Code, rec.Body.Len(), len(want))
		}
		h := rec.Header()
		inline := !strings.HasPrefix(h.Get("Content-Disposition"), "attachment")
		for _, runs := range []string{"html", "svg", "xml;", "script", "css"} {
			if strings.Contains(h.Get("Content-Type")+";", runs) {
				t.Errorf("%s is sent as %s", file.Name, h.Get("Content-Type"))
			}
		}
		switch h.Get("Content-Type") {
		case "image/png", "image/jpeg", "image/gif", "image/webp":
			shown++
		default:
			if inline {
				t.Errorf("%s: %q is shown", file.Name, h.Get("Content-Type"))
			}
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
			t.Errorf("%s: %v", file.Name, h)
		}
	}
	if t.Failed() {
		return
	}
	t.Logf("F5: %d hostile files, %d of them shared: 0 accepted as an image; as files %d are shown as images and %d are saved, with the headers that keep them from running",
		len(files), len(files)-own, shown, len(files)-shown)
}

func TestServedType(t *testing.T) {
	t.Parallel()
	for _, runs := range []string{
		"image/svg+xml", "text/html; charset=utf-8", "Text/HTML", "text/xml", "application/xml", "application/xhtml+xml; charset=utf-8", "application/rss+xml",
		"text/javascript; charset=utf-8", "application/x-javascript", "text/ecmascript", "text/x-shellscript", "text/css", "text/xsl", "message/rfc822",
		"multipart/related; boundary=x", "application/vnd.ms-htmlhelp", "application/wasm", "application/x-shockwave-flash", "application/x-java-applet",
	} {
		if got := servedType(runs); got != "application/octet-stream" {
			t.Errorf("%s is served as %s", runs, got)
		}
	}
	for _, rests := range []string{
		"image/png", "image/webp", "application/pdf", "text/plain; charset=utf-8", "application/json", "application/zip", "text/csv; charset=utf-8", "audio/mpeg",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/octet-stream",
	} {
		if got := servedType(rests); got != rests {
			t.Errorf("%s is served as %s", rests, got)
		}
	}
}

// TestFileNames: names come back byte for byte, and no name leaves its header or becomes
// the name of a file: beside the Store's nothing is made.
func TestFileNames(t *testing.T) {
	t.Parallel()
	names := []string{"../../etc/passwd", "a\r\nX-Evil: 1.png", `a"; filename="b.html`, "\u202egpj.exe", "日本.png", strings.Repeat("é", 127), strings.Repeat("é", 128), "tab\there", "\x7f", ""}
	own := len(names)
	if text, err := os.ReadFile("../../shared/data/extra/file_names.json"); err == nil {
		var more []string
		if err := json.Unmarshal(text, &more); err != nil {
			t.Fatal(err)
		}
		names = append(names, more...)
	} else {
		t.Log("../shared/data/extra/file_names.json is not there; own names only")
	}
	dir := filepath.Join(t.TempDir(), "a", "b", "c")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "quire.db"), &sqlite.Options{Synchronous: sqlite.Normal})
	if err != nil {
		t.Fatal(err)
	}
	f := newFixtureOn(t, s, nil)
	path := "/v1/user/elemental/" + f.elemental(f.ann, "For odd names", "")
	refused := 0
	for _, name := range names {
		payload := `{"files":[` + upload(name, []byte("text")) + `]}`
		if len(name) > 255 || !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
			f.do(f.ann.key, "PUT", path, payload).want(400)
			refused++
			continue
		}
		if name == "" {
			name = "file-1.txt"
		}
		quoted, _ := json.Marshal(name)
		a := f.do(f.ann.key, "PUT", path, payload).want(200).has("response.files.0.name", string(quoted))
		rec := f.get(f.bob.key, "GET", a.path("response.files.0.url"))
		disposition := rec.Header().Get("Content-Disposition")
		kind, params, err := mime.ParseMediaType(disposition)
		if err != nil || kind != "attachment" || params["filename"] != name {
			t.Errorf("%q: %q: %v", name, disposition, err)
		}
		if strings.ContainsFunc(disposition, func(r rune) bool { return r != '\t' && (r < ' ' || r > '~') }) {
			t.Errorf("%q: %q", name, disposition)
		}
	}
	foreign, all := foreignFiles(t, filepath.Join(dir, "../../.."))
	if all == 0 || len(foreign) > 0 {
		t.Errorf("%d files, those not of the Store: %q", all, foreign)
	}
	if t.Failed() {
		return
	}
	t.Logf("F4: %d file names, %d of them shared: %d refused, %d came back byte for byte in JSON and header, %d files made beside those of the Store",
		len(names), len(names)-own, refused, len(names)-refused, len(foreign))
}

// foreignFiles are the files below a directory that a Store quire.db did not make, and how
// many there are in all.
func foreignFiles(t *testing.T, dir string) (foreign []string, all int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		all++
		if !strings.HasPrefix(d.Name(), "quire.db") {
			foreign = append(foreign, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return foreign, all
}

// TestTypesAreSniffed: the type is that of the bytes, whatever the name says.
func TestTypesAreSniffed(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	pics := picturesOf(t)
	pics["image/webp"] = []byte(tinyWebP)
	for mimeType, data := range pics {
		id := f.elemental(f.ann, "An image of a type", `,"images":[`+upload("page.html", data)+`]`)
		a := f.do(f.ann.key, "GET", "/v1/elemental/"+id, "")
		h := f.get(f.bob.key, "GET", a.path("response.images.0.url")).Header()
		if h.Get("Content-Type") != mimeType || h.Get("Content-Disposition") != "inline; filename=page.html" {
			t.Errorf("%s: %v", mimeType, h)
		}
	}
}

// TestMediaKeepsConnection: a file leaves the connection as it was, also for what comes
// after a long time.
func TestMediaKeepsConnection(t *testing.T) {
	t.Parallel()
	f := newFixture(t, &Options{WriteTimeout: 2 * time.Second})
	e, err := f.lib.CreateElemental(t.Context(), f.ann.Actor(), quire.ElementalInput{
		Title: "With a file", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: "x",
		Media: quire.MediaInput{Files: []quire.Upload{{Data: []byte("text")}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var connections atomic.Int64
	srv := httptest.NewUnstartedServer(f.h)
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	srv.Start()
	defer srv.Close()
	for range 3 {
		resp := f.request(srv, "/v1/elemental/"+e.ID+"/file/"+formatID(e.Details.Media[0].ID))
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(text) != "text" || err != nil {
			t.Fatalf("%q, %v", text, err)
		}
		time.Sleep(2100 * time.Millisecond) // what is left behind would end the next answer
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("three requests took %d connections", n)
	}
}
