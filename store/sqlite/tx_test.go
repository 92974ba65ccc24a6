package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

// TestReadModifyWrite has 16 goroutines count together, alone and while others read: no
// update fails, none is lost, and nobody is kept waiting by the others for long.
func TestReadModifyWrite(t *testing.T) {
	t.Parallel()
	const writers = 16
	span := writingTime
	if testing.Short() {
		span /= 10
	}
	alone, _ := countTogether(t, writers, 0, span)
	beside, reads := countTogether(t, writers, 2, span)
	t.Logf("C11: %d writers for %v, %v; beside readers with %d reads %v", writers, span, alone, reads, beside)
}

// longest says how many times are given, and what the longest ones are, in words.
type longest []time.Duration

func (l longest) String() string {
	slices.Sort(l)
	return fmt.Sprintf("%d updates, 0 lost, 99 of 100 took at most %v, the longest %v",
		len(l), l[len(l)*99/100].Round(time.Millisecond), l[len(l)-1].Round(time.Millisecond))
}

// countTogether has writers add one each to what they have read, again and again, for a
// span, beside readers. It returns how long the updates took and how many reads there were.
func countTogether(t *testing.T, writers, readers int, span time.Duration) (longest, int64) {
	s := newStore(t)
	var reads atomic.Int64
	stop := make(chan struct{})
	var reading, writing sync.WaitGroup
	for range readers {
		reading.Go(func() {
			for last := 0; ; {
				select {
				case <-stop:
					return
				default:
				}
				n, _ := strconv.Atoi(metaValue(t, s, "n")) // nothing is 0
				if n < last {
					t.Errorf("read %d after %d", n, last)
				}
				last = n
				reads.Add(1)
			}
		})
	}
	waits := make([]longest, writers)
	end := time.Now().Add(span)
	for w := range waits {
		writing.Go(func() {
			for time.Now().Before(end) {
				begin := time.Now()
				if err := addOne(t.Context(), s); err != nil {
					t.Error(quire.Cause(err))
				}
				waits[w] = append(waits[w], time.Since(begin))
			}
		})
	}
	writing.Wait()
	close(stop)
	reading.Wait()
	all := slices.Concat(waits...)
	if got := metaValue(t, s, "n"); got != strconv.Itoa(len(all)) {
		t.Errorf("counted to %s, want %d", got, len(all))
	}
	for w, of := range waits {
		if share := len(all) / writers; share > 30 && len(of) < share/2 {
			t.Errorf("writer %d had %d of %d turns", w, len(of), len(all))
		}
	}
	return all, reads.Load()
}

// addOne adds one to the number n, in one transaction.
func addOne(ctx context.Context, s *Store) error {
	return s.Update(ctx, func(tx quire.Tx) error {
		b, err := tx.Meta(ctx, "n")
		if err != nil && !errors.Is(err, quire.ErrNotFound) {
			return err
		}
		n, _ := strconv.Atoi(string(b))
		return tx.PutMeta(ctx, "n", []byte(strconv.Itoa(n+1)))
	})
}

// TestTurns has writers wait for each other: they get their turn in the order of coming.
func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t)
		const writers = 32
		var order []int // appended to in transactions, of which there is one at a time
		var writing sync.WaitGroup
		entered, leave := make(chan struct{}), make(chan struct{})
		write := func(w int) {
			writing.Go(func() {
				if err := s.Update(t.Context(), func(quire.Tx) error {
					if w == 0 {
						close(entered)
						<-leave
					}
					order = append(order, w)
					return nil
				}); err != nil {
					t.Error(quire.Cause(err))
				}
			})
		}
		var want []int
		for w := range writers {
			write(w)
			want = append(want, w)
			if w == 0 {
				<-entered
			}
			synctest.Wait() // until it waits for its turn
		}
		close(leave)
		writing.Wait()
		if diff := cmp.Diff(want, order); diff != "" {
			t.Errorf("turns (-wanted +had):\n%s", diff)
		}
	})
}

