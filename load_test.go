package quire_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store"
)

// loading is a Store whose chunks are counted as they are read, and that does something at
// one of them.
type loading struct {
	quire.Store
	read   atomic.Int64
	at     int64
	happen func() error
}

func (s *loading) Update(ctx context.Context, fn func(tx quire.Tx) error) error {
	return s.Store.Update(ctx, func(tx quire.Tx) error { return fn(loadingTx{tx, s}) })
}

type loadingTx struct {
	quire.Tx
	store *loading
}

func (t loadingTx) AllChunks(ctx context.Context) iter.Seq2[quire.Chunk, error] {
	return t.watched(t.Tx.AllChunks(ctx))
}

func (t loadingTx) AllVectors(ctx context.Context) iter.Seq2[quire.Chunk, error] {
	return t.watched(t.Tx.AllVectors(ctx))
}

func (t loadingTx) watched(chunks iter.Seq2[quire.Chunk, error]) iter.Seq2[quire.Chunk, error] {
	return func(yield func(quire.Chunk, error) bool) {
		for c, err := range chunks {
			if t.store.read.Add(1) == t.store.at {
				if err := t.store.happen(); err != nil {
					yield(quire.Chunk{}, err)
					return
				}
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// newLoading fills a Store with elementals of so many chunks, and returns what an index is
// to be given: the ids of each elemental's chunks, in order.
func newLoading(t *testing.T, sizes ...int) (s *loading, want [][]string) {
	t.Helper()
	s = &loading{Store: store.NewMemory()}
	e := enginetest.NewEmbedder()
	vectors, err := e.Embed(t.Context(), []string{"a passage"})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Store.Update(t.Context(), func(tx quire.Tx) error {
		for i, size := range sizes {
			var chunks []quire.Chunk
			var ids []string
			for n := range size {
				id := fmt.Sprintf("c%05d-%05d", i, n)
				ids = append(ids, id)
				chunks = append(chunks, quire.Chunk{ID: id, TenantID: fmt.Sprint("t", i%3), UserID: "u", ElementalID: fmt.Sprintf("e%05d", i), ItemID: fmt.Sprint("e", i),
					Source: "document", Text: "a passage", End: 9, Ordinal: n, Fingerprint: e.Fingerprint(), Vector: vectors[0]})
			}
			want = append(want, ids)
			if err := tx.ReplaceChunks(t.Context(), chunks[0].ElementalID, chunks); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, want
}

// load makes an Engine over the Store, and ends it again.
func (s *loading) load(ctx context.Context, t *testing.T, index quire.VectorIndex, text quire.TextIndex) error {
	t.Helper()
	lib, err := quire.NewLibrary(ctx, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer lib.Close(context.Background())
	eng, err := quire.NewEngine(ctx, lib, index, enginetest.NewEmbedder(), enginetest.NewLLM(), &quire.EngineOptions{Text: text})
	if err != nil {
		return err
	}
	return eng.Close(context.Background())
}

// taking is an index, of vectors and of texts, that notes which chunks it was given. It
// waits for a permit before each elemental if permits is not nil, and refuses one of them.
type taking struct {
	quire.VectorIndex
	permits chan struct{}
	refused string // elemental
	err     error

	mu  sync.Mutex
	ids [][]string
}

func (x *taking) Reset(context.Context) error { return nil }

func (x *taking) Replace(ctx context.Context, _, elementalID string, chunks []quire.Chunk) error {
	if x.permits != nil {
		<-x.permits
	}
	if elementalID == x.refused {
		return x.err
	}
	var ids []string
	for _, c := range chunks {
		ids = append(ids, c.ID)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ids = append(x.ids, ids)
	return ctx.Err()
}

func (x *taking) asText() quire.TextIndex { return takingText{x} }

type takingText struct{ *taking }

func (takingText) Search(context.Context, string, quire.Filters, int) ([]quire.TextHit, error) {
	return nil, nil
}

// TestLoad: an index gets all chunks, elemental by elemental in the order of the Store,
// whatever the sizes of elementals are.
func TestLoad(t *testing.T) {
	t.Parallel()
	for name, sizes := range map[string][]int{
		"nothing": {}, "one": {1}, "large": {3000}, "batches": {batch, batch, batch}, "between batches": {batch - 1, 2, batch - 2, 1, batch + 1, 3}, "many": small(2000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, want := newLoading(t, sizes...)
			var index, text taking // the text index gets several at the same time
			if err := s.load(t.Context(), t, &index, text.asText()); err != nil {
				t.Fatal(err)
			}
			slices.SortFunc(text.ids, slices.Compare)
			if diff := cmp.Diff([][][]string{want, want}, [][][]string{index.ids, text.ids}); diff != "" {
				t.Errorf("vectors, texts (-stored +given):\n%s", diff)
			}
		})
	}
}

// batch is how many chunks an index is handed at a time.
const batch = 1024

// small are the sizes of small elementals.
func small(n int) []int {
	sizes := make([]int, n)
	for i := range sizes {
		sizes[i] = 1 + i%2
	}
	return sizes
}

// TestLoadReadsLittleAhead: what is in memory beside the index does not grow with the Store.
func TestLoadReadsLittleAhead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, want := newLoading(t, small(4000)...)
		index := &taking{permits: make(chan struct{})}
		failed := make(chan error)
		go func() { failed <- s.load(context.Background(), t, index, new(taking).asText()) }()
		for n := range 3 {
			synctest.Wait()
			// The index has one batch, another is read, and one chunk behind it.
			if read := s.read.Load(); read < 2*batch || read > 2*(batch+1)+1 {
				t.Errorf("when the index has taken %d elementals, %d chunks were read", n, read)
			}
			index.permits <- struct{}{}
		}
		close(index.permits)
		if err := <-failed; err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, index.ids); diff != "" {
			t.Error(diff)
		}
	})
}

// TestLoadFails: whatever fails meanwhile ends the opening with that error.
func TestLoadFails(t *testing.T) {
	t.Parallel()
	down, worse := errors.New("down"), errors.New("worse")
	failing := func(func()) error { return down }
	torn := func(func()) error { return quire.ErrCorrupt } // and of no chunk, as where a table is damaged
	for name, tt := range map[string]*struct {
		index, text taking
		at          int64 // where the Store does something
		happen      func(cancel func()) error
		want        error
		most        int64 // how many chunks are read
	}{
		"store, at first": {at: 1, happen: failing, want: down, most: 1},
		"store, later":    {at: batch + 500, happen: failing, want: down, most: batch + 500},
		"store, torn":     {at: batch + 500, happen: torn, want: quire.ErrCorrupt, most: batch + 500},
		"vectors":         {index: taking{refused: "e00000", err: down}, want: down, most: 2*(batch+1) + 1},
		"texts":           {text: taking{refused: "e00100", err: down}, want: down, most: 2*(batch+1) + 1},
		"texts before vectors": {index: taking{refused: "e00101", err: worse}, text: taking{refused: "e00100", err: down},
			want: down, most: 2*(batch+1) + 1},
		"vectors and texts": {index: taking{refused: "e00100", err: down}, text: taking{refused: "e00100", err: worse},
			want: down, most: 2*(batch+1) + 1},
		"vectors before the store": {index: taking{refused: "e00010", err: worse}, at: 2*batch - 1, happen: failing,
			want: worse, most: 2 * batch},
		"cancelled": {at: batch + 500, happen: func(cancel func()) error { cancel(); return nil }, want: context.Canceled, most: batch + 501},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := newLoading(t, small(2000)...)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s.at, s.happen = tt.at, func() error { return tt.happen(cancel) }
			if err := s.load(ctx, t, &tt.index, tt.text.asText()); !errors.Is(err, tt.want) {
				t.Errorf("opening failed with %v, want %v", err, tt.want)
			}
			if read := s.read.Load(); read > tt.most {
				t.Errorf("%d chunks were read, want at most %d", read, tt.most)
			}
		})
	}
}

// TestLoadOfPanickingStore: the panic is the caller's, and nothing goes on behind it.
func TestLoadOfPanickingStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _ := newLoading(t, small(2000)...)
		s.at, s.happen = batch+500, func() error { panic("a panic of the Store") }
		defer func() {
			if p := recover(); p != "a panic of the Store" {
				t.Errorf("recovered %v", p)
			}
		}()
		err := s.load(t.Context(), t, new(taking), new(taking).asText())
		t.Errorf("no panic, and the error %v", err)
	})
}
