package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

// unsafe matches what no message may hold: SQL, names of SQLite and paths.
var unsafe = regexp.MustCompile(`(?i)sql|select|insert|pragma|/|\\`)

func wantSafe(t *testing.T, err error) {
	t.Helper()
	if err != nil && unsafe.MatchString(err.Error()) {
		t.Errorf("the message is not safe to show: %q", err)
	}
}

// TestPragmas reads the settings back on every connection of both pools, those
// included that replace others.
func TestPragmas(t *testing.T) {
	t.Parallel()
	var right, all atomic.Int64
	t.Cleanup(func() { t.Logf("A14: %d of %d connections have all settings", right.Load(), all.Load()) })
	for name, opts := range map[string]Options{
		"default": {ReadConns: 15},
		"other":   {Synchronous: Normal, ReadConns: 3, BusyTimeout: 1234 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStoreWith(t, &opts)
			o, err := opts.normal()
			if err != nil {
				t.Fatal(err)
			}
			sync := pragma{"synchronous", "FULL", "2"}
			if opts.Synchronous == Normal {
				sync = pragma{"synchronous", "NORMAL", "1"}
			}
			if !slices.Contains(o.writer(), sync) {
				t.Errorf("the writer is not %v", sync)
			}
			for range 2 {
				right.Add(checkPragmas(t, s.write.DB, 1, append(o.writer(), needed...)))
				right.Add(checkPragmas(t, s.read.DB, o.ReadConns, append(o.reader(), needed...)))
				all.Add(int64(1 + o.ReadConns))
			}
		})
	}
}

// needed are settings that every connection must have, whatever the lists of the package
// say; that there is a busy_timeout is in these. The size of pages is that of a new file.
var needed = []pragma{{"journal_mode", "", "wal"}, {"foreign_keys", "", "1"}, {"trusted_schema", "", "0"},
	{"page_size", "", fmt.Sprint(pageSize)}}

// checkPragmas takes all n connections of a pool at the same time and returns how many of
// them have the settings. Afterwards it has the pool close them.
func checkPragmas(t *testing.T, db *sql.DB, n int, pragmas []pragma) (right int64) {
	t.Helper()
	conns := make([]*sql.Conn, n)
	for i := range conns {
		c, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		conns[i] = c
		ok := int64(1)
		for _, p := range pragmas {
			var got string
			if err := c.QueryRowContext(t.Context(), "PRAGMA "+p.name).Scan(&got); err != nil || got != p.want {
				t.Errorf("connection %d: %s is %q (error %v), want %q", i, p.name, got, err, p.want)
				ok = 0
			}
		}
		right += ok
	}
	if got := db.Stats().OpenConnections; got != n {
		t.Errorf("%d connections are open, want %d", got, n)
	}
	for _, c := range conns {
		c.Close()
	}
	db.SetMaxIdleConns(-1)
	db.SetMaxIdleConns(n)
	return right
}

// A setting that does not take effect must not go unnoticed.
func TestPragmaWithoutEffect(t *testing.T) {
	t.Parallel()
	pragmas := []pragma{{"no_such_setting", "1", "1"}, {"foreign_keys", "1", "2"}}
	for _, p := range pragmas {
		db, err := newPool(makeEmpty(t, filepath.Join(t.TempDir(), "x.db")), []pragma{p}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := failure(t.Context(), db.PingContext(t.Context())); err == nil {
			t.Errorf("%s: no error", p.name)
		}
		db.Close()
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]Options{
		"Synchronous":           {Synchronous: "off"},
		"negative ReadConns":    {ReadConns: -1},
		"too many ReadConns":    {ReadConns: maxReadConns + 1},
		"negative BusyTimeout":  {BusyTimeout: -1},
		"excessive BusyTimeout": {BusyTimeout: 2 * time.Hour},
	} {
		dir := filepath.Join(t.TempDir(), "dir")
		_, err := Open(t.Context(), filepath.Join(dir, "x.db"), &o)
		if wantCode(t, err, quire.CodeInvalid); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the directory was made", name)
		}
	}
}

// oddNames are file names with characters that mean something in a URI, in a DSN
// or to SQLite.
var oddNames = []string{
	"a?b", "a#b", "a%41b", "100%", "a b", " ", "a&b=c", "a;b", "a+b", `it's "so"`, "a\nb", "-", "ünï 文",
	":memory:", "file:x", "file:x?mode=memory", "?", "a?mode=ro&_pragma=query_only(1)", "back\\slash", "\xff\xfe",
}

func TestOddPaths(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no files of these names")
	}
	right := 0
	for i, name := range oddNames {
		dir := filepath.Join(t.TempDir(), name)
		path := filepath.Join(dir, name)
		if i%2 == 1 { // a path from the directory of the process
			path = relative(t, path)
		}
		s := mustOpen(t, path)
		putMetaValue(t, s, "name", name)
		mustClose(t, s)
		s = mustOpen(t, path)
		if got := metaValue(t, s, "name"); got != name {
			t.Errorf("%q: read %q", name, got)
		}
		mustClose(t, s)
		if got, want := listDir(t, dir), []string{name, name + ".lock"}; !slices.Equal(got, want) {
			t.Errorf("%q: files are %q, want %q", name, got, want)
			continue
		}
		right++
	}
	t.Logf("A11: %d of %d odd paths are those of the file, in directories that were missing, every other one relative", right, len(oddNames))
}

