package quire

import (
	"context"
	"time"
)

// Component is the state of one part of the Engine.
type Component struct {
	Up      bool
	Latency time.Duration
	// Counts are write_failures of the store since NewLibrary (with those in which a function
	// given to Once returned ErrUnavailable), and log_bytes if it is a LoggedStore; chunks, vectors, dimension of the index; queued, running, failed of the jobs;
	// and of the embedder, while it is being changed or if that has failed for good,
	// reembed_done, reembed_total in chunks and reembed_failures, the tries that have failed
	// since one succeeded.
	Counts map[string]int
	Name   string // of the embedder, LLM or, if it is a NamedIndex, index
}

// Health is the state of the Engine and its parts: store, index, embedder, llm,
// jobs.
type Health struct {
	Up         bool // all parts that are required are up
	Uptime     time.Duration
	Components map[string]Component
}

// Healthy reports, cheaply, whether the Engine works: nil, or why not. It does not
// wait for a change that the index is taking over.
func (e *Engine) Healthy(ctx context.Context) error {
	if err := e.open(ctx); err != nil {
		return err
	}
	err := e.lib.store.View(ctx, func(tx ReadTx) error {
		_, err := tx.NextJob(ctx)
		return err
	})
	if err != nil && CodeOf(err) != CodeNotFound {
		return err
	}
	return e.mirror.healthy(ctx, e.lib.store)
}

// Health reports on every part. The store is down if it cannot be read, or if a write has failed
// for a reason of its own, such as a full disk, and a small one that Health tries does so too. It
// asks no model anything: an LLM is up as long as the Engine is open, and so is an embedder,
// unless ingests wait for it to answer again, as they do after MaxAttempts tries: up to then a
// failure may be that of a text.
func (e *Engine) Health(ctx context.Context) Health {
	open := e.open(ctx) == nil
	model := e.mirror.current()
	llm, err := e.llm.name()
	h := Health{
		Uptime: time.Since(e.started),
		Components: map[string]Component{
			"embedder": {Up: open && !model.down.Load(), Name: model.fingerprint, Counts: e.change.counts()},
			"llm":      {Up: open && err == nil, Name: llm},
		},
	}
	chunks, jobs := 0, map[JobStatus]int{}
	h.Components["store"] = measure(open, e.storeCounts, func() error {
		err := e.lib.store.View(ctx, func(tx ReadTx) (err error) {
			chunks, err = tx.CountChunks(ctx)
			return err
		})
		if err != nil {
			return err
		}
		return e.lib.writable(ctx)
	})
	h.Components["jobs"] = measure(open, func() map[string]int {
		return map[string]int{"queued": jobs[JobQueued], "running": jobs[JobRunning], "failed": jobs[JobFailed]}
	}, func() error {
		return e.lib.store.View(ctx, func(tx ReadTx) (err error) {
			jobs, err = tx.CountJobs(ctx)
			return err
		})
	})
	var stats IndexStats
	index := measure(open, func() map[string]int {
		return map[string]int{"chunks": chunks, "vectors": stats.Vectors, "dimension": stats.Dimension}
	}, func() error {
		return e.mirror.read(ctx, e.lib.store, func(tx ReadTx, index indexes) (err error) {
			if chunks, err = tx.CountChunks(ctx); err != nil {
				return err
			}
			stats, err = index.vectors.Stats(ctx)
			return err
		})
	})
	if named, ok := e.mirror.index.vectors.(NamedIndex); ok {
		index.Name = named.Name()
	}
	h.Components["index"] = index
	h.Up = true
	for _, c := range h.Components {
		h.Up = h.Up && c.Up
	}
	return h
}

// LoggedStore is an optional ability of a Store that writes to a log first, which grows for
// as long as somebody reads an old state.
type LoggedStore interface {
	Store
	// LogBytes returns how long the log is now, in bytes; 0 if that is not known.
	LogBytes() int64
}

// storeCounts are the counts of the store.
func (e *Engine) storeCounts() map[string]int {
	counts := map[string]int{"write_failures": int(e.lib.writes.failures.Load())}
	if s, ok := e.lib.store.(LoggedStore); ok {
		counts["log_bytes"] = int(s.LogBytes())
	}
	return counts
}

// measure makes a Component from a probe of it.
func measure(open bool, counts func() map[string]int, probe func() error) Component {
	c := Component{}
	if open {
		begin := time.Now()
		c.Up = probe() == nil
		c.Latency = time.Since(begin)
	}
	if counts != nil {
		c.Counts = counts()
	}
	return c
}
