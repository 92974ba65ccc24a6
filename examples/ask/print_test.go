package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/quirelib/quire"
)

func TestPrintAnswer(t *testing.T) {
	t.Parallel()
	r := quire.ChatResponse{
		Answer: "A send on a closed channel causes a run-time panic, and so does closing a channel that is closed already [1].\n    ch <- 1",
		Sources: []quire.SearchHit{
			{Score: 0.61234, Chunk: quire.Chunk{
				ElementalID: "e1", Title: "The Go Spec", Heading: []string{"Statements", "Send statements"},
				Text: "A send on a \x1b[2Jclosed channel\nproceeds by causing a run-time panic.",
			}},
			{Score: 1, Chunk: quire.Chunk{ElementalID: "e2", Title: "Notes", Text: "Short."}},
		},
	}
	var b strings.Builder
	if err := printAnswer(&b, r, map[string]string{"e1": "go_spec.html", "e2": "notes.md"}); err != nil {
		t.Fatal(err)
	}
	want := `A send on a closed channel causes a run-time panic, and so does closing a
channel that is closed already [1].
    ch <- 1

Sources

[1] The Go Spec (go_spec.html), score 0.612
    Statements > Send statements
    A send on a [2Jclosed channel proceeds by causing a run-time panic.

Found too, and not cited

[2] Notes (notes.md), score 1.000
    Short.
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDocumentName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ of, path, want string }{
		{"The Go Spec", "go_spec.html", "The Go Spec (go_spec.html)"},
		{"Keys", "a.md", "Keys — a.md"},
		{"", "notes/readme.md", "notes/readme.md"},
		{"", "a.md", "Document a.md"},
		{"", "a\n\x1b[2J.md", "Document a [2J.md"},
		{strings.Repeat("long ", 30), "a.md", strings.TrimSpace(strings.Repeat("long ", 20)) + "… (a.md)"},
	} {
		if got := documentName(title(c.of, c.path), c.path); got != c.want {
			t.Errorf("%.20q in %q: %q, want %q", c.of, c.path, got, c.want)
		}
	}
}

func TestUnmarked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"plain", "A sentence.", "A sentence."},
		{"heading", "### Send statements\n\nA send.", "A send."},
		{"only a heading", "### Send statements\n", "### Send statements\n"},
		{"heading inside", "A send.\n\n### More", "A send.\n\n### More"},
		{"links", "a [map](#Map_types) and a [slice](#s), not x[i](y z)", "a map and a slice, not x[i](y z)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := unmarked(c.in); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	const cited = "The spare keys are in the blue jar, as they always were."
	for _, c := range []struct{ name, text, cited, want string }{
		{"empty", "", "", ""},
		{"short", " a  b\nc ", "b", "a b c"},
		{"the beginning", words(60), "", words(48) + " …"},
		{"one long word", strings.Repeat("é", 300), "", strings.Repeat("é", 240) + " …"},
		{"a long word after a short one", "short " + strings.Repeat("x", 300), "", "short " + strings.Repeat("x", 234) + " …"},
		{"cited at the end", words(60) + " " + cited, cited, "… " + words(36) + " " + cited},
		{"cited in the middle", words(60) + "\n" + cited + "\n" + words(60), cited, "… " + words(12) + " " + cited + " " + words(24) + " …"},
		{"in words of one's own", words(60) + " " + cited, "Look into the jar.", words(48) + " …"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := excerpt(c.text, c.cited)
			if got != c.want {
				t.Errorf("got  %q,\nwant %q", got, c.want)
			}
			if n := utf8.RuneCountInString(got); n > excerptChars+4 {
				t.Errorf("%d characters", n)
			}
		})
	}
}

// FuzzExcerpt: an excerpt is a part of the text and never long.
func FuzzExcerpt(f *testing.F) {
	f.Add(strings.Repeat("ab ", 200), "ab ab")
	f.Add(strings.Repeat("日本", 200), "本日")
	f.Fuzz(func(t *testing.T, text, cited string) {
		line := strings.Join(strings.Fields(printable(text)), " ")
		got := excerpt(text, cited)
		shown := strings.TrimSuffix(strings.TrimPrefix(got, "… "), " …")
		if !utf8.ValidString(text) {
			return
		}
		if !strings.Contains(line, shown) && !strings.Contains(line, got) || utf8.RuneCountInString(got) > excerptChars+4 {
			t.Errorf("%q of %q", got, line)
		}
	})
}

func TestCitations(t *testing.T) {
	t.Parallel()
	got := citations("One thing. [1] Another [2][7]\n- A third [1] and [3].")
	want := map[int]string{1: "One thing.", 2: "Another", 7: "Another", 3: "and"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
