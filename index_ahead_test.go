package quire

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// stopStore holds one document of ann's, and ends every change where it would write an
// elemental.
type stopStore struct {
	Store
	rec     ElementalRecord
	written []bool // whether the words were known by then
}

var errStopped = errors.New("stopped")

func (s *stopStore) View(_ context.Context, fn func(tx ReadTx) error) error { return fn(&stopTx{s: s}) }
func (s *stopStore) Update(_ context.Context, fn func(tx Tx) error) error   { return fn(&stopTx{s: s}) }

type stopTx struct {
	Tx
	s *stopStore
}

func (t *stopTx) Elemental(_ context.Context, id string) (ElementalRecord, error) {
	if id != t.s.rec.ID {
		return ElementalRecord{}, ErrNotFound
	}
	return t.s.rec, nil
}

func (t *stopTx) ElementalsWithoutBody(context.Context, []string) (map[string]ElementalRecord, error) {
	return map[string]ElementalRecord{t.s.rec.ID: t.s.rec}, nil
}

func (t *stopTx) ElementalSizes(context.Context, []string) (map[string]ElementalSize, error) {
	return map[string]ElementalSize{t.s.rec.ID: {Body: int64(len(t.s.rec.Body))}}, nil
}

func (t *stopTx) Tags(context.Context, []int64) (map[int64]Tag, error) {
	return map[int64]Tag{7: {ID: 7, OwnerID: "ann"}}, nil
}

func (t *stopTx) Tag(context.Context, int64) (Tag, error) {
	return Tag{ID: 7, OwnerID: "ann", Title: "old", Color: "#fff", ElementalTypeID: TypeDocument}, nil
}

func (t *stopTx) Tagged(context.Context, int64) (elementals []string, lists []int64, err error) {
	return []string{t.s.rec.ID}, nil, nil
}

func (t *stopTx) PutTag(context.Context, Tag) error { return nil }

func (t *stopTx) PutElementalText(ctx context.Context, _ string, text IndexedText) error {
	return t.PutElemental(ctx, t.s.rec, text)
}

func (t *stopTx) PutElemental(ctx context.Context, rec ElementalRecord, text IndexedText) error {
	found, _ := ctx.Value(segmentedKey{}).(segmented)
	w, known := found[rec.Body]
	t.s.written = append(t.s.written, known && w == text.Body && strings.HasPrefix(w, "many words"))
	return errStopped
}

// TestIndexedAhead looks whether the words of a large body are known when the transaction
// writes them, for every call that writes a body.
func TestIndexedAhead(t *testing.T) {
	t.Parallel()
	ann := Actor{UserID: "ann", TenantID: "ann"}
	body := strings.Repeat("Many words ", 10_000)
	other := body + "more"
	for name, change := range map[string]func(l *Library) error{
		"create": func(l *Library) error {
			_, err := l.CreateElemental(t.Context(), ann, ElementalInput{Title: "A long document", TypeID: TypeDocument, CategoryID: CategoryText, Body: body})
			return err
		},
		"create many": func(l *Library) error {
			_, err := l.CreateElementals(t.Context(), ann, []ElementalInput{{Title: "A long document", TypeID: TypeDocument, Body: body}})
			return err
		},
		"update body": func(l *Library) error {
			_, err := l.UpdateElemental(t.Context(), ann, "stored", ElementalPatch{Body: &other})
			return err
		},
		"update title": func(l *Library) error {
			_, err := l.UpdateElemental(t.Context(), ann, "stored", ElementalPatch{Title: new("Another title for it")})
			return err
		},
		"tag": func(l *Library) error {
			_, err := l.AttachTag(t.Context(), ann, "stored", 7)
			return err
		},
		"rename its tag": func(l *Library) error {
			_, err := l.UpdateTag(t.Context(), ann, 7, TagPatch{Title: new("renamed")})
			return err
		},
		"delete its tag": func(l *Library) error { return l.DeleteTag(t.Context(), ann, 7) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &stopStore{rec: ElementalRecord{ID: "stored", OwnerID: "ann", TenantID: "ann", Title: "A stored document", TypeID: TypeDocument, CategoryID: CategoryText, Visibility: Public, Body: body}}
			if err := change(newStopped(s)); !errors.Is(err, errStopped) {
				t.Fatalf("error %v", err)
			}
			if len(s.written) != 1 || !s.written[0] {
				t.Errorf("the words were known: %v, want [true]", s.written)
			}
		})
	}
}

