package quire_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store"
)

// newEmbedder is another Embedder than that of a fixture, with vectors of another
// length.
func newEmbedder() *enginetest.Embedder { return &enginetest.Embedder{Model: "new", Dim: 64} }

// change restarts the engine with another Embedder and the present one as the former.
// It returns both.
func (f *engineFixture) change(to *enginetest.Embedder) (former, given *enginetest.Embedder) {
	f.t.Helper()
	f.stop(f.t.Context())
	former = f.embedder
	f.opts.Former, f.embedder = former, to
	f.start()
	return former, to
}

// waitChanged waits for the change of the embedder to have come to its end.
func (f *engineFixture) waitChanged() {
	f.t.Helper()
	f.check(f.eng.WaitReembedded(f.t.Context()))
	if s := f.eng.Reembedding(); s.Running || s.Err != nil || s.Done != s.Total {
		f.t.Errorf("after the change: %+v", s)
	}
}

// chunks returns all chunks of the Store by id, after checking that they have vectors of
// one embedder only, which is among those given, and that the index holds the same.
func (f *engineFixture) chunks(embedders ...*enginetest.Embedder) []quire.Chunk {
	f.t.Helper()
	f.stored("")
	var all []quire.Chunk
	err := f.store.View(f.t.Context(), func(tx quire.ReadTx) error {
		for c, err := range tx.AllChunks(f.t.Context()) {
			if err != nil {
				return err
			}
			all = append(all, c)
		}
		return nil
	})
	f.check(err)
	slices.SortFunc(all, func(a, b quire.Chunk) int { return cmp.Compare(a.ID, b.ID) })
	for _, c := range all {
		i := slices.IndexFunc(embedders, func(e *enginetest.Embedder) bool { return e.Fingerprint() == c.Fingerprint })
		if i < 0 || c.Fingerprint != all[0].Fingerprint {
			f.t.Fatalf("chunk %s is of %q, the first one of %q", c.ID, c.Fingerprint, all[0].Fingerprint)
		}
		f.checkVector(c, embedders[i])
	}
	return all
}

// checkVector checks that a chunk has the vector of its text, which with the chunker of
// these tests is a paragraph under a title.
func (f *engineFixture) checkVector(c quire.Chunk, e *enginetest.Embedder) {
	f.t.Helper()
	inputs := []string{c.Text, c.Title + "\n" + c.Text}
	i := slices.IndexFunc(inputs, func(input string) bool {
		sum := sha256.Sum256([]byte(input))
		return hex.EncodeToString(sum[:]) == c.Hash
	})
	if i < 0 {
		return // it was renamed since
	}
	want := e.Vector(inputs[i])
	for n := range want {
		if d := want[n] - c.Vector[n]; len(c.Vector) != len(want) || d > 1e-6 || d < -1e-6 {
			f.t.Fatalf("chunk %q has not the vector of its text", c.Text)
		}
	}
}

// wantNothingKept checks that no vectors lie beside the chunks.
func (f *engineFixture) wantNothingKept(e *enginetest.Embedder) {
	f.t.Helper()
	var hashes []string
	for _, c := range f.chunks(f.embedder) {
		hashes = append(hashes, c.Hash)
	}
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	err := f.store.View(f.t.Context(), func(tx quire.ReadTx) error {
		missing, err := tx.MissingVectors(f.t.Context(), e.Fingerprint(), hashes)
		if len(missing) != len(hashes) {
			f.t.Errorf("%d of %d vectors are still kept", len(hashes)-len(missing), len(hashes))
		}
		return err
	})
	f.check(err)
}

// three are engines over the same content: one whose embedder is changed, and two to
// compare it with, which have the former embedder and the new one all the time.
type three struct {
	t                *testing.T
	changed, old, of *engineFixture
	tags             map[*engineFixture]int64
}

func newThree(t *testing.T, s quire.Store, opts quire.EngineOptions) *three {
	t.Helper()
	h := &three{
		t: t, changed: newEngineFixture(t, s, opts), old: newEngineFixture(t, store.NewMemory(), opts),
		of: newEngineFixture(t, store.NewMemory(), opts), tags: map[*engineFixture]int64{},
	}
	h.of.stop(t.Context())
	h.of.embedder = newEmbedder()
	h.of.start()
	h.each(func(f *engineFixture) {
		tag, err := f.CreateTag(t.Context(), f.ann, quire.TagInput{Title: "marked", Color: "#fff", ElementalTypeID: quire.TypeDocument})
		f.check(err)
		h.tags[f] = tag.ID
	})
	return h
}

// each does the same to all three and waits for what follows from it.
func (h *three) each(do func(f *engineFixture)) {
	h.t.Helper()
	for _, f := range []*engineFixture{h.changed, h.old, h.of} {
		do(f)
		f.settleAll(f.ann)
	}
}

// add creates an elemental everywhere and ingests it.
func (h *three) add(id, title, body string) {
	h.t.Helper()
	h.each(func(f *engineFixture) {
		in := document(title, body)
		in.ID = id
		f.create(f.ann, in)
		f.ingest(f.ann, id, "")
	})
}

// result is what matters of a hit.
type result struct {
	ID, Title, Text string
	Tags            []string
	Score           float64
}

func results(hits []quire.SearchHit) []result {
	out := make([]result, len(hits))
	for i, h := range hits {
		out[i] = result{h.Chunk.ID, h.Chunk.Title, h.Chunk.Text, append([]string{}, h.Chunk.TagNames...), h.Score}
	}
	return out
}

var changeQueries = []quire.SearchRequest{
	{Query: "red apples and boats", Limit: 100},
	{Query: "stone bridge", Limit: 3},
	{Query: "word 3", Filters: quire.Filters{TagNames: []string{"marked"}}, Limit: 5},
	{Query: "nothing like it", Filters: quire.Filters{ElementalID: "e2"}},
}

func (f *engineFixture) results(q quire.SearchRequest) []result {
	f.t.Helper()
	q.Filters.TenantID = f.ann.TenantID
	hits, err := f.eng.Search(f.t.Context(), q)
	f.check(err)
	return results(hits)
}

// wantLike compares what the changed engine finds with what another one finds.
func (h *three) wantLike(other *engineFixture) {
	h.t.Helper()
	for _, q := range changeQueries {
		wantEqual(h.t, h.changed.results(q), other.results(q))
	}
	chat := quire.ChatRequest{Query: "red apples", Filters: quire.Filters{TenantID: h.changed.ann.TenantID}}
	got, err := h.changed.eng.Chat(h.t.Context(), chat)
	h.changed.check(err)
	want, err := other.eng.Chat(h.t.Context(), chat)
	h.changed.check(err)
	wantEqual(h.t, results(got.Sources), results(want.Sources))
}

// withoutTagIDs leaves out what is different in each Library.
func withoutTagIDs(chunks []quire.Chunk) []quire.Chunk {
	for i := range chunks {
		chunks[i].TagIDs = nil
	}
	return chunks
}

// fill adds n elementals that share words.
func (h *three) fill(n int) {
	h.t.Helper()
	for i := range n {
		h.add(fmt.Sprint("e", i), fmt.Sprint("Elemental with number ", i), fmt.Sprintf("red apples %d\n\nword %d and a boat\n\nstone bridge %d word %d", i, i%3, i%2, i))
	}
}
