package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

// childWrite adds elementals, numbered on from what it finds, each with its number
// in a value beside it, and reports each number when its Update has returned.
func childWrite(path string) {
	ctx := context.Background()
	s, err := Open(ctx, path, nil)
	if err != nil {
		fmt.Println(quire.Cause(err))
		return
	}
	for {
		n, err := writeNext(ctx, s)
		if err != nil {
			fmt.Println(quire.Cause(err))
			return
		}
		fmt.Println(n)
		if os.Getenv(childWrites) == strconv.Itoa(n) {
			return
		}
	}
}

// writeNext adds an elemental, numbered on from what it finds.
func writeNext(ctx context.Context, s *Store) (n int, err error) {
	err = s.Update(ctx, func(tx quire.Tx) error {
		last, err := tx.Meta(ctx, "last")
		if err != nil && !errors.Is(err, quire.ErrNotFound) {
			return err
		}
		n, _ = strconv.Atoi(string(last)) // nothing is 0
		n++
		e := quire.ElementalRecord{ID: fmt.Sprint("e", n), OwnerID: "u", Body: fmt.Sprint("number ", n), TagIDs: []int64{1}}
		if err := tx.PutElemental(ctx, e, quire.IndexedText{Body: e.Body}); err != nil {
			return err
		}
		return tx.PutMeta(ctx, "last", []byte(strconv.Itoa(n)))
	})
	return n, err
}

// TestKill kills a process again and again while it writes. Everything that was
// acknowledged must be there afterwards, and whole.
func TestKill(t *testing.T) {
	t.Parallel()
	kills := 10
	if testing.Short() {
		kills = 3
	}
	path := filepath.Join(t.TempDir(), "store.db")
	acknowledged, kept := 0, 0
	for range kills {
		acknowledged = killWriter(t, path, acknowledged)
		kept = checkKilled(t, path, acknowledged)
	}
	t.Logf("%d kills: %d acknowledged writes, none lost, %d more were committed", kills, acknowledged, kept-acknowledged)
}

// killWriter lets a process write for a moment and returns the last write that it
// acknowledged, or the earlier one if there was none.
func killWriter(t *testing.T, path string, earlier int) int {
	t.Helper()
	cmd, lines := startChild(t, "write", path)
	last := earlier
	for lines.Scan() {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatalf("the child says %q", lines.Text())
		}
		if last == earlier { // the first: from here on it may die at any moment
			time.AfterFunc(time.Duration(rand.IntN(60_000))*time.Microsecond, func() { cmd.Process.Kill() })
		}
		last = n
	}
	cmd.Wait() // reports the kill
	return last
}

// checkKilled opens what a killed process has left and returns how many writes
// are in it.
func checkKilled(t *testing.T, path string, acknowledged int) int {
	t.Helper()
	s := mustOpen(t, path)
	defer mustClose(t, s)
	n, err := strconv.Atoi(metaValue(t, s, "last"))
	if err != nil || n < acknowledged {
		t.Errorf("%d writes are left (error %v), %d were acknowledged", n, err, acknowledged)
	}
	found := 0
	err = s.View(t.Context(), func(tx quire.ReadTx) error {
		for e, err := range tx.ElementalsOf(t.Context(), "u") {
			if err != nil {
				return err
			}
			if len(e.TagIDs) != 1 || e.Body != "number "+e.ID[1:] {
				t.Errorf("elemental %s is damaged: %+v", e.ID, e)
			}
			found++
		}
		_, hits, err := tx.SearchElementals(t.Context(), quire.ElementalSearch{
			Text: quire.TextQuery{Phrases: [][]string{{"number"}}}, Viewer: quire.Viewer{OwnerID: "u"}, Limit: 1})
		if hits != n {
			t.Errorf("search finds %d elementals, want %d", hits, n)
		}
		return err
	})
	if err != nil || found != n {
		t.Errorf("%d elementals are left (error %v), want %d", found, err, n)
	}
	wantIntact(t, s)
	return n
}

// wantIntact has SQLite check the whole file, the full-text index included.
func wantIntact(t *testing.T, s *Store) {
	t.Helper()
	var verdict string
	if err := s.read.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity check: %s, %v", verdict, err)
	}
}

// A process that is killed while it makes the database leaves none or a whole one.
func TestKillWhileOpening(t *testing.T) {
	t.Parallel()
	kills := 10
	if testing.Short() {
		kills = 3
	}
	left := map[string]int{}
	for range kills {
		path := filepath.Join(t.TempDir(), "store.db")
		cmd, _ := startChild(t, "hold", path)
		time.Sleep(time.Duration(rand.IntN(60_000)) * time.Microsecond)
		cmd.Process.Kill()
		cmd.Wait() // reports the kill
		if _, err := os.Stat(path); err == nil {
			left["whole"]++
		} else if _, err := os.Stat(path + ".new"); err == nil {
			left["draft"]++
		} else {
			left["none"]++
		}
		s := mustOpen(t, path)
		putMetaValue(t, s, "name", "value")
		wantIntact(t, s)
		mustClose(t, s)
	}
	t.Logf("%d kills left behind: %v", kills, left)
}
