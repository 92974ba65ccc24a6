package quire

import (
	"context"
	"sync"
	"time"
)

// receiptAge is how long [Library.Once] remembers an answer; pruneEvery is how often
// those that are older are deleted, at most.
const (
	receiptAge = 24 * time.Hour
	pruneEvery = time.Minute
)

// maxOnceKey is the length of OnceKey.Key.
const maxOnceKey = 255

// OnceKey names a request that takes effect once. Each user has keys of its own on
// each route.
type OnceKey struct {
	Route   string // what is asked for, such as "POST /v1/user/list"; up to 1,000 characters
	Key     string // that the client chose: 1..255 characters of visible ASCII
	Request string // tells requests apart, such as a hash; up to 1,000 characters
}

func (k OnceKey) check() error {
	var probs problems
	checkText(&probs, "route", k.Route, 1000)
	checkText(&probs, "request", k.Request, 1000)
	visible := len(k.Key) > 0
	for i := range len(k.Key) {
		visible = visible && k.Key[i] > ' ' && k.Key[i] < 0x7f
	}
	if !visible || len(k.Key) > maxOnceKey {
		probs.add("idempotency_key", "must be 1 to %d characters of visible ASCII", maxOnceKey)
	}
	return probs.err()
}

// Answer is what came of a request, in a form that can be given again.
type Answer struct {
	Status int
	Header map[string]string // UTF-8
	Body   []byte
}

// Once runs do and remembers its answer for 24 hours: the same key with the same
// Request gets that answer again, repeated then is true and do does not run. With
// another Request it is ErrConflict. An actor's keys are its own. Of an actor's answers
// only the newest are remembered that fit into LibraryOptions.MaxReceiptBytes.
//
// do runs inside one write transaction, which its answer is stored in: either all
// that it did is durable, with the answer, or nothing is, whatever happens to the
// process. Every call of this Library with the context that do is given takes part
// and sees what earlier ones wrote; calls of its Engine, SetCatalogue and another Once
// refuse such a context with ErrInvalid. Others, with another context, must not be
// made by do: they wait for the end of the transaction. All other writers wait too,
// so do should not wait for anything slow: [Library.InspectUploads] and
// [Library.IndexAhead] do ahead what can be.
//
// An error of do rolls everything back, is returned as it is, and nothing is
// remembered; so does the error of a change inside of do that do overlooks. Calls of
// several goroutines with the context run one after the other; after do has returned,
// they return ErrClosed.
func (l *Library) Once(ctx context.Context, a Actor, key OnceKey, do func(ctx context.Context) (Answer, error)) (answer Answer, repeated bool, err error) {
	if err := a.Check(); err != nil {
		return Answer{}, false, err
	}
	if err := l.apart(ctx); err != nil {
		return Answer{}, false, err
	}
	if err := key.check(); err != nil {
		return Answer{}, false, err
	}
	if do == nil {
		return Answer{}, false, Errorf(CodeInvalid, "a function to call once is required")
	}
	err = l.change(ctx, func(tx Tx, ch *changes) (err error) {
		at := now()
		if answer, repeated, err = remembered(ctx, tx, a, key, at); err != nil || repeated {
			return err
		}
		if answer, err = l.join(ctx, tx, ch, do); err != nil {
			return err
		}
		if err := l.pruneReceipts(ctx, tx, at); err != nil {
			return err
		}
		return l.putReceipt(ctx, tx, Receipt{
			UserID: a.UserID, Route: key.Route, Key: key.Key, Request: key.Request, CreatedAt: at,
			Status: answer.Status, Header: answer.Header, Body: answer.Body,
		})
	})
	if err != nil {
		return Answer{}, false, err
	}
	return answer, repeated, nil
}

// Repeated returns what Once would without calling do: the answer that is remembered for
// the key, if there is one, or ErrConflict. It only reads, so that a repetition waits for
// no writer, and tells whether it is worth while to prepare for Once. Another request with
// the key may come between the two.
func (l *Library) Repeated(ctx context.Context, a Actor, key OnceKey) (answer Answer, repeated bool, err error) {
	if err := key.check(); err != nil {
		return Answer{}, false, err
	}
	err = l.viewAs(ctx, a, func(tx ReadTx) (err error) {
		answer, repeated, err = remembered(ctx, tx, a, key, now())
		return err
	})
	return answer, repeated, err
}

// RepeatedSize returns how many bytes the Body of the answer has that Repeated would read, and
// whether there may be one.
func (l *Library) RepeatedSize(ctx context.Context, a Actor, key OnceKey) (size int64, there bool, err error) {
	if err := key.check(); err != nil {
		return 0, false, err
	}
	err = l.viewAs(ctx, a, func(tx ReadTx) (err error) {
		size, err = tx.ReceiptSize(ctx, a.UserID, key.Route, key.Key)
		return err
	})
	if CodeOf(err) == CodeNotFound {
		return 0, false, nil
	}
	return size, err == nil, err
}

