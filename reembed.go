package quire

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"sync"
	"time"
)

// reembedPage is how many chunks a change of the Embedder looks at in one transaction.
const reembedPage = 1000

// ReembedStatus is how far an Engine has come with a change of its Embedder.
type ReembedStatus struct {
	Running bool
	Done    int // chunks of the Store that have a new vector
	Total   int // chunks of the Store; 0 if there was nothing to change
	// Err is why it does not get on: while it is running the failure that it waits to try
	// again after, afterwards the one that it was given up for, or ErrClosed. nil if all
	// is well.
	Err error
}

// reembedding is the change of an Engine from one Embedder to another.
type reembedding struct {
	ended chan struct{} // closed when it has ended, or if there is none

	mu       sync.Mutex
	status   ReembedStatus
	failures int // since something was embedded
}

// unembedded is a text to embed anew.
type unembedded struct {
	hash   string // of input
	input  string // what is embedded
	chunks int    // on one page that have this text
}

// Reembedding returns how far the change from EngineOptions.Former to the Embedder of
// NewEngine has come. An Engine that had nothing to change returns the zero value.
func (e *Engine) Reembedding() ReembedStatus {
	e.change.mu.Lock()
	defer e.change.mu.Unlock()
	return e.change.status
}

// WaitReembedded waits until no change of the Embedder is running: nil if the Engine
// works with the Embedder that NewEngine was given, the failure if the change was given
// up, ErrClosed if the Engine was closed before its end: the next one goes on.
func (e *Engine) WaitReembedded(ctx context.Context) error {
	select {
	case <-e.change.ended:
		return e.Reembedding().Err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// counts are what Health shows of a change that has not come to its end.
func (r *reembedding) counts() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.status.Running && r.status.Err == nil {
		return nil
	}
	return map[string]int{"reembed_done": r.status.Done, "reembed_total": r.status.Total, "reembed_failures": r.failures}
}

// set notes how many of all chunks have a new vector.
func (r *reembedding) set(done, total int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status.Done, r.status.Total = done, max(done, total)
}

// advance counts chunks that have got a new vector; embedded says that the Embedder
// made it just now.
func (r *reembedding) advance(chunks int, embedded bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status.Done += chunks
	r.status.Total = max(r.status.Total, r.status.Done)
	if embedded {
		r.failures, r.status.Err = 0, nil
	}
}

// failed notes a failure and returns how many there were in a row.
func (r *reembedding) failed(err error) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures++
	r.status.Err = err
	return r.failures
}

// end notes that the change has ended; err is why it did not come to its end.
func (r *reembedding) end(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status.Running, r.status.Err = false, err
	close(r.ended)
}

// startReembedding starts the change of the Embedder if there is one to make.
func (e *Engine) startReembedding() {
	if e.mirror.current() == e.mirror.given {
		close(e.change.ended)
		return
	}
	e.change.status.Running = true
	e.workers.Go(e.reembed)
}

// reembed embeds all that is stored with the Embedder that was given, and changes to
// it, trying again for as long as the Engine is open. It gives up when trying again
// cannot help.
func (e *Engine) reembed() {
	from, to := e.mirror.former.fingerprint, e.mirror.given.fingerprint
	log := e.log.With("from", from, "to", to)
	log.Info("the embedder is being changed: everything stored is embedded anew")
	begin := time.Now()
	for {
		err := e.reembedSafely(e.life)
		var mismatch *EmbedderMismatch
		switch {
		case err == nil:
			log.Info("the embedder was changed", "chunks", e.Reembedding().Total, "took", time.Since(begin))
			e.change.end(nil)
			return
		case e.life.Err() != nil:
			e.change.end(ErrClosed)
			return
		case CodeOf(err) == CodeInvalid || errors.As(err, &mismatch):
			log.Error("the change of the embedder was given up; the former one stays in use", "error", Cause(err))
			e.change.failed(err)
			e.change.end(err)
			return
		}
		failures := e.change.failed(err)
		pause := pauseAfter(err, failures)
		log.Warn("the change of the embedder is held up and goes on later", "failures", failures, "pause", pause, "error", Cause(err))
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-e.life.Done():
		}
		timer.Stop()
	}
}

// reembedSafely is one try at the change. A panic is its failure and not the end of the
// process.
func (e *Engine) reembedSafely(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(CodeInternal, "the change of the embedder failed unexpectedly", p)
		}
	}()
	if err := e.embedStored(ctx); err != nil {
		return err
	}
	// What was ingested meanwhile is embedded too, until nothing is missing at the moment
	// of the change. If there is always something, the last of it is embedded while
	// everybody who wants to write waits.
	for lost := 0; ; lost++ {
		missing, err := e.switchModel(ctx, lost >= lostRaces)
		if err != nil || len(missing) == 0 {
			return err
		}
		if err := e.embedAnew(ctx, missing); err != nil {
			return err
		}
	}
}

