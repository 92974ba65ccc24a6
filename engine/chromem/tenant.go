package chromem

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/philippgille/chromem-go"
	"github.com/quirelib/quire"
)

// maxQueries is how many queries a search with an OR is split into. Above that, one
// query for everything that has the scalar fields, and looking at the tags here, is
// cheaper: with 10,000 entries that took 30 ms, and each query of a split at least 7,
// because chromem-go hands every document to another goroutine to compare its
// metadata.
const maxQueries = 4

// tenant is the entries of one tenant: a collection of its own, so that nobody pays
// for or finds what is another's. The Index's lock guards it.
type tenant struct {
	collection *chromem.Collection
	ids        map[string][]string // of the chunks, by elemental
	owner      map[string]string   // the elemental of each chunk id
}

func newTenant(c *chromem.Collection) *tenant {
	return &tenant{collection: c, ids: map[string][]string{}, owner: map[string]string{}}
}

func (t *tenant) count() int { return len(t.owner) }

// free refuses documents with an id that another elemental has: chromem-go would
// overwrite that entry. A nil tenant has none.
func (t *tenant) free(elementalID string, documents []chromem.Document) error {
	if t == nil {
		return nil
	}
	for i, d := range documents {
		if owner, taken := t.owner[d.ID]; taken && owner != elementalID {
			return quire.Errorf(quire.CodeInvalid, "chunk %d has the id of a chunk of another elemental", i)
		}
	}
	return nil
}

// replace removes the entries of an elemental and adds documents. An error means
// that chromem-go has a rule that newDocuments does not know.
func (t *tenant) replace(elementalID string, documents []chromem.Document) error {
	// By ids and with nil maps, and never without ids: an empty map that is not nil
	// would select, and delete, everything.
	if old := t.ids[elementalID]; len(old) > 0 {
		if err := t.collection.Delete(context.Background(), nil, nil, old...); err != nil {
			return err
		}
		for _, id := range old {
			delete(t.owner, id)
		}
		delete(t.ids, elementalID)
	}
	// One by one and with a context that does not end: AddDocuments leaves out, without
	// an error, what a cancelled context keeps it from adding.
	for _, d := range documents {
		if err := t.collection.AddDocument(context.Background(), d); err != nil {
			return err
		}
		t.ids[elementalID] = append(t.ids[elementalID], d.ID)
		t.owner[d.ID] = elementalID
	}
	return nil
}

// search returns the limit nearest entries that the condition selects.
func (t *tenant) search(ctx context.Context, query []float32, c condition, limit int) ([]quire.Hit, error) {
	if c.combinations() > maxQueries {
		return t.searchAll(ctx, query, c, limit)
	}
	// The first n of a union are among the first n of each part.
	var hits []quire.Hit
	for _, where := range c.queries() {
		part, err := t.nearest(ctx, query, where, limit)
		if err != nil {
			return nil, err
		}
		hits = append(hits, part...)
	}
	return first(hits, limit), nil
}

// searchAll asks for everything that has the scalar fields and looks at the tags
// itself.
func (t *tenant) searchAll(ctx context.Context, query []float32, c condition, limit int) ([]quire.Hit, error) {
	results, err := t.query(ctx, query, c.scalars, t.count())
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	results = slices.DeleteFunc(results, func(r chromem.Result) bool { return !c.hasTags(r.Metadata) })
	return first(hits(results), limit), nil
}

// nearest returns the limit nearest entries whose metadata has all of where.
// chromem-go cuts at random between equal scores, so one more is asked for; if
// the cut went through equals, more and more, until all of them are there.
func (t *tenant) nearest(ctx context.Context, query []float32, where map[string]string, limit int) ([]quire.Hit, error) {
	limit = min(limit, t.count())
	for n := limit + 1; ; n *= 8 {
		results, err := t.query(ctx, query, where, n)
		if err != nil {
			return nil, err
		}
		// The scores are compared as they are returned: entries on the far side all
		// have score 0.
		found := hits(results)
		if len(found) < n || found[n-1].Score < found[limit-1].Score {
			return first(found, limit), nil
		}
	}
}

// query returns the n nearest documents, or as many as there are, best first and
// equals in any order. What it returns belongs to chromem-go and is only to be read.
func (t *tenant) query(ctx context.Context, query []float32, where map[string]string, n int) ([]chromem.Result, error) {
	// More than there are would be an error.
	results, err := t.collection.QueryEmbedding(ctx, query, min(n, t.count()), where, nil)
	// A cancelled query returns what it has so far and no error.
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, internal(err)
	}
	return results, nil
}

// hits returns results with their scores in 0..1: a cosine may be negative, and in
// 32 bits a little above 1.
func hits(results []chromem.Result) []quire.Hit {
	list := make([]quire.Hit, len(results))
	for i, r := range results {
		list[i] = quire.Hit{ID: r.ID, Score: min(max(float64(r.Similarity), 0), 1)}
	}
	return list
}

// first sorts hits, drops those that are in it twice, and returns the first limit.
func first(hits []quire.Hit, limit int) []quire.Hit {
	slices.SortFunc(hits, func(a, b quire.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
	})
	// An entry has the same score in every query, so that its hits are neighbours.
	hits = slices.Compact(hits)
	return hits[:min(limit, len(hits))]
}
