package storetest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

var vectorCases = []testCase{
	{"missing", vectorsMissing},
	{"adopted", vectorsAdopted},
	{"adopted bit for bit", vectorsBits},
	{"of fingerprints apart", vectorsApart},
	{"lengths", vectorsLengths},
	{"deleted", vectorsDeleted},
	{"copied", vectorsCopied},
	{"awkward text", vectorsText},
	{"of many chunks", vectorsMany},
	{"rolled back", vectorsRolledBack},
	{"reopened", vectorsReopened},
	{"pages of chunks", chunkPages},
}

// vectorsQuery are the arguments of MissingVectors.
type vectorsQuery struct {
	fingerprint string
	hashes      []string
}

// missingVectors is MissingVectors in order.
func missingVectors(tx quire.ReadTx, ctx context.Context, q vectorsQuery) ([]string, error) {
	missing, err := tx.MissingVectors(ctx, q.fingerprint, q.hashes)
	slices.Sort(missing)
	return missing, err
}

// plainChunks reads all pages of PlainChunks, beginning after an id.
func plainChunks(tx quire.ReadTx, ctx context.Context, after string) ([]quire.Chunk, error) {
	var all []quire.Chunk
	for {
		page, err := tx.PlainChunks(ctx, after, 7)
		if err != nil || len(page) == 0 {
			return all, err
		}
		all, after = append(all, page...), page[len(page)-1].ID
	}
}

// kept are vectors for the hashes of sample chunks with those ordinals.
func kept(ordinals ...int) map[string][]float32 {
	vectors := map[string][]float32{}
	for _, n := range ordinals {
		vectors[fmt.Sprintf("hash %d", n)] = []float32{float32(n), 0.5}
	}
	return vectors
}

// adopt is AdoptVectors for those who do not count.
func adopt(ctx context.Context, tx quire.Tx, fingerprint string) error {
	_, err := tx.AdoptVectors(ctx, fingerprint)
	return err
}

func putVectors(s *store, fingerprint string, vectors map[string][]float32) {
	s.tb.Helper()
	s.update(func(ctx context.Context, tx quire.Tx) error { return tx.PutVectors(ctx, fingerprint, vectors) })
}

// adopted checks how many chunks AdoptVectors changes.
func adopted(s *store, fingerprint string, want int) {
	s.tb.Helper()
	var n int
	s.update(func(ctx context.Context, tx quire.Tx) (err error) {
		n, err = tx.AdoptVectors(ctx, fingerprint)
		return err
	})
	equal(s.tb, "AdoptVectors of "+fingerprint, n, want)
}

func wantMissing(s *store, what, fingerprint string, hashes, want []string) {
	s.tb.Helper()
	equal(s.tb, what, get(s, missingVectors, vectorsQuery{fingerprint, hashes}), want)
}

func vectorsMissing(t *testing.T, s *store) {
	wantMissing(s, "of no hashes", "f", nil, nil)
	wantMissing(s, "of an empty Store, each once", "f", []string{"b", "a", "b"}, []string{"a", "b"})
	putChunks(s, "e", sampleChunk("e", 0))
	wantMissing(s, "what a chunk has does not count", "embedder-1", []string{"hash 0"}, []string{"hash 0"})
	putVectors(s, "f", nil)
	putVectors(s, "f", kept(0, 2))
	putVectors(s, "g", kept(1))
	all := []string{"hash 0", "hash 1", "hash 2", "Hash 0", "", "hash"}
	wantMissing(s, "of f", "f", all, []string{"", "Hash 0", "hash", "hash 1"})
	wantMissing(s, "of g", "g", all, []string{"", "Hash 0", "hash", "hash 0", "hash 2"})
	wantMissing(s, "of another", "F", all[:3], all[:3])
}

