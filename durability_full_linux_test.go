package quire_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store/sqlite"
)

// smallDisk mounts a file system of so many bytes, or skips the test.
func smallDisk(t *testing.T, size int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprint("size=", size)); err != nil {
		t.Skipf("A4: no file system of a few megabytes can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		// A child that another test is just starting holds the files until it is another program.
		err := syscall.Unmount(dir, 0)
		for range 100 {
			if !errors.Is(err, syscall.EBUSY) {
				break
			}
			time.Sleep(50 * time.Millisecond)
			err = syscall.Unmount(dir, 0)
		}
		if err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

// filledDisk fills a disk by one kind of call.
type filledDisk struct {
	*engineFixture
	acked map[string]bool // ids of elementals
	text  string
	n     int
	files int // that each has
}

// fillers are calls that write, by what they do. Each adds what it was told is there.
var fillers = map[string]func(f *filledDisk) error{
	"create many": func(f *filledDisk) error {
		ins := make([]quire.ElementalInput, 10)
		for i := range ins {
			ins[i] = f.next()
		}
		items, err := f.CreateElementals(f.t.Context(), f.ann, ins)
		if err != nil {
			return err
		}
		for i, it := range items {
			if err = it.Err; err != nil {
				break
			}
			f.acked[ins[i].ID] = true
		}
		return err
	},
	"create with a file": func(f *filledDisk) error {
		in := f.next()
		in.Media.Files = []quire.Upload{{Name: "a.txt", Data: bytes.Repeat([]byte("file "), 40_000)}}
		_, err := f.CreateElemental(f.t.Context(), f.ann, in)
		if err == nil {
			f.acked[in.ID] = true
		}
		return err
	},
	"create and ingest":        (*filledDisk).createAndIngest,
	"create, and ingest later": (*filledDisk).createAndIngest,
	"create with a large text": func(f *filledDisk) error {
		in := f.next()
		in.Body = strings.Repeat("large ", 50_000)
		_, err := f.CreateElemental(f.t.Context(), f.ann, in)
		if err == nil {
			f.acked[in.ID] = true
		}
		return err
	},
}

func (f *filledDisk) createAndIngest() error {
	in := f.next()
	if _, err := f.CreateElemental(f.t.Context(), f.ann, in); err != nil {
		return err
	}
	f.acked[in.ID] = true
	_, err := f.eng.Ingest(f.t.Context(), f.ann.TenantID, quire.IngestRequest{ElementalID: in.ID})
	return err
}

// next is an input for an elemental that there is not yet.
func (f *filledDisk) next() quire.ElementalInput {
	f.n++
	in := document(fmt.Sprint("Elemental on a small disk ", f.n), fmt.Sprint(f.text, f.n))
	in.ID = fmt.Sprint("e", f.n)
	return in
}

// wantAcked checks that there is what was acknowledged, and nothing else.
func (f *filledDisk) wantAcked() (there int) {
	f.t.Helper()
	ctx := f.t.Context()
	f.check(f.store.View(ctx, func(tx quire.ReadTx) error {
		for e, err := range tx.ElementalsOf(ctx, f.ann.UserID) {
			if err != nil {
				return err
			}
			if there++; !f.acked[e.ID] {
				f.t.Errorf("%s is there, but was refused", e.ID)
			}
			media, err := tx.MediaOf(ctx, []quire.MediaOwner{{ElementalID: e.ID}})
			if err != nil {
				return err
			}
			if of := media[quire.MediaOwner{ElementalID: e.ID}]; len(of) != f.files && f.acked[e.ID] {
				f.t.Errorf("%s has %d files, want %d", e.ID, len(of), f.files)
			}
		}
		return nil
	}))
	if there != len(f.acked) {
		f.t.Errorf("%d elementals are there, %d were acknowledged", there, len(f.acked))
	}
	return there
}

// TestDiskFull fills a disk again and again: what does not fit is refused as a whole, all
// that was acknowledged is there, what is there can be read, and when there is room again
// everything goes on. Deleting works on a full disk as far as the log has room for it.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	smallDisk(t, 1<<20) // skips all if there is none
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	kinds := []string{"create many", "create with a file", "create and ingest", "create with a large text", "create, and ingest later"}
	acked, recovered, deleted := 0, 0, 0
	for round := range rounds {
		kind := kinds[round%len(kinds)]
		t.Run(fmt.Sprint(kind, round), func(t *testing.T) {
			dir := smallDisk(t, 8<<20)
			ballast := filepath.Join(dir, "ballast")
			if err := os.WriteFile(ballast, make([]byte, 3_500_000+round*50_000), 0o600); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "quire.db")
			s, err := sqlite.Open(t.Context(), path, nil)
			if err != nil {
				t.Fatal(err)
			}
			f := &filledDisk{acked: map[string]bool{}, text: strings.Repeat("words of a text ", 40),
				engineFixture: newEngineFixture(t, s, quire.EngineOptions{Chunker: paragraphs{}})}
			defer f.closeAll()
			if kind == "create with a file" {
				f.files = 1
			}
			embedding := enginetest.NewGate()
			if kind == "create, and ingest later" { // then much waits to be written when there is room
				f.embedder.Hold(embedding)
			}
			for err = nil; err == nil; {
				err = fillers[kind](f)
			}
			if quire.CodeOf(err) != quire.CodeUnavailable || !strings.Contains(err.Error(), "full") {
				t.Errorf("the disk is full: %v (%s)", err, quire.Cause(err))
			}
			if n := f.eng.Health(t.Context()).Components["store"].Counts["write_failures"]; n == 0 {
				t.Error("health shows no failure to write")
			}
			acked += f.wantAcked()
			for id := range f.acked {
				if _, err := f.Elemental(t.Context(), f.ann, id); err != nil {
					t.Errorf("read %s: %v", id, err)
				}
				break
			}
			if _, err := f.SearchElementals(t.Context(), f.ann, quire.SearchInput{Text: "words"}); err != nil {
				t.Errorf("search: %v", err)
			}
			for id := range f.acked { // as far as that goes
				if err := f.DeleteElemental(t.Context(), f.ann, id); err != nil {
					break
				}
				delete(f.acked, id)
				deleted++
			}
			f.wantAcked()

			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
			embedding.Open()
			in := f.next()
			in.Media.Files = slices.Repeat([]quire.Upload{{Name: "a.txt", Data: []byte("file")}}, f.files)
			if _, err := f.CreateElemental(t.Context(), f.ann, in); err != nil {
				t.Errorf("with room again: %s", quire.Cause(err))
			}
			f.acked[in.ID] = true
			if c := f.eng.Health(t.Context()).Components["store"]; !c.Up {
				t.Errorf("with room again the store is %+v", c)
			}
			f.restart() // else an attempt whose end found no room waits for its lease
			f.settleAll(f.ann)
			f.waitStatus(f.ingest(f.ann, in.ID, ""), quire.JobSucceeded)
			f.wantAcked()
			f.closeAll()
			if s, err = sqlite.Open(t.Context(), path, nil); err != nil {
				t.Fatal(quire.Cause(err))
			}
			f.store = s
			f.wantAcked()
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if !t.Failed() {
				recovered++
			}
		})
	}
	t.Logf("A4: a disk of 8 MB filled %d times in %d ways: %d acknowledged elementals, as many there; recovered %d of %d; %d deleted on the full disk",
		rounds, len(kinds), acked, recovered, rounds, deleted)
}

