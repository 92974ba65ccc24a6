package langchain

import (
	"context"
	"strings"

	"github.com/quirelib/quire"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"
)

// StoreOptions configure a Store. The zero value is good.
type StoreOptions struct {
	// Library is where AddDocuments puts documents. Default: none, and the Store is for
	// searches only.
	Library *quire.Library
	// Input is what every added document begins as: its Visibility, Lists, TagIDs and so
	// on. Title, Body, ID and Settings.KnowledgeBase are set for each. Default: a Document of
	// the category Text, Public as all content of a Library is by default.
	Input quire.ElementalInput
	// DropMetadata has AddDocuments leave out metadata that a Library does not keep,
	// which is all but "id" and "title". Default: such documents are refused.
	DropMetadata bool
	// Filters narrow all searches. Their TenantID is set. Default: all of the tenant.
	Filters quire.Filters
	// Documents is how many documents GetRelevantDocuments returns, 1..100. Default 8.
	Documents int
}

// Store is the knowledge base of a tenant as a vector store and a retriever of
// langchaingo. Its documents are passages: Score is theirs, 0..1, and Metadata has "id"
// (of the passage), "elemental_id", "title", "heading" ([]string), "source", "start" and
// "end" (byte offsets into the source text) and "tags" ([]string).
type Store struct {
	engine *quire.Engine
	actor  quire.Actor
	opts   StoreOptions
}

var (
	_ vectorstores.VectorStore = (*Store)(nil)
	_ schema.Retriever         = (*Store)(nil)
)

// NewStore makes a Store for a user: searches see the tenant's knowledge base, and what
// is added is the user's. opts may be nil.
func NewStore(engine *quire.Engine, actor quire.Actor, opts *StoreOptions) (*Store, error) {
	if engine == nil {
		return nil, quire.Errorf(quire.CodeInvalid, "engine: must not be nil")
	}
	if actor.UserID == "" || actor.TenantID == "" {
		return nil, quire.ErrUnauthenticated
	}
	s := &Store{engine: engine, actor: actor}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Documents == 0 {
		s.opts.Documents = 8
	}
	if s.opts.Documents < 1 || s.opts.Documents > 100 {
		return nil, quire.Errorf(quire.CodeInvalid, "StoreOptions.Documents: must be between 1 and 100, or 0 for the default of 8")
	}
	return s, nil
}

// SimilaritySearch implements vectorstores.VectorStore: at most numDocuments passages,
// 1..100, best first.
//
// Of the options WithScoreThreshold leaves out what scores less; WithFilters takes
// [quire.Filters] or a map with the keys "elemental_id", "user_id", "source", "type_name",
// "category_name" (strings), "tag_ids" and "tag_names" (strings or []string), beside those
// of StoreOptions.Filters; WithNameSpace can only name the tenant itself. WithEmbedder is
// ErrInvalid: the Engine has its own.
func (s *Store) SimilaritySearch(ctx context.Context, query string, numDocuments int, options ...vectorstores.Option) ([]schema.Document, error) {
	opts, err := s.options(options)
	if err != nil {
		return nil, err
	}
	if numDocuments < 1 {
		return nil, quire.Errorf(quire.CodeInvalid, "numDocuments: must be between 1 and 100")
	}
	filters, err := narrowed(s.opts.Filters, opts.Filters)
	if err != nil {
		return nil, err
	}
	filters.TenantID = s.actor.TenantID
	hits, err := s.engine.Search(ctx, quire.SearchRequest{Query: query, Filters: filters, Limit: numDocuments})
	if err != nil {
		return nil, err
	}
	docs := make([]schema.Document, 0, len(hits))
	for _, h := range hits {
		if h.Score >= float64(opts.ScoreThreshold) {
			docs = append(docs, document(h))
		}
	}
	return docs, nil
}

// GetRelevantDocuments implements schema.Retriever: the StoreOptions.Documents passages
// nearest to the query.
func (s *Store) GetRelevantDocuments(ctx context.Context, query string) ([]schema.Document, error) {
	return s.SimilaritySearch(ctx, query, s.opts.Documents)
}

