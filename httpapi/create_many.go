package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/quirelib/quire"
)

// createdJSON and failedJSON are the two kinds of entries in the answer of a
// create-many that succeeded in part. index is the place in the request.
type createdJSON struct {
	Index     int           `json:"index"`
	Elemental elementalJSON `json:"elemental"`
}

type failedJSON struct {
	Index   int              `json:"index"`
	Title   string           `json:"title"`
	Code    int              `json:"code"`
	Message string           `json:"error_message"`
	Errors  []fieldErrorJSON `json:"errors"`
}

// partialJSON is the response of a 206.
type partialJSON struct {
	Created []createdJSON `json:"created"`
	Errors  []failedJSON  `json:"errors"`
}

// nothingCreatedJSON is the answer when every payload failed.
type nothingCreatedJSON struct {
	Code    int          `json:"code"`
	Meta    metaJSON     `json:"meta"`
	Message string       `json:"error_message"`
	Errors  []failedJSON `json:"errors"`
}

// createElementals creates what it can: each payload stands alone, one that has a
// wrong JSON type included.
func (s *server) createElementals(c *call) error {
	body := newPlace()
	payloads := asArray(body, firstValue(c.body))
	if err := body.err(); err != nil {
		return err
	}
	if len(payloads) == 0 {
		return quire.Errorf(quire.CodeInvalid, "the array is empty; send at least one elemental")
	}
	// Before any is decoded: also those that cannot be decoded count.
	if limit := s.lib.MaxBatch(); len(payloads) > limit {
		return quire.Errorf(quire.CodeInvalid, "at most %d elementals are allowed in one call", limit)
	}
	b := batch{outcomes: make([]quire.BatchItem, len(payloads)), titles: make([]string, len(payloads))}
	b.decode(payloads)
	if err := b.create(s, c); err != nil {
		return err
	}
	return b.respond(s, c)
}

// batch is a create-many on its way: the outcome of each payload, in order.
type batch struct {
	outcomes []quire.BatchItem
	titles   []string

	inputs  []quire.ElementalInput // of the payloads that could be decoded
	indices []int                  // and their places
}

func (b *batch) decode(payloads []json.RawMessage) {
	for i, raw := range payloads {
		o := asObject(newPlace(), raw)
		in := elementalInput(o)
		b.titles[i] = in.Title
		if err := o.err(); err != nil {
			b.outcomes[i].Err = err
			continue
		}
		b.inputs, b.indices = append(b.inputs, in), append(b.indices, i)
	}
}

func (b *batch) create(s *server, c *call) error {
	if len(b.inputs) == 0 {
		return nil
	}
	created, err := s.lib.CreateElementals(c.r.Context(), c.actor(), b.inputs)
	if err != nil {
		return err
	}
	for k, item := range created {
		b.outcomes[b.indices[k]] = item
	}
	return nil
}

// respond answers 201 if all were created, 206 if some were, 400 if none was.
func (b *batch) respond(s *server, c *call) error {
	out := partialJSON{Created: []createdJSON{}, Errors: []failedJSON{}}
	var all []quire.Elemental
	for i, item := range b.outcomes {
		if item.Err != nil {
			out.Errors = append(out.Errors, b.failed(i, item.Err))
			continue
		}
		all = append(all, *item.Elemental)
		out.Created = append(out.Created, createdJSON{Index: i})
	}
	elementals, err := s.fullElementals(all, quire.KnowledgeOptions{}, len(b.outcomes))
	if err != nil {
		return err
	}
	switch {
	case len(out.Errors) == 0:
		return respondAll(c, http.StatusCreated, elementals)
	case len(elementals) == 0:
		const message = "none of the elementals was created; errors says why"
		return c.sendJSON(http.StatusBadRequest, nothingCreatedJSON{http.StatusBadRequest, c.meta(0), message, out.Errors})
	}
	for k := range out.Created {
		out.Created[k].Elemental = elementals[k]
	}
	const status = http.StatusPartialContent
	return c.sendJSON(status, envelope{Code: status, Meta: c.meta(1), Response: out})
}

func (b *batch) failed(i int, err error) failedJSON {
	p := problemOf(err)
	return failedJSON{Index: i, Title: b.titles[i], Code: p.status, Message: p.message, Errors: fieldsJSON(p.fields)}
}
