package sqlite

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/quirelib/quire"
)

// childWrites is how many writes childWrite makes before it ends; without it, it goes on
// until it is killed.
const childWrites = "QUIRE_SQLITE_TEST_WRITES"

// TestPowerCut follows the system calls of a process that writes, and cuts the power at
// moments among them: what was synced is on the disk, and of the rest a part, torn and in
// any order. Every write that was acknowledged is there, and the file is whole.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	runs, writes := powerCuts, 200
	if testing.Short() {
		runs, writes = 20, 30
	}
	traced := t.TempDir()
	calls := traceWrites(t, filepath.Join(traced, "store.db"), writes)
	syncs := 0
	for _, c := range calls {
		if c.name == "sync" {
			syncs++
		}
	}
	var mu sync.Mutex
	lost, corrupt, more := 0, 0, 0
	of := map[string]int{}
	check := func(i int) {
		rng := rand.New(rand.NewPCG(uint64(i), 2))
		how := cuts[i%len(cuts)]
		d, acknowledged := newDisk(traced), 0
		for _, c := range calls[:1+rng.IntN(len(calls))] {
			if c.name == "said" {
				acknowledged, _ = strconv.Atoi(string(bytes.TrimSpace(c.data)))
			}
			d.take(c)
		}
		dir := t.TempDir()
		d.cut(t, dir, how, rng)
		kept, err := leftWhole(t, filepath.Join(dir, "store.db"))
		mu.Lock()
		defer mu.Unlock()
		of[how]++
		switch {
		case err != nil:
			corrupt++
			t.Errorf("cut %d, %s, after %d writes: %v", i, how, acknowledged, err)
		case kept < acknowledged:
			lost++
			t.Errorf("cut %d, %s: %d writes are left, %d were acknowledged", i, how, kept, acknowledged)
		default:
			more += kept - acknowledged
		}
	}
	const atOnce = 2
	var wg sync.WaitGroup
	for worker := range atOnce {
		wg.Go(func() {
			for i := worker; i < runs; i += atOnce {
				check(i)
			}
		})
	}
	wg.Wait()
	t.Logf("A2: %d simulated power cuts %v among %d system calls, %d of them syncs, of %d writes: %d with acknowledged writes lost, %d corrupt; %d more writes were there",
		runs, of, len(calls), syncs, writes, lost, corrupt, more)
}

// leftWhole opens a file and returns how many writes of childWrite are in it, or what is
// not whole.
func leftWhole(t *testing.T, path string) (n int, err error) {
	s, err := Open(t.Context(), path, nil)
	if err != nil {
		return 0, fmt.Errorf("open: %s", quire.Cause(err))
	}
	defer func() {
		if closeErr := s.Close(); err == nil {
			err = closeErr
		}
	}()
	var verdict string
	if err := s.read.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		return 0, fmt.Errorf("integrity check: %s, %v", verdict, err)
	}
	n, _ = strconv.Atoi(metaValue(t, s, "last")) // nothing is 0
	found := 0
	err = s.View(t.Context(), func(tx quire.ReadTx) error {
		for e, err := range tx.ElementalsOf(t.Context(), "u") {
			if err != nil {
				return err
			}
			if len(e.TagIDs) != 1 || e.Body != "number "+e.ID[1:] {
				return fmt.Errorf("elemental %s is damaged: %+v", e.ID, e)
			}
			found++
		}
		return nil
	})
	if err == nil && found != n {
		err = fmt.Errorf("%d elementals are left of %d", found, n)
	}
	return n, err
}
