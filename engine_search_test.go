package quire_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

func TestSearch(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		f.add(f.ann, "Apples and other fruit", "apple pie with cream\n\nplain bread")
		f.add(f.ann, "Boats and their sails", "a red boat")
		f.add(f.bob, "Apples of another tenant", "apple juice")
		hits, err := f.eng.Search(t.Context(), quire.SearchRequest{Query: "apple pie", Filters: quire.Filters{TenantID: f.ann.TenantID}})
		f.check(err)
		if len(hits) != 5 || hits[0].Chunk.Text != "apple pie with cream" {
			t.Fatalf("hits %+v", hits)
		}
		for i, h := range hits {
			if h.Chunk.Vector != nil || h.Chunk.TenantID != f.ann.TenantID || math.IsNaN(h.Score) || h.Score < 0 || h.Score > 1 {
				t.Errorf("hit %+v", h)
			}
			if i > 0 && (h.Score > hits[i-1].Score || h.Score == hits[i-1].Score && h.Chunk.ID < hits[i-1].Chunk.ID) {
				t.Errorf("hit %d is out of order", i)
			}
		}
		one, err := f.eng.Search(t.Context(), quire.SearchRequest{Query: "apple pie", Filters: quire.Filters{TenantID: f.ann.TenantID}, Limit: 1})
		f.check(err)
		wantEqual(t, one, hits[:1])
		none, err := f.eng.Search(t.Context(), quire.SearchRequest{Query: "apple", Filters: quire.Filters{TenantID: "nobody"}})
		if err != nil || len(none) != 0 {
			t.Errorf("an unknown tenant finds %+v, %v", none, err)
		}
	})
}

func TestDefaultLimit(t *testing.T) {
	t.Parallel()
	f := onMemory(t)
	var body strings.Builder
	for i := range 30 {
		fmt.Fprintf(&body, "paragraph %d\n\n", i)
	}
	f.add(f.ann, "Thirty paragraphs", body.String())
	hits, err := f.eng.Search(t.Context(), quire.SearchRequest{Query: "paragraph", Filters: quire.Filters{TenantID: f.ann.TenantID}})
	if err != nil || len(hits) != 10 {
		t.Errorf("%d hits, %v", len(hits), err)
	}
}

func TestSearchAndChatCheckTheirInput(t *testing.T) {
	t.Parallel()
	f := onMemory(t)
	mine := quire.Filters{TenantID: f.ann.TenantID}
	tests := []struct {
		query   string
		filters quire.Filters
		limit   int
		field   string
		message string
	}{
		{"", mine, 0, "query", "must not be blank"},
		{" \n\t", mine, 0, "query", "must not be blank"},
		{strings.Repeat("q ", 1<<15) + "q", mine, 0, "query", "must have at most 65536 bytes; ask about a part of it"},
		{"q", quire.Filters{}, 0, "filters.tenant_id", "tenant_id is required in filters"},
		{"q", mine, 101, "limit", "must be between 1 and 100"},
		{"q", mine, -1, "limit", "must be between 1 and 100"},
		{"q", quire.Filters{TenantID: "t", TagIDs: []string{"1", ""}}, 0, "filters.tag_ids", "must not hold an empty string"},
		{"q", quire.Filters{TenantID: "t", TagNames: []string{""}}, 0, "filters.tag_names", "must not hold an empty string"},
	}
	for _, tt := range tests {
		_, searched := f.eng.Search(t.Context(), quire.SearchRequest{Query: tt.query, Filters: tt.filters, Limit: tt.limit})
		_, asked := f.eng.Chat(t.Context(), quire.ChatRequest{Query: tt.query, Filters: tt.filters, Limit: tt.limit})
		for _, err := range []error{searched, asked} {
			wantField(t, err, tt.field)
			var e *quire.Error
			if errors.As(err, &e) && e.Fields[0].Message != tt.message {
				t.Errorf("message %q, want %q", e.Fields[0].Message, tt.message)
			}
		}
		if strings.HasPrefix(tt.field, "filters.") {
			_, err := f.eng.Delete(t.Context(), tt.filters)
			wantField(t, err, tt.field)
		}
	}
	if f.embedder.Calls() != 0 {
		t.Error("the embedder was asked")
	}
}

