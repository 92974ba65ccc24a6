package quire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/internal/archive"
	"github.com/quirelib/quire/store"
)

// Every bit of an archive counts.
func TestImportOfDamagedArchives(t *testing.T) {
	t.Parallel()
	data := smallArchive(t)
	tg := newTarget(t)
	step := 1
	if testing.Short() {
		step = 7
	}
	flips, cuts := 0, 0
	for i := 0; i < len(data); i += step {
		for _, bit := range []byte{1 << (i % 8), 0xff} {
			bad := slices.Clone(data)
			bad[i] ^= bit
			tg.refuses(fmt.Sprint("byte ", i), bad, quire.CodeInvalid, quire.CodeNewerSchema)
			flips++
		}
		tg.refuses(fmt.Sprint("cut at ", i), data[:i], quire.CodeInvalid)
		cuts++
	}
	for name, bad := range map[string][]byte{
		"a byte more": append(slices.Clone(data), 'x'), "twice": slices.Concat(data, data), "a line more": append(slices.Clone(data), '\n'),
		"without its end": data[:bytes.LastIndex(data, []byte("\ne "))+1],
	} {
		tg.refuses(name, bad, quire.CodeInvalid)
	}
	tg.unchanged("damage")
	if t.Failed() {
		return
	}
	t.Logf("F8: an archive of %d bytes, changed %d times and cut %d times: all refused, 0 imported", len(data), flips, cuts)
}

// Frames that are each whole, in another order or from elsewhere.
func TestImportOfSplicedArchives(t *testing.T) {
	t.Parallel()
	data := smallArchive(t)
	tg := newTarget(t)
	first := bytes.IndexByte(data, '\n') + 1
	frames := frames(t, data[first:])
	tried := 0
	try := func(what string, fs [][]byte) {
		tried++
		tg.refuses(what, append(slices.Clone(data[:first]), bytes.Join(fs, nil)...), quire.CodeInvalid)
	}
	for i := range frames {
		try("missing", slices.Delete(slices.Clone(frames), i, i+1))
		try("twice", slices.Insert(slices.Clone(frames), i, frames[i]))
		if i > 0 {
			swapped := slices.Clone(frames)
			swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
			try("swapped", swapped)
		}
	}
	tg.unchanged("spliced frames")
	if t.Failed() {
		return
	}
	t.Logf("F8: %d frames in %d wrong orders: all refused, 0 imported", len(frames), tried)
}

// frames cuts frames apart.
func frames(t *testing.T, data []byte) (all [][]byte) {
	t.Helper()
	for len(data) > 0 {
		var kind string
		var number, length int
		if _, err := fmt.Sscan(string(data[:bytes.IndexByte(data, '\n')]), &kind, &number, &length); err != nil {
			t.Fatal(err)
		}
		end := bytes.IndexByte(data, '\n') + 1 + length + 1
		all, data = append(all, data[:end]), data[end:]
	}
	return all
}

func TestImportOfNewerArchives(t *testing.T) {
	t.Parallel()
	tg := newTarget(t)
	for _, v := range []string{"2", "10", "999999"} {
		r := &countingReader{Reader: io.MultiReader(strings.NewReader("quire-archive "+v+"\n"), strings.NewReader(strings.Repeat("x", 1<<20)))}
		_, err := tg.eng.Import(t.Context(), r, nil)
		wantCode(t, err, quire.CodeNewerSchema)
		if !errors.Is(err, quire.ErrNewerSchema) || r.n > 128<<10 {
			t.Errorf("%v after %d bytes", err, r.n)
		}
	}
	for _, v := range []string{"", "0", "-1", "01", "1 ", "x"} {
		tg.refuses(v, []byte("quire-archive "+v+"\n"), quire.CodeInvalid)
	}
	tg.unchanged("newer archives")
}

type countingReader struct {
	io.Reader
	n int
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n += n
	return n, err
}

