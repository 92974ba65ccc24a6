package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

// TestCompactBesideAView: while Compact waits for a View that lasts, others write.
func TestCompactBesideAView(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, filepath.Join(t.TempDir(), "store.db"))
	defer mustClose(t, s)
	putMetaValue(t, s, "name", "value")
	var running sync.WaitGroup
	began, end := make(chan struct{}), make(chan struct{})
	running.Go(func() {
		err := s.View(t.Context(), func(tx quire.ReadTx) error {
			_, err := tx.Meta(t.Context(), "name") // from here on it sees this state
			close(began)
			<-end
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-began
	putMetaValue(t, s, "name", "another value") // which the log has to keep for the View
	compacted := make(chan error, 1)
	running.Go(func() { compacted <- s.Compact(t.Context()) })
	// With 5 s for each it would take minutes.
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second)
	defer cancel()
	writes := 0
	for ; writes < 200; writes++ {
		if err := s.Update(ctx, func(tx quire.Tx) error { return tx.PutMeta(ctx, "name", []byte("value")) }); err != nil {
			t.Errorf("write %d: %v", writes, err)
			break
		}
	}
	select {
	case err := <-compacted:
		t.Errorf("Compact has not waited for the View: %v", err)
	default:
	}
	short, giveUp := context.WithTimeout(t.Context(), 2*time.Second)
	defer giveUp()
	if err := s.Compact(short); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "View") {
		t.Errorf("Compact with a deadline does not say that a View holds it up: %v", err)
	}
	close(end)
	running.Wait()
	if err := <-compacted; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	t.Logf("%d writes while Compact waited", writes)
}
