package quire_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/bm25"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store"
)

// faultyText is a text index whose calls fail while they are told to.
type faultyText struct {
	quire.TextIndex
	failing atomic.Bool
	panics  atomic.Bool
}

func (x *faultyText) fault() error {
	if x.panics.Load() {
		panic(panicText)
	}
	if x.failing.Load() {
		return errors.New("the text index is out of order")
	}
	return nil
}

func (x *faultyText) Replace(ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
	if err := x.fault(); err != nil {
		return err
	}
	return x.TextIndex.Replace(ctx, tenantID, elementalID, chunks)
}

func (x *faultyText) Search(ctx context.Context, query string, f quire.Filters, limit int) ([]quire.TextHit, error) {
	if err := x.fault(); err != nil {
		return nil, err
	}
	return x.TextIndex.Search(ctx, query, f, limit)
}

// textCopy is a text index that shows what it was given.
type textCopy struct {
	*bm25.Index
	mu     sync.Mutex
	chunks map[string][]quire.Chunk // by tenant and elemental
}

func newTextCopy() *textCopy {
	return &textCopy{Index: bm25.New(nil), chunks: map[string][]quire.Chunk{}}
}

func (x *textCopy) Replace(ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
	err := x.Index.Replace(ctx, tenantID, elementalID, chunks)
	if err == nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.chunks[tenantID+" "+elementalID] = slices.Clone(chunks)
	}
	return err
}

func (x *textCopy) Reset(ctx context.Context) error {
	err := x.Index.Reset(ctx)
	if err == nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		clear(x.chunks)
	}
	return err
}

// content returns everything in the index, by id.
func (x *textCopy) content() map[string]quire.Chunk {
	x.mu.Lock()
	defer x.mu.Unlock()
	all := map[string]quire.Chunk{}
	for _, chunks := range x.chunks {
		for _, c := range chunks {
			all[c.ID] = c
		}
	}
	return all
}

// withText makes an Engine that has full text.
func withText(t *testing.T) (*engineFixture, *faultyText) {
	t.Helper()
	text := &faultyText{TextIndex: bm25.New(nil)}
	return newEngineFixture(t, store.NewMemory(), quire.EngineOptions{Chunker: paragraphs{}, Text: text}), text
}

// passages searches and returns the texts found, best first. Scores must be in order and in
// bounds.
func (f *engineFixture) passages(query string, mode quire.SearchMode, limit int) []string {
	f.t.Helper()
	hits, err := f.eng.Search(f.t.Context(), quire.SearchRequest{Query: query, Mode: mode, Limit: limit, Filters: quire.Filters{TenantID: f.ann.TenantID}})
	f.check(err)
	found := []string{}
	for i, h := range hits {
		found = append(found, h.Chunk.Text)
		if !(h.Score >= 0 && h.Score <= 1) || i > 0 && h.Score > hits[i-1].Score {
			f.t.Errorf("%q in mode %q: score %v behind %v", query, mode, h.Score, hits[max(0, i-1)].Score)
		}
	}
	return found
}

func TestModes(t *testing.T) {
	t.Parallel()
	f, _ := withText(t)
	f.add(f.ann, "A list of fruit", "apple pie with cream\n\na red boat\n\nplain bread of rye")
	f.add(f.bob, "Another tenant's fruit", "apple juice")
	for _, mode := range []quire.SearchMode{"", quire.SearchHybrid, quire.SearchText, quire.SearchVector} {
		if got := f.passages("apple pie", mode, 1); !slices.Equal(got, []string{"apple pie with cream"}) {
			t.Errorf("mode %q finds %q", mode, got)
		}
	}
	if got := f.passages("boat", quire.SearchText, 10); !slices.Equal(got, []string{"a red boat"}) {
		t.Errorf("text finds %q, which does not all have the word", got)
	}
	if got := f.passages("zeppelin", quire.SearchText, 10); len(got) != 0 {
		t.Errorf("text finds %q for a word that is nowhere", got)
	}
	if got := f.passages("boat", quire.SearchHybrid, 10); len(got) != 4 || got[0] != "a red boat" {
		t.Errorf("hybrid finds %q", got)
	}
	// Without the embedder, text goes on.
	f.embedder.Fail(1, quire.ErrUnavailable)
	if got := f.passages("boat", quire.SearchText, 10); len(got) != 1 {
		t.Errorf("text without the embedder finds %q", got)
	}
}