func TestImportHoldsToTheRules(t *testing.T) {
	t.Parallel()
	data := smallArchive(t)
	es := take(t, data)
	tg := newTarget(t)
	is := func(want any) func(any) bool { return func(v any) bool { return fmt.Sprint(v) == fmt.Sprint(want) } }
	doc := nthWith(t, es, "elemental", "id", is("doc"))
	snippet := nthWith(t, es, "elemental", "id", is("snippet")) // which nothing else names
	table := nthWith(t, es, "elemental", "type_id", is(quire.TypeTable))
	cell := nthWith(t, es, "elemental", "type_id", is(quire.TypeCell))
	column := nthWith(t, es, "list", "table_orientation", is("column"))
	row := nthWith(t, es, "list", "table_orientation", is("row"))
	plain := nthWith(t, es, "list", "title", is("List"))
	image := nthWith(t, es, "media", "kind", is("image"))
	last, ofFile, n := -1, -1, 0 // the last chunk of the document's own text, and that of its file
	for _, e := range es {
		if e.Kind == "chunk" {
			if e.Data["text"] == nil {
				last = n
			} else {
				ofFile = n
			}
			n++
		}
	}
	imageID := fmt.Sprint(es[find(t, es, "media", image)].Data["id"])
	long := strings.Repeat("x", 1<<16)
	cases := []hostile{
		{"tenant", 0, "id", "", ""}, {"tenant", 0, "id", long, ""}, {"tenant", 0, "more", 1, ""},
		{"user", 0, "id", "", ""}, {"user", 0, "id", "../x", ""}, {"user", 0, "id", "visitor", quire.CodeConflict},
		{"user", 0, "name", long, ""}, {"user", 0, "avatar_url", "javascript:1", ""}, {"user", 0, "tenant_id", "x", ""},
		{"guest", 0, "id", "", ""}, {"guest", 0, "id", "visitor", quire.CodeConflict}, {"guest", 0, "id", "user", ""}, {"guest", 0, "id", "user0", quire.CodeConflict},
		{"tag", 0, "id", 0, ""}, {"tag", 0, "id", -1, ""}, {"tag", 0, "id", int64(1) << 53, ""}, {"tag", 0, "owner_id", "nobody", ""},
		{"tag", 0, "title", "", ""}, {"tag", 0, "title", " x", ""}, {"tag", 0, "color", "red", ""}, {"tag", 0, "elemental_type_id", 77, ""},
		{"elemental", doc, "id", "", ""}, {"elemental", doc, "id", "types", ""}, {"elemental", doc, "id", "a/b", ""}, {"elemental", doc, "id", "snippet", ""},
		{"elemental", snippet, "id", "", ""}, {"elemental", snippet, "id", "types", ""}, {"elemental", snippet, "id", "a/b", ""}, {"elemental", snippet, "id", "..", ""},
		{"elemental", doc, "owner_id", "nobody", ""}, {"elemental", doc, "owner_id", "", ""}, {"elemental", doc, "owner_id", "user0", ""},
		{"elemental", doc, "type_id", 0, ""}, {"elemental", doc, "type_id", 77, ""}, {"elemental", doc, "type_id", quire.TypeCell, ""}, {"elemental", doc, "type_id", quire.TypeTable, ""},
		{"elemental", doc, "category_id", 99, ""}, {"elemental", doc, "topic_ids", []int{9999}, ""},
		{"elemental", doc, "title", "short", ""}, {"elemental", doc, "title", "The title\x00 with NUL", ""}, {"elemental", doc, "title", " The title with blanks", ""},
		{"elemental", doc, "description", long, ""}, {"elemental", doc, "command", long, ""}, {"elemental", doc, "visibility", 0, ""}, {"elemental", doc, "visibility", 3, ""},
		{"elemental", doc, "video_url", "file:///etc", ""}, {"elemental", doc, "price", -1, ""}, {"elemental", doc, "version", 0, ""}, {"elemental", doc, "sales", -1, ""},
		{"elemental", doc, "tag_ids", []int64{5}, ""}, {"elemental", doc, "tag_ids", "x", ""}, {"elemental", doc, "table_id", "x", ""}, {"elemental", doc, "row_id", 1, ""},
		{"elemental", doc, "created_at", "yesterday", ""}, {"elemental", doc, "tutorial_steps", []any{map[string]any{"title": " "}}, ""},
		{"elemental", cell, "table_id", "doc", ""}, {"elemental", cell, "table_id", "", ""}, {"elemental", cell, "column_id", 7, ""}, {"elemental", cell, "row_id", 7, ""},
		{"elemental", cell, "title", "Another title", ""}, {"elemental", cell, "visibility", 2, ""}, {"elemental", cell, "category_id", 1, ""},
		{"elemental", table, "visibility", 2, ""}, {"elemental", table, "type_id", 3, ""},
		{"list", plain, "id", 0, ""}, {"list", plain, "owner_id", "nobody", ""}, {"list", plain, "title", "", ""}, {"list", plain, "type_id", 99, ""},
		{"list", plain, "visibility", 9, ""}, {"list", plain, "table_id", "doc", ""}, {"list", plain, "table_orientation", "row", ""}, {"list", plain, "table_index", 1, ""}, {"list", plain, "version", -1, ""},
		{"list", column, "table_orientation", "row", ""}, {"list", row, "table_orientation", "diagonal", ""}, {"list", column, "table_id", "doc", ""},
		{"list", row, "title", "Renamed", ""}, {"list", column, "visibility", 2, ""}, {"list", row, "table_index", 4, ""},
		{"media", image, "kind", "poster", ""}, {"media", image, "name", "", ""}, {"media", image, "name", long, ""}, {"media", image, "ordinal", -1, ""}, {"media", image, "id", 0, ""},
		{"mark", 0, "kind", "like", ""}, {"mark", 0, "user_id", "nobody", ""},
		{"comment", 0, "message", " ", ""}, {"comment", 0, "reply_to", 1, ""}, {"comment", 1, "reply_to", 2, ""}, {"comment", 1, "reply_to", -1, ""}, {"comment", 0, "user_id", "nobody", ""}, {"comment", 0, "votes", -1, ""},
		{"rate", 0, "rating", 0, ""}, {"rate", 0, "rating", 6, ""}, {"rate", 0, "user_id", "nobody", ""}, {"rate", 0, "message", long, ""},
		{"item", 0, "elemental_id", "nothing", ""}, {"item", 0, "order_index", "first", ""},
		{"knowledge", 0, "elemental_id", "nothing", ""}, {"knowledge", 0, "fingerprint", "", ""}, {"knowledge", 0, "dimension", 0, ""}, {"knowledge", 0, "dimension", 7, ""},
		{"knowledge", 0, "chunks", 0, ""}, {"knowledge", 0, "chunks", 1, ""}, {"knowledge", 0, "chunks", 99, ""}, {"knowledge", 0, "chunks", 1 << 40, ""},
		{"chunk", last, "item_id", "nothing", ""}, {"chunk", last, "ordinal", -1, ""}, {"chunk", last, "ordinal", 0, ""}, {"chunk", last, "start", -1, ""}, {"chunk", last, "end", 0, ""}, {"chunk", last, "end", 1 << 30, ""},
		{"chunk", last, "hash", "x", ""}, {"chunk", last, "hash", strings.Repeat("G", 64), ""}, {"chunk", last, "text", "other", ""}, {"chunk", last, "heading", []string{"\x00"}, ""}, {"chunk", last, "id", "x", ""},
		{"chunk", ofFile, "text", "other", ""}, {"chunk", ofFile, "text", "", ""}, {"chunk", ofFile, "end", 5, ""}, {"chunk", ofFile, "end", 0, ""}, {"chunk", ofFile, "start", 1, ""}, {"chunk", ofFile, "start", -1, ""},
		{"chunk", ofFile, "item_id", "", ""}, {"chunk", ofFile, "item_id", "77", ""}, {"chunk", ofFile, "item_id", imageID, ""}, {"chunk", ofFile, "item_id", "snippet", ""}, {"chunk", ofFile, "ordinal", -1, ""},
	}
	for _, c := range cases {
		bad := slices.Clone(es)
		i := find(t, bad, c.kind, c.nth)
		bad[i].Data = maps.Clone(bad[i].Data)
		bad[i].Data[c.field] = c.value
		code := c.code
		if code == "" {
			code = quire.CodeInvalid
		}
		what := fmt.Sprintf("%s %s = %.30v", c.kind, c.field, c.value)
		err := tg.refuses(what, forge(t, bad), code)
		if err != nil && !strings.Contains(err.Error(), "archive") {
			t.Errorf("%s: %q does not say where", what, err)
		}
	}
	tg.unchanged("hostile values")
	_, err := tg.importing(forge(t, es), &quire.ImportOptions{TenantID: "home"})
	tg.must(err) // what was changed each time is the only reason
	if t.Failed() {
		return
	}
	t.Logf("F8: %d values that break a rule, with good checksums: all refused, 0 imported", len(cases))
}

