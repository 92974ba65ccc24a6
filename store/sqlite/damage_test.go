package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/quirelib/quire"
)

// sampleFile returns the bytes of a database with some content.
func sampleFile(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store.db")
	s := mustOpen(t, path)
	mustUpdate(t, s, func(ctx context.Context, tx quire.Tx) error {
		for i := range 200 {
			e := quire.ElementalRecord{ID: fmt.Sprint("e", i), OwnerID: "u", Body: string(bytes.Repeat([]byte("word "), 40*(i%5)+1))}
			if err := tx.PutElemental(ctx, e, quire.IndexedText{Title: e.ID, Body: e.Body}); err != nil {
				return err
			}
		}
		return nil
	})
	mustClose(t, s)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// openBytes opens a file with that content. If it is refused, neither the file nor
// its directory may have changed, the lock file aside.
func openBytes(t *testing.T, data []byte) error {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "store.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path, nil)
	if err == nil {
		mustClose(t, s)
		return nil
	}
	wantSafe(t, err)
	wantUntouched(t, path, data)
	if got, want := listDir(t, dir), []string{"store.db", "store.db.lock"}; !slices.Equal(got, want) {
		t.Errorf("files are %q, want %q", got, want)
	}
	return err
}

func wantUntouched(t *testing.T, path string, data []byte) {
	t.Helper()
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(after, data) {
		t.Error("the file was changed")
	}
}

func TestDamaged(t *testing.T) {
	t.Parallel()
	good := sampleFile(t)
	change := func(at int, with ...byte) []byte {
		bad := bytes.Clone(good)
		copy(bad[at:], with)
		return bad
	}
	for name, data := range map[string][]byte{
		"text":                   []byte("Dear diary, today I opened a text file as if it were a database.\n"),
		"long text":              bytes.Repeat([]byte("not a database\n"), 10_000),
		"one byte":               {'S'},
		"no byte":                {},
		"flipped magic":          change(0, 's'),
		"zeroed header":          change(0, make([]byte, 100)...),
		"zeroed first page":      change(0, make([]byte, pageSize)...),
		"other application":      change(68, 0, 0, 0, 1),
		"no application":         change(68, 0, 0, 0, 0),
		"schema version 0":       change(60, 0, 0, 0, 0),
		"negative version":       change(60, 0xff, 0xff, 0xff, 0xff),
		"garbage after header":   change(100, bytes.Repeat([]byte{0xa5}, 3000)...),
		"page size 3":            change(16, 0, 3),
		"cut within the header":  good[:99],
		"cut after the header":   good[:100],
		"cut after one page":     good[:pageSize],
		"cut in half":            good[:len(good)/2],
		"cut by one page":        good[:len(good)-pageSize],
		"cut by one byte":        good[:len(good)-1],
		"another SQLite program": foreignFile(t),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := openBytes(t, data); !errors.Is(err, quire.ErrCorrupt) {
				t.Errorf("got error %v, want ErrCorrupt", err)
			}
		})
	}
}

// foreignFile returns the bytes of a database of another program.
func foreignFile(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	execRaw(t, path, `CREATE TABLE users (id TEXT); INSERT INTO users VALUES ('u')`)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// execRaw runs SQL on a file behind this package's back.
func execRaw(t *testing.T, path, script string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), script); err != nil {
		t.Fatal(err)
	}
}

// TestDamagedPages overwrites pages at random. Most are noticed; where one is not,
// because nothing of the structure was in it, Open and Close must still work.
func TestDamagedPages(t *testing.T) {
	t.Parallel()
	good := sampleFile(t)
	runs := 60
	if testing.Short() {
		runs = 15
	}
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range runs {
		bad := bytes.Clone(good)
		page := pageSize * (1 + r.IntN(len(bad)/pageSize-1))
		for i := range pageSize {
			bad[page+i] = byte(r.Uint32())
		}
		switch err := openBytes(t, bad); {
		case errors.Is(err, quire.ErrCorrupt):
			refused++
		case err != nil:
			t.Errorf("page %d: got error %s, want ErrCorrupt or none", page/pageSize, quire.Cause(err))
		}
	}
	t.Logf("%d pages overwritten, %d refused", runs, refused)
	if refused < runs/2 {
		t.Errorf("only %d of %d were noticed", refused, runs)
	}
}

func TestNewerSchema(t *testing.T) {
	t.Parallel()
	data := sampleFile(t)
	newer, refused := []int{len(migrations) + 1, len(migrations) + 2, 1000, math.MaxInt32}, 0
	for _, version := range newer {
		binary.BigEndian.PutUint32(data[60:], uint32(version))
		if err := openBytes(t, data); errors.Is(err, quire.ErrNewerSchema) {
			refused++
		} else {
			t.Errorf("version %d: got error %v, want ErrNewerSchema", version, err)
		}
	}
	t.Logf("A7: files of %d newer schema versions, %d refused, and the same afterwards", len(newer), refused)
}

// TestNewerSchemaInLog has the newer version stand in the log only, as after the
// kill of a process that had just migrated.
func TestNewerSchemaInLog(t *testing.T) {
	t.Parallel()
	from, to := filepath.Join(t.TempDir(), "from.db"), filepath.Join(t.TempDir(), "to.db")
	mustClose(t, mustOpen(t, from))
	db, err := sql.Open("sqlite", from)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), fmt.Sprintf(`PRAGMA user_version = %d`, len(migrations)+1)); err != nil {
		t.Fatal(err)
	}
	var data []byte
	for _, suffix := range []string{"-wal", ""} { // copied while it is open
		if data, err = os.ReadFile(from + suffix); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to+suffix, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if v := binary.BigEndian.Uint32(data[60:]); int(v) != len(migrations) {
		t.Fatalf("the version in the file is %d already", v)
	}
	_, err = Open(t.Context(), to, nil)
	if !errors.Is(err, quire.ErrNewerSchema) {
		t.Errorf("got error %v, want ErrNewerSchema", err)
	}
	wantUntouched(t, to, data)
}

// A value that this package cannot have written is damage too.
func TestDamagedValues(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	s := mustOpen(t, path)
	mustUpdate(t, s, func(ctx context.Context, tx quire.Tx) error {
		return errors.Join(
			tx.PutElemental(ctx, quire.ElementalRecord{ID: "e"}, quire.IndexedText{}),
			tx.PutReceipt(ctx, quire.Receipt{UserID: "u"}),
			tx.ReplaceChunks(ctx, "e", []quire.Chunk{{ID: "c", ElementalID: "e"}}))
	})
	mustClose(t, s)
	execRaw(t, path, `UPDATE elementals SET topic_ids = '[1'; UPDATE chunks SET vector = x'00'; UPDATE receipts SET header = '{'`)
	s = mustOpen(t, path)
	defer mustClose(t, s)
	ctx := t.Context()
	for name, read := range map[string]func(tx quire.ReadTx) error{
		"array":  func(tx quire.ReadTx) error { _, err := tx.Elemental(ctx, "e"); return err },
		"arrays": func(tx quire.ReadTx) error { _, err := tx.Elementals(ctx, []string{"e"}); return err },
		"header": func(tx quire.ReadTx) error { _, err := tx.Receipt(ctx, "u", "", ""); return err },
		"vector": func(tx quire.ReadTx) error { _, err := tx.ChunksOf(ctx, "e"); return err },
		"streamed": func(tx quire.ReadTx) error {
			for _, err := range tx.AllChunks(ctx) {
				return err
			}
			return nil
		},
	} {
		wantCode(t, s.View(ctx, read), quire.CodeCorrupt)
		if t.Failed() {
			t.Fatal(name)
		}
	}
}