func TestSearchErrors(t *testing.T) {
	t.Parallel()
	f := onMemory(t)
	f.add(f.ann, "Errors of a search", "text")
	search := func(ctx context.Context) error {
		_, err := f.eng.Search(ctx, quire.SearchRequest{Query: "q", Filters: quire.Filters{TenantID: f.ann.TenantID}})
		return err
	}
	f.embedder.Fail(1, errors.New("secret of the provider"))
	err := search(t.Context())
	wantCode(t, err, quire.CodeUnavailable)
	if strings.Contains(err.Error(), "secret") || !strings.Contains(quire.Cause(err), "secret") {
		t.Errorf("%q, cause %q", err, quire.Cause(err))
	}
	f.embedder.Fail(1, context.DeadlineExceeded) // a time limit of its own
	wantCode(t, search(t.Context()), quire.CodeUnavailable)
	f.embedder.Fail(1, quire.Errorf(quire.CodeTooLarge, "too long"))
	wantCode(t, search(t.Context()), quire.CodeTooLarge)
	f.index.FailSearch(1, quire.ErrUnavailable)
	wantCode(t, search(t.Context()), quire.CodeUnavailable)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := search(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
	gate := enginetest.NewGate()
	f.embedder.Hold(gate)
	ctx, cancel = context.WithCancel(t.Context())
	go func() {
		<-gate.Arrived()
		cancel()
	}()
	if err := search(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled meanwhile: %v", err)
	}
}

// TestIndexFailure makes the index refuse changes that the Store has taken. What was
// deleted is not found again, whatever happens.
func TestIndexFailure(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		ctx := t.Context()
		mine := quire.Filters{TenantID: f.ann.TenantID}
		search := func() ([]quire.SearchHit, error) {
			return f.eng.Search(ctx, quire.SearchRequest{Query: "text", Filters: mine})
		}
		down := errors.New("index down")
		one := f.add(f.ann, "The first of two", "text of the first")
		two := f.add(f.ann, "The second of two", "text of the second")
		f.inStep()

		f.index.FailReplace(1, down)
		res, err := f.eng.DeleteElemental(ctx, f.ann.TenantID, one.ID)
		if err != nil || res != (quire.DeleteResult{Chunks: 2, Elementals: 1}) {
			t.Errorf("delete: %+v, %v", res, err)
		}
		if got := f.search(f.ann, "first", quire.Filters{ElementalID: one.ID}); len(got) != 0 {
			t.Errorf("a search after a failure found %q", got) // it has repaired the index
		}
		wantEqual(t, f.texts(one.ID), []string(nil))

		f.index.FailReplace(3, down)
		if _, err := f.eng.DeleteElemental(ctx, f.ann.TenantID, two.ID); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			_, err = search()
			wantCode(t, err, quire.CodeUnavailable)
			if !errors.Is(err, down) {
				t.Errorf("%v does not wrap the cause", err)
			}
		}
		if hits, err := search(); err != nil || len(hits) != 0 {
			t.Errorf("after the repair: %+v, %v", hits, err)
		}

		// The next commit repairs too.
		f.index.FailReplace(1, down)
		f.waitStatus(f.ingest(f.ann, one.ID, ""), quire.JobSucceeded)
		f.waitStatus(f.ingest(f.ann, two.ID, ""), quire.JobSucceeded)
		// Nothing reads through the Engine meanwhile, so that only the commit can have
		// repaired it.
		for patience := 500; len(f.index.Chunks()) < 4; patience-- {
			if patience == 0 {
				t.Fatal("the commit left the repair to others")
			}
			time.Sleep(10 * time.Millisecond)
		}
		wantEqual(t, f.texts(one.ID), []string{"The first of two", "text of the first"})

		// A failing repair shows in the health.
		f.index.FailReplace(6, down)
		_, err = f.eng.Delete(ctx, mine)
		f.check(err)
		wantCode(t, f.eng.Healthy(ctx), quire.CodeUnavailable)
		if h := f.eng.Health(ctx); h.Up || h.Components["index"].Up || !h.Components["store"].Up {
			t.Errorf("health %+v", h)
		}
	})
}

func TestDelete(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		ctx := t.Context()
		one := f.add(f.ann, "The first document", "text\n\nmore")
		snippet := f.create(f.ann, quire.ElementalInput{Title: "A snippet there is", TypeID: quire.TypeSnippet, CategoryID: quire.CategoryText, Body: "code"})
		f.waitStatus(f.ingest(f.ann, snippet.ID, ""), quire.JobSucceeded)
		his := f.add(f.bob, "The document of Bob", "text")
		remove := func(filters quire.Filters, want quire.DeleteResult) {
			t.Helper()
			got, err := f.eng.Delete(ctx, filters)
			f.check(err)
			wantEqual(t, got, want)
		}
		for _, id := range []string{"unknown", his.ID} {
			got, err := f.eng.DeleteElemental(ctx, f.ann.TenantID, id)
			f.check(err)
			wantEqual(t, got, quire.DeleteResult{})
		}
		_, err := f.eng.DeleteElemental(ctx, f.ann.TenantID, "")
		wantField(t, err, "elemental_id")
		_, err = f.eng.DeleteElemental(ctx, "", one.ID)
		wantField(t, err, "tenant_id")
		remove(quire.Filters{TenantID: f.ann.TenantID, Source: "file"}, quire.DeleteResult{})
		remove(quire.Filters{TenantID: f.ann.TenantID, TypeName: "Snippet"}, quire.DeleteResult{Chunks: 2, Elementals: 1})
		wantEqual(t, f.texts(snippet.ID), []string(nil))
		wantEqual(t, f.texts(one.ID), []string{"The first document", "text", "more"})
		remove(quire.Filters{TenantID: f.ann.TenantID}, quire.DeleteResult{Chunks: 3, Elementals: 1})
		remove(quire.Filters{TenantID: f.ann.TenantID}, quire.DeleteResult{})
		wantEqual(t, f.texts(his.ID), []string{"The document of Bob", "text"})
		// An ingest asked for afterwards brings it back.
		f.waitStatus(f.ingest(f.ann, one.ID, ""), quire.JobSucceeded)
		wantEqual(t, f.texts(one.ID), []string{"The first document", "text", "more"})
	})
}