// Times that no answer and no export can have, and numbers that overflow when they are
// counted on, are refused by name; the last ones before them are not.
func TestImportRefusesTimesAndCounts(t *testing.T) {
	t.Parallel()
	es := take(t, smallArchive(t))
	is := func(want any) func(any) bool { return func(v any) bool { return fmt.Sprint(v) == fmt.Sprint(want) } }
	doc := nthWith(t, es, "elemental", "id", is("doc"))
	plain := nthWith(t, es, "list", "title", is("List"))
	image := nthWith(t, es, "media", "kind", is("image"))
	type field struct {
		kind string
		nth  int
		name string
	}
	times := []field{
		{"user", 0, "created_at"}, {"tag", 0, "created_at"}, {"tag", 0, "updated_at"}, {"elemental", doc, "created_at"}, {"elemental", doc, "updated_at"},
		{"media", image, "created_at"}, {"comment", 0, "created_at"}, {"comment", 1, "updated_at"}, {"rate", 0, "created_at"}, {"rate", 0, "updated_at"},
		{"mark", 0, "created_at"}, {"list", plain, "created_at"}, {"list", plain, "updated_at"}, {"item", 0, "added_at"},
	}
	counts := []field{
		{"elemental", doc, "version"}, {"elemental", doc, "sales"}, {"elemental", doc, "uses"}, {"list", plain, "version"}, {"list", plain, "sales"},
		{"list", plain, "uses"}, {"comment", 0, "votes"}, {"rate", 0, "votes"}, {"media", image, "ordinal"}, {"chunk", 0, "ordinal"},
	}
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			in := newInstance(t, s.open(t), nil)
			good := [2][]entry{es, es}
			try := func(f field, bad ...any) {
				for _, value := range bad {
					_, err := in.importing(forge(t, with(t, es, f.kind, f.nth, map[string]any{f.name: value})), nil)
					if wantCode(t, err, quire.CodeInvalid); err != nil && !strings.Contains(err.Error(), f.name) {
						t.Errorf("%s %s = %v: %q does not name the field", f.kind, f.name, value, err)
					}
				}
			}
			set := func(f field, values ...any) {
				for i, v := range values {
					good[i] = with(t, good[i], f.kind, f.nth, map[string]any{f.name: v})
				}
			}
			for _, f := range times {
				try(f, "9999-12-31T23:59:59-23:59", "0000-01-01T00:00:00+23:59", "0001-01-01T00:00:00+00:01", "0000-12-31T23:59:59Z")
				set(f, "9999-12-31T23:59:59.999999Z", "0001-01-01T00:01:00+00:01")
			}
			for _, f := range counts {
				try(f, int64(1)<<53, int64(1<<63-1), -1)
				set(f, int64(1)<<53-1)
			}
			empty(t, in)
			for _, es := range good {
				to := newInstance(t, s.open(t), nil)
				_, err := to.importing(forge(t, es), nil)
				to.must(err)
				a := quire.Actor{UserID: "user", TenantID: acme}
				_, err = to.UpdateElemental(t.Context(), a, "doc", quire.ElementalPatch{Title: new("A document with another title")})
				to.must(err)
				lists, err := to.UserLists(t.Context(), a, nil)
				to.must(err)
				for _, l := range lists.Items {
					_, err = to.UpdateList(t.Context(), a, l.ID, quire.ListPatch{Title: new("Another title")})
					to.must(err)
				}
				_, err = to.Use(t.Context(), a, quire.Subject{ElementalID: "doc"})
				to.must(err)
				_, err = to.Sell(t.Context(), a, quire.Subject{ElementalID: "doc"})
				to.must(err)
				again := to.export(acme)
				_, err = newInstance(t, s.open(t), nil).importing(again, nil)
				to.must(err)
			}
		})
	}
}

