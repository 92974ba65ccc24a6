package enginetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"

	"github.com/quirelib/quire"
)

// RunChunker checks that an implementation of [quire.Chunker] holds its contract. fits
// reports whether a chunk may be as long as a text; nil if there is no cap. open returns a
// Chunker of the same configuration for each call. The test that calls RunChunker must not
// run in parallel with others.
func RunChunker(t *testing.T, fits func(text string) bool, open func(tb testing.TB) quire.Chunker) {
	runCases(t, chunkerCases, func(tb testing.TB) cappedChunker { return cappedChunker{open(tb), fits} })
}

// cappedChunker is a Chunker with what is known of its cap.
type cappedChunker struct {
	quire.Chunker
	fits func(text string) bool // nil: no cap
}

// chunkerCases are the parts of RunChunker.
var chunkerCases = []suiteCase[cappedChunker]{
	{"spans", onChunker(testChunkSpans)},
	{"blank", onChunker(testChunkBlank)},
	{"white space around", onChunker(testChunkWhiteSpace)},
	{"grapheme clusters", onChunker(testChunkClusters)},
	{"cap", onChunker(testChunkCap)},
	{"same again", onChunker(testChunkAgain)},
	{"results apart", onChunker(testChunkResultsApart)},
	{"concurrent", onChunker(testChunkConcurrent)},
	{"hostile texts", onChunker(testChunkHostile)},
	{"naughty strings", onChunker(testChunkNaughty)},
}

// chunkerTest is a Chunker under test.
type chunkerTest struct {
	*testing.T
	open    func(tb testing.TB) cappedChunker
	chunker cappedChunker
}

// onChunker makes a case of a test that needs one Chunker.
func onChunker(run func(t *chunkerTest)) func(*testing.T, func(testing.TB) cappedChunker) {
	return func(t *testing.T, open func(testing.TB) cappedChunker) {
		run(&chunkerTest{T: t, open: open, chunker: open(t)})
	}
}

// chunkTexts are texts of several kinds.
var chunkTexts = map[string]string{
	"a word":    "word",
	"prose":     strings.Repeat("The tide turns twice a day. Ropes have to be slack, then. ", 60),
	"Markdown":  "# One\n\nText of one.\n\n## Two\n\n- a\n- b\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n```\ncode\n\ncode\n```\n\n> quote\n\nSetext\n======\n\nEnd.",
	"lines":     strings.Repeat("line\n", 500),
	"paragraph": strings.Repeat("one two three four\n\n", 200),
	"languages": strings.Repeat("日本語の文章です。これは長い。 Ein Satz auf Deutsch. نص بالعربية. ", 40),
	"Windows":   strings.Repeat("a line\r\n\r\n", 100),
}

// chunks cuts a text and checks what holds for every result.
func (t *chunkerTest) chunks(name, text string) []quire.Span {
	t.Helper()
	spans := t.chunker.Chunks(text)
	if err := t.chunker.check(text, spans); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return spans
}

// check says what is wrong with the spans of a text.
func (c cappedChunker) check(text string, spans []quire.Span) error {
	covered := 0
	for i, s := range spans {
		switch {
		case s.Start < 0 || s.End > len(text) || s.Start >= s.End:
			return fmt.Errorf("span %d is %d..%d in a text of %d bytes", i, s.Start, s.End, len(text))
		case i > 0 && s.Start < spans[i-1].Start:
			return fmt.Errorf("span %d begins at %d, before the span in front of it at %d", i, s.Start, spans[i-1].Start)
		case s.Start > covered && strings.TrimSpace(text[covered:s.Start]) != "":
			return fmt.Errorf("%.40q is in no span", text[covered:s.Start])
		}
		chunk := text[s.Start:s.End]
		switch {
		case strings.TrimSpace(chunk) == "":
			return fmt.Errorf("span %d at %d holds only white space", i, s.Start)
		case !utf8.ValidString(chunk):
			return fmt.Errorf("span %d, %d..%d, cuts a character", i, s.Start, s.End)
		case !c.capped(chunk):
			return fmt.Errorf("span %d, %d..%d, is over the cap", i, s.Start, s.End)
		}
		covered = max(covered, s.End)
	}
	if strings.TrimSpace(text[covered:]) != "" {
		return fmt.Errorf("%.40q is in no span", text[covered:])
	}
	return nil
}

// capped reports whether a chunk is within the cap, as far as it can be.
func (c cappedChunker) capped(chunk string) bool {
	if c.fits == nil || c.fits(chunk) {
		return true
	}
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(chunk, -1)
	return len(cluster) == len(chunk)
}

func testChunkSpans(t *chunkerTest) {
	for name, text := range chunkTexts {
		t.chunks(name, text)
	}
}