// embedStored goes through all chunks and embeds what has no new vector yet, page by
// page: what an earlier try, Engine or process has done is not done again.
func (e *Engine) embedStored(ctx context.Context) error {
	if err := e.dropOtherLengths(ctx); err != nil {
		return err
	}
	var total int
	err := e.lib.store.View(ctx, func(tx ReadTx) (err error) {
		total, err = tx.CountChunks(ctx)
		return err
	})
	if err != nil {
		return err
	}
	e.change.set(0, total)
	for after, more := "", true; more; {
		var page reembedChunks
		err := e.lib.store.View(ctx, func(tx ReadTx) (err error) {
			page, err = e.readPage(ctx, tx, after)
			return err
		})
		if err != nil {
			return err
		}
		e.change.advance(page.done, false)
		if err := e.embedAnew(ctx, page.missing); err != nil {
			return err
		}
		after, more = page.last, page.last != ""
	}
	return nil
}

// dropOtherLengths deletes the kept vectors if some are of another length than the
// Embedder's: it made others under the same fingerprint when they were kept.
func (e *Engine) dropOtherLengths(ctx context.Context) error {
	return e.lib.update(ctx, func(tx Tx) error {
		fit, err := e.keptFit(ctx, tx)
		if err != nil || fit {
			return err
		}
		e.log.Warn("vectors that were kept for the change of the embedder are of another length than its own: they are made again")
		return tx.DeleteVectors(ctx)
	})
}

// keptFit reports whether all vectors that are kept for the change have the length of the
// Embedder's.
func (e *Engine) keptFit(ctx context.Context, tx ReadTx) (bool, error) {
	lengths, err := tx.VectorLengths(ctx, e.mirror.given.fingerprint)
	return len(lengths) == 0 || slices.Equal(lengths, []int{e.mirror.given.length}), err
}

// embedAnew embeds passages and keeps their vectors, batch by batch.
func (e *Engine) embedAnew(ctx context.Context, passages []unembedded) error {
	for len(passages) > 0 {
		batch := passages[:min(len(passages), e.mirror.given.pace.next(e.opts.BatchSize))]
		passages = passages[len(batch):]
		vectors, err := e.newVectors(ctx, batch)
		if err != nil {
			return err
		}
		err = e.lib.update(ctx, func(tx Tx) error {
			return tx.PutVectors(ctx, e.mirror.given.fingerprint, vectors)
		})
		if err != nil {
			return err
		}
		for _, p := range batch {
			e.change.advance(p.chunks, true)
		}
	}
	return nil
}

// newVectors embeds passages in one call with the Embedder that is to be used from now
// on.
func (e *Engine) newVectors(ctx context.Context, passages []unembedded) (map[string][]float32, error) {
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = p.input
	}
	vectors, err := e.mirror.given.embedBatch(ctx, texts)
	if err != nil {
		return nil, err
	}
	byHash := make(map[string][]float32, len(passages))
	for i, p := range passages {
		byHash[p.hash] = vectors[i]
	}
	return byHash, nil
}

// reembedChunks is what a change of the Embedder has to know of a page of chunks, or of
// several.
type reembedChunks struct {
	last     string          // id of the last chunk; "" if there are no more
	done     int             // chunks that have a new vector
	missing  []unembedded    // of the others, each text once
	retitled map[string]bool // elementals with chunks whose hash is of another text
	complete bool            // of several: all pages are in it
}

// readPage reads the chunks after an id. What is embedded of a chunk is what an ingest
// embeds; if its elemental was renamed since the last one, that is another text now.
func (e *Engine) readPage(ctx context.Context, tx ReadTx, after string) (reembedChunks, error) {
	page := reembedChunks{retitled: make(map[string]bool)}
	chunks, err := tx.PlainChunks(ctx, after, reembedPage)
	if err != nil || len(chunks) == 0 {
		return page, err
	}
	page.last = chunks[len(chunks)-1].ID
	byHash := make(map[string]*unembedded)
	var hashes []string
	for _, c := range chunks {
		switch c.Fingerprint {
		case e.mirror.given.fingerprint: // another process has changed to it
			page.done++
			continue
		case e.mirror.former.fingerprint:
		default:
			return page, e.mirror.mismatch(c.Fingerprint)
		}
		p := unembedded{input: embedText(c.Title, c.Heading, c.Text), chunks: 1}
		p.hash = hashText(p.input)
		if p.hash != c.Hash {
			page.retitled[c.ElementalID] = true
		}
		if known := byHash[p.hash]; known != nil {
			known.chunks++
			continue
		}
		byHash[p.hash] = &p
		hashes = append(hashes, p.hash)
	}
	missing, err := tx.MissingVectors(ctx, e.mirror.given.fingerprint, hashes)
	if err != nil {
		return page, err
	}
	lacking := make(map[string]bool, len(missing))
	for _, hash := range missing {
		lacking[hash] = true
	}
	for _, hash := range hashes {
		if p := byHash[hash]; lacking[hash] {
			page.missing = append(page.missing, *p)
		} else {
			page.done += p.chunks
		}
	}
	return page, nil
}

// hashText is the Hash of a chunk for the text that is embedded of it.
func hashText(input string) string {
	sum := sha256.Sum256([]byte(input))
	return hex.EncodeToString(sum[:])
}