// TestImportOfManyValues: a record of many empty values, which take fifty times their length
// when they are decoded, is refused before that.
func TestImportOfManyValues(t *testing.T) { // not beside others, whose memory would count
	es := take(t, smallArchive(t))
	doc := nthWith(t, es, "elemental", "id", func(v any) bool { return v == "doc" })
	steps := json.RawMessage("[" + strings.Repeat("{},", 1_500_000) + "{}]")
	data := forge(t, with(t, es, "elemental", doc, map[string]any{"tutorial_steps": steps}))
	steps = nil
	tg := newTarget(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := tg.refuses("many values", data, quire.CodeInvalid)
	runtime.ReadMemStats(&after)
	if err != nil && !strings.Contains(err.Error(), "values") {
		t.Errorf("the error is %q", err)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 100<<20 {
		t.Errorf("%d MiB were taken for an archive of %d MiB", taken>>20, len(data)>>20)
	}
	tg.unchanged("many values")
}

// Passages and their headings are shown with each hit.
func TestImportRefusesLongPassages(t *testing.T) {
	t.Parallel()
	es := take(t, smallArchive(t))
	doc := nthWith(t, es, "elemental", "id", func(v any) bool { return v == "doc" })
	ofFile := nthWith(t, es, "chunk", "text", func(v any) bool { return v != nil })
	own := slices.IndexFunc(es, func(e entry) bool { return e.Kind == "knowledge" && e.Data["elemental_id"] == "doc" })
	for es[own].Data["text"] != nil || es[own].Kind != "chunk" {
		own++
	}
	own = count(es[:own], "chunk") // before it
	const most = 1 << 20
	i := find(t, es, "elemental", doc)
	es[i].Blob = append(slices.Clone(es[i].Blob), bytes.Repeat([]byte(" more"), most/4)...)
	span := func(n int) map[string]any { return map[string]any{"start": 0, "end": n} }
	text := func(n int) map[string]any {
		return map[string]any{"start": 0, "end": n, "text": strings.Repeat("x", n)}
	}
	heading := func(n int, h string) map[string]any { return map[string]any{"heading": slices.Repeat([]string{h}, n)} }
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			in := newInstance(t, s.open(t), nil)
			for _, c := range []struct {
				nth    int
				fields map[string]any
				names  string
			}{
				{ofFile, text(most + 1), "text"}, {own, span(most + 1), "text"}, {own, heading(101, "x"), "heading"},
				{ofFile, heading(1, strings.Repeat("x", 1001)), "heading"}, {ofFile, heading(1, strings.Repeat("本", 334)), "heading"},
			} {
				_, err := in.importing(forge(t, with(t, es, "chunk", c.nth, c.fields)), nil)
				if wantCode(t, err, quire.CodeInvalid); err != nil && !strings.Contains(err.Error(), c.names) {
					t.Errorf("%q does not name %s", err, c.names)
				}
			}
			empty(t, in)
			longest := with(t, with(t, es, "chunk", ofFile, text(most)), "chunk", own, span(most))
			longest = with(t, with(t, longest, "chunk", ofFile, heading(100, strings.Repeat("x", 1000))), "chunk", own, heading(1, strings.Repeat("é", 500)))
			res, err := in.importing(forge(t, longest), nil)
			in.must(err)
			again, err := newInstance(t, s.open(t), nil).importing(in.export(acme), nil)
			if in.must(err); again != res || res.Ingests > 0 {
				t.Errorf("imported %+v, and of its export %+v", res, again)
			}
		})
	}
}