// options checks what every call takes.
func (s *Store) options(options []vectorstores.Option) (vectorstores.Options, error) {
	var o vectorstores.Options
	for _, set := range options {
		set(&o)
	}
	switch {
	case o.NameSpace != "" && o.NameSpace != s.actor.TenantID:
		return o, quire.Errorf(quire.CodeInvalid, "name space: can only be the tenant of the Store")
	case o.Embedder != nil:
		return o, quire.Errorf(quire.CodeInvalid, "embedder: the Engine has its own")
	case !(o.ScoreThreshold >= 0 && o.ScoreThreshold <= 1): // NaN too
		return o, quire.Errorf(quire.CodeInvalid, "score threshold: must be between 0 and 1")
	}
	return o, nil
}

// document makes a document of a passage. The title stands at the head of an elemental's
// text; here it is in the metadata.
func document(h quire.SearchHit) schema.Document {
	c := h.Chunk
	text, start := c.Text, c.Start
	if rest, ok := strings.CutPrefix(text, c.Title); ok && start == 0 {
		if rest = strings.TrimLeft(rest, "\n"); strings.TrimSpace(rest) != "" && len(rest)+len(c.Title) < len(text) {
			start += len(text) - len(rest)
			text = rest
		}
	}
	return schema.Document{
		PageContent: text,
		Score:       float32(h.Score),
		Metadata: map[string]any{
			"id": c.ID, "elemental_id": c.ElementalID, "title": c.Title, "heading": c.Heading, "source": c.Source,
			"start": start, "end": c.End, "tags": c.TagNames,
		},
	}
}

// narrowed adds the filters of a call to those of the Store.
func narrowed(f quire.Filters, more any) (quire.Filters, error) {
	var add quire.Filters
	switch more := more.(type) {
	case nil:
		return f, nil
	case quire.Filters:
		add = more
	case map[string]any:
		for key, value := range more {
			if err := setFilter(&add, key, value); err != nil {
				return f, err
			}
		}
	default:
		return f, quire.Errorf(quire.CodeInvalid, "filters: must be quire.Filters or a map[string]any, not %T", more)
	}
	if add.TenantID != "" {
		return f, quire.Errorf(quire.CodeInvalid, "filters: the tenant is that of the Store")
	}
	for _, field := range []struct{ have, add *string }{
		{&f.ElementalID, &add.ElementalID}, {&f.UserID, &add.UserID}, {&f.Source, &add.Source},
		{&f.TypeName, &add.TypeName}, {&f.CategoryName, &add.CategoryName},
	} {
		if *field.add != "" {
			if *field.have != "" && *field.have != *field.add {
				return f, quire.Errorf(quire.CodeInvalid, "filters: the Store is narrowed to another value already")
			}
			*field.have = *field.add
		}
	}
	for _, field := range []struct{ have, add *[]string }{{&f.TagIDs, &add.TagIDs}, {&f.TagNames, &add.TagNames}} {
		if len(*field.add) > 0 {
			if len(*field.have) > 0 {
				return f, quire.Errorf(quire.CodeInvalid, "filters: the Store is narrowed to tags already")
			}
			*field.have = *field.add
		}
	}
	return f, nil
}

// setFilter sets one filter of a map.
func setFilter(f *quire.Filters, key string, value any) error {
	texts := map[string]*string{
		"elemental_id": &f.ElementalID, "user_id": &f.UserID, "source": &f.Source,
		"type_name": &f.TypeName, "category_name": &f.CategoryName,
	}
	lists := map[string]*[]string{"tag_ids": &f.TagIDs, "tag_names": &f.TagNames}
	text, isText := value.(string)
	list, isList := value.([]string)
	switch {
	case texts[key] != nil && isText:
		*texts[key] = text
	case lists[key] != nil && isText:
		*lists[key] = []string{text}
	case lists[key] != nil && isList:
		*lists[key] = list
	case texts[key] != nil || lists[key] != nil:
		return quire.Errorf(quire.CodeInvalid, "filters: %s must be a string, or for tags a []string", key)
	default:
		return quire.Errorf(quire.CodeInvalid,
			"filters: there is no %q; allowed are elemental_id, user_id, source, type_name, category_name, tag_ids and tag_names", key)
	}
	return nil
}
