package httpapi

import (
	"bytes"
	"encoding/base64"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store/sqlite"
)

// TestStoredKeys issues a thousand keys, uses and revokes them, and looks for them in
// every file that comes of it: of a key only what tells it apart from others is kept, a
// prefix, and what nobody can turn back, its hash.
func TestStoredKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "quire.db"), &sqlite.Options{Synchronous: sqlite.Normal})
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	logger := slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	f := newFixtureWith(t, s, nil, quire.LibraryOptions{Logger: logger}).withEngine(&Options{Logger: logger}, nil)
	f.ingest(f.ann, f.elemental(f.ann, "How to sail a boat", ""))
	issued := 1000
	if testing.Short() {
		issued = 100
	}
	keys := make(map[string]bool, issued)
	for i := range issued {
		k, secret := f.secondKey("ann", quire.KeyInput{Name: "one of many"})
		f.do(secret, "GET", "/v1/auth/token/validate", "").want(200)
		if i%3 == 0 {
			if err := f.lib.RevokeKey(t.Context(), "ann", k.ID); err != nil {
				t.Fatal(err)
			}
			f.do(secret, "GET", "/v1/auth/token/validate", "").want(401)
		}
		keys[secret] = true
	}
	if err := f.lib.Backup(t.Context(), filepath.Join(dir, "backup.db")); err != nil {
		t.Fatal(err)
	}
	export, err := os.Create(filepath.Join(dir, "export"))
	if err != nil {
		t.Fatal(err)
	}
	defer export.Close()
	if err := f.eng.Export(t.Context(), "ann", export); err != nil {
		t.Fatal(err)
	}
	bits := weakest(t, keys)
	found, files, size := keysInFiles(t, dir, keys)
	if found != 0 || len(keys) != issued || bits < 256 || files < 4 {
		t.Errorf("%d times a part of a key in %d files; %d different keys of at least %d bits", found, files, len(keys), bits)
	}
	if t.Failed() {
		return
	}
	t.Logf("E6: %d keys of %d random bits, used and a third of them revoked: %d found in %d files of %d KiB (data, log of SQLite, backup, export, log of the server)",
		len(keys), bits, found, files, size>>10)
}

// weakest returns how many random bits the shortest key has.
func weakest(t *testing.T, keys map[string]bool) (bits int) {
	t.Helper()
	bits = 1 << 20
	for key := range keys {
		random, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(key, "qk_"))
		if err != nil {
			t.Fatal(err)
		}
		bits = min(bits, 8*len(random))
	}
	return bits
}

// keysInFiles counts where 12 characters of a key stand in a file, behind the 8 that may
// be kept or at its end.
func keysInFiles(t *testing.T, dir string, keys map[string]bool) (found, files int, size int64) {
	t.Helper()
	const part = 12
	parts := map[string]bool{}
	for key := range keys {
		parts[key[8:8+part]], parts[key[len(key)-part:]] = true, true
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files, size = files+1, size+int64(len(data))
		for i := 0; i+part <= len(data); i++ {
			if parts[string(data[i:i+part])] {
				found++
				t.Logf("%s holds a part of a key: %q", filepath.Base(path), bytes.TrimSpace(data[max(0, i-40):i+part]))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found, files, size
}
