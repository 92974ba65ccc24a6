package sqlite

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

// TestFailedUploads lets calls that write files fail at each of their statements: no file
// is left without its elemental, no elemental without its file, and all is as before.
func TestFailedUploads(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	lib, err := quire.NewLibrary(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	u, err := lib.CreateUser(t.Context(), quire.UserInput{ID: "ann", Name: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	a := u.Actor()
	files := func(names ...string) (all []quire.Upload) {
		for _, name := range names {
			all = append(all, quire.Upload{Name: name, Data: bytes.Repeat([]byte(name), 5000)})
		}
		return all
	}
	input := func(id string) quire.ElementalInput {
		return quire.ElementalInput{ID: id, Title: "With files " + id, TypeID: quire.TypeDocument, CategoryID: quire.CategoryText,
			Body: "body", Media: quire.MediaInput{Files: files("one", "two", "three")}}
	}
	replaced := files("four", "five")
	calls := map[string]func(ctx context.Context) error{
		"create": func(ctx context.Context) error {
			_, err := lib.CreateElemental(ctx, a, input("made"))
			return err
		},
		"create many": func(ctx context.Context) error {
			_, err := lib.CreateElementals(ctx, a, []quire.ElementalInput{input("first"), input("second")})
			return err
		},
		"replace files": func(ctx context.Context) error {
			_, err := lib.UpdateElemental(ctx, a, "there", quire.ElementalPatch{Media: quire.MediaPatch{Files: &replaced}})
			return err
		},
		"add files": func(ctx context.Context) error {
			_, err := lib.AddMedia(ctx, a, "there", quire.MediaInput{Files: files("six", "seven")})
			return err
		},
		"delete": func(ctx context.Context) error { return lib.DeleteElemental(ctx, a, "there") },
	}
	if _, err := lib.CreateElemental(t.Context(), a, input("there")); err != nil {
		t.Fatal(err)
	}
	failures, orphans, changed := 0, 0, 0
	for name, do := range calls {
		before := rowsOf(t, s)
		for at := 1; ; at++ {
			ctx, cancel := context.WithCancel(t.Context())
			n := 0
			s.trace = func(string, []any) {
				if n++; n == at {
					cancel()
				}
			}
			err := do(ctx)
			cancel()
			s.trace = nil
			if n < at { // it came through
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				break
			}
			if failures++; !errors.Is(err, context.Canceled) {
				t.Errorf("%s, failed at statement %d: %v", name, at, err)
				break
			}
			after := rowsOf(t, s)
			if after["orphans"] > 0 {
				orphans++
			}
			if !maps.Equal(before, after) {
				changed++
				t.Errorf("%s, failed at statement %d (-before +after):\n%s", name, at, cmp.Diff(before, after))
			}
		}
		if name == "delete" {
			if _, err := lib.CreateElemental(t.Context(), a, input("there")); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("A5: %d failures, one at each statement of %d kinds of calls with files: %d with a file or row left over, %d changed something", failures, len(calls), orphans, changed)
}

// rowsOf counts what is stored, and files whose elemental there is not or that are not
// whole.
func rowsOf(t *testing.T, s *Store) map[string]int {
	t.Helper()
	rows := map[string]int{}
	for name, query := range map[string]string{
		"elementals": `SELECT count(*) FROM elementals`,
		"versions":   `SELECT coalesce(sum(version), 0) FROM elementals`,
		"media":      `SELECT count(*) FROM media`,
		"bytes":      `SELECT coalesce(sum(length(data)), 0) FROM media`,
		"orphans": `SELECT count(*) FROM media m WHERE m.size <> length(m.data)
			OR m.list_id IS NULL AND NOT EXISTS (SELECT 1 FROM elementals e WHERE e.num = m.elemental)`,
	} {
		var n int
		if err := s.read.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		rows[name] = n
	}
	return rows
}
