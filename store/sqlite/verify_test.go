package sqlite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

// written is what a Store holds that no one may change unseen.
type written struct {
	Elementals, Lists, Chunks []string
	Media                     [][]byte
}

// fillForFlips fills a Store with texts of every kind.
func fillForFlips(t *testing.T, s *Store) {
	t.Helper()
	mustUpdate(t, s, func(ctx context.Context, tx quire.Tx) error {
		for i := range 150 {
			words := strings.Repeat(fmt.Sprint("word", i, " "), 30*(i%5)+1)
			e := quire.ElementalRecord{ID: fmt.Sprint("e", i), OwnerID: "u", TenantID: "t", Title: fmt.Sprint("Title ", i), Description: words[:5], Body: words}
			if err := tx.PutElemental(ctx, e, quire.IndexedText{Title: "title", Body: words}); err != nil {
				return err
			}
			l := quire.ListRecord{ID: int64(i + 1), OwnerID: "u", TenantID: "t", Title: fmt.Sprint("List ", i), Description: words}
			if err := tx.PutList(ctx, l, quire.IndexedText{Title: "list"}); err != nil {
				return err
			}
			m := quire.Media{ID: int64(i + 1), Owner: quire.MediaOwner{ElementalID: e.ID}, Kind: quire.MediaFile, Name: "f", MIMEType: "text/plain"}
			if err := tx.PutMedia(ctx, m, []byte(words)); err != nil {
				return err
			}
			c := quire.Chunk{ID: fmt.Sprint("c", i), TenantID: "t", ElementalID: e.ID, ItemID: e.ID, Text: words, Vector: []float32{1}}
			if err := tx.ReplaceChunks(ctx, e.ID, []quire.Chunk{c}); err != nil {
				return err
			}
		}
		return nil
	})
}

// readBack reads what fillForFlips has written; an error is one of the Store.
func readBack(ctx context.Context, s *Store) (w written, err error) {
	err = s.View(ctx, func(tx quire.ReadTx) error {
		for e, err := range tx.TenantElementals(ctx, "t") {
			if err != nil {
				return err
			}
			w.Elementals = append(w.Elementals, strings.Join([]string{e.ID, e.OwnerID, e.Title, e.Description, e.Body}, "|"))
		}
		for l, err := range tx.TenantLists(ctx, "t") {
			if err != nil {
				return err
			}
			w.Lists = append(w.Lists, strings.Join([]string{fmt.Sprint(l.ID), l.OwnerID, l.Title, l.Description}, "|"))
		}
		for c, err := range tx.AllChunks(ctx) {
			if err != nil {
				return err
			}
			w.Chunks = append(w.Chunks, strings.Join([]string{c.ID, c.ElementalID, c.Text}, "|"))
		}
		for id := range int64(150) {
			data, err := tx.MediaData(ctx, id+1)
			if err != nil {
				return err
			}
			w.Media = append(w.Media, data)
		}
		return nil
	})
	return w, err
}

// TestFlippedBytes flips a byte of a file at random places. Each time, either the file is
// refused, or reading fails, or Verify finds something, or all that matters is as it was:
// no text changes unseen.
func TestFlippedBytes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	s := mustOpen(t, path)
	fillForFlips(t, s)
	want, err := readBack(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	var v quire.Verification
	if err := s.Verify(t.Context(), &v); err != nil || !v.Sound() || v.Checked["rows"] != 600 {
		t.Fatalf("before any flip: %+v, error %v", v, err)
	}
	mustClose(t, s)
	original, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	count := map[string]int{}
	const flips = 200
	for range flips {
		at, bit := r.IntN(len(original)), byte(1)<<r.IntN(8)
		data := slices.Clone(original)
		data[at] ^= bit
		outcome := flipped(t, data, want)
		if outcome == "" {
			t.Errorf("bit %#x of byte %d: what is read has changed, and nothing tells", bit, at)
		}
		count[outcome]++
	}
	t.Logf("A6: %d files with one flipped bit: %d refused, %d failed to be read, %d found by Verify, %d unharmed, %d changed unseen",
		flips, count["refused"], count["unreadable"], count["verified"], count["unharmed"], count[""])
}

// flipped says what becomes of a damaged file; "" if a change of it is not seen.
func flipped(t *testing.T, data []byte, want written) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "flipped.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path, &Options{Synchronous: Normal})
	if err != nil {
		return "refused"
	}
	defer mustClose(t, s)
	var v quire.Verification
	if err := s.Verify(t.Context(), &v); err != nil {
		return "unreadable"
	}
	if !v.Sound() {
		return "verified"
	}
	got, err := readBack(t.Context(), s)
	switch {
	case err != nil:
		return "unreadable"
	case cmp.Equal(want, got):
		return "unharmed"
	}
	return ""
}