// TestInterrupted interrupts a statement that writes. SQLite then rolls the whole
// transaction back by itself; a fn that overlooks the error must not go on in
// transactions of single statements.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	words := make([]string, 400_000)
	for i := range words {
		words[i] = strconv.FormatInt(int64(i), 36)
	}
	body := strings.Join(words, " ")
	ctx := t.Context()
	var inner, after error
	err := s.Update(ctx, func(tx quire.Tx) error {
		if err := tx.PutMeta(ctx, "before", nil); err != nil {
			return err
		}
		short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		inner = tx.PutElemental(short, quire.ElementalRecord{ID: "e"}, quire.IndexedText{Body: body})
		after = tx.PutMeta(ctx, "after", nil)
		return nil
	})
	if !errors.Is(inner, context.DeadlineExceeded) {
		t.Fatalf("the statement was not interrupted: %v", inner)
	}
	if !errors.Is(after, context.DeadlineExceeded) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the next statement: %v, Update: %v; want context.DeadlineExceeded", after, err)
	}
	err = s.View(ctx, func(tx quire.ReadTx) error {
		for _, name := range []string{"before", "after"} {
			if _, err := tx.Meta(ctx, name); !errors.Is(err, quire.ErrNotFound) {
				t.Errorf("%s: got error %v, want ErrNotFound", name, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	putMetaValue(t, s, "later", "value")
	wantIntact(t, s)
}

// A context that ends between two statements that belong together leaves half of them
// written: that must not commit, even if nobody asks.
func TestHalfWritten(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.trace = func(query string, _ []any) {
		if strings.HasPrefix(query, "DELETE FROM elemental_tags") { // the second one of PutElemental
			cancel()
		}
	}
	var inner error
	err := s.Update(t.Context(), func(tx quire.Tx) error {
		inner = tx.PutElemental(ctx, quire.ElementalRecord{ID: "e"}, quire.IndexedText{})
		return nil
	})
	if !errors.Is(inner, context.Canceled) || !errors.Is(err, context.Canceled) {
		t.Errorf("PutElemental: %v, Update: %v; want context.Canceled", inner, err)
	}
	s.trace = nil
	err = s.View(t.Context(), func(tx quire.ReadTx) error {
		_, err := tx.Elemental(t.Context(), "e")
		return err
	})
	if !errors.Is(err, quire.ErrNotFound) {
		t.Errorf("the elemental: error %v, want ErrNotFound", err)
	}
}

// A context that ends between two statements, or a constraint, does not spoil the
// transaction.
func TestNotSpoiled(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	mustUpdate(t, s, func(ctx context.Context, tx quire.Tx) error {
		gone, cancel := context.WithCancel(ctx)
		cancel()
		if err := tx.PutMeta(gone, "x", nil); !errors.Is(err, context.Canceled) {
			t.Errorf("got error %v, want context.Canceled", err)
		}
		if err := tx.PutKey(ctx, quire.Key{ID: "k", UserID: "nobody"}); !errors.Is(err, quire.ErrNotFound) {
			t.Errorf("got error %v, want ErrNotFound", err)
		}
		return tx.PutMeta(ctx, "name", []byte("value"))
	})
	if got := metaValue(t, s, "name"); got != "value" {
		t.Errorf("read %q", got)
	}
}

// TestFull lets the file grow no further.
func TestFull(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	putMetaValue(t, s, "name", "value")
	limit := func(pages int) {
		if _, err := s.write.ExecContext(t.Context(), fmt.Sprintf(`PRAGMA max_page_count = %d`, pages)); err != nil {
			t.Fatal(err)
		}
	}
	limit(1) // means: no more than there are
	put := func() error {
		return s.Update(t.Context(), func(tx quire.Tx) error {
			return errors.Join(tx.PutMeta(t.Context(), "name", nil), tx.PutMeta(t.Context(), "big", make([]byte, 1<<20)))
		})
	}
	err := put()
	wantCode(t, err, quire.CodeUnavailable)
	if err == nil || !strings.Contains(err.Error(), "full") {
		t.Errorf("the error says %q", err)
	}
	if got := metaValue(t, s, "name"); got != "value" {
		t.Errorf("read %q, want what was there before", got)
	}
	limit(1_000_000)
	if err := put(); err != nil {
		t.Errorf("with room again: %s", quire.Cause(err))
	}
}

// TestBusy has another program lock the file.
func TestBusy(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	s := mustOpenWith(t, path, &Options{BusyTimeout: 200 * time.Millisecond})
	defer mustClose(t, s)
	other, err := sql.Open("sqlite", path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tx, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()

	called := func(quire.Tx) error { t.Error("fn was called"); return nil }
	wantCode(t, s.Update(t.Context(), called), quire.CodeUnavailable)
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := s.Update(short, called); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got error %v, want context.DeadlineExceeded", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	putMetaValue(t, s, "name", "value")
}

// TestAfterTransaction uses a transaction when it has ended.
func TestAfterTransaction(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	var kept quire.Tx
	mustUpdate(t, s, func(ctx context.Context, tx quire.Tx) error { kept = tx; return nil })
	wantCode(t, kept.PutMeta(t.Context(), "name", nil), quire.CodeInternal)
	for _, err := range kept.AllChunks(t.Context()) {
		wantCode(t, err, quire.CodeInternal)
	}
}

// TestStreamWithin runs the same query while its rows are being read, and writes.
func TestStreamWithin(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	const n = 20
	mustUpdate(t, s, func(ctx context.Context, tx quire.Tx) error {
		for i := range n {
			e := quire.ElementalRecord{ID: fmt.Sprintf("e%02d", i), OwnerID: "u"}
			if err := tx.PutElemental(ctx, e, quire.IndexedText{}); err != nil {
				return err
			}
		}
		return nil
	})
	outer, inner := 0, 0
	mustUpdate(t, s, func(ctx context.Context, tx quire.Tx) error {
		for e, err := range tx.ElementalsOf(ctx, "u") {
			if err != nil {
				return err
			}
			if want := fmt.Sprintf("e%02d", outer); e.ID != want {
				t.Errorf("got %s, want %s", e.ID, want)
			}
			outer++
			for _, err := range tx.ElementalsOf(ctx, "u") {
				if err != nil {
					return err
				}
				if inner++; inner%n == outer%n {
					break
				}
			}
			e.Version++
			if err := tx.PutElemental(ctx, e, quire.IndexedText{}); err != nil {
				return err
			}
		}
		return nil
	})
	if outer != n {
		t.Errorf("saw %d elementals, want %d", outer, n)
	}
}

// A View cannot write, not even by the methods that its transaction has.
func TestViewCannotWrite(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	putMetaValue(t, s, "name", "value")
	err := s.View(t.Context(), func(tx quire.ReadTx) error {
		return tx.(quire.Tx).PutMeta(t.Context(), "name", []byte("other"))
	})
	wantCode(t, err, quire.CodeUnavailable)
	if got := metaValue(t, s, "name"); got != "value" {
		t.Errorf("read %q", got)
	}
}