// relative returns a path from the directory of the process.
func relative(t *testing.T, path string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		t.Fatal(err)
	}
	return rel
}

// listDir returns the sorted names in a directory.
func listDir(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestUnusablePaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dangling := filepath.Join(dir, "dangling")
	if err := os.Symlink(filepath.Join(dir, "nowhere"), dangling); err != nil {
		t.Fatal(err)
	}
	type unusablePath struct {
		name, path string
		code       quire.Code
	}
	paths := []unusablePath{
		{"empty", "", quire.CodeInvalid},
		{"NUL", "a\x00b", quire.CodeInvalid},
		{"directory", dir, quire.CodeInvalid},
		{"below a file", filepath.Join(file, "x.db"), quire.CodeUnavailable},
		{"dangling link", dangling, quire.CodeUnavailable},
	}
	if runtime.GOOS == "linux" { // a directory where nobody can write, not even root, and what is no file but has one name
		paths = append(paths, unusablePath{"read-only directory", "/proc/self/store.db", quire.CodeUnavailable}, unusablePath{"device", "/dev/null", quire.CodeInvalid})
	}
	refused := 0
	for _, c := range paths {
		_, err := Open(t.Context(), c.path, nil)
		if wantCode(t, err, c.code); err == nil {
			t.Errorf("%s: it is open", c.name)
			continue
		}
		refused++
	}
	t.Logf("A11: %d of %d unusable paths are refused when they are opened", refused, len(paths))
}

func TestModes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	dir := filepath.Join(t.TempDir(), "a", "b")
	path := filepath.Join(dir, "store.db")
	s := mustOpen(t, path)
	defer mustClose(t, s)
	putMetaValue(t, s, "name", "value")
	for _, c := range []struct {
		path string
		want fs.FileMode
	}{
		{filepath.Dir(dir), fs.ModeDir | 0o700}, {dir, fs.ModeDir | 0o700},
		{path, 0o600}, {path + "-wal", 0o600}, {path + "-shm", 0o600}, {path + ".lock", 0o600},
	} {
		info, err := os.Stat(c.path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != c.want {
			t.Errorf("%s: mode is %v, want %v", filepath.Base(c.path), info.Mode(), c.want)
		}
	}
}

// What an Open that was killed has left is no obstacle to making a database.
func TestOpenMakes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "store.db")
	for _, name := range []string{"store.db-wal", "store.db.new-shm", "store.db.new-journal"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path+".new", []byte(strings.Repeat("left behind", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, path)
	putMetaValue(t, s, "name", "value")
	mustClose(t, s)
	if got, want := listDir(t, dir), []string{"store.db", "store.db.lock"}; !slices.Equal(got, want) {
		t.Errorf("files are %q, want %q", got, want)
	}
	s = mustOpen(t, path)
	defer mustClose(t, s)
	if got := metaValue(t, s, "name"); got != "value" {
		t.Errorf("read %q", got)
	}
}

// The last writes may be in the file beside a database that is missing or empty: whoever
// moved it, or has lost it, needs them.
func TestOpenKeepsTheLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	s := mustOpen(t, path)
	putMetaValue(t, s, "name", "value")
	data, log := mustRead(t, path), mustRead(t, path+"-wal") // as a kill leaves them
	mustClose(t, s)
	for name, file := range map[string][]byte{"missing": nil, "empty": {}} {
		path := filepath.Join(t.TempDir(), "store.db")
		mustWrite(t, path+"-wal", log)
		if file != nil {
			mustWrite(t, path, file)
		}
		_, err := Open(t.Context(), path, nil)
		if wantCode(t, err, quire.CodeCorrupt); !bytes.Equal(mustRead(t, path+"-wal"), log) {
			t.Errorf("%s: the log has changed", name)
		}
		mustWrite(t, path, data)
		s := mustOpen(t, path)
		if got := metaValue(t, s, "name"); got != "value" {
			t.Errorf("%s: read %q when it was back", name, got)
		}
		mustClose(t, s)
	}
}

// A backup that is put in the place of a file whose log is still there is refused with what to
// do, and is whole once the log has been moved away.
func TestOpenBesideAnotherLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	backup := filepath.Join(t.TempDir(), "backup.db")
	s := mustOpen(t, path)
	putMetaValue(t, s, "name", "value")
	if err := s.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		putMetaValue(t, s, fmt.Sprint("name ", i), strings.Repeat("value ", 1000))
	}
	log := mustRead(t, path+"-wal") // as a kill leaves it
	mustClose(t, s)
	data := mustRead(t, backup)
	mustWrite(t, path, data)
	mustWrite(t, path+"-wal", log)
	_, err := Open(t.Context(), path, nil)
	if wantCode(t, err, quire.CodeCorrupt); err == nil || !strings.Contains(err.Error(), "-wal") {
		t.Errorf("got %v", err)
	}
	wantUntouched(t, path, data)
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Rename(path+suffix, path+suffix+".old"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	s = mustOpen(t, path)
	defer mustClose(t, s)
	if got := metaValue(t, s, "name"); got != "value" {
		t.Errorf("read %q", got)
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func mustWrite(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOpenCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(t.TempDir(), "store.db")
	if _, err := Open(ctx, path, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want context.Canceled", err)
	}
	mustClose(t, mustOpen(t, path)) // the lock is free
}