func vectorsAdopted(t *testing.T, s *store) {
	adopted(s, "embedder-2", 0)
	e := []quire.Chunk{sampleChunk("e", 0), sampleChunk("e", 1), sampleChunk("e", 2)}
	other := sampleChunk("other", 0)
	other.TenantID = "another tenant"
	putChunks(s, "e", e...)
	putChunks(s, "other", other)
	adopted(s, "embedder-2", 0)
	putVectors(s, "embedder-2", kept(0, 2, 9))
	equal(t, "before", get(s, quire.ReadTx.ChunksOf, "e"), e)
	adopted(s, "embedder-2", 3)
	for _, c := range []*quire.Chunk{&e[0], &e[2], &other} {
		c.Vector, c.Fingerprint = kept(c.Ordinal)[c.Hash], "embedder-2"
	}
	equal(t, "after", get(s, quire.ReadTx.ChunksOf, "e"), e)
	equal(t, "of the other tenant", get(s, quire.ReadTx.ChunksOf, "other"), []quire.Chunk{other})
	equal(t, "matched by tag", get(s, quire.ReadTx.MatchChunks, quire.Filters{TenantID: "tenant", TagIDs: []string{"12"}}),
		[]quire.ChunkRef{{ID: e[0].ID, ElementalID: "e"}, {ID: e[1].ID, ElementalID: "e"}, {ID: e[2].ID, ElementalID: "e"}})
	wantMissing(s, "still kept", "embedder-2", []string{"hash 0", "hash 9"}, nil)
	putVectors(s, "embedder-2", map[string][]float32{"hash 0": {7}})
	adopted(s, "embedder-2", 3)
	equal(t, "the replaced one", get(s, quire.ReadTx.ChunksOf, "e")[0].Vector, []float32{7})
	putChunks(s, "e")
	adopted(s, "embedder-2", 1)
}