// Whole records too many, too few, in the wrong place or with a wrong blob.
func TestImportHoldsToTheStructure(t *testing.T) {
	t.Parallel()
	es := take(t, smallArchive(t))
	tg := newTarget(t)
	tried := 0
	for i, e := range es {
		// Without it, and twice: some may be missing, or there again.
		mayMiss := slices.Contains([]string{"media", "comment", "rate", "mark"}, e.Kind)
		without := forge(t, slices.Delete(slices.Clone(es), i, i+1))
		if !mayMiss && !(e.Kind == "elemental" && e.Data["id"] == "snippet") {
			if _, err := tg.importing(without, &quire.ImportOptions{TenantID: "home"}); err == nil {
				// A list may lose an item, a tenant a list: that is another library, and whole.
				if e.Kind != "item" && e.Kind != "list" {
					t.Errorf("without record %d (%s) it was imported", i, e.Kind)
				}
				tg = newTarget(t)
			}
			tried++
		}
		if e.Kind != "comment" {
			tg.refuses(fmt.Sprint("twice: ", e.Kind), forge(t, slices.Insert(slices.Clone(es), i, e)), quire.CodeInvalid, quire.CodeConflict)
			tried++
		}
		blobless := slices.Clone(es)
		blobless[i].Blob = append(slices.Clone(e.Blob), 0)
		if e.Kind == "elemental" || e.Kind == "chunk" {
			tg.refuses("blob of "+e.Kind, forge(t, blobless), quire.CodeInvalid)
			tried++
		}
	}
	for _, kind := range []string{"user", "tag", "elemental", "list", "catalogue", "tenant", "guest", "item", "media", "comment", "rate", "mark", "chunk"} {
		moved := append(slices.Clone(es), es[find(t, es, kind, 0)])
		tg.refuses("last: "+kind, forge(t, moved), quire.CodeInvalid)
		tried++
	}
	tg.refuses("unknown kind", forge(t, append(slices.Clone(es), entry{"key", map[string]any{"secret": "x"}, nil})), quire.CodeInvalid)
	tg.refuses("nothing", forge(t, nil), quire.CodeInvalid)
	tg.refuses("no object", forgeRaw(t, "tenant 0 []"), quire.CodeInvalid)
	tg.unchanged("structure")
	if t.Failed() {
		return
	}
	t.Logf("F8: %d archives with records missing, twice or out of place: refused, or whole without them", tried)
}

