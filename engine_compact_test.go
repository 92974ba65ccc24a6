package quire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/extract"
	"github.com/quirelib/quire/store/sqlite"
)

// secrets are words that are looked for in the files of a Store. Every eight letters of one
// are in no other: an index may cut off what a word shares with the one before it.
type secrets struct {
	all  []string
	rand *rand.Rand
}

func (s *secrets) next() string {
	b := make([]byte, 24)
	for i := range b {
		b[i] = 'a' + byte(s.rand.IntN(26))
	}
	s.all = append(s.all, string(b))
	return string(b)
}

// foundIn returns the secrets of which a file of the directory holds the last half.
func (s *secrets) foundIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range s.all {
			if bytes.Contains(data, []byte(word[12:])) {
				found[word] = file.Name()
			}
		}
	}
	return found
}

// What was deleted in any way is in no file after Compact, and what was not is still
// there. Before it, some of it is: else the test would prove nothing.
func TestCompactLeavesNothingOfWhatWasDeleted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "quire.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := newEngineFixture(t, s, quire.EngineOptions{Chunker: paragraphs{}, Extractor: extract.New(nil)})
	ctx := t.Context()
	gone, kept := &secrets{rand: rand.New(rand.NewPCG(1, 1))}, &secrets{rand: rand.New(rand.NewPCG(2, 2))}
	long := func(word string) string {
		return strings.Repeat("what follows is long enough for several pages. ", 400) + word
	}

	var remove []func() error
	for i := range 40 {
		word := gone.next
		if i%4 == 3 {
			word = kept.next
		}
		tag, err := f.CreateTag(ctx, f.ann, quire.TagInput{Title: word(), Color: "#fff", Description: word(), ElementalTypeID: quire.TypeDocument})
		f.check(err)
		e := f.create(f.ann, quire.ElementalInput{
			Title: "title " + word(), Description: word(), TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Command: word(),
			Body: word() + "\n\n" + long(word()), TagIDs: []int64{tag.ID},
			Media: quire.MediaInput{Files: []quire.Upload{{Name: "notes.txt", Data: []byte(long(word()))}, {Name: word() + ".bin", Data: []byte{0}}}},
		})
		f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
		f.update(f.ann, e.ID, "now "+word()+"\n\n"+long(word()))
		_, err = f.Comment(ctx, f.bob, e.ID, word())
		f.check(err)
		_, err = f.Rate(ctx, f.bob, quire.Subject{ElementalID: e.ID}, 4, word())
		f.check(err)
		l, err := f.CreateList(ctx, f.ann, quire.ListInput{Title: "list " + word(), Description: word(), Items: []quire.ItemInput{{ElementalID: e.ID}}})
		f.check(err)
		table, err := f.CreateTable(ctx, f.ann, quire.TableInput{
			Title: "table " + word(), Columns: []string{word(), word()}, Rows: []string{word()}, Cells: [][]string{{word(), long(word())}},
		})
		f.check(err)
		if i%4 == 3 {
			continue
		}
		remove = append(remove,
			func() error { return f.DeleteElemental(ctx, f.ann, e.ID) }, func() error { return f.DeleteElemental(ctx, f.ann, table.ID) },
			func() error { return f.DeleteList(ctx, f.ann, l.ID) }, func() error { return f.DeleteTag(ctx, f.ann, tag.ID) })
	}
	rand.New(rand.NewPCG(3, 3)).Shuffle(len(remove), func(i, j int) { remove[i], remove[j] = remove[j], remove[i] })
	for _, del := range remove {
		f.check(del())
	}
	before := len(gone.foundIn(t, dir))
	if before == 0 {
		t.Error("nothing of what was deleted is left before Compact")
	}
	f.check(f.Compact(ctx))
	found := gone.foundIn(t, dir)
	if len(found) > 0 {
		t.Errorf("%d of %d are left: %v", len(found), len(gone.all), found)
	}
	// What was updated is gone of the kept ones too, so count what must be there.
	if there := len(kept.foundIn(t, dir)); there < len(kept.all)/2 {
		t.Errorf("only %d of %d words of what was kept are there", there, len(kept.all))
	}
	f.check(f.Compact(ctx))
	if t.Failed() {
		return
	}
	t.Logf("G10: of %d words that were deleted or replaced in every kind of text, %d were in the files before Compact, %d after it", len(gone.all), before, len(found))
}

// Compact goes on beside readers and writers, waits for a View, and ends with its context.
func TestCompactBesideOthers(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		var wg sync.WaitGroup
		for w := range 4 {
			wg.Go(func() {
				for i := range 15 {
					e, err := f.CreateElemental(ctx, f.ann, document(fmt.Sprintf("The document %d of %d", i, w), strings.Repeat("some words ", 500)))
					if err == nil && i%2 == 0 {
						err = f.DeleteElemental(ctx, f.ann, e.ID)
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Go(func() {
			for range 5 {
				if err := f.Compact(ctx); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Wait()
		found, err := f.SearchElementals(ctx, f.ann, quire.SearchInput{Text: "the document"})
		if err != nil || found.Total != 28 {
			t.Errorf("%d found, want 28: %v", found.Total, err)
		}

		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		if err := f.Compact(cancelled); !errors.Is(err, context.Canceled) {
			t.Errorf("with a cancelled context: %v", err)
		}
	})
}
