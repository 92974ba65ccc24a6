package quire

import (
	"context"
	"slices"
	"strings"
)

// The limits of SearchRequest.Limit.
const (
	defaultResults = 10
	maxResults     = 100
)

// SearchRequest asks for the chunks nearest to a query.
type SearchRequest struct {
	Query   string // not blank, at most 64 KiB
	Filters Filters
	Limit   int        // 1..100; 0 means 10
	Mode    SearchMode // "" means EngineOptions.Mode
}

// SearchHit is a chunk found, without its vector.
type SearchHit struct {
	Chunk Chunk
	Score float64 // 0..1, 1 is nearest
	// FileID is the attached file that the passage is from, "" if it is from none, and
	// FileName its name when the search was made.
	FileID   string
	FileName string
}

// checkFilters reports what is wrong with filters that a caller gave.
func (l *Library) checkFilters(probs *problems, f Filters) {
	if f.TenantID == "" {
		probs.add("filters.tenant_id", "tenant_id is required in filters")
	}
	l.checkIDs(probs, "filters.tag_ids", len(f.TagIDs))
	l.checkIDs(probs, "filters.tag_names", len(f.TagNames))
	if slices.Contains(f.TagIDs, "") {
		probs.add("filters.tag_ids", "must not hold an empty string")
	}
	if slices.Contains(f.TagNames, "") {
		probs.add("filters.tag_names", "must not hold an empty string")
	}
}

// checkQuery reports what is wrong with a search or a question.
func (e *Engine) checkQuery(query string, f Filters, limit int, mode SearchMode) (probs problems) {
	if strings.TrimSpace(query) == "" {
		probs.add("query", "must not be blank")
	}
	// All its words are looked up while no commit can change the index.
	if len(query) > maxTurnBytes {
		probs.add("query", "must have at most %d bytes; ask about a part of it", maxTurnBytes)
	}
	e.lib.checkFilters(&probs, f)
	if limit < 0 || limit > maxResults {
		probs.add("limit", "must be between 1 and %d", maxResults)
	}
	if mode != "" {
		mode.check(&probs, "mode", e.opts.Text != nil)
	}
	return probs
}

// Search returns the chunks that fit the query best and match the filters, best first,
// ties by id. There may be fewer than Limit. If none match, such as those of a tenant or
// elemental that does not exist, there are no hits and no error. It finds what was committed
// before the call: an index that has not taken a change takes it first.
//
// ErrInvalid if the request breaks a rule: the query, Limit, or Mode, which has to be
// SearchVector without a TextIndex; or Filters without a TenantID. ErrUnavailable if the
// Embedder does not answer, which SearchText does not ask, the Reranker, or an index, or if one
// does not take a change; where they say what was wrong with what they were given, ErrInvalid
// or ErrTooLarge. The context's error if that ends, ErrClosed after Close or if that comes
// meanwhile, and ErrInvalid inside of [Library.Once].
func (e *Engine) Search(ctx context.Context, req SearchRequest) ([]SearchHit, error) {
	ctx, done := e.untilClosed(ctx)
	hits, err := e.search(ctx, req)
	return hits, done(err)
}

// search is Search until ctx ends.
func (e *Engine) search(ctx context.Context, req SearchRequest) ([]SearchHit, error) {
	if err := e.open(ctx); err != nil {
		return nil, err
	}
	probs := e.checkQuery(req.Query, req.Filters, req.Limit, req.Mode)
	if err := probs.err(); err != nil {
		return nil, err
	}
	if req.Limit == 0 {
		req.Limit = defaultResults
	}
	if req.Mode == "" {
		req.Mode = e.opts.Mode
	}
	limit, reranks := req.Limit, e.reranks(req.Mode)
	if reranks {
		req.Limit = max(limit, e.opts.RerankDepth)
	}
	hits, err := e.find(ctx, req)
	if err != nil || !reranks || len(hits) == 0 {
		return hits, err
	}
	if err := e.rerank(ctx, req.Query, hits); err != nil {
		return nil, err
	}
	return hits[:min(limit, len(hits))], nil
}

// find searches as the request says, without defaults.
func (e *Engine) find(ctx context.Context, req SearchRequest) ([]SearchHit, error) {
	if req.Mode == SearchText {
		return e.searchIndexes(ctx, req, nil, nil)
	}
	for {
		m := e.mirror.current()
		vectors, err := m.embed(ctx, []string{req.Query})
		if err != nil {
			return nil, err
		}
		hits, err := e.searchIndexes(ctx, req, m, vectors[0])
		if err != errModelChanged {
			return hits, err
		}
	}
}

// errModelChanged: the Embedder has changed since the query was embedded.
var errModelChanged = Errorf(CodeInternal, "the embedder has changed meanwhile")

// searchIndexes searches with the query's vector, which m has made; nil in SearchText.
func (e *Engine) searchIndexes(ctx context.Context, req SearchRequest, m *model, vector []float32) (hits []SearchHit, err error) {
	err = e.mirror.read(ctx, e.lib.store, func(tx ReadTx, index indexes) error {
		if m != nil && e.mirror.current() != m {
			return errModelChanged
		}
		found, err := index.search(ctx, req, vector, e.opts.TextWeight)
		if err != nil {
			return err
		}
		hits, err = withChunks(ctx, tx, req.Filters, found)
		return err
	})
	return hits, err
}

// withChunks reads the chunks of the hits of an index. One that is not there is left
// out: another process that has the Store open too may have deleted it. So is one that does
// not match, which no index should find.
func withChunks(ctx context.Context, tx ReadTx, filters Filters, found []Hit) ([]SearchHit, error) {
	ids := make([]string, len(found))
	for i, h := range found {
		ids[i] = h.ID
	}
	chunks, err := tx.Chunks(ctx, ids)
	if err != nil {
		return nil, err
	}
	hits, match := make([]SearchHit, 0, len(found)), filters.Matcher()
	for _, h := range found {
		if c, ok := chunks[h.ID]; ok && match(&c) {
			hits = append(hits, SearchHit{Chunk: c, Score: h.Score})
		}
	}
	return hits, nameFiles(ctx, tx, hits)
}

// nameFiles sets the files that hits are from.
func nameFiles(ctx context.Context, tx ReadTx, hits []SearchHit) error {
	names := make(map[string]string)
	for i := range hits {
		h := &hits[i]
		if h.Chunk.Source != sourceFile {
			continue
		}
		h.FileID = h.Chunk.ItemID
		name, known := names[h.FileID]
		if !known {
			var err error
			if name, err = fileName(ctx, tx, h.FileID); err != nil {
				return err
			}
			names[h.FileID] = name
		}
		h.FileName = name
	}
	return nil
}
