package enginetest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/quirelib/quire"
)

// RunEmbedder checks that an implementation of [quire.Embedder] holds its
// contract. open returns an Embedder of the same configuration for each call and
// ends with tb's cleanups what it started. The test that calls RunEmbedder must
// not run in parallel with others.
func RunEmbedder(t *testing.T, open func(tb testing.TB) quire.Embedder) {
	runCases(t, embedderCases, open)
}

// embedderCases are the parts of RunEmbedder.
var embedderCases = []suiteCase[quire.Embedder]{
	{"identity", onEmbedder(testEmbedIdentity)},
	{"order", onEmbedder(testEmbedOrder)},
	{"same again", onEmbedder(testEmbedAgain)},
	{"no texts", onEmbedder(testEmbedNoTexts)},
	{"no words", onEmbedder(testEmbedNoWords)},
	{"caller's slice", onEmbedder(testEmbedCallersSlice)},
	{"results apart", onEmbedder(testEmbedResultsApart)},
	{"many texts", onEmbedder(testEmbedMany)},
	{"concurrent", onEmbedder(testEmbedConcurrent)},
	{"cancelled", onEmbedder(testEmbedCancelled)},
	{"hostile texts", onEmbedder(testEmbedHostile)},
	{"naughty strings", onEmbedder(testEmbedNaughty)},
}

// embedderTest is an Embedder under test.
type embedderTest struct {
	*testing.T
	open     func(tb testing.TB) quire.Embedder
	embedder quire.Embedder
}

// onEmbedder makes a case of a test that needs one Embedder.
func onEmbedder(run func(t *embedderTest)) func(*testing.T, func(testing.TB) quire.Embedder) {
	return func(t *testing.T, open func(testing.TB) quire.Embedder) {
		run(&embedderTest{T: t, open: open, embedder: open(t)})
	}
}

// differentTexts have no content word in common.
var differentTexts = []string{
	"The cat sleeps on a warm windowsill.",
	"Quarterly tax returns must be filed before April.",
	"Photosynthesis turns sunlight into sugar.",
	"func main() { fmt.Println(42) }",
	"Wie spät ist es in München?",
}

// embed embeds texts and checks what holds for every result.
func (t *embedderTest) embed(texts ...string) [][]float32 {
	t.Helper()
	vectors, err := t.embedder.Embed(t.Context(), texts)
	if err != nil {
		t.Fatalf("Embed(%d texts): %v", len(texts), err)
	}
	if err := t.check(texts, vectors); err != nil {
		t.Fatal(err)
	}
	return vectors
}

// check says what is wrong with the shape of a result.
func (t *embedderTest) check(texts []string, vectors [][]float32) error {
	if len(vectors) != len(texts) {
		return fmt.Errorf("%d texts gave %d vectors", len(texts), len(vectors))
	}
	for i, v := range vectors {
		if len(v) != t.embedder.Dimension() {
			return fmt.Errorf("the vector of %.40q has %d numbers, Dimension() is %d", texts[i], len(v), t.embedder.Dimension())
		}
		if n := norm(v); math.Abs(n-1) > 1e-4 {
			return fmt.Errorf("the vector of %.40q has length %v (0: zero or not finite), want 1", texts[i], n)
		}
	}
	return nil
}

// same reports whether two vectors are equal up to what batching may change in
// the arithmetic of a model.
func same(a, b []float32) bool { return len(a) == len(b) && cosine(a, b) > 0.9999 }

func testEmbedIdentity(t *embedderTest) {
	other := t.open(t)
	fingerprint, dimension := t.embedder.Fingerprint(), t.embedder.Dimension()
	if fingerprint == "" || dimension < 1 {
		t.Fatalf("Fingerprint() = %q, Dimension() = %d: neither may be empty", fingerprint, dimension)
	}
	t.embed(differentTexts...)
	for _, e := range []quire.Embedder{t.embedder, other} {
		if e.Fingerprint() != fingerprint || e.Dimension() != dimension {
			t.Errorf("identity changed from %q, %d to %q, %d", fingerprint, dimension, e.Fingerprint(), e.Dimension())
		}
	}
}

func testEmbedOrder(t *embedderTest) {
	forward := t.embed(differentTexts...)
	reversed := slices.Clone(differentTexts)
	slices.Reverse(reversed)
	backward := t.embed(reversed...)
	for i, text := range differentTexts {
		single := t.embed(text)[0]
		if !same(forward[i], single) || !same(backward[len(backward)-1-i], single) {
			t.Errorf("%q has another vector alone than in a batch", text)
		}
		for j := range i {
			if same(forward[i], forward[j]) {
				t.Errorf("%q and %q have the same vector", text, differentTexts[j])
			}
		}
	}
}