// TestDeleteKeepsOtherChunks deletes some chunks of an elemental, as a table has them
// from several cells.
func TestDeleteKeepsOtherChunks(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		ctx := t.Context()
		e := f.add(f.ann, "Chunks of two sources", "text\n\nmore")
		f.stop(ctx)
		f.check(f.store.Update(ctx, func(tx quire.Tx) error {
			chunks, err := tx.ChunksOf(ctx, e.ID)
			if err != nil {
				return err
			}
			chunks[1].Source = "file"
			return tx.ReplaceChunks(ctx, e.ID, chunks)
		}))
		f.start()
		kept := slices.DeleteFunc(f.stored(e.ID), func(c quire.Chunk) bool { return c.Source == "file" })
		got, err := f.eng.Delete(ctx, quire.Filters{TenantID: f.ann.TenantID, Source: "file"})
		f.check(err)
		wantEqual(t, got, quire.DeleteResult{Chunks: 1, Elementals: 1})
		wantEqual(t, f.stored(e.ID), kept)
	})
}

// TestDeleteCancelsQueued deletes by filters that match nothing stored yet.
func TestDeleteCancelsQueued(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		ctx := t.Context()
		f.opts.Workers = 1
		f.restart()
		tag, err := f.CreateTag(ctx, f.ann, quire.TagInput{Title: "secret", Color: "#fff", ElementalTypeID: quire.TypeDocument})
		f.check(err)
		gate := enginetest.NewGate()
		f.embedder.Hold(gate)
		busy := f.create(f.ann, document("Keeps the worker busy", "text"))
		tagged := f.create(f.ann, document("Tagged as a secret", "text"))
		_, err = f.AttachTag(ctx, f.ann, tagged.ID, tag.ID)
		f.check(err)
		his := f.create(f.bob, document("Of another tenant", "text"))
		running := f.ingest(f.ann, busy.ID, "")
		<-gate.Arrived()
		cancelled := f.ingest(f.ann, tagged.ID, "")
		kept := f.ingest(f.bob, his.ID, "")
		for _, name := range []string{"other", "secret"} {
			got, err := f.eng.Delete(ctx, quire.Filters{TenantID: f.ann.TenantID, TagNames: []string{name}})
			f.check(err)
			wantEqual(t, got, quire.DeleteResult{})
		}
		f.waitStatus(cancelled, quire.JobCancelled)
		gate.Open()
		f.waitStatus(running, quire.JobSucceeded)
		f.waitStatus(kept, quire.JobSucceeded)
		wantEqual(t, f.texts(tagged.ID), []string(nil))
	})
}

func TestHealth(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		f.add(f.ann, "Health of all parts", "text\n\nmore")
		calls := f.embedder.Calls()
		f.check(f.eng.Healthy(t.Context()))
		h := f.eng.Health(t.Context())
		if !h.Up || h.Uptime <= 0 || len(h.Components) != 5 {
			t.Errorf("health %+v", h)
		}
		for name, c := range h.Components {
			if !c.Up {
				t.Errorf("%s is down", name)
			}
		}
		wantEqual(t, h.Components["index"].Counts, map[string]int{"chunks": 3, "vectors": 3, "dimension": f.embedder.Dimension()})
		wantEqual(t, h.Components["jobs"].Counts, map[string]int{"queued": 0, "running": 0, "failed": 0})
		wantEqual(t, h.Components["embedder"].Name, f.embedder.Fingerprint())
		wantEqual(t, h.Components["llm"].Name, "fake")
		if f.embedder.Calls() != calls || len(f.llm.Generations()) != 0 {
			t.Error("a model was asked")
		}
		f.check(f.index.Close())
		if h := f.eng.Health(t.Context()); h.Up || h.Components["index"].Up {
			t.Errorf("with a closed index: %+v", h)
		}
		if f.eng.Healthy(t.Context()) == nil {
			t.Error("healthy with a closed index")
		}
	})
}