func TestModesRefused(t *testing.T) {
	t.Parallel()
	plain := onMemory(t)
	plain.stop(t.Context())
	plain.words, plain.opts.Text = nil, nil
	plain.start()
	f, text := withText(t)
	for _, tt := range []struct {
		f    *engineFixture
		mode quire.SearchMode
		want string
	}{
		{plain, quire.SearchText, "must be vector: this engine has no full text"},
		{plain, quire.SearchHybrid, "must be vector: this engine has no full text"},
		{f, "words", "must be vector, text or hybrid"},
	} {
		filters := quire.Filters{TenantID: tt.f.ann.TenantID}
		_, searched := tt.f.eng.Search(t.Context(), quire.SearchRequest{Query: "q", Mode: tt.mode, Filters: filters})
		_, asked := tt.f.eng.Chat(t.Context(), quire.ChatRequest{Query: "q", Mode: tt.mode, Filters: filters})
		for _, err := range []error{searched, asked} {
			wantField(t, err, "mode")
			var e *quire.Error
			if errors.As(err, &e) && e.Fields[0].Message != tt.want {
				t.Errorf("message %q, want %q", e.Fields[0].Message, tt.want)
			}
		}
	}
	for _, opts := range []quire.EngineOptions{{Mode: quire.SearchText}, {Mode: "words", Text: text}, {TextWeight: 1, Text: text}, {TextWeight: -0.1, Text: text}} {
		lib, err := quire.NewLibrary(t.Context(), store.NewMemory(), nil)
		f.check(err)
		if _, err := quire.NewEngine(t.Context(), lib, enginetest.NewIndex(), enginetest.NewEmbedder(), enginetest.NewLLM(), &opts); quire.CodeOf(err) != quire.CodeInvalid {
			t.Errorf("NewEngine(%+v): %v, want ErrInvalid", opts, err)
		}
		f.check(lib.Close(t.Context()))
	}
}

// TestScoresAreHonest: what is the query itself has nearly 1; where nothing fits, the
// best is near 0 all the same.
func TestScoresAreHonest(t *testing.T) {
	t.Parallel()
	f, _ := withText(t)
	f.add(f.ann, "Letters of a harbour", "the ferry leaves the northern quay at seven\n\nnets are mended on Tuesdays\n\nthe crane lifts four tonnes")
	for _, mode := range []quire.SearchMode{quire.SearchHybrid, quire.SearchText, quire.SearchVector} {
		score := func(query string) float64 {
			hits, err := f.eng.Search(t.Context(), quire.SearchRequest{Query: query, Mode: mode, Filters: quire.Filters{TenantID: f.ann.TenantID}})
			f.check(err)
			if len(hits) == 0 {
				return 0
			}
			return hits[0].Score
		}
		same, part, other := score("Letters of a harbour: the ferry leaves the northern quay at seven"), score("when does the ferry sail"), score("quantum chromodynamics lattice")
		if same < 0.9 || part >= same || part <= other || other > 0.15 {
			t.Errorf("mode %q: the text itself has %.3f, a question %.3f, something else %.3f", mode, same, part, other)
		}
	}
}

// TestTextIndexFollows: full text follows every change, catches up after it has failed,
// and until then nothing is found that is no more.
func TestTextIndexFollows(t *testing.T) {
	t.Parallel()
	f, text := withText(t)
	e := f.add(f.ann, "A list of fruit", "apple pie")
	finds := func(want ...string) {
		t.Helper()
		for _, word := range []string{"apple", "cherry", "damson"} {
			got := f.passages(word, quire.SearchText, 10)
			if slices.Contains(want, word) != (len(got) == 1) {
				t.Errorf("%q finds %q", word, got)
			}
		}
	}
	finds("apple")
	change := func(body string) {
		t.Helper()
		f.update(f.ann, e.ID, body)
		f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
	}
	change("cherry pie")
	finds("cherry")

	text.failing.Store(true)
	change("damson pie")
	if _, err := f.eng.Search(t.Context(), quire.SearchRequest{Query: "cherry", Mode: quire.SearchVector, Filters: quire.Filters{TenantID: f.ann.TenantID}}); quire.CodeOf(err) != quire.CodeUnavailable {
		t.Errorf("a search while the text index is behind: %v, want ErrUnavailable", err)
	}
	text.failing.Store(false)
	finds("damson")

	text.panics.Store(true)
	_, err := f.eng.Search(t.Context(), quire.SearchRequest{Query: "damson", Filters: quire.Filters{TenantID: f.ann.TenantID}})
	if quire.CodeOf(err) != quire.CodeInternal || strings.Contains(err.Error(), panicText) {
		t.Errorf("a text index that panics: %v", err)
	}
	text.panics.Store(false)

	f.restart()
	finds("damson")
	f.check(f.DeleteElemental(t.Context(), f.ann, e.ID))
	finds()
}

// TestFilteredModes: filters and the limit are exact in every mode.
func TestFilteredModes(t *testing.T) {
	t.Parallel()
	f, _ := withText(t)
	var one string
	for n := range 150 {
		e := f.add(f.ann, fmt.Sprint("A list of fruit, part ", n), "apple pie")
		if n == 149 {
			one = e.ID
		}
	}
	for _, mode := range []quire.SearchMode{quire.SearchHybrid, quire.SearchText, quire.SearchVector} {
		search := func(elementalID string, limit int) []quire.SearchHit {
			hits, err := f.eng.Search(t.Context(), quire.SearchRequest{Query: "apple pie", Mode: mode, Limit: limit, Filters: quire.Filters{TenantID: f.ann.TenantID, ElementalID: elementalID}})
			f.check(err)
			return hits
		}
		if hits := search(one, 10); len(hits) == 0 || slices.ContainsFunc(hits, func(h quire.SearchHit) bool { return h.Chunk.ElementalID != one }) {
			t.Errorf("mode %q: %d hits of one elemental, or of others", mode, len(hits))
		}
		all := search("", 100)
		if len(all) != 100 {
			t.Errorf("mode %q: %d hits, want 100", mode, len(all))
		}
		if diff := cmp.Diff(all[:7], search("", 7)); diff != "" {
			t.Errorf("mode %q: 7 hits are not the first of 100:\n%s", mode, diff)
		}
	}
}