func testChunkBlank(t *chunkerTest) {
	for _, text := range []string{"", " ", "\n", " \t\r\n ", "\u00a0\u2003\u3000", strings.Repeat(" \n", 10_000)} {
		if spans := t.chunker.Chunks(text); len(spans) != 0 {
			t.Errorf("%.20q has the spans %v", text, spans)
		}
	}
}

func testChunkWhiteSpace(t *chunkerTest) {
	for _, around := range []string{"\n", "\n\n\n", " \t", "\u3000", "\r\n\r\n"} {
		t.chunks(fmt.Sprintf("within %q", around), around+"first"+around+"second"+around)
		t.chunks(fmt.Sprintf("within much %q", around), strings.Repeat(around, 2000)+"word"+strings.Repeat(around, 2000))
	}
}

// testChunkClusters cuts texts without any better place to cut at than between clusters.
func testChunkClusters(t *chunkerTest) {
	for _, cluster := range []string{"é", "e\u0301", "👩‍👩‍👧", "👍🏽", "🇩🇪", "각", "नि", "\u0e01\u0e33"} {
		text := strings.Repeat(cluster, 3000)
		boundaries := map[int]bool{0: true}
		for g := uniseg.NewGraphemes(text); g.Next(); {
			_, end := g.Positions()
			boundaries[end] = true
		}
		for _, s := range t.chunks(cluster, text) {
			if !boundaries[s.Start] || !boundaries[s.End] {
				t.Fatalf("%d..%d cuts a cluster of %q", s.Start, s.End, cluster)
			}
		}
	}
}

func testChunkCap(t *chunkerTest) {
	if t.chunker.fits == nil {
		t.Log("without a cap")
		return
	}
	n := size(1<<20, 1<<17)
	for name, unit := range map[string]string{
		"a word": "x", "words": "word ", "sentences": "A sentence of words. ", "lines": "line\n", "CJK": "語", "punctuation": "!", "code": "    code\n",
	} {
		text := strings.Repeat(unit, n/len(unit))
		if spans := t.chunks(name, text); len(spans) < 2 {
			t.Errorf("%s: %d bytes are %d spans", name, len(text), len(spans))
		}
	}
}

func testChunkAgain(t *chunkerTest) {
	other := t.open(t)
	for name, text := range chunkTexts {
		first := t.chunks(name, text)
		if d := cmp.Diff(first, t.chunker.Chunks(text)); d != "" {
			t.Errorf("%s: other spans the second time (-first +second):\n%s", name, d)
		}
		if d := cmp.Diff(first, other.Chunks(text)); d != "" {
			t.Errorf("%s: other spans by another Chunker (-first +other):\n%s", name, d)
		}
	}
}

func testChunkResultsApart(t *chunkerTest) {
	text := chunkTexts["Markdown"]
	first := t.chunks("Markdown", text)
	want := cloneSpans(first)
	for i := range first {
		first[i].Start = -1
		for j := range first[i].Heading {
			first[i].Heading[j] = "changed"
		}
		for j := i + 1; j < len(first); j++ {
			if !slices.Equal(first[j].Heading, want[j].Heading) {
				t.Fatalf("spans %d and %d share their headings", i, j)
			}
		}
	}
	if d := cmp.Diff(want, t.chunker.Chunks(text)); d != "" {
		t.Errorf("changing a result changed a later one (-before +after):\n%s", d)
	}
}

func cloneSpans(spans []quire.Span) []quire.Span {
	out := slices.Clone(spans)
	for i := range out {
		out[i].Heading = slices.Clone(out[i].Heading)
	}
	return out
}

func testChunkConcurrent(t *chunkerTest) {
	want := map[string][]quire.Span{}
	for name, text := range chunkTexts {
		want[name] = t.chunks(name, text)
	}
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for range 5 {
				for name, text := range chunkTexts {
					if d := cmp.Diff(want[name], t.chunker.Chunks(text)); d != "" {
						t.Errorf("%s: other spans beside others (-alone +beside):\n%s", name, d)
						return
					}
				}
			}
		})
	}
	workers.Wait()
}

func testChunkHostile(t *chunkerTest) {
	for name, text := range hostileTexts {
		t.chunks(name, strings.ToValidUTF8(text, "\uFFFD"))
	}
	for name, unit := range map[string]string{
		"quotes": "> ", "lists": "- ", "brackets": "[", "backticks": "`", "headings": "# a\n", "fences": "```\n", "pipes": "| a ", "stars": "**a ", "references": "[a]: b\n",
	} {
		t.chunks(name, strings.Repeat(unit, size(100_000, 20_000)/len(unit)))
	}
}

func testChunkNaughty(t *chunkerTest) {
	texts := naughtyStrings(t)
	for i, text := range texts {
		t.chunks(fmt.Sprint("naughty string ", i), strings.ToValidUTF8(text, "\uFFFD"))
	}
	t.chunks("all of them", strings.ToValidUTF8(strings.Join(texts, "\n\n"), "\uFFFD"))
}
