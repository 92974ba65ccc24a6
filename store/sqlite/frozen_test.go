package sqlite

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

// frozenFile is where the database of a schema version is kept, as makeEarlier wrote it
// when that version was new. Whoever adds a migration makes the file of its version by
//
//	QUIRE_FREEZE=1 go test -run TestFrozen ./store/sqlite
//
// and changes none of the others.
func frozenFile(version int) string { return fmt.Sprintf("testdata/frozen/%03d.db.gz", version) }

// unfreeze writes the database of a version to path.
func unfreeze(t *testing.T, version int, path string) {
	t.Helper()
	f, err := os.Open(frozenFile(version))
	if err != nil {
		t.Fatalf("each version has its file: %v", err)
	}
	defer f.Close()
	packed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(packed)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// freeze makes the file of a version, if there is none.
func freeze(t *testing.T, version int) {
	t.Helper()
	if _, err := os.Stat(frozenFile(version)); err == nil {
		return
	}
	path := filepath.Join(t.TempDir(), "x.db")
	makeEarlier(t, path, version)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(frozenFile(version), packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestFrozen opens the file of every version there ever was.
func TestFrozen(t *testing.T) {
	t.Parallel()
	want := schemaOf(t, newStore(t))
	opened := 0
	for version := 1; version <= len(migrations); version++ {
		if os.Getenv("QUIRE_FREEZE") != "" {
			freeze(t, version)
		}
		path := filepath.Join(t.TempDir(), "store.db")
		unfreeze(t, version, path)
		s := mustOpen(t, path)
		if diff := cmp.Diff(want, schemaOf(t, s)); diff != "" {
			t.Errorf("version %d: schema (-new +migrated):\n%s", version, diff)
		}
		wantEarlier(t, s)
		mustClose(t, s)
		opened++
	}
	t.Logf("A7: files of %d of %d schema versions open, with what is in them", opened, len(migrations))
}

// rawSchema reads the version and the schema of a file, and whether it is intact, without
// this package.
func rawSchema(t *testing.T, path string) (version int, schema map[string]string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	var verdict string
	if err := db.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity check: %s, %v", verdict, err)
	}
	schema = schemaOf(t, &Store{read: inTurns(db)})
	if _, err := fmt.Sscan(schema["version"], &version); err != nil {
		t.Fatal(err)
	}
	return version, schema
}

// childMigrate opens a database, after it has said so.
func childMigrate(path string) {
	fmt.Println("begin")
	childHold(path)
}

// TestKillWhileMigrating kills processes while they bring a file of the first version to
// the present one: it is of one of the versions then, and whole, and the next process goes
// on from there.
func TestKillWhileMigrating(t *testing.T) {
	t.Parallel()
	kills := 100
	if testing.Short() {
		kills = 10
	}
	schemas := map[int]map[string]string{}
	for version := 1; version <= len(migrations); version++ {
		path := filepath.Join(t.TempDir(), "x.db")
		makeEarlier(t, path, version)
		_, schemas[version] = rawSchema(t, path)
	}
	// run starts a process and kills it, if it is not done by then, after a time.
	run := func(path string, after time.Duration) (took time.Duration) {
		cmd, lines := startChild(t, "migrate", path)
		var begin time.Time
		for lines.Scan() {
			switch lines.Text() {
			case "begin":
				begin = time.Now()
				time.AfterFunc(after, func() { cmd.Process.Kill() })
			case "open":
				took = time.Since(begin)
				cmd.Process.Kill()
			default:
				t.Errorf("the child says %q", lines.Text())
			}
		}
		cmd.Wait() // reports the kill
		return took
	}
	path := filepath.Join(t.TempDir(), "store.db")
	unfreeze(t, 1, path)
	span := run(path, time.Minute)

	var broken, between atomic.Int64
	var all sync.WaitGroup
	const atOnce = 4
	for worker := range atOnce {
		all.Go(func() {
			for range kills / atOnce {
				path := filepath.Join(t.TempDir(), fmt.Sprint("store", worker, ".db"))
				unfreeze(t, 1, path)
				run(path, rand.N(span))
				version, schema := rawSchema(t, path)
				if diff := cmp.Diff(schemas[version], schema); diff != "" {
					broken.Add(1)
					t.Errorf("killed at version %d (-whole +killed):\n%s", version, diff)
					return
				}
				if version > 1 && version < len(migrations) {
					between.Add(1)
				}
				s, err := Open(t.Context(), path, nil)
				if err != nil {
					broken.Add(1)
					t.Errorf("killed at version %d: %s", version, quire.Cause(err))
					return
				}
				if version, _ := rawSchema(t, path); version != len(migrations) {
					t.Errorf("opened, it is of version %d", version)
				}
				wantEarlier(t, s)
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	t.Logf("A7: %d killed migrations, %d of them between two versions: %d broken", kills, between.Load(), broken.Load())
}
