package httpapi

import (
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/quirelib/quire"
)

// idempotencyKey is the header that makes a request take effect once. Its meaning
// follows the IETF draft "The Idempotency-Key HTTP Header Field", but for the quotes:
// the value is taken as it is.
const idempotencyKey = "Idempotency-Key"

// effect is what a request that takes an Idempotency-Key does, once it is decoded.
type effect struct {
	// do does it and answers, all with the call that it is given: with a key, inside of a
	// write transaction.
	do func(c *call) error

	// What may be done ahead of the transaction. answered are elementals of the answer as far
	// as they are known before, see renderAhead; stored, if not nil, reads or makes them
	// instead.
	uploads   []quire.MediaInput
	answered  []quire.Elemental
	knowledge bool // the elementals have knowledge text
	stored    func(c *call) ([]quire.Elemental, error)
}

// once lets a request take effect. With an Idempotency-Key, what it does commits together
// with its answer, which is sent again to whoever asks again. An answer that refuses
// undoes everything and is not kept.
func (s *server) once(c *call, e effect) error {
	keys := c.r.Header.Values(idempotencyKey)
	switch {
	case len(keys) == 0:
		return e.do(c)
	case len(keys) > 1:
		return quire.Errorf(quire.CodeInvalid, "%s must be sent once", idempotencyKey)
	}
	key := quire.OnceKey{Route: c.route.method + " " + c.route.pattern, Key: keys[0], Request: c.fingerprint()}
	answer, repeated, err := c.repeated(key)
	if err == nil && !repeated {
		if answer, repeated, err = s.takeEffect(c, key, e); repeated {
			// Somebody was faster. That answer is read again, in memory that is held for it.
			if answer, repeated, err = c.repeated(key); err == nil && !repeated {
				err = errBusy // forgotten already, for others that were larger
			}
		}
	}
	var refused refusal
	if errors.As(err, &refused) {
		return c.replay(quire.Answer(refused))
	}
	if err != nil {
		return err
	}
	if repeated {
		c.w.Header().Set("Idempotent-Replayed", "true")
	}
	return c.replay(answer)
}

// repeated reads the answer that is remembered for a key, if there is one, in memory that is
// held for it as for a file.
func (c *call) repeated(key quire.OnceKey) (answer quire.Answer, repeated bool, err error) {
	size, there, err := c.s.lib.RepeatedSize(c.r.Context(), c.actor(), key)
	if err != nil || !there {
		return quire.Answer{}, false, err
	}
	c.giveBackOf(c.s.forAnswers)
	if err := c.claim(&c.s.files, size*fileCost, c.s.files.size); err != nil {
		return quire.Answer{}, false, err
	}
	answer, repeated, err = c.s.lib.Repeated(c.r.Context(), c.actor(), key)
	if err != nil || repeated {
		return answer, repeated, err
	}
	c.giveBackOf(func(b *budget) bool { return b == &c.s.files }) // it was forgotten meanwhile
	return quire.Answer{}, false, c.admit()
}

// takeEffect does it in a transaction, for which all is prepared that takes long.
func (s *server) takeEffect(c *call, key quire.OnceKey, e effect) (quire.Answer, bool, error) {
	inner := *c
	ctx, err := inner.prepare(e)
	if err != nil {
		return quire.Answer{}, false, err
	}
	rec := newRecording()
	answer, repeated, err := s.lib.Once(ctx, c.actor(), key, func(ctx context.Context) (quire.Answer, error) {
		inner.w, inner.r, inner.held = rec, c.r.WithContext(ctx), nil // the recorded answer still is to be sent
		if err := e.do(&inner); err != nil {
			return quire.Answer{}, cmp.Or(rec.failed, err)
		}
		answer, err := rec.end()
		if err == nil && answer.Status >= http.StatusBadRequest {
			err = refusal(answer)
		}
		return answer, err
	})
	if err == nil && !repeated {
		c.take(&c.s.files, int64(len(answer.Body)))
	}
	return answer, repeated, err
}

// prepare does what can be done ahead of a transaction for a call that is to run in it.
func (c *call) prepare(e effect) (context.Context, error) {
	ctx, err := c.s.lib.InspectUploads(c.r.Context(), c.actor(), e.uploads...)
	if err != nil {
		return nil, err
	}
	es := e.answered
	if e.stored != nil {
		if es, err = e.stored(c); err != nil {
			return nil, err
		}
	}
	if c.ahead, err = c.s.renderAhead(es, e.knowledge); err != nil || c.ahead == nil {
		return ctx, err
	}
	var texts []string
	for _, e := range es {
		texts = append(texts, e.Body, e.Description)
	}
	return c.s.lib.IndexAhead(ctx, texts...), nil
}

// fingerprint tells the request apart from others: by method, path, query and body.
func (c *call) fingerprint() string {
	h := sha256.New()
	io.WriteString(h, c.r.Method+" "+c.r.URL.RequestURI()+"\n") // a hash takes everything
	h.Write(c.body)
	return hex.EncodeToString(h.Sum(nil))
}

// refusal is an answer that must not be kept, as the error that undoes what led to it.
type refusal quire.Answer

// Error makes it an error.
func (refusal) Error() string { return "the request was refused" }

// recording is an http.ResponseWriter that keeps an answer, compressed: with its
// renderings it can be many times longer than the request.
type recording struct {
	header  http.Header
	status  int
	written int64 // of the answer but for what was rendered ahead
	failed  error // since that is too much
	*packer
}

// mostRecorded is how much of an answer is compressed inside of a write transaction, whose end
// all others wait for.
const mostRecorded = 256 << 20

var errTooLongToKeep = quire.Errorf(quire.CodeTooLarge, "the answer would be too long to be kept for its %s; ask for less at once, such as fewer elementals with long tags, or send the request without a key", idempotencyKey)

func newRecording() *recording {
	return &recording{header: http.Header{}, status: http.StatusOK, packer: newPacker()}
}

// Write is what http.ResponseWriter says.
func (r *recording) Write(text []byte) (int, error) {
	if r.written += int64(len(text)); r.written > mostRecorded {
		r.failed = errTooLongToKeep
		return 0, r.failed
	}
	return r.packer.Write(text)
}

// zippers are *gzip.Writers: each has tables of several hundred kilobytes.
var zippers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level exists
	}
	return w
}}

// Header is what http.ResponseWriter says.
func (r *recording) Header() http.Header { return r.header }

// WriteHeader is what http.ResponseWriter says.
func (r *recording) WriteHeader(status int) { r.status = status }

// end returns what was recorded. The body is compressed, Content-Length says how long
// it is without that.
func (r *recording) end() (quire.Answer, error) {
	body, err := r.packer.end()
	err = cmp.Or(r.failed, err)
	if err != nil {
		return quire.Answer{}, err
	}
	header := map[string]string{"Content-Length": strconv.Itoa(body.size)}
	for name, values := range r.header {
		if name != "Content-Length" {
			header[name] = strings.Join(values, ", ")
		}
	}
	return quire.Answer{Status: r.status, Header: header, Body: body.data}, nil
}

// replay sends a recorded answer.
func (c *call) replay(answer quire.Answer) error {
	h := c.w.Header()
	for name, value := range answer.Header {
		h[name] = []string{value} // Set would change the spelling of list_URL
	}
	out := newLongAnswer(c, answer.Status)
	defer out.release()
	if err := (packed{data: answer.Body}).unpackTo(out); err != nil {
		return err
	}
	return out.end()
}
