package quire

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirelib/quire/internal/rwlock"
)

// TestCommitAfterClose: a commit that was waiting for the index while its Engine was closed
// leaves that index alone, and takes the one of the Engine that the Library has by then.
func TestCommitAfterClose(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]*Engine{"no engine": nil, "another engine": {mirror: mirror{lock: rwlock.New()}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				closed := &Engine{lib: &Library{}, mirror: mirror{lock: rwlock.New()}}
				closed.lib.engine.Store(closed)
				searching := closed.mirror.lock
				if err := searching.RLock(t.Context()); err != nil {
					t.Fatal(err)
				}
				ch := &changes{lib: closed.lib, sets: map[string]chunkSet{"e": {}}}
				waited := make(chan error)
				go func() { waited <- ch.lock(t.Context(), nil) }()
				synctest.Wait()
				go closed.detach()
				synctest.Wait()
				closed.lib.engine.Store(next)
				time.AfterFunc(time.Second, searching.RUnlock)
				if err := <-waited; err != nil {
					t.Fatal(err)
				}
				if ch.engine != next {
					t.Error("the commit has taken the index of the engine that was closed")
				}
				synctest.Wait()
				if !closed.mirror.lock.TryRLock() {
					t.Error("the commit still has the index of the engine that was closed")
				}
			})
		})
	}
}