func vectorsBits(t *testing.T, s *store) {
	want := []float32{0, float32(math.Copysign(0, -1)), math.SmallestNonzeroFloat32, math.MaxFloat32, 1.0 / 3, 1e-38}
	putChunks(s, "e", sampleChunk("e", 0))
	putVectors(s, "f", map[string][]float32{"hash 0": want})
	adopted(s, "f", 1)
	got := get(s, quire.ReadTx.ChunksOf, "e")[0].Vector
	if !slices.EqualFunc(got, want, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func vectorsApart(t *testing.T, s *store) {
	putChunks(s, "e", sampleChunk("e", 0), sampleChunk("e", 1))
	putVectors(s, "f", map[string][]float32{"hash 0": {1}, "hash 1": {2}})
	putVectors(s, "g", map[string][]float32{"hash 0": {3}})
	adopted(s, "g", 1)
	chunks := get(s, quire.ReadTx.ChunksOf, "e")
	equal(t, "the first", chunks[0].Vector, []float32{3})
	equal(t, "the second", chunks[1], sampleChunk("e", 1))
	adopted(s, "f", 2)
	chunks = get(s, quire.ReadTx.ChunksOf, "e")
	equal(t, "both", [][]float32{chunks[0].Vector, chunks[1].Vector}, [][]float32{{1}, {2}})
}

func vectorsLengths(t *testing.T, s *store) {
	lengths := func(fingerprint string, want ...int) {
		t.Helper()
		equal(t, "lengths of "+fingerprint, get(s, quire.ReadTx.VectorLengths, fingerprint), want)
	}
	putChunks(s, "e", sampleChunk("e", 0))
	lengths("embedder-1")
	putVectors(s, "f", kept(0, 1, 2))
	putVectors(s, "g", map[string][]float32{"a": {1, 2, 3}, "b": {1}, "c": {2}})
	lengths("f", 2)
	lengths("g", 1, 3)
	putVectors(s, "g", map[string][]float32{"a": {1}})
	lengths("g", 1)
}

func vectorsDeleted(t *testing.T, s *store) {
	del := func(except ...string) {
		s.update(func(ctx context.Context, tx quire.Tx) error { return tx.DeleteVectors(ctx, except...) })
	}
	del()
	del("f")
	hashes := []string{"hash 0", "hash 1"}
	for _, f := range []string{"f", "g", "h", ""} {
		putVectors(s, f, kept(0, 1))
	}
	putChunks(s, "e", sampleChunk("e", 0))
	del("g", "h", "never kept")
	wantMissing(s, "f after all but g and h", "f", hashes, hashes)
	wantMissing(s, "the empty one after all but g and h", "", hashes, hashes)
	wantMissing(s, "g after all but g and h", "g", hashes, nil)
	del("h")
	wantMissing(s, "g after all but h", "g", hashes, hashes)
	wantMissing(s, "h after all but h", "h", hashes, nil)
	del()
	wantMissing(s, "h after all", "h", hashes, hashes)
	adopted(s, "h", 0)
	equal(t, "chunks", get(s, quire.ReadTx.ChunksOf, "e"), []quire.Chunk{sampleChunk("e", 0)})
}

func vectorsCopied(t *testing.T, s *store) {
	putChunks(s, "e", sampleChunk("e", 0))
	putChunks(s, "e2", sampleChunk("e2", 0))
	in := []float32{1, 2}
	putVectors(s, "f", map[string][]float32{"hash 0": in})
	in[0] = 99
	adopted(s, "f", 2)
	got := get(s, quire.ReadTx.ChunksOf, "e")
	equal(t, "after a change on the way in", got[0].Vector, []float32{1, 2})
	got[0].Vector[0] = 99
	equal(t, "after a change on the way out", get(s, quire.ReadTx.ChunksOf, "e2")[0].Vector, []float32{1, 2})
	adopted(s, "f", 2)
	equal(t, "adopted again", get(s, quire.ReadTx.ChunksOf, "e")[0].Vector, []float32{1, 2})
}

func vectorsText(t *testing.T, s *store) {
	for name, text := range awkward {
		c := sampleChunk(text, 0)
		c.Hash = text
		putChunks(s, text, c)
		putVectors(s, text, map[string][]float32{text: {1}})
		wantMissing(s, name, text, []string{text}, nil)
		adopted(s, text, 1)
		equal(t, name, get(s, quire.ReadTx.ChunksOf, text)[0].Fingerprint, text)
	}
}

// vectorsMany keeps vectors of chunks that share some of their hashes.
func vectorsMany(t *testing.T, s *store) {
	n := scale(4_000)
	var hashes []string
	vectors := map[string][]float32{}
	for i := range n {
		c := sampleChunk(fmt.Sprint("e", i%97), i)
		c.Hash = fmt.Sprint("hash ", i/2)
		hashes = append(hashes, c.Hash)
		if i%10 != 0 {
			vectors[c.Hash] = []float32{float32(i / 2)}
		}
		if i < 97 {
			putChunks(s, c.ElementalID, c)
		}
	}
	var want []string
	for _, h := range hashes {
		if vectors[h] == nil && !slices.Contains(want, h) {
			want = append(want, h)
		}
	}
	slices.Sort(want)
	putVectors(s, "f", vectors)
	wantMissing(s, "of all", "f", hashes, want)
	adopted(s, "f", 97)
	for _, c := range get(s, allChunks, struct{}{}) {
		if c.Fingerprint != "f" || c.Vector[0] != float32(c.Ordinal/2) {
			t.Errorf("chunk %d has %v of %q", c.Ordinal, c.Vector, c.Fingerprint)
		}
	}
}

func vectorsRolledBack(t *testing.T, s *store) {
	putChunks(s, "e", sampleChunk("e", 0), sampleChunk("e", 1))
	putVectors(s, "f", kept(0))
	err := s.Update(t.Context(), func(tx quire.Tx) error {
		ctx := t.Context()
		if err := tx.PutVectors(ctx, "f", kept(1)); err != nil {
			return err
		}
		if n, err := tx.AdoptVectors(ctx, "f"); err != nil || n != 2 {
			return fmt.Errorf("adopted %d chunks, error %w", n, err)
		}
		if err := tx.DeleteVectors(ctx); err != nil {
			return err
		}
		return errStop
	})
	if err != errStop {
		t.Fatalf("Update: %v", err)
	}
	wantMissing(s, "after a rollback", "f", []string{"hash 0", "hash 1"}, []string{"hash 1"})
	equal(t, "chunks", get(s, quire.ReadTx.ChunksOf, "e"), []quire.Chunk{sampleChunk("e", 0), sampleChunk("e", 1)})
}

func vectorsReopened(t *testing.T, s *store) {
	putChunks(s, "e", sampleChunk("e", 0), sampleChunk("e", 1))
	putVectors(s, "f", kept(0))
	s.reopen()
	wantMissing(s, "after reopening", "f", []string{"hash 0", "hash 1"}, []string{"hash 1"})
	putVectors(s, "f", kept(1))
	s.reopen()
	adopted(s, "f", 2)
	s.reopen()
	for i, c := range get(s, quire.ReadTx.ChunksOf, "e") {
		equal(t, "vector", c.Vector, kept(i)[c.Hash])
	}
}

func chunkPages(t *testing.T, s *store) {
	equal(t, "of an empty Store", get(s, plainChunks, ""), nil)
	n := scale(100)
	var want []quire.Chunk
	for i := range n {
		c := sampleChunk(fmt.Sprint("e", i*37%n), i)
		c.ID, c.TenantID = fmt.Sprintf("%03d", i*37%n), fmt.Sprint("t", i%3)
		putChunks(s, c.ElementalID, c)
		want = append(want, withoutVector(c))
	}
	slices.SortFunc(want, func(a, b quire.Chunk) int { return strings.Compare(a.ID, b.ID) })
	equal(t, "page by page", get(s, plainChunks, ""), want)
	equal(t, "after one of them", get(s, plainChunks, want[9].ID), want[10:])
	equal(t, "after one that is not there", get(s, plainChunks, want[9].ID+"x"), want[10:])
	equal(t, "after the last", get(s, plainChunks, want[n-1].ID), nil)
}