// Vectors that would spoil an index.
func TestImportRefusesVectors(t *testing.T) {
	t.Parallel()
	es := take(t, smallArchive(t))
	tg := newTarget(t)
	i := find(t, es, "chunk", 0)
	n := len(es[i].Blob)
	for name, blob := range map[string][]byte{
		"zero": make([]byte, n), "short": es[i].Blob[:n-4], "none": nil, "NaN": bytes.Repeat([]byte{0xff}, n),
		"infinite": append(slices.Clone(es[i].Blob[:n-4]), 0, 0, 0x80, 0x7f), "long": append(slices.Clone(es[i].Blob[:n-4]), 0, 0, 0x80, 0x3f),
	} {
		bad := slices.Clone(es)
		bad[i].Blob = blob
		tg.refuses(name, forge(t, bad), quire.CodeInvalid)
	}
	tg.unchanged("vectors")
}

func TestImportTwice(t *testing.T) {
	t.Parallel()
	data := smallArchive(t)
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			to := newInstance(t, s.open(t), nil)
			_, err := to.importing(data, nil)
			to.must(err)
			first := to.export(acme)
			for _, opts := range []*quire.ImportOptions{nil, {TenantID: acme}, {TenantID: "other"}, {TenantID: "other", KnownGuests: true}} {
				_, err := to.importing(data, opts)
				wantCode(t, err, quire.CodeConflict)
				if err != nil && !strings.Contains(err.Error(), "imported before") && !strings.Contains(err.Error(), "same archive") {
					t.Errorf("%q does not say why", err)
				}
			}
			if !bytes.Equal(first, to.export(acme)) {
				t.Error("the refused imports changed something")
			}
			_, err = to.importing(data, &quire.ImportOptions{TenantID: "a b"})
			wantField(t, err, "TenantID")
		})
	}
}

