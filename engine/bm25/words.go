package bm25

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/internal/feature"
	"github.com/quirelib/quire/internal/segment"
)

// unweighted counts all words alike: how much one says is for BM25 to tell.
var unweighted = feature.Weigher{Word: func(_, _ string) float32 { return feature.Plain }}

// words returns the index's distinct words of a text, with how often it holds them: stems,
// function words as they are, and of scripts without spaces characters and pairs of
// neighbours.
func words(text string) []feature.Term { return feature.Terms(segment.Words(text), unweighted) }

// textQuery is what a query looks for.
type textQuery struct {
	counts map[string]int // how often each word is in it: without function words, unless there are no others
	// joined are neighbours written as one word, each once: "front matter" is looked for
	// as "frontmatter" too, where there is such a word.
	joined []string
}

func newQuery(text string) textQuery {
	parts := segment.Words(text)
	q := textQuery{counts: map[string]int{}}
	all := map[string]int{}
	for _, w := range feature.Terms(parts, unweighted) {
		all[w.Text] = w.Count
		if !segment.IsStopWord(w.Text) {
			q.counts[w.Text] = w.Count
		}
	}
	if len(q.counts) == 0 {
		q.counts = all
	}
	for i := 1; i < len(parts); i++ {
		if a, b := parts[i-1], parts[i]; joinable(a) && joinable(b) {
			q.joined = append(q.joined, segment.Stem(a+b))
		}
	}
	slices.Sort(q.joined)
	q.joined = slices.Compact(q.joined)
	q.joined = slices.DeleteFunc(q.joined, func(w string) bool { return all[w] > 0 })
	return q
}

// joinable reports whether a word may be a part of a longer one: it has some letters and is
// of a script with spaces.
func joinable(word string) bool { return len(word) > 1 && !segment.IsSpaceless(word) }

// entry is a chunk that is to be entered.
type entry struct {
	chunk  quire.Chunk // without its vector
	digest digest      // of its texts
	counts map[string]int
	length int // in words
}

// digest stands for the texts of a chunk: two that have the same one have the same words.
type digest [16]byte

// digestOf hashes texts, each after its length.
func digestOf(c *quire.Chunk) digest {
	h := sha256.New()
	for _, text := range append([]string{c.Text, c.Title}, c.Heading...) {
		fmt.Fprintf(h, "%d ", len(text))
		io.WriteString(h, text)
	}
	return digest(h.Sum(nil)[:len(digest{})])
}

// newEntries checks chunks and takes those of their texts apart that are not known, by
// chunk id.
func newEntries(ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk, known map[string]digest) ([]entry, error) {
	entries := make([]entry, len(chunks))
	for i, c := range chunks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		switch {
		case tenantID == "" || elementalID == "" || c.ID == "":
			return nil, quire.Errorf(quire.CodeInvalid, "a tenant, an elemental and an id are needed")
		case c.TenantID != tenantID || c.ElementalID != elementalID:
			return nil, quire.Errorf(quire.CodeInvalid, "chunk %q is of another tenant or elemental", c.ID)
		}
		e := &entries[i]
		e.chunk, e.digest = c, digestOf(&c)
		if known[c.ID] != e.digest {
			e.read()
		}
	}
	return entries, ctx.Err()
}

// read takes the texts of an entry apart.
func (e *entry) read() {
	e.counts, e.length = map[string]int{}, 0
	take := func(text string) {
		for _, w := range words(text) {
			e.counts[w.Text] += w.Count
			e.length += w.Count
		}
	}
	// As for its vector, what the text says itself is not counted once more.
	for _, head := range append([]string{e.chunk.Title}, e.chunk.Heading...) {
		if !strings.Contains(e.chunk.Text, head) {
			take(head)
		}
	}
	take(segment.WithoutTargets(e.chunk.Text))
}

// plain is what is kept of a chunk: all but its texts and its vector.
func plain(c quire.Chunk) quire.Chunk {
	return quire.Chunk{
		ID: c.ID, TenantID: c.TenantID, UserID: c.UserID, ElementalID: c.ElementalID, Source: c.Source, TypeName: c.TypeName,
		CategoryName: c.CategoryName, TagIDs: append([]string(nil), c.TagIDs...), TagNames: append([]string(nil), c.TagNames...),
	}
}
