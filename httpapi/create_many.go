package httpapi

import (
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"strconv"

	"github.com/quirelib/quire"
)

// createdJSON and failedJSON are the two kinds of entries in the answer of a
// create-many that succeeded in part. index is the place in the request.
type createdJSON struct {
	index     int
	elemental any
}

// encodeTo implements selfEncoded.
func (j createdJSON) encodeTo(w io.Writer) error {
	if _, err := io.WriteString(w, `{"index":`+strconv.Itoa(j.index)+`,"elemental":`); err != nil {
		return err
	}
	if err := encodeTo(w, j.elemental); err != nil {
		return err
	}
	_, err := io.WriteString(w, "}")
	return err
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
	raw, body := firstValue(c.body), c.place()
	if raw[0] != '[' {
		body.wrong("list_type", "must be an array of elementals; a single one goes to POST /v1/user/elemental")
		return body.err()
	}
	payloads := elements(raw)
	if len(payloads) == 0 {
		return quire.Errorf(quire.CodeInvalid, "the array is empty; send at least one elemental")
	}
	// Before any is decoded: also those that cannot be decoded count.
	if limit := s.lib.MaxBatch(); len(payloads) > limit {
		return quire.Errorf(quire.CodeInvalid, "at most %d elementals are allowed in one call", limit)
	}
	b := batch{outcomes: make([]quire.BatchItem, len(payloads)), titles: make([]string, len(payloads))}
	b.decode(c, payloads)
	if err := c.holdTags(mapAll(b.inputs, func(in quire.ElementalInput) []int64 { return in.TagIDs })...); err != nil {
		return err
	}
	e := effect{knowledge: len(payloads) < knowledgeLimit, do: func(c *call) error {
		if err := b.create(s, c); err != nil {
			return err
		}
		return b.respond(s, c)
	}}
	for _, in := range b.inputs {
		e.uploads, e.answered = append(e.uploads, in.Media), append(e.answered, elementalOf(in))
	}
	return s.once(c, e)
}

// batch is a create-many on its way: the outcome of each payload, in order.
type batch struct {
	outcomes []quire.BatchItem
	titles   []string

	inputs  []quire.ElementalInput // of the payloads that could be decoded
	indices []int                  // and their places
}

func (b *batch) decode(c *call, payloads []json.RawMessage) {
	for i, raw := range payloads {
		o := asObject(c.place(), raw)
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

// maxBatchFaults bounds what is said of the fields of all payloads together; of each
// one that failed at least one fault is named.
const maxBatchFaults = 1000

// respond answers 201 if all were created, 206 if some were, 400 if none was. What
// was created goes out one by one: with its renderings it is many times longer than
// the request.
func (b *batch) respond(s *server, c *call) error {
	var created []int // places in the request
	failed, faults := []failedJSON{}, 0
	for i, item := range b.outcomes {
		if item.Err == nil {
			created = append(created, i)
			continue
		}
		f := b.failed(i, item.Err)
		f.Errors = f.Errors[:min(len(f.Errors), max(1, maxBatchFaults-faults))]
		faults += len(f.Errors)
		failed = append(failed, f)
	}
	switch {
	case len(created) == 0:
		const message = "none of the elementals was created; errors says why"
		return c.sendJSON(http.StatusBadRequest, nothingCreatedJSON{http.StatusBadRequest, c.meta(0), message, failed})
	case len(failed) == 0:
		head := envelope{Code: http.StatusCreated, Meta: c.meta(len(created)), Response: []any{}}
		return c.sendInside(head, `"response":[]`, b.elementals(s, c, created, func(_ int, e any) any { return e }))
	}
	head := envelope{Code: http.StatusPartialContent, Meta: c.meta(1), Response: partialJSON{Created: []createdJSON{}, Errors: failed}}
	return c.sendInside(head, `"created":[]`, b.elementals(s, c, created, func(i int, e any) any { return createdJSON{i, e} }))
}

// elementals makes the entries of what was created, one after the other.
func (b *batch) elementals(s *server, c *call, created []int, entry func(i int, e any) any) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for _, i := range created {
			knowledge := &quire.KnowledgeOptions{}
			if len(b.outcomes) >= knowledgeLimit {
				knowledge = nil
			}
			e, err := s.whole(*b.outcomes[i].Elemental, knowledge, c.ahead)
			if !yield(entry(i, e), err) || err != nil {
				return
			}
		}
	}
}

func (b *batch) failed(i int, err error) failedJSON {
	p := problemOf(err)
	return failedJSON{Index: i, Title: b.titles[i], Code: p.status, Message: p.message, Errors: fieldsJSON(p.fields)}
}
