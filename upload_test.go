package quire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
	"github.com/quirelib/quire/store/sqlite"
)

// pixels is a PNG of a size.
func pixels(t testing.TB, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func dot(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := gif.Encode(&b, image.NewPaletted(image.Rect(0, 0, 1, 1), color.Palette{color.White, color.Black}), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func upload(name string, data []byte) quire.Upload { return quire.Upload{Name: name, Data: data} }

// ofKind are the ids of an elemental's media of a kind, in order.
func ofKind(media []quire.Media, kind quire.MediaKind) (ids []int64) {
	for _, m := range media {
		if m.Kind == kind {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

func TestUpload(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		in := document("With everything", "body")
		photo, text := pixels(t, 40, 20), []byte("%PDF-1.7\n")
		in.Media = quire.MediaInput{
			Images: []quire.Upload{upload("../x\t.png", photo), upload("", dot(t))}, Covers: []quire.Upload{upload("", photo)},
			Files: []quire.Upload{upload("", text)}, Avatar: &quire.Upload{Data: dot(t)},
		}
		e := f.create(f.ann, in)
		blur := e.Details.Media[len(e.Details.Media)-1].Blur
		type seen struct {
			Kind       quire.MediaKind
			Name, Type string
			Size       int64
			W, H, At   int
		}
		var got []seen
		for _, m := range e.Details.Media {
			got = append(got, seen{m.Kind, m.Name, m.MIMEType, m.Size, m.Width, m.Height, m.Ordinal})
			if m.Owner != (quire.MediaOwner{ElementalID: e.ID}) || m.CreatedAt.IsZero() || (m.Blur == "") != (m.Kind == quire.MediaFile) {
				t.Errorf("%+v", m)
			}
		}
		p, g := int64(len(photo)), int64(len(dot(t)))
		want := []seen{
			{quire.MediaAvatar, "avatar-1.gif", "image/gif", g, 1, 1, 0}, {quire.MediaCover, "cover-1.png", "image/png", p, 40, 20, 0},
			{quire.MediaFile, "file-1.pdf", "application/pdf", int64(len(text)), 0, 0, 0},
			{quire.MediaImage, "../x\t.png", "image/png", p, 40, 20, 0}, {quire.MediaImage, "image-2.gif", "image/gif", g, 1, 1, 1},
		}
		if diff := cmp.Diff(want, got); diff != "" || len(blur) != 28 || e.Version != 1 {
			t.Errorf("media (-want +got):\n%s", diff)
		}
		image := ofKind(e.Details.Media, quire.MediaImage)[0]
		file := ofKind(e.Details.Media, quire.MediaFile)[0]
		if m, data, err := f.Image(ctx, f.bob, image); err != nil || !bytes.Equal(data, photo) || m.ID != image {
			t.Errorf("image: %+v, %d bytes, %v", m, len(data), err)
		}
		if _, data, err := f.ElementalFile(ctx, f.bob, e.ID, file); err != nil || !bytes.Equal(data, text) {
			t.Errorf("file: %q, %v", data, err)
		}
		list := f.list(f.ann, quire.ListInput{Title: "A list", Media: in.Media})
		listFile := ofKind(list.Media, quire.MediaFile)[0]
		if _, data, err := f.ListFile(ctx, f.bob, list.ID, listFile); err != nil || !bytes.Equal(data, text) {
			t.Errorf("file of a list: %q, %v", data, err)
		}
		_, _, e1 := f.Image(ctx, f.bob, file)
		_, _, e2 := f.ElementalFile(ctx, f.bob, e.ID, image)
		_, _, e3 := f.ElementalFile(ctx, f.bob, e.ID, listFile)
		_, _, e4 := f.ElementalFile(ctx, f.bob, "", listFile)
		_, _, e5 := f.ListFile(ctx, f.bob, list.ID, file)
		_, _, e6 := f.ListFile(ctx, f.bob, 0, file)
		for i, err := range []error{e1, e2, e3, e4, e5, e6} {
			if !errors.Is(err, quire.ErrNotFound) {
				t.Errorf("read %d: %v", i+1, err)
			}
		}
		_, _, err := f.Image(ctx, quire.Actor{}, image)
		wantCode(t, err, quire.CodeUnauthenticated)
		_, _, err = f.ElementalFile(ctx, quire.Actor{}, e.ID, file)
		wantCode(t, err, quire.CodeUnauthenticated)

		// What is deleted takes its media along.
		if err := errors.Join(f.DeleteElemental(ctx, f.ann, e.ID), f.DeleteList(ctx, f.ann, list.ID)); err != nil {
			t.Fatal(err)
		}
		for _, id := range append(ofKind(list.Media, quire.MediaImage), image) {
			_, _, err := f.Image(ctx, f.ann, id)
			wantCode(t, err, quire.CodeNotFound)
		}
		_, _, err = f.ListFile(ctx, f.ann, list.ID, listFile)
		wantCode(t, err, quire.CodeNotFound)
	})
}

// TestUploadLimits: what is just over a limit is refused with its field, and what is just
// within it is stored.
func TestUploadLimits(t *testing.T) {
	t.Parallel()
	f := newFixture(t, store.NewMemory(), &quire.LibraryOptions{MaxMediaBytes: 200, MaxPixels: 50 * 40})
	ctx := t.Context()
	ok := upload("a", dot(t))
	n := func(n int) []quire.Upload { return slices.Repeat([]quire.Upload{ok}, n) }
	over := []struct {
		in    quire.MediaInput
		field string
	}{
		{quire.MediaInput{Images: n(4)}, "images"},
		{quire.MediaInput{Covers: n(4)}, "cover_images"},
		{quire.MediaInput{Files: n(4)}, "files"},
		{quire.MediaInput{Files: []quire.Upload{ok, upload("a", nil)}}, "files/1/file_buffer"},
		{quire.MediaInput{Files: []quire.Upload{upload("a", make([]byte, 201))}}, "files/0/file_buffer"},
		{quire.MediaInput{Images: []quire.Upload{upload("a", []byte("text"))}}, "images/0/file_buffer"},
		{quire.MediaInput{Covers: []quire.Upload{ok, upload("a", pixels(t, 50, 41))}}, "cover_images/1/file_buffer"},
		{quire.MediaInput{Avatar: &quire.Upload{}}, "avatar/file_buffer"},
		{quire.MediaInput{Avatar: &quire.Upload{Data: []byte("<svg/>")}}, "avatar/file_buffer"},
		{quire.MediaInput{Avatar: &quire.Upload{Name: "a\x00", Data: ok.Data}}, "avatar/file_name"},
		{quire.MediaInput{Files: []quire.Upload{upload(strings.Repeat("a", 256), ok.Data)}}, "files/0/file_name"},
		{quire.MediaInput{Images: []quire.Upload{upload("\xff", ok.Data)}}, "images/0/file_name"},
	}
	for _, c := range over {
		in := document("Over a limit", "body")
		in.Media = c.in
		_, err := f.CreateElemental(ctx, f.ann, in)
		wantField(t, err, c.field)
		_, err = f.CreateList(ctx, f.ann, quire.ListInput{Title: "Over a limit", Media: c.in})
		wantField(t, err, c.field)
	}
	if got := f.find(f.ann, "limit"); len(got) > 0 {
		t.Errorf("stored: %q", got)
	}
	within := []quire.MediaInput{
		{Images: n(3)}, {Covers: n(3)}, {Files: n(3)}, {Images: n(3), Covers: n(3), Files: n(3), Avatar: &ok},
		{Files: []quire.Upload{upload("a", make([]byte, 200))}}, {Files: []quire.Upload{upload("a", make([]byte, 1))}},
		{Images: []quire.Upload{upload("a", pixels(t, 50, 40))}}, {Avatar: &quire.Upload{Data: pixels(t, 40, 50)}},
		{Files: []quire.Upload{upload(strings.Repeat("é", 127)+"a", ok.Data)}}, {Avatar: &quire.Upload{Name: strings.Repeat("a", 255), Data: ok.Data}},
	}
	for _, media := range within {
		in := document("Within the limits", "body")
		in.Media = media
		f.create(f.ann, in)
		f.list(f.ann, quire.ListInput{Title: "Within the limits", Media: media})
	}
	together := f.wantRoomForMedia(ok)
	for _, opts := range []quire.LibraryOptions{{MaxPixels: -1}, {MaxMediaBytes: -1}} {
		_, err := quire.NewLibrary(ctx, store.NewMemory(), &opts)
		wantCode(t, err, quire.CodeInvalid)
	}
	if t.Failed() {
		return
	}
	t.Logf("F7: %d of %d uploads over a limit refused with their field, %d of %d within it stored, for elementals and lists; %d calls up to the most of each kind and over it",
		len(over), len(over), len(within), len(within), together)
}

// wantRoomForMedia adds media to an elemental up to the most that one may have of each
// kind and in one call, and tries more. It returns the number of calls.
func (f *fixture) wantRoomForMedia(u quire.Upload) int {
	f.t.Helper()
	id := f.create(f.ann, document("A place for many", "body")).ID
	n := func(n int) []quire.Upload { return slices.Repeat([]quire.Upload{u}, n) }
	kinds := []struct {
		field        string
		at, in, most int // once, so often, and in all
		media        func([]quire.Upload) quire.MediaInput
	}{
		{"images", 4, 3, 15, func(u []quire.Upload) quire.MediaInput { return quire.MediaInput{Images: u} }},
		{"cover_images", 4, 3, 15, func(u []quire.Upload) quire.MediaInput { return quire.MediaInput{Covers: u} }},
		{"files", 3, 5, 15, func(u []quire.Upload) quire.MediaInput { return quire.MediaInput{Files: u} }},
	}
	calls := 0
	add := func(media quire.MediaInput, refused string) {
		f.t.Helper()
		calls++
		_, err := f.AddMedia(f.t.Context(), f.ann, id, media)
		if refused != "" {
			wantField(f.t, err, refused)
		} else if err != nil {
			f.t.Error(err)
		}
	}
	for _, k := range kinds {
		add(k.media(n(k.at+1)), k.field)
		for range k.in {
			add(k.media(n(k.at)), "")
		}
		left := k.most - k.at*k.in
		add(k.media(n(left+1)), k.field)
		add(k.media(n(left)), "")
		add(k.media(n(1)), k.field)
	}
	return calls
}

// TestMediaIsContent: a change of media is a change of its owner, no change is none.
func TestMediaIsContent(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		in := document("With pictures", "body")
		in.Settings.KnowledgeBase = true
		e := f.create(f.ann, in)
		version := int64(1)
		check := func(what string, e quire.Elemental, err error, changed bool) {
			t.Helper()
			if changed {
				version++
			}
			if err != nil || e.Version != version || (e.UpdatedAt == nil) != (version == 1) {
				t.Errorf("%s: version %d, want %d: %v", what, e.Version, version, err)
			}
		}
		add := func(in quire.MediaInput) (quire.Elemental, error) { return f.AddMedia(ctx, f.ann, e.ID, in) }
		remove := func(r quire.MediaRemoval) (quire.Elemental, error) { return f.RemoveMedia(ctx, f.ann, e.ID, r) }
		patch := func(p quire.MediaPatch) (quire.Elemental, error) {
			return f.UpdateElemental(ctx, f.ann, e.ID, quire.ElementalPatch{Media: p})
		}
		avatar := quire.Upload{Data: dot(t)}
		got, err := add(quire.MediaInput{})
		check("add nothing", got, err, false)
		got, err = patch(quire.MediaPatch{Images: &[]quire.Upload{}, NoAvatar: true})
		check("clear nothing", got, err, false)
		got, err = add(quire.MediaInput{Avatar: &avatar})
		check("add an avatar", got, err, true)
		first := ofKind(got.Details.Media, quire.MediaAvatar)
		got, err = add(quire.MediaInput{Avatar: &avatar})
		check("replace it", got, err, true)
		if second := ofKind(got.Details.Media, quire.MediaAvatar); len(second) != 1 || second[0] == first[0] {
			t.Errorf("avatars: %v, then %v", first, second)
		}
		got, err = patch(quire.MediaPatch{Avatar: &avatar})
		check("replace it by an update", got, err, true)
		got, err = patch(quire.MediaPatch{Avatar: &avatar, NoAvatar: true})
		check("remove it", got, err, true)
		got, err = remove(quire.MediaRemoval{Avatar: true, Images: []int64{5}})
		check("remove what is not there", got, err, false)
		if len(got.Details.Media) != 0 {
			t.Errorf("left: %v", got.Details.Media)
		}
		jobs := 0
		if err := f.store.View(ctx, func(tx quire.ReadTx) error {
			active, err := tx.ActiveJobs(ctx, f.ann.TenantID, e.ID)
			jobs = len(active)
			return err
		}); err != nil || jobs != 1 {
			t.Errorf("%d jobs are queued, %v", jobs, err)
		}
		list := f.list(f.ann, quire.ListInput{Title: "A list"})
		updated, err := f.UpdateList(ctx, f.ann, list.ID, quire.ListPatch{Media: quire.MediaPatch{Avatar: &avatar}})
		if err != nil || updated.Version != 2 || len(updated.Media) != 1 {
			t.Errorf("list: %+v, %v", updated.ListRecord, err)
		}
	})
}

// TestMediaOfOthers: nobody changes what is another's, and what is sent is not even
// looked at.
func TestMediaOfOthers(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		e, list := f.create(f.ann, document("Owned by Ann", "body")), f.list(f.ann, quire.ListInput{Title: "Ann's"})
		bad := []quire.Upload{{Data: []byte("no image")}}
		patch := quire.MediaPatch{Images: &bad}
		for _, c := range []struct {
			by   quire.Actor
			id   string
			list int64
			want quire.Code
		}{
			{f.bob, e.ID, list.ID, quire.CodeForbidden}, {f.bob, "none", 5, quire.CodeNotFound},
			{quire.Actor{}, e.ID, list.ID, quire.CodeUnauthenticated}, {f.ann, e.ID, list.ID, quire.CodeInvalid},
		} {
			_, e1 := f.AddMedia(ctx, c.by, c.id, quire.MediaInput{Images: bad})
			_, e2 := f.UpdateElemental(ctx, c.by, c.id, quire.ElementalPatch{Media: patch})
			_, e3 := f.UpdateList(ctx, c.by, c.list, quire.ListPatch{Media: patch})
			for _, err := range []error{e1, e2, e3} {
				wantCode(t, err, c.want)
			}
			if c.by != f.ann {
				_, err := f.RemoveMedia(ctx, c.by, c.id, quire.MediaRemoval{Avatar: true})
				wantCode(t, err, c.want)
			}
		}
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		_, err := f.AddMedia(cancelled, f.ann, e.ID, quire.MediaInput{Images: []quire.Upload{upload("a", dot(t))}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
}

// TestMediaLimitUnderConcurrency: many calls at once do not exceed the limit, and what
// is refused leaves nothing behind.
func TestMediaLimitUnderConcurrency(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx, pic := t.Context(), upload("a", dot(t))
		id := f.create(f.ann, document("With many pictures", "body")).ID
		var wg sync.WaitGroup
		var mu sync.Mutex
		added := 0
		for range 8 {
			wg.Go(func() {
				_, err := f.AddMedia(ctx, f.ann, id, quire.MediaInput{Images: []quire.Upload{pic, pic, pic, pic}, Avatar: &pic})
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					added++
				} else if quire.CodeOf(err) != quire.CodeInvalid {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		e, err := f.Elemental(ctx, f.bob, id)
		if err != nil {
			t.Fatal(err)
		}
		if images := ofKind(e.Details.Media, quire.MediaImage); added != 3 || len(images) != 12 || len(ofKind(e.Details.Media, quire.MediaAvatar)) != 1 || e.Version != 4 {
			t.Errorf("%d calls added %d images; version %d", added, len(images), e.Version)
		}
	})
}

// TestMediaSurvive: media are there after the Store was closed and opened.
func TestMediaSurvive(t *testing.T) {
	t.Parallel()
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "quire.db")
	open := func() (*quire.Library, quire.Store) {
		t.Helper()
		s, err := sqlite.Open(ctx, path, nil)
		if err != nil {
			t.Fatal(err)
		}
		lib, err := quire.NewLibrary(ctx, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		return lib, s
	}
	lib, s := open()
	u, err := lib.CreateUser(ctx, quire.UserInput{ID: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	in := document("With pictures", "body")
	in.Media = quire.MediaInput{Images: []quire.Upload{upload("a", pixels(t, 9, 8))}, Files: []quire.Upload{upload("b", []byte{0, 1, 255})}}
	before, err := lib.CreateElemental(ctx, u.Actor(), in)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(lib.Close(ctx), s.Close()); err != nil {
		t.Fatal(err)
	}
	lib, s = open()
	t.Cleanup(func() { _ = s.Close() })
	after, err := lib.Elemental(ctx, u.Actor(), before.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before.Details.Media, after.Details.Media); diff != "" {
		t.Errorf("media (-before +after):\n%s", diff)
	}
	for _, m := range after.Details.Media {
		want := in.Media.Files[0].Data
		read := func() (quire.Media, []byte, error) { return lib.ElementalFile(ctx, u.Actor(), before.ID, m.ID) }
		if m.Kind == quire.MediaImage {
			want = in.Media.Images[0].Data
			read = func() (quire.Media, []byte, error) { return lib.Image(ctx, u.Actor(), m.ID) }
		}
		if _, data, err := read(); err != nil || !bytes.Equal(data, want) {
			t.Errorf("%s: %d bytes, %v", m.Name, len(data), err)
		}
	}
}

// TestKnowledgeOfMedia: knowledge text names images by their addresses, files with their
// names.
func TestKnowledgeOfMedia(t *testing.T) {
	t.Parallel()
	f := newFixture(t, store.NewMemory(), &quire.LibraryOptions{PublicURL: "https://quire.example"})
	in := document("With pictures", "body")
	in.Media = quire.MediaInput{Images: []quire.Upload{upload("a", dot(t))}, Covers: []quire.Upload{upload("c", dot(t))}, Files: []quire.Upload{upload("b.txt", []byte("text"))}}
	e := f.create(f.ann, in)
	list := f.list(f.ann, quire.ListInput{Title: "A list", Items: []quire.ItemInput{{ElementalID: e.ID}}})
	want := fmt.Sprintf("Title: A list\n\n1. Images: https://quire.example/v1/image/%d\n   Files: 1. Name: b.txt\n        Url: %s/file/%d\n",
		ofKind(e.Details.Media, quire.MediaImage)[0], e.URL, ofKind(e.Details.Media, quire.MediaFile)[0])
	got := f.compile(f.bob, list.ID, quire.KnowledgeOptions{Fields: []string{"images", "files"}})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// TestBatchWithMedia: a payload with bad media fails alone.
func TestBatchWithMedia(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		good, bad, many := document("A good payload", "b"), document("A bad payload", "b"), document("A payload of many", "b")
		good.Media.Images = []quire.Upload{upload("a", dot(t))}
		bad.Media.Images = []quire.Upload{upload("a", dot(t)), upload("b", dot(t)[:10])}
		many.Media.Files = slices.Repeat(good.Media.Images, 4)
		items, err := f.CreateElementals(t.Context(), f.ann, []quire.ElementalInput{bad, good, many})
		if err != nil {
			t.Fatal(err)
		}
		wantField(t, items[0].Err, "images/1/file_buffer")
		wantField(t, items[2].Err, "files")
		if items[1].Err != nil || len(items[1].Elemental.Details.Media) != 1 {
			t.Errorf("%+v", items[1])
		}
		if got := f.find(f.ann, "payload"); len(got) != 1 {
			t.Errorf("created: %q", got)
		}
	})
}

// TestMediaModel compares random changes with a model: lists of names.
func TestMediaModel(t *testing.T) {
	t.Parallel()
	f := newFixture(t, store.NewMemory(), nil)
	pic, number := dot(t), 0
	rapid.Check(t, func(rt *rapid.T) {
		ctx := t.Context()
		number++
		id := f.create(f.ann, document(fmt.Sprintf("Model number %d", number), "body")).ID
		model := map[quire.MediaKind][]string{}
		made := 0
		some := func(most int) (in []quire.Upload, names []string) {
			for range rapid.IntRange(0, most).Draw(rt, "n") {
				made++
				names = append(names, fmt.Sprint("file ", made))
				in = append(in, upload(names[len(names)-1], pic))
			}
			return in, names
		}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			var e quire.Elemental
			var err error
			switch rapid.IntRange(0, 2).Draw(rt, "step") {
			case 0:
				images, names := some(4)
				files, more := some(3)
				e, err = f.AddMedia(ctx, f.ann, id, quire.MediaInput{Images: images, Files: files})
				if len(model[quire.MediaImage])+len(images) > 15 || len(model[quire.MediaFile])+len(files) > 15 {
					wantCode(t, err, quire.CodeInvalid)
					continue
				}
				model[quire.MediaImage] = append(model[quire.MediaImage], names...)
				model[quire.MediaFile] = append(model[quire.MediaFile], more...)
			case 1:
				covers, names := some(3)
				images, more := some(3)
				p := quire.MediaPatch{Covers: &covers}
				model[quire.MediaCover] = names
				if rapid.Bool().Draw(rt, "images too") {
					p.Images, model[quire.MediaImage] = &images, more
				}
				e, err = f.UpdateElemental(ctx, f.ann, id, quire.ElementalPatch{Media: p})
			case 2:
				now, err := f.Elemental(ctx, f.ann, id)
				if err != nil {
					rt.Fatal(err)
				}
				var r quire.MediaRemoval
				for _, m := range now.Details.Media {
					if !rapid.Bool().Draw(rt, "remove") {
						continue
					}
					r.Images = append(r.Images, m.ID) // of other kinds it is passed over
					if m.Kind == quire.MediaImage {
						model[m.Kind] = slices.DeleteFunc(slices.Clone(model[m.Kind]), func(name string) bool { return name == m.Name })
					}
				}
				if e, err = f.RemoveMedia(ctx, f.ann, id, r); err != nil {
					rt.Fatal(err)
				}
			}
			if err != nil {
				rt.Fatal(err)
			}
			got := map[quire.MediaKind][]string{}
			for _, m := range e.Details.Media {
				got[m.Kind] = append(got[m.Kind], m.Name)
			}
			for _, kind := range []quire.MediaKind{quire.MediaImage, quire.MediaCover, quire.MediaFile} {
				if !slices.Equal(got[kind], model[kind]) {
					rt.Fatalf("%s: %q, want %q", kind, got[kind], model[kind])
				}
			}
		}
	})
}