// tableTx has a table of ann's, with a column, a row and a long cell where they cross.
type tableTx struct {
	stopTx
	table, cell ElementalRecord
}

type tableStore struct {
	stopStore
	table, cell ElementalRecord
}

func (s *tableStore) tx() *tableTx                                           { return &tableTx{stopTx{s: &s.stopStore}, s.table, s.cell} }
func (s *tableStore) View(_ context.Context, fn func(tx ReadTx) error) error { return fn(s.tx()) }
func (s *tableStore) Update(_ context.Context, fn func(tx Tx) error) error   { return fn(s.tx()) }

func (t *tableTx) Elemental(_ context.Context, id string) (ElementalRecord, error) {
	if id == t.cell.ID {
		return t.cell, nil
	}
	return t.table, nil
}

func (t *tableTx) ElementalsWithoutBody(context.Context, []string) (map[string]ElementalRecord, error) {
	return map[string]ElementalRecord{t.table.ID: t.table, t.cell.ID: t.cell}, nil
}

func (t *tableTx) Elementals(ctx context.Context, ids []string) (map[string]ElementalRecord, error) {
	return t.ElementalsWithoutBody(ctx, ids)
}

func (t *tableTx) ElementalSizes(context.Context, []string) (map[string]ElementalSize, error) {
	n := int64(len(t.cell.Body))
	return map[string]ElementalSize{t.table.ID: {Cells: 1, CellBody: n}, t.cell.ID: {Body: n}}, nil
}

func (t *tableTx) List(_ context.Context, id int64) (ListRecord, error) {
	if id > 2 {
		return ListRecord{}, ErrNotFound
	}
	return ListRecord{ID: id, OwnerID: "ann", TenantID: "ann", Title: "A title", TypeID: 1, Visibility: Public, TableID: t.table.ID,
		TableOrientation: map[int64]string{1: TableColumn, 2: TableRow}[id]}, nil
}

func (t *tableTx) TableLists(ctx context.Context, _ string) ([]ListRecord, error) {
	column, _ := t.List(ctx, 1)
	row, _ := t.List(ctx, 2)
	return []ListRecord{column, row}, nil
}

func (t *tableTx) CellTexts(context.Context, string) ([]CellText, error) {
	return []CellText{{ID: t.cell.ID, ColumnID: 1, RowID: 2, Body: t.cell.Body}}, nil
}

func (t *tableTx) Cells(context.Context, string) ([]ElementalRecord, error) {
	return []ElementalRecord{t.cell}, nil
}

func (t *tableTx) Items(context.Context, int64) ([]ListItem, error) { return nil, nil }

// The first write ends the change; a deletion begins with the jobs.

func (t *tableTx) Jobs(ctx context.Context, _ JobQuery) ([]Job, int, error) {
	return nil, 0, t.written(ctx)
}

func (t *tableTx) written(ctx context.Context) error {
	found, _ := ctx.Value(segmentedKey{}).(segmented)
	_, known := found[t.cell.Body]
	t.s.written = append(t.s.written, known)
	return errStopped
}

func (t *tableTx) PutElemental(ctx context.Context, _ ElementalRecord, _ IndexedText) error {
	return t.written(ctx)
}
func (t *tableTx) PutList(ctx context.Context, _ ListRecord, _ IndexedText) error {
	return t.written(ctx)
}
func (t *tableTx) DeleteList(ctx context.Context, _ int64) error { return t.written(ctx) }

