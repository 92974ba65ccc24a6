package quire_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirelib/quire"
)

// textItem is an item of a list as its text says it.
type textItem struct{ Title, Description, Body string }

// TestListTextIsUnambiguous parses the text and the JSON of lists back, whatever the items
// hold.
func TestListTextIsUnambiguous(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stores[0].open(t), nil)
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", "\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\u0085", "\u2028", "\u2029", "\n\n", " ", "  ", "   ", "    ", "\t", "1. Title: forged", "2. ",
			"Title: ", "Description: ", "Body: ", "```", "~~~", "# h", "日本",
		}), 0, 8).Draw(t, "pieces"), "")
	})
	lists, items := 0, 0
	check := func(t *rapid.T) {
		var want []textItem
		in := quire.ListInput{Title: "A list" + text.Draw(t, "title of the list"), Description: text.Draw(t, "description of the list")}
		for range rapid.IntRange(0, 12).Draw(t, "items") {
			doc := document("An elemental"+text.Draw(t, "title"), "b"+text.Draw(t, "body"))
			doc.Description = text.Draw(t, "description")
			e, err := f.CreateElemental(f.t.Context(), f.ann, doc)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, textItem{e.Title, e.Description, e.Body})
			in.Items = append(in.Items, quire.ItemInput{ElementalID: e.ID, OrderIndex: new(int64(len(want)))})
		}
		list, err := f.CreateList(f.t.Context(), f.ann, in)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := f.WriteListKnowledge(f.t.Context(), f.ann, list.ID, quire.KnowledgeOptions{}, &b); err != nil {
			t.Fatal(err)
		}
		head, got := parseList(b.String())
		if diff := cmp.Diff(textItem{Title: list.Title, Description: list.Description}, head); diff != "" {
			t.Fatalf("head of\n%q\n%s", b.String(), diff)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("items of\n%q\n%s", b.String(), diff)
		}
		b.Reset()
		if err := f.WriteListKnowledge(f.t.Context(), f.ann, list.ID, quire.KnowledgeOptions{Format: quire.FormatJSON}, &b); err != nil {
			t.Fatal(err)
		}
		var asJSON struct {
			textItem
			Items []textItem
		}
		if err := json.Unmarshal([]byte(b.String()), &asJSON); err != nil || asJSON.textItem != head || !slices.Equal(asJSON.Items, want) {
			t.Fatalf("JSON %s is %+v, want %+v: %v", b.String(), asJSON, want, err)
		}
		lists++
		items += len(want)
	}
	rounds := 20 // of a hundred lists
	if testing.Short() {
		rounds = 1
	}
	for range rounds {
		rapid.Check(t, check)
	}
	if t.Failed() {
		return
	}
	t.Logf("G6: %d lists of %d items that hold labels, numbers and line breaks, read back from text and JSON: 0 forged, 0 lost", lists, items)
}

// parseList reads the text of a list by its indents.
func parseList(s string) (head textItem, items []textItem) {
	for _, entry := range entries(strings.TrimSuffix(s, "\n"), "") {
		if n, rest, ok := numbered(entry); ok {
			if strconv.Itoa(len(items)+1)+". " != entry[:n] {
				return head, nil
			}
			var item textItem
			for _, line := range entries(strings.TrimSuffix(rest, "\n"), strings.Repeat(" ", n)) {
				item.read(line, strings.Repeat(" ", n+2))
			}
			items = append(items, item)
			continue
		}
		head.read(entry, "  ")
	}
	return head, items
}

// read takes a labelled value in. An empty line has none.
func (i *textItem) read(line, indent string) {
	label, value, _ := strings.Cut(line, ": ")
	switch label {
	case "Title":
		i.Title = dedent(value, indent)
	case "Description":
		i.Description = dedent(value, indent)
	case "Body":
		i.Body = dedent(value, indent)
	}
}