func testEmbedAgain(t *embedderTest) {
	texts := append(slices.Clone(differentTexts), differentTexts...)
	first, second := t.embed(texts...), t.embed(texts...)
	t.embedder = t.open(t)
	third := t.embed(texts...)
	for i, text := range texts {
		if !same(first[i], second[i]) || !same(first[i], third[i]) || !same(first[i], first[i%len(differentTexts)]) {
			t.Errorf("%q has different vectors", text)
		}
	}
}

func testEmbedNoTexts(t *embedderTest) {
	t.embed()
	t.embed([]string{}...)
}

func testEmbedNoWords(t *embedderTest) {
	texts := []string{"", " ", "\n\t ", ".", "!?", "---", "\u00a0", "\u200b", "🙂", "\x00", "𝄞", strings.Repeat("*", 1000)}
	t.embed(texts...)
	for _, text := range texts {
		t.embed(text)
	}
	t.embed("words before", "", "words after")
}

func testEmbedCallersSlice(t *embedderTest) {
	texts := []string{"two\nlines", "  space around\t", "UPPER case", "", "windows\r\nlines", "e\u0301"}
	before := slices.Clone(texts)
	t.embed(texts[:5]...)
	if !slices.Equal(texts, before) {
		t.Errorf("Embed changed the caller's texts from %q to %q", before, texts)
	}
}

func testEmbedResultsApart(t *embedderTest) {
	texts := []string{differentTexts[0], differentTexts[0], ""}
	vectors := t.embed(texts...)
	want := slices.Clone(vectors[1])
	clear(vectors[0])
	clear(vectors[2])
	if !slices.Equal(vectors[1], want) {
		t.Error("two vectors of a result share memory")
	}
	if again := t.embed(texts...); !same(again[0], want) || !same(again[1], want) {
		t.Error("changing a result changed a later one")
	}
}

func testEmbedMany(t *embedderTest) {
	texts := make([]string, size(500, 100))
	for i := range texts {
		texts[i] = fmt.Sprintf("%s Number %d.", differentTexts[i%len(differentTexts)], i/len(differentTexts))
	}
	vectors := t.embed(texts...)
	for i := 0; i < len(texts); i += 97 {
		if !same(vectors[i], t.embed(texts[i])[0]) {
			t.Errorf("text %d of %d has another vector alone", i, len(texts))
		}
	}
}

func testEmbedConcurrent(t *embedderTest) {
	want := t.embed(differentTexts...)
	var workers sync.WaitGroup
	for w := range 8 {
		workers.Go(func() {
			for round := range 10 {
				from := (w + round) % len(differentTexts)
				vectors, err := t.embedder.Embed(t.Context(), differentTexts[from:])
				if err == nil {
					err = t.check(differentTexts[from:], vectors)
				}
				if err != nil {
					t.Errorf("Embed beside others: %v", err)
					return
				}
				for i, v := range vectors {
					if !same(v, want[from+i]) {
						t.Errorf("%q has another vector beside others", differentTexts[from+i])
					}
				}
			}
		})
	}
	workers.Wait()
}

func testEmbedCancelled(t *embedderTest) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	vectors, err := t.embedder.Embed(cancelled, differentTexts)
	wantError(t, "Embed with a cancelled context", err, context.Canceled)
	if len(vectors) != 0 {
		t.Errorf("a cancelled Embed returned %d vectors", len(vectors))
	}
	late, done := context.WithTimeout(t.Context(), 0)
	defer done()
	_, err = t.embedder.Embed(late, differentTexts)
	wantError(t, "Embed after the deadline", err, context.DeadlineExceeded)

	// Cancelled on the way it returns everything or the error.
	for round := range size(30, 10) {
		vectors, err := t.embedder.Embed(cancelAfter(t.T, round), differentTexts)
		if err == nil {
			err = t.check(differentTexts, vectors)
		} else {
			wantError(t, "Embed cancelled on the way", err, context.Canceled)
			continue
		}
		if err != nil {
			t.Fatalf("Embed cancelled on the way returned no error, but %v", err)
		}
	}
	t.embed(differentTexts...)
}

func testEmbedHostile(t *embedderTest) {
	for name, text := range hostileTexts {
		t.accepts(name, text)
	}
}

// accepts embeds a text that an Embedder may also refuse for good.
func (t *embedderTest) accepts(name, text string) {
	t.Helper()
	vectors, err := t.embedder.Embed(t.Context(), []string{text})
	if err == nil {
		err = t.check([]string{text}, vectors)
	} else if quire.CodeOf(err) == quire.CodeInvalid {
		t.Logf("%s: refused: %v", name, err)
		return
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func testEmbedNaughty(t *embedderTest) {
	texts := naughtyStrings(t)
	for i, text := range texts {
		t.accepts(fmt.Sprint("naughty string ", i), text)
	}
}
