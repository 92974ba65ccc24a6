package eval

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/quirelib/quire"
)

func TestFit(t *testing.T) {
	t.Parallel()
	dashes := strings.Repeat("-", 95)
	long := strings.TrimSpace(strings.Repeat("word ", 30))
	for _, tt := range []struct {
		name        string
		doc         Document
		title, body string
		ok          bool
	}{
		{"as it is", Document{Title: "A fitting title", Text: "Text."}, "A fitting title", "Text.", true},
		{"short", Document{Title: "Quay", Text: "Text."}, "Quay ······", "Text.", true},
		{"long", Document{Title: long, Text: "Text."}, long[:99], long[100:] + "\n\nText.", true},
		{"none", Document{Text: "\nThe first line\nthe second"}, "The first line", "the second", true},
		{"a number", Document{Title: "1871", Text: "A granite tower"}, "Document 1871", "A granite tower", true},
		{"no letters but a title", Document{Title: "Numbers of it", Text: "1 2 3"}, "Numbers of it", "1 2 3", true},
		{"over lines", Document{Title: "One\ntwo\x00three\xff", Text: "x"}, "One two three\ufffd", "x", true},
		{"nothing", Document{}, "", "", false},
		{"numbers only", Document{Title: "..", Text: "1 2"}, "Document ..", "1 2", true},
		{"no word", Document{Title: "..", Text: "= ="}, "", "", false},
		{"a long line without a letter", Document{Text: dashes + "\nText."}, "Document " + dashes[:41], dashes[41:] + "\n\nText.", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			title, body, ok := fit(tt.doc)
			if title != tt.title || body != tt.body || ok != tt.ok {
				t.Errorf("%q, %q, %v, want %q, %q, %v", title, body, ok, tt.title, tt.body, tt.ok)
			}
		})
	}
}

// TestFitModel: titles are such as the Library takes, and no word is lost.
func TestFitModel(t *testing.T) {
	t.Parallel()
	text := rapid.StringOfN(rapid.SampledFrom([]rune("ab é漢1.-\n\t\x00 ")), 0, 300, -1)
	words := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsNumber(r) {
				return r
			}
			return -1
		}, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		doc := Document{Title: text.Draw(t, "title"), Text: text.Draw(t, "text")}
		title, body, ok := fit(doc)
		if !ok {
			if strings.ContainsFunc(doc.Title+doc.Text, isWord) {
				t.Fatal("left out")
			}
			return
		}
		if n := utf8.RuneCountInString(title); n < minTitle || n > maxTitle || strings.TrimSpace(title) != title {
			t.Fatalf("the title %q has %d characters", title, n)
		}
		if !strings.ContainsFunc(title, unicode.IsLetter) || strings.ContainsFunc(title, unicode.IsControl) {
			t.Fatalf("the title %q", title)
		}
		if got, want := words(strings.TrimPrefix(title, "Document "))+words(body), words(doc.Title)+words(doc.Text); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}

// hit is one of a passage.
func hit(chunk, elemental, file, title string, headings ...string) quire.SearchHit {
	return quire.SearchHit{FileName: file, Chunk: quire.Chunk{ID: chunk, ElementalID: elemental, Title: title, Heading: headings}}
}

func TestFold(t *testing.T) {
	t.Parallel()
	hits := []quire.SearchHit{
		hit("1", "a", "", "Title A", "Top"), hit("2", "a", "", "Title A", "Top", "Inner"), hit("3", "b", "b.pdf", "Title B"),
		hit("4", "c", "", "Title C", "Top"), hit("5", "a", "", "Title A", "Top", "Inner"),
		hit("6", "d", "", "Title D", "Top", "The `-q` flag, *always*, and `max_size`"),
	}
	for _, tt := range []struct {
		name string
		q    Query
		want []int
	}{
		{"documents count once, at their best", Query{Relevant: map[string]int{"b": 1, "a": 2}}, []int{2, 1, 0, 0}},
		{"by file name and title", Query{Relevant: map[string]int{"b.pdf": 3, "Title C": 1}}, []int{0, 3, 1, 0}},
		{"sections are those of passages", Query{Sections: []Section{{"a", "Inner"}}}, []int{0, 1, 0, 0, 0, 0}},
		{"before the first heading", Query{Sections: []Section{{"b.pdf", ""}, {"a", ""}}}, []int{0, 0, 1, 0, 0, 0}},
		{"the same heading elsewhere", Query{Sections: []Section{{"Title C", "Top"}}}, []int{0, 0, 0, 1, 0, 0}},
		{"headings without their marks", Query{Sections: []Section{{"d", "The -q flag, always, and max_size"}}}, []int{0, 0, 0, 0, 0, 1}},
		{"headings with other marks", Query{Sections: []Section{{"d", "The **-q** flag, _always_, and max_size"}, {"a", "`Top`"}}}, []int{1, 0, 0, 0, 0, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := (*Options)(nil).withDefaults()
			got := o.fold(&tt.q, hits)
			if len(got) != len(tt.want) {
				t.Fatalf("%v, want %v", got, tt.want)
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Fatalf("%v, want %v", got, tt.want)
				}
			}
		})
	}
}
