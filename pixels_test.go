package quire_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
)

// undecodable is a PNG image that claims a size and can only be refused by decoding it.
func undecodable(t *testing.T, w, h int) []byte {
	t.Helper()
	data := bytes.Clone(pixels(t, w, h))
	i := bytes.Index(data, []byte("IDAT"))
	data[i+8] ^= 0xff
	return data
}

// TestPixelsPerCall: where the sum of one call goes over its limit, nothing is decoded, with a key neither.
func TestPixelsPerCall(t *testing.T) {
	t.Parallel()
	f := newFixture(t, store.NewMemory(), &quire.LibraryOptions{MaxPixels: 100, MaxPixelsPerCall: 250})
	image := func(n int, data []byte) (in quire.MediaInput) {
		for range n {
			in.Images = append(in.Images, upload("a", data))
		}
		return in
	}
	good, bad := pixels(t, 10, 10), undecodable(t, 10, 10)
	wantLimit := func(err error, field string) {
		t.Helper()
		wantField(t, err, field)
		if err != nil && !strings.Contains(err.Error(), "250 pixels") {
			t.Errorf("%q does not name the limit", err)
		}
	}
	ctx := t.Context()
	in := document("Many pixels", "body")
	in.Media = image(3, bad)
	_, err := f.CreateElemental(ctx, f.ann, in)
	wantLimit(err, "images/2/file_buffer")
	_, err = f.CreateList(ctx, f.ann, quire.ListInput{Title: "Many pixels", Media: image(3, bad)})
	wantLimit(err, "images/2/file_buffer")
	in.Media = image(2, bad)
	_, err = f.CreateElemental(ctx, f.ann, in)
	wantField(t, err, "images/0/file_buffer")
	in.Media = image(2, good)
	e := f.create(f.ann, in)
	_, err = f.AddMedia(ctx, f.ann, e.ID, quire.MediaInput{Images: image(2, bad).Images, Covers: image(1, bad).Images})
	wantLimit(err, "cover_images/0/file_buffer")

	var ins []quire.ElementalInput
	for _, m := range []quire.MediaInput{image(1, good), image(2, bad), image(3, bad), image(1, good), image(1, bad), {Files: image(3, bad).Images}} {
		in := document("One of many with pixels", "body")
		in.Media = m
		ins = append(ins, in)
	}
	check := func(ctx context.Context) {
		t.Helper()
		items, err := f.CreateElementals(ctx, f.ann, ins)
		if err != nil {
			t.Fatal(err)
		}
		for i, field := range []string{"", "images/1/file_buffer", "images/1/file_buffer", "", "images/0/file_buffer", ""} {
			if field == "" {
				if items[i].Err != nil {
					t.Errorf("item %d: %v", i, items[i].Err)
				}
			} else {
				wantField(t, items[i].Err, field)
			}
		}
		wantLimit(items[1].Err, "images/1/file_buffer")
		wantLimit(items[4].Err, "images/0/file_buffer")
	}
	check(ctx)
	var uploads []quire.MediaInput
	for _, in := range ins {
		uploads = append(uploads, in.Media)
	}
	inspected, err := f.InspectUploads(ctx, f.ann, uploads...)
	if err != nil {
		t.Fatal(err)
	}
	check(inspected)
	for _, o := range []quire.LibraryOptions{{MaxPixelsPerCall: -1}, {MaxPixels: 100, MaxPixelsPerCall: 99}} {
		_, err := quire.NewLibrary(ctx, store.NewMemory(), &o)
		wantField(t, err, "LibraryOptions.MaxPixelsPerCall")
	}
}