// TestTablesIndexedAhead: a change of a part of a large table indexes the whole table, whose
// words are known before others have to wait for it.
func TestTablesIndexedAhead(t *testing.T) {
	t.Parallel()
	ann := Actor{UserID: "ann", TenantID: "ann"}
	for name, change := range map[string]func(l *Library) error{
		"rename a column": func(l *Library) error {
			_, err := l.UpdateList(t.Context(), ann, 1, ListPatch{Title: new("Another title")})
			return err
		},
		"set a cell by its row": func(l *Library) error {
			_, err := l.UpdateList(t.Context(), ann, 2, ListPatch{Cells: map[int64]string{1: "short"}})
			return err
		},
		"set a cell": func(l *Library) error {
			_, err := l.UpdateElemental(t.Context(), ann, "cell", ElementalPatch{Body: new("short")})
			return err
		},
		"describe a cell": func(l *Library) error {
			_, err := l.UpdateElemental(t.Context(), ann, "cell", ElementalPatch{Description: new("what it says")})
			return err
		},
		"delete a column": func(l *Library) error { return l.DeleteList(t.Context(), ann, 1) },
		"delete a cell":   func(l *Library) error { return l.DeleteElemental(t.Context(), ann, "cell") },
		"add a row": func(l *Library) error {
			_, err := l.AddRow(t.Context(), ann, "table", "Another row")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &tableStore{
				table: ElementalRecord{ID: "table", OwnerID: "ann", TenantID: "ann", Title: "A stored table", TypeID: TypeTable, CategoryID: CategoryText, Visibility: Public},
				cell: ElementalRecord{ID: "cell", OwnerID: "ann", TenantID: "ann", Title: "A / B", TypeID: TypeCell, CategoryID: CategoryText, Visibility: Public,
					TableID: "table", ColumnID: 1, RowID: 2, Body: strings.Repeat("Many words ", 10_000)},
			}
			l := newStopped(s)
			if err := change(l); !errors.Is(err, errStopped) {
				t.Fatalf("error %v", err)
			}
			if len(s.written) != 1 || !s.written[0] {
				t.Errorf("the words were known: %v, want [true]", s.written)
			}
			if len(l.indexing.users) != 0 {
				t.Error("nobody else may index ahead any more")
			}
		})
	}
}

// newStopped is a Library on a Store that ends its changes.
func newStopped(s Store) *Library {
	l := &Library{store: s, opts: LibraryOptions{MaxBodyBytes: 1 << 20, MaxBatch: 10}, indexing: newTurns(1)}
	cat := defaultCatalogue()
	l.catalogue.Store(&cat)
	return l
}

// TestAheadWaits: what is indexed ahead of changes is held once, not for everybody who waits.
func TestAheadWaits(t *testing.T) {
	t.Parallel()
	s := &stopStore{rec: ElementalRecord{ID: "stored", OwnerID: "ann", TenantID: "ann", TypeID: TypeDocument, Body: strings.Repeat("Many words ", 10_000)}}
	l := newStopped(s)
	ann := Actor{UserID: "ann", TenantID: "ann"}
	_, done, err := l.indexTaggedAhead(t.Context(), ann, 7)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := l.indexTaggedAhead(ctx, ann, 7); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second one: %v, want it to wait", err)
	}
	done()
	_, done, err = l.indexTaggedAhead(t.Context(), ann, 7)
	if err != nil {
		t.Errorf("after the first one: %v", err)
	}
	done()
}

// A line break separates words, so that the texts of a table can be segmented one by one.
func TestWordsOfAll(t *testing.T) {
	t.Parallel()
	cases := 0
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "C", "+", "++", "#", "\u0301", "e", ".NET", "\u200d", "Ünï", "日本", "ก\u0e31", "♯", "17", "\u1161", "\u1100", "\u00ad"}))
		texts := rapid.SliceOf(rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 4).Draw(t, "pieces"), "") })).Draw(t, "texts")
		l := &Library{}
		ctx := l.IndexAhead(context.Background(), texts[:len(texts)/2]...)
		if got, want := wordsOfAll(ctx, texts), words(strings.Join(texts, "\n")); got != want {
			t.Fatalf("%q: one by one %q, together %q", texts, got, want)
		}
		cases++
	})
	t.Logf("compared %d tables", cases)
}

// brokenStore panics when it has read what a change indexes ahead.
type brokenStore struct{ stopStore }

type brokenTx struct{ stopTx }

func (s *brokenStore) View(_ context.Context, fn func(tx ReadTx) error) error {
	return fn(&brokenTx{stopTx{s: &s.stopStore}})
}

func (*brokenTx) Elemental(context.Context, string) (ElementalRecord, error) { panic("broken") }

// A turn ends with a panic, too, which a server outlives.
func TestTurnsEndWithAPanic(t *testing.T) {
	t.Parallel()
	s := &brokenStore{stopStore{rec: ElementalRecord{ID: "stored", OwnerID: "ann", TypeID: TypeDocument, Body: strings.Repeat("Many words ", 10_000)}}}
	l := newStopped(s)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("nothing has panicked")
			}
		}()
		_, _, _ = l.indexStoredAhead(t.Context(), Actor{UserID: "ann", TenantID: "ann"}, "stored")
	}()
	if n, users := len(l.indexing.all), len(l.indexing.users); n > 0 || users > 0 {
		t.Errorf("%d turns are taken, by %d users", n, users)
	}
}