// Types and categories that the other side does not have are named.
func TestImportNamesWhatTheCatalogueLacks(t *testing.T) {
	t.Parallel()
	from := newInstance(t, store.NewMemory(), nil)
	c, err := from.Catalogue(t.Context())
	from.must(err)
	c.Categories = append(c.Categories, quire.Category{ID: 500, Name: "Beekeeping"})
	from.must(from.SetCatalogue(t.Context(), c))
	u, err := from.CreateUser(t.Context(), quire.UserInput{ID: "user", TenantID: acme})
	from.must(err)
	in := document("How to keep bees", "text")
	in.CategoryID = 500
	_, err = from.CreateElemental(t.Context(), u.Actor(), in)
	from.must(err)
	data := from.export(acme)
	to := newInstance(t, store.NewMemory(), nil)
	_, err = to.importing(data, nil)
	wantCode(t, err, quire.CodeInvalid)
	if err != nil && (!strings.Contains(err.Error(), "500") || !strings.Contains(err.Error(), "Beekeeping")) {
		t.Errorf("%q does not name the category", err)
	}
	other := c
	other.Categories = append(slices.Clone(c.Categories[:len(c.Categories)-1]), quire.Category{ID: 500, Name: "Astronomy"})
	to.must(to.SetCatalogue(t.Context(), other))
	_, err = to.importing(data, nil)
	wantCode(t, err, quire.CodeInvalid)
	to.must(to.SetCatalogue(t.Context(), c))
	_, err = to.importing(data, nil)
	to.must(err)
}

// FuzzImport changes archives at random, with and without making the checksums right
// again. What is imported can be exported, and what is exported imported.
func FuzzImport(f *testing.F) {
	small := smallArchive(f)
	from := newInstance(f, store.NewMemory(), nil)
	fillLibrary(from, 2, 3)
	for _, data := range [][]byte{small, from.export(acme)} {
		f.Add(data, false)
		f.Add(loosen(f, data), true)
	}
	f.Add([]byte("quire-archive 1\n"), false)
	f.Fuzz(func(t *testing.T, data []byte, loose bool) {
		if loose {
			data = tighten(t, data)
		}
		to := newInstance(t, store.NewMemory(), enginetest.NewEmbedder())
		res, err := to.importing(data, nil)
		if err != nil {
			if code := quire.CodeOf(err); code != quire.CodeInvalid && code != quire.CodeConflict && code != quire.CodeNewerSchema && code != quire.CodeTooLarge {
				t.Fatalf("error %v has code %s", err, code)
			}
			empty(t, to)
			return
		}
		if res.Users+res.Elementals+res.Lists == 0 {
			return
		}
		to.idle(res.TenantID)
		again := to.export(res.TenantID)
		second := newInstance(t, store.NewMemory(), enginetest.NewEmbedder())
		if _, err := second.importing(again, nil); err != nil {
			t.Fatalf("what was imported is exported and then refused: %v", err)
		}
		second.idle(res.TenantID)
		if third := second.export(res.TenantID); !bytes.Equal(again, third) {
			t.Fatalf("archives differ:\n%s\n%s", again, third)
		}
	})
}

// loosen writes an archive as lines without checksums: kind, blob in hex, JSON.
func loosen(t testing.TB, data []byte) []byte {
	var b bytes.Buffer
	for _, e := range take(t, data) {
		raw, err := json.Marshal(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %x %s\n", e.Kind, e.Blob, raw)
	}
	return b.Bytes()
}

// tighten is the inverse of loosen for whatever lines still have that form.
func tighten(t testing.TB, data []byte) []byte {
	var b bytes.Buffer
	w := archive.NewWriter(&b)
	for line := range bytes.Lines(data) {
		kind, rest, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
		digits, raw, _ := bytes.Cut(rest, []byte(" "))
		blob := make([]byte, len(digits)/2)
		if _, err := fmt.Sscanf(string(digits), "%x", &blob); err != nil {
			blob = nil
		}
		if !json.Valid(raw) {
			continue
		}
		if err := w.Record(string(kind), json.RawMessage(raw), blob); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
