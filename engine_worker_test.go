package quire

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestBackoff(t *testing.T) {
	t.Parallel()
	for attempts, limit := range map[int]time.Duration{
		1: time.Second, 2: 2 * time.Second, 5: 16 * time.Second, 9: 256 * time.Second, 10: 5 * time.Minute, 100: 5 * time.Minute,
	} {
		var longest time.Duration
		for range 1000 {
			d := backoff(attempts)
			if d < 0 || d > limit {
				t.Fatalf("after %d attempts: %v, limit %v", attempts, d, limit)
			}
			longest = max(longest, d)
		}
		if longest < limit*9/10 {
			t.Errorf("after %d attempts never more than %v of %v", attempts, longest, limit)
		}
	}
}

func TestSourceText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ title, description, body, want string }{
		{"T", "D", "B", "T\n\nD\n\nB"},
		{"T", "", "B", "T\n\nB"},
		{"T", " \n", "", "T"},
		{"T", "", "  indented\n", "T\n\n  indented\n"},
	} {
		got := sourceText(ElementalRecord{Title: tt.title, Description: tt.description, Body: tt.body})
		if got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestEmbedText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		title   string
		heading []string
		text    string
		want    string
	}{
		{"Title", nil, "text", "Title\ntext"},
		{"Title", []string{"One", "Two"}, "text", "Title\nOne\nTwo\ntext"},
		{"Title", []string{"One", "Two"}, "## Two\n\ntext", "Title\nOne\n## Two\n\ntext"},
		{"Title", []string{"Title", "Title"}, "text", "Title\ntext"},
		{"Title", []string{"", " "}, "Title\n\ntext", "Title\n\ntext"},
	} {
		if got := embedText(tt.title, tt.heading, tt.text); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestDefaultChunker splits a text with headings and a long section.
func TestDefaultChunker(t *testing.T) {
	t.Parallel()
	rec := ElementalRecord{Title: "A handbook", Description: "All about it.",
		Body: "# Boats\n\n" + strings.Repeat("A boat is on the water. ", 200) + "\n\n## Sails\n\n" + strings.Repeat("A sail is in the wind. ", 60)}
	text := sourceText(rec)
	pieces, err := cutSource(defaultChunker{}, source{rec: rec, meta: chunkMeta{title: rec.Title}}, text, 1000)
	if err != nil {
		t.Fatal(err)
	}
	covered := 0
	for i, p := range pieces {
		if p.text != text[p.Start:p.End] {
			t.Errorf("piece %d is not its range", i)
		}
		covered += len(strings.Join(strings.Fields(p.text), ""))
	}
	if want := len(strings.Join(strings.Fields(text), "")); covered != want {
		t.Errorf("%d bytes covered, want %d", covered, want)
	}
	last := pieces[len(pieces)-1]
	if d := cmp.Diff([]string{"Boats", "Sails"}, last.Heading); d != "" || len(pieces) < 4 {
		t.Errorf("%d pieces, the last one under (-want +got):\n%s", len(pieces), d)
	}
	if !strings.HasPrefix(last.input, "A handbook\nBoats\n") {
		t.Errorf("embedded: %.60q", last.input)
	}
}
