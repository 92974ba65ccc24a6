package langchain

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine"
	"github.com/quirelib/quire/engine/chromem"
	"github.com/quirelib/quire/store"
	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"
)

// base is a knowledge base with one user.
type base struct {
	library *quire.Library
	engine  *quire.Engine
	ada     quire.Actor
}

func newBase(t *testing.T, embedder quire.Embedder, llm quire.LLM) base {
	t.Helper()
	if embedder == nil {
		h, err := engine.NewHashing(nil)
		if err != nil {
			t.Fatal(err)
		}
		embedder = h
	}
	library, err := quire.NewLibrary(t.Context(), store.NewMemory(), nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := quire.NewEngine(t.Context(), library, chromem.New(nil), embedder, llm, &quire.EngineOptions{MaxAttempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	ada, err := library.CreateUser(t.Context(), quire.UserInput{ID: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	return base{library, e, ada.Actor()}
}

func (b base) store(t *testing.T, opts StoreOptions) *Store {
	t.Helper()
	opts.Library = b.library
	s, err := NewStore(b.engine, b.ada, &opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var harbour = []schema.Document{
	{PageContent: "The lighthouse of Marrowby is 41 metres tall.", Metadata: map[string]any{"id": "tower", "title": "Towers of the coast"}},
	{PageContent: "Bread is baked from flour, water, salt and yeast."},
	{PageContent: "# Ferries\n\nThe ferry leaves at noon from the north pier.", Metadata: map[string]any{"title": "Pier"}},
}

func TestStore(t *testing.T) {
	t.Parallel()
	b := newBase(t, nil, engine.NewExtractive(nil))
	s := b.store(t, StoreOptions{Documents: 2})
	ids, err := s.AddDocuments(t.Context(), harbour)
	if err != nil || len(ids) != 3 || ids[0] != "tower" {
		t.Fatal(ids, err)
	}
	if e, err := b.library.Elemental(t.Context(), b.ada, "tower"); err != nil || !e.Settings.KnowledgeBase {
		t.Errorf("what was added is not ingested when it changes: %v", err)
	}
	docs, err := s.SimilaritySearch(t.Context(), "How tall is the lighthouse?", 1)
	if err != nil || len(docs) != 1 {
		t.Fatal(docs, err)
	}
	got := docs[0]
	if got.PageContent != harbour[0].PageContent || got.Score <= 0.1 || got.Score > 1 {
		t.Errorf("%q scores %v", got.PageContent, got.Score)
	}
	delete(got.Metadata, "id")
	want := map[string]any{"elemental_id": "tower", "title": "Towers of the coast", "heading": []string(nil), "source": "document",
		"start": len("Towers of the coast\n\n"), "end": len("Towers of the coast\n\n" + harbour[0].PageContent), "tags": []string(nil)}
	if diff := cmp.Diff(want, got.Metadata); diff != "" {
		t.Errorf("metadata (-want +got)\n%s", diff)
	}

	docs, err = s.GetRelevantDocuments(t.Context(), "ferry at noon")
	if err != nil || len(docs) != 2 || !strings.Contains(docs[0].PageContent, "north pier") || docs[0].Metadata["title"] != "Document: Pier" {
		t.Errorf("relevant: %v, %v", docs, err)
	}
	docs, err = vectorstores.ToRetriever(s, 1).GetRelevantDocuments(t.Context(), "bread from flour")
	if err != nil || len(docs) != 1 || docs[0].PageContent != harbour[1].PageContent {
		t.Errorf("langchaingo's retriever: %v, %v", docs, err)
	}
}

func TestStoreOptions(t *testing.T) {
	t.Parallel()
	b := newBase(t, nil, engine.NewExtractive(nil))
	tag, err := b.library.CreateTag(t.Context(), b.ada, quire.TagInput{Title: "coast", Color: "#123", ElementalTypeID: quire.TypeDocument})
	if err != nil {
		t.Fatal(err)
	}
	tagged := b.store(t, StoreOptions{Input: quire.ElementalInput{TagIDs: []int64{tag.ID}, Visibility: quire.Unlisted}})
	if _, err := tagged.AddDocuments(t.Context(), harbour[:1]); err != nil {
		t.Fatal(err)
	}
	s := b.store(t, StoreOptions{})
	dedup := func(_ context.Context, d schema.Document) bool { return strings.Contains(d.PageContent, "Bread") }
	if ids, err := s.AddDocuments(t.Context(), harbour[1:], vectorstores.WithDeduplicater(dedup)); err != nil || len(ids) != 1 {
		t.Fatal(ids, err)
	}
	count := func(store *Store, options ...vectorstores.Option) int {
		t.Helper()
		docs, err := store.SimilaritySearch(t.Context(), "lighthouse of Marrowby is 41 metres tall", 10, options...)
		if err != nil {
			t.Fatal(err)
		}
		return len(docs)
	}
	for name, c := range map[string]struct{ got, want int }{
		"all":         {count(s), 2},
		"name space":  {count(s, vectorstores.WithNameSpace("ada")), 2},
		"threshold":   {count(s, vectorstores.WithScoreThreshold(0.5)), 1},
		"unreachable": {count(s, vectorstores.WithScoreThreshold(1)), 0},
		"tag":         {count(s, vectorstores.WithFilters(map[string]any{"tag_names": "coast"})), 1},
		"tags":        {count(s, vectorstores.WithFilters(map[string]any{"tag_ids": []string{fmt.Sprint(tag.ID), "0"}, "user_id": "ada"})), 1},
		"filters":     {count(s, vectorstores.WithFilters(quire.Filters{ElementalID: "tower", Source: "document", TypeName: "Document"})), 1},
		"another":     {count(s, vectorstores.WithFilters(quire.Filters{UserID: "eve"})), 0},
		"narrowed":    {count(b.store(t, StoreOptions{Filters: quire.Filters{TagNames: []string{"coast"}, TenantID: "eve"}})), 1},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d documents, want %d", name, c.got, c.want)
		}
	}
}

func TestStoreRefuses(t *testing.T) {
	t.Parallel()
	b := newBase(t, nil, engine.NewExtractive(nil))
	s := b.store(t, StoreOptions{Filters: quire.Filters{UserID: "ada", TagNames: []string{"x"}}})
	search := func(n int, options ...vectorstores.Option) error {
		return second(s.SimilaritySearch(t.Context(), "tall", n, options...))
	}
	add := func(doc schema.Document) error {
		return second(s.AddDocuments(t.Context(), []schema.Document{harbour[1], doc}))
	}
	filter := func(f any) error { return search(1, vectorstores.WithFilters(f)) }
	readOnly, err := NewStore(b.engine, b.ada, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"no engine":             second(NewStore(nil, b.ada, nil)),
		"too many documents":    second(NewStore(b.engine, b.ada, &StoreOptions{Documents: 101})),
		"no library":            second(readOnly.AddDocuments(t.Context(), harbour)),
		"another tenant":        search(1, vectorstores.WithNameSpace("eve")),
		"an embedder":           search(1, vectorstores.WithEmbedder(&embeddings.EmbedderImpl{})),
		"a negative threshold":  search(1, vectorstores.WithScoreThreshold(-0.1)),
		"no threshold":          search(1, vectorstores.WithScoreThreshold(float32(math.NaN()))),
		"none":                  search(0),
		"too many":              search(101),
		"a filter's tenant":     filter(quire.Filters{TenantID: "ada"}),
		"an unknown filter":     filter(map[string]any{"page": "3"}),
		"a filter's type":       filter(map[string]any{"user_id": 3}),
		"filters of a kind":     filter("tall"),
		"another user":          filter(map[string]any{"user_id": "eve"}),
		"other tags":            filter(map[string]any{"tag_names": "y"}),
		"a blank document":      add(schema.Document{PageContent: " \n"}),
		"metadata":              add(schema.Document{PageContent: "a text", Metadata: map[string]any{"page": 3}}),
		"a title that is none":  add(schema.Document{PageContent: "a text", Metadata: map[string]any{"title": 3}}),
		"an id that is not one": add(schema.Document{PageContent: "a text", Metadata: map[string]any{"id": 3}}),
	} {
		if quire.CodeOf(err) != quire.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := second(NewStore(b.engine, quire.Actor{UserID: "ada"}, nil)); quire.CodeOf(err) != quire.CodeUnauthenticated {
		t.Errorf("nobody: %v", err)
	}
	if docs, err := readOnly.SimilaritySearch(t.Context(), "bread", 10); err != nil || len(docs) != 0 {
		t.Errorf("what was refused added %v, %v", docs, err)
	}
}

// A document that the Library refuses leaves what came before it, and says so.
func TestAddDocumentsFails(t *testing.T) {
	t.Parallel()
	b := newBase(t, nil, engine.NewExtractive(nil))
	s := b.store(t, StoreOptions{DropMetadata: true})
	twice := []schema.Document{harbour[1], harbour[0], harbour[0]}
	twice[0].Metadata = map[string]any{"page": 3}
	ids, err := s.AddDocuments(t.Context(), twice)
	if quire.CodeOf(err) != quire.CodeConflict || len(ids) != 2 || ids[1] != "tower" {
		t.Errorf("%v, %v", ids, err)
	}

	// A server that refuses the texts fails the ingest.
	down := newServer(t, OpenAI).fails(answers(400, "", `{"error":{"message":"no"}}`))
	b = newBase(t, down.embedderOf(t, 8, nil), engine.NewExtractive(nil))
	ids, err = b.store(t, StoreOptions{}).AddDocuments(t.Context(), harbour[:1])
	if quire.CodeOf(err) != quire.CodeUnavailable || !slices.Equal(ids, []string{"tower"}) || !strings.Contains(err.Error(), "status 400") {
		t.Errorf("%v, %v", ids, err)
	}
}

func TestTitles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"A good title for it\nmore": "A good title for it",
		"## Heading of it\n\ntext":  "Heading of it",
		"short":                     "Document: short",
		"1234567890123":             "Document: 1234567890123",
		"# \n\n":                    "Document without title",
		"tab\tand \x01 control":     "tab and   control",
		strings.Repeat("é", 101):    strings.Repeat("é", 99) + "…",
	} {
		if got := titled(firstLine(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestEngine asks an Engine whose Embedder and LLM are behind servers.
func TestEngine(t *testing.T) {
	t.Parallel()
	for _, p := range providers {
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			model := newServer(t, p).says("It is 41 metres ", "tall [1", "], not [9] 42.")
			b := newBase(t, newServer(t, OpenAI).embedderOf(t, 256, nil), model.llm(t, nil))
			if _, err := b.store(t, StoreOptions{}).AddDocuments(t.Context(), harbour); err != nil {
				t.Fatal(err)
			}
			ask := func() (said string, err error) {
				for ev, err := range b.engine.ChatStream(t.Context(), quire.ChatRequest{Query: "How tall is the lighthouse?", Filters: quire.Filters{TenantID: "ada"}}) {
					if err != nil {
						return said, err
					}
					said += ev.Content
				}
				return said, nil
			}
			if said, err := ask(); err != nil || said != "It is 41 metres tall [1], not 42." {
				t.Errorf("%q, %v", said, err)
			}
			model.fails(func(_ http.ResponseWriter, _ *http.Request, s *session) { s.say("It is 41 metres ", "tall") })
			said, err := ask()
			if quire.CodeOf(err) != quire.CodeUnavailable || !strings.HasPrefix("It is 41 metres tall", said) || said == "" {
				t.Errorf("broken off: %q, %v", said, err)
			}
			model.says("NO_", "ANSWER").fault = nil
			if said, err := ask(); err != nil || !strings.Contains(said, "holds no answer") {
				t.Errorf("no answer: %q, %v", said, err)
			}
		})
	}
}