// closeAll closes the engine, the library and the store, so that the disk can go.
func (f *filledDisk) closeAll() {
	f.t.Helper()
	ctx := f.t.Context()
	if err := errors.Join(f.eng.Close(ctx), f.Library.Close(ctx), f.store.Close()); err != nil {
		f.t.Error(err)
	}
}

// TestBackupToAFullDisk: a backup that does not fit leaves nothing of itself, however
// often it is tried, and the library goes on.
func TestBackupToAFullDisk(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, stores[1].open(t), quire.EngineOptions{Chunker: paragraphs{}})
	var e quire.Elemental
	for n := range 10 {
		e = f.create(f.ann, document(fmt.Sprint("Document ", n), strings.Repeat("boats are blue and red.\n\n", 1000)))
		f.ingest(f.ann, e.ID, "")
	}
	small := smallDisk(t, 200<<10)
	const tries = 5
	for range tries { // beside the ingests
		wantCode(t, f.Backup(t.Context(), filepath.Join(small, "copy")), quire.CodeUnavailable)
	}
	left, err := os.ReadDir(small)
	if err != nil || len(left) != 0 {
		t.Errorf("%d files are left, error %v", len(left), err)
	}
	if _, err := f.Elemental(t.Context(), f.ann, e.ID); err != nil {
		t.Error(err)
	}
	t.Logf("%d backups to a full disk, %d files left of them", tries, len(left))
}

// TestCompactWithoutRoom: a Compact that the disk has no room for changes nothing, and leaves it
// no fuller than it was.
func TestCompactWithoutRoom(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, 8<<20)
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "quire.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, s, nil)
	defer f.close() // before the disk goes
	for n := range 8 {
		_, err := f.CreateElemental(t.Context(), f.ann, document(fmt.Sprint("A long text ", n), strings.Repeat(fmt.Sprint(n, " words "), 30_000)))
		if err != nil {
			t.Fatal(err)
		}
	}
	free := func() uint64 {
		var st syscall.Statfs_t
		if err := syscall.Statfs(dir, &st); err != nil {
			t.Fatal(err)
		}
		return st.Bavail * uint64(st.Bsize)
	}
	if err := f.Compact(t.Context()); err != nil {
		t.Fatalf("with room: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "ballast"), make([]byte, free()-1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	before := free()
	err = f.Compact(t.Context())
	if quire.CodeOf(err) != quire.CodeUnavailable || !strings.Contains(err.Error(), "full") {
		t.Errorf("Compact without room: %v", err)
	}
	if after := free(); after < before {
		t.Errorf("%d bytes were free, %d are after a Compact that failed", before, after)
	}
	if err := s.Backup(t.Context(), filepath.Join(dir, "backup.db")); quire.CodeOf(err) != quire.CodeUnavailable || !strings.Contains(err.Error(), "backup") {
		t.Errorf("a backup without room: %v", err)
	}
	if after := free(); after < before {
		t.Errorf("%d bytes were free, %d are after a backup that failed", before, after)
	}
}
