package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/quirelib/quire"
)

// damages are what can happen to a file. Each returns it damaged at random.
var damages = map[string]func(r *rand.Rand, good []byte) []byte{
	"bit flipped": func(r *rand.Rand, good []byte) []byte {
		bad := bytes.Clone(good)
		bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
		return bad
	},
	"sector zeroed": func(r *rand.Rand, good []byte) []byte {
		bad := bytes.Clone(good)
		clear(bad[512*r.IntN(len(bad)/512):][:512])
		return bad
	},
	"page zeroed": func(r *rand.Rand, good []byte) []byte {
		bad := bytes.Clone(good)
		clear(bad[pageSize*r.IntN(len(bad)/pageSize):][:pageSize])
		return bad
	},
	"page of noise": func(r *rand.Rand, good []byte) []byte {
		bad := bytes.Clone(good)
		for i := range bad[pageSize*r.IntN(len(bad)/pageSize):][:pageSize] {
			bad[i] = byte(r.Uint32())
		}
		return bad
	},
	"pages exchanged": func(r *rand.Rand, good []byte) []byte {
		bad := bytes.Clone(good)
		a, b := pageSize*r.IntN(len(bad)/pageSize), pageSize*r.IntN(len(bad)/pageSize)
		copy(bad[a:][:pageSize], good[b:])
		copy(bad[b:][:pageSize], good[a:])
		return bad
	},
	"cut off":        func(r *rand.Rand, good []byte) []byte { return good[:1+r.IntN(len(good)-1)] },
	"cut at a page":  func(r *rand.Rand, good []byte) []byte { return good[:pageSize*(1+r.IntN(len(good)/pageSize-1))] },
	"emptied":        func(_ *rand.Rand, good []byte) []byte { return good[:0] },
	"begins as text": func(r *rand.Rand, good []byte) []byte { return append([]byte("Dear diary"), good[10:]...) },
	"text":           func(r *rand.Rand, good []byte) []byte { return bytes.Repeat([]byte("Dear diary, "), 1+r.IntN(5000)) },
	"noise": func(r *rand.Rand, good []byte) []byte {
		bad := make([]byte, 1+r.IntN(20_000))
		for i := range bad {
			bad[i] = byte(r.Uint32())
		}
		return bad
	},
}

// TestDamagedFiles opens files that are damaged in every way. They are refused and stay
// untouched, or what is left of them can be read: no panic, and no new database in their
// place.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	good := sampleFile(t)
	kinds := slices.Sorted(maps.Keys(damages))
	of, refused := map[string]int{}, map[string]int{}
	recreated := 0
	files := damagedFiles
	if testing.Short() {
		files /= 4
	}
	for i := range files {
		kind := kinds[i%len(kinds)]
		bad := damages[kind](rand.New(rand.NewPCG(uint64(i), 6)), good)
		if bytes.Equal(bad, good) { // a page exchanged with itself, or zeroed that was zero
			continue
		}
		of[kind]++
		switch err := openBytes(t, bad); {
		case errors.Is(err, quire.ErrCorrupt) || errors.Is(err, quire.ErrNewerSchema):
			refused[kind]++
		case err != nil:
			t.Errorf("file %d, %s: error %s", i, kind, quire.Cause(err))
		case isRecreated(t, bad):
			recreated++
			t.Errorf("file %d, %s: a new database has taken its place", i, kind)
		}
	}
	opened, all, known := "", 0, 0
	for _, kind := range kinds {
		all, known = all+of[kind], known+refused[kind]
		if n := of[kind] - refused[kind]; n > 0 {
			opened += fmt.Sprintf(", %d of %d with a %s", n, of[kind], kind)
		}
	}
	for _, kind := range []string{"emptied", "cut off", "cut at a page", "begins as text", "text", "noise"} {
		if refused[kind] != of[kind] {
			t.Errorf("%s: %d of %d were noticed", kind, refused[kind], of[kind])
		}
	}
	for _, kind := range []string{"page zeroed", "page of noise", "pages exchanged"} {
		if refused[kind] < of[kind]/2 {
			t.Errorf("%s: only %d of %d were noticed", kind, refused[kind], of[kind])
		}
	}
	t.Logf("A6: %d damaged files: 0 panics, %d recreated, %d refused and untouched; opened were %d%s", all, recreated, known, all-known, opened)
}

// isRecreated opens a file with that content, reads all of it, and reports whether it is
// there but empty.
func isRecreated(t *testing.T, data []byte) bool {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, path)
	defer s.Close() // of a damaged file it may fail
	n := 0
	err := s.View(t.Context(), func(tx quire.ReadTx) error {
		for _, err := range tx.ElementalsOf(t.Context(), "u") {
			if err != nil {
				return err
			}
			n++
		}
		_, _, err := tx.SearchElementals(t.Context(), quire.ElementalSearch{
			Text: quire.TextQuery{Phrases: [][]string{{"word"}}}, Viewer: quire.Viewer{OwnerID: "u"}, Limit: 10})
		return err
	})
	return err == nil && n == 0
}