// remembered reads the answer that there is for a key.
func remembered(ctx context.Context, tx ReadTx, a Actor, key OnceKey, at time.Time) (answer Answer, found bool, err error) {
	r, err := tx.Receipt(ctx, a.UserID, key.Route, key.Key)
	switch {
	case CodeOf(err) == CodeNotFound, err == nil && at.Sub(r.CreatedAt) >= receiptAge:
		return Answer{}, false, nil
	case err != nil:
		return Answer{}, false, err
	case r.Request != key.Request:
		return Answer{}, false, Errorf(CodeConflict, "this idempotency key was used for another request in the last 24 hours: send a new key for a new request, or the same method, address and body for the answer of the first")
	}
	return Answer{Status: r.Status, Header: r.Header, Body: r.Body}, true, nil
}

// pruneReceipts deletes the receipts that are too old to count, now and then: a Store
// may have to read all of them.
func (l *Library) pruneReceipts(ctx context.Context, tx Tx, at time.Time) error {
	last := l.pruned.Load()
	if at.UnixNano()-last < int64(pruneEvery) {
		return nil
	}
	l.pruned.Store(at.UnixNano())
	l.receiptMu.Lock()
	clear(l.receipts) // so that it does not grow with the number of users
	l.receiptMu.Unlock()
	return tx.DeleteReceipts(ctx, at.Add(-receiptAge))
}

// putReceipt stores a receipt. Those of its user are trimmed the first time and then
// whenever a sixteenth of what is allowed has come: a Store has to read all of them.
func (l *Library) putReceipt(ctx context.Context, tx Tx, r Receipt) error {
	if err := tx.PutReceipt(ctx, r); err != nil {
		return err
	}
	l.receiptMu.Lock()
	size, known := l.receipts[r.UserID]
	size += int64(len(r.Body)) + ReceiptOverhead
	due := !known || size > l.opts.MaxReceiptBytes/16
	if due {
		size = 0
	}
	l.receipts[r.UserID] = size
	l.receiptMu.Unlock()
	if !due {
		return nil
	}
	return tx.TrimReceipts(ctx, r.UserID, l.opts.MaxReceiptBytes)
}

// joint is an open write transaction that calls of the Library join.
type joint struct {
	mu     sync.Mutex // a transaction is for one goroutine at a time
	tx     Tx
	ch     *changes
	ended  bool
	broken error // that of a change which did not come to its end
}

// jointKey is the key of a Library's joint in a context.
type jointKey struct{ lib *Library }

// joined returns the transaction that calls with this context take part in, or nil.
func (l *Library) joined(ctx context.Context) *joint {
	j, _ := ctx.Value(jointKey{l}).(*joint)
	return j
}

// apart refuses the context of a Once where a transaction of its own is needed: it
// would wait for the other one for ever.
func (l *Library) apart(ctx context.Context) error {
	if l.joined(ctx) != nil {
		return Errorf(CodeInvalid, "this call cannot be made inside of Library.Once")
	}
	return nil
}

// join runs do with a context whose calls join a transaction.
func (l *Library) join(ctx context.Context, tx Tx, ch *changes, do func(ctx context.Context) (Answer, error)) (Answer, error) {
	j := &joint{tx: tx, ch: ch}
	defer j.end() // also when do panics
	answer, err := do(context.WithValue(ctx, jointKey{l}, j))
	if err == nil {
		err = j.end()
	}
	return answer, err
}

// end waits for a call that runs and refuses later ones. It returns the error that do
// has overlooked.
func (j *joint) end() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ended = true
	return j.broken
}

// usable returns why there can be no more calls; the lock is held.
func (j *joint) usable() error {
	if j.ended {
		return Errorf(CodeClosed, "the transaction of this context has ended: use it only inside of Library.Once")
	}
	return j.broken
}

func (j *joint) view(fn func(tx ReadTx) error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.usable(); err != nil {
		return err
	}
	return fn(j.tx)
}

// errPanicked stands for the error of a change that has panicked.
var errPanicked = Errorf(CodeInternal, "a change was cut short")

// change runs a change. What it wrote before it failed cannot be taken back alone, so
// that nothing may follow it.
func (j *joint) change(fn func(tx Tx, ch *changes) error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.usable(); err != nil {
		return err
	}
	j.broken = errPanicked
	j.broken = fn(j.tx, j.ch)
	return j.broken
}
