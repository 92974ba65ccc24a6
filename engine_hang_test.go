package quire_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

// TestHangingIndex: while a call of the index hangs, and a commit waits for it, whoever asks with
// a deadline has an answer by then.
func TestHangingIndex(t *testing.T) {
	t.Parallel()
	f, index := newSlowIndexFixture(t)
	e := f.add(f.ann, "What hangs in the index", "one")
	search := func(ctx context.Context) error {
		_, err := f.eng.Search(ctx, quire.SearchRequest{Query: "one", Filters: quire.Filters{TenantID: f.ann.TenantID}})
		return err
	}
	gate := make(chan struct{})
	index.gate.Store(&gate)
	hung := make(chan error)
	go func() { hung <- search(context.Background()) }()
	<-gate
	f.update(f.ann, e.ID, "two")
	job := f.ingest(f.ann, e.ID, "")
	for _, asks := range map[string]func(ctx context.Context) error{
		"search": search,
		"health": func(ctx context.Context) error {
			if h := f.eng.Health(ctx); h.Components["index"].Up {
				return nil
			}
			return ctx.Err()
		},
		"healthy": func(ctx context.Context) error { f.eng.Healthy(ctx); return context.DeadlineExceeded },
	} {
		ended := make(chan error, 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		// Until the commit waits, the index may be asked beside the call that hangs.
		go func() {
			for ctx.Err() == nil {
				if err := asks(ctx); err != nil {
					ended <- err
					return
				}
			}
			ended <- ctx.Err()
		}()
		select {
		case err := <-ended:
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		case <-time.After(10 * time.Second):
			t.Error("nobody has an answer while the index hangs, whatever the deadline")
		}
		cancel()
	}
	<-gate
	if err := <-hung; err != nil {
		t.Error(err)
	}
	f.waitStatus(job, quire.JobSucceeded)
}
