package main

import (
	"context"
	"strconv"

	"github.com/philippgille/chromem-go"
)

// collection is chromem-go itself: one collection, used as its documentation says.
type collection struct {
	*chromem.Collection
	where map[string]string // what documents must have
}

// newCollection fills a collection with vectors and the tags that a filter may ask for.
func newCollection(ctx context.Context, d *dataset, tag string) (*collection, error) {
	inner, err := chromem.NewDB().CreateCollection(tenant, nil, nil)
	if err != nil {
		return nil, err
	}
	for i := range d.count() {
		document := chromem.Document{ID: strconv.Itoa(i), Metadata: map[string]string{}, Embedding: d.row(i)}
		for _, t := range tags(i) {
			document.Metadata[t] = "yes"
		}
		if err := inner.AddDocument(ctx, document); err != nil {
			return nil, err
		}
	}
	c := &collection{inner, nil}
	if tag != "" {
		c.where = map[string]string{tag: "yes"}
	}
	return c, nil
}

func (c *collection) search(ctx context.Context, query []float32) ([]int, error) {
	results, err := c.QueryEmbedding(ctx, query, min(nearest, c.Count()), c.where, nil)
	if err != nil {
		return nil, err
	}
	return numbers(results, func(r chromem.Result) string { return r.ID })
}
