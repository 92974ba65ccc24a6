package quire_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store/sqlite"
)

// benchLibrary makes a Library with one user on an SQLite file.
func benchLibrary(b *testing.B) (*quire.Library, quire.Store, quire.Actor) {
	b.Helper()
	ctx := b.Context()
	s, err := sqlite.Open(ctx, filepath.Join(b.TempDir(), "quire.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	lib, err := quire.NewLibrary(ctx, s, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := errors.Join(lib.Close(context.Background()), s.Close()); err != nil {
			b.Error(err)
		}
	})
	u, err := lib.CreateUser(ctx, quire.UserInput{ID: "ann"})
	if err != nil {
		b.Fatal(err)
	}
	return lib, s, u.Actor()
}

// BenchmarkTable changes a table of 10,000 cells on SQLite. It was not ingested.
func BenchmarkTable(b *testing.B) {
	ctx := b.Context()
	lib, _, ann := benchLibrary(b)
	create := func() quire.Elemental {
		in := quire.TableInput{Title: "A table of many cells"}
		for i := range 10 {
			in.Columns = append(in.Columns, fmt.Sprint("Column ", i))
		}
		for i := range quire.MaxTableRows {
			in.Rows = append(in.Rows, fmt.Sprint("Row ", i))
			row := make([]string, 10)
			for k := range row {
				row[k] = fmt.Sprintf("The text of cell %d in row %d, about a harbour and its berths", k, i)
			}
			in.Cells = append(in.Cells, row)
		}
		t, err := lib.CreateTable(ctx, ann, in)
		if err != nil {
			b.Fatal(err)
		}
		return t
	}
	table := create()
	n := 0
	b.Run("set one cell", func(b *testing.B) {
		row := table.Details.Rows[500].ID
		for b.Loop() {
			n++
			_, err := lib.UpdateList(ctx, ann, table.Details.Columns[3].ID, quire.ListPatch{Cells: map[int64]string{row: fmt.Sprint("text ", n)}})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("visibility", func(b *testing.B) {
		for b.Loop() {
			n++
			_, err := lib.UpdateElemental(ctx, ann, table.ID, quire.ElementalPatch{Visibility: ptr(quire.Visibility(1 + n%2))})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("delete", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			t := create()
			b.StartTimer()
			if err := lib.DeleteElemental(ctx, ann, t.ID); err != nil {
				b.Fatal(err)
			}
		}
	})
}
