package quire_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store/sqlite"
)

// tableModel is a table as plainly as it can be said.
type tableModel struct {
	columns, rows []string
	cells         [][]string
	visibility    quire.Visibility
}

// titlesOf are the titles of lists.
func titlesOf(lists []quire.TableList) []string {
	out := []string{}
	for _, l := range lists {
		out = append(out, l.Title)
	}
	return out
}

// tableMachine changes a table and its model alike.
type tableMachine struct {
	*fixture
	rt    *rapid.T
	id    string
	model tableModel
	now   quire.Elemental
}

var (
	cellTexts  = rapid.SampledFrom([]string{"", "", "a", "b", "two\nlines", "ünï"})
	listTitles = rapid.SampledFrom([]string{"one", "two: three", "four\nfive", "1. six", strings.Repeat("long", 25)})
)

// pick draws one of the columns or rows, nil if there are none.
func (m *tableMachine) pick(lists []quire.TableList) *quire.TableList {
	if len(lists) == 0 {
		return nil
	}
	return &lists[rapid.IntRange(0, len(lists)-1).Draw(m.rt, "list")]
}

func (m *tableMachine) must(err error) {
	if err != nil {
		m.rt.Fatal(err)
	}
}

func (m *tableMachine) update(id int64, p quire.ListPatch) {
	_, err := m.UpdateList(context.Background(), m.ann, id, p)
	m.must(err)
}

// set sets some cells of a column or row, and renames it at times.
func (m *tableMachine) set(column bool) {
	lists, crossed := m.now.Details.Rows, m.now.Details.Columns
	if column {
		lists, crossed = crossed, lists
	}
	list := m.pick(lists)
	if list == nil {
		return
	}
	at := slices.IndexFunc(lists, func(l quire.TableList) bool { return l.ID == list.ID })
	p := quire.ListPatch{Cells: map[int64]string{}}
	for i, other := range crossed {
		if !rapid.Bool().Draw(m.rt, "set") {
			continue
		}
		text := cellTexts.Draw(m.rt, "text")
		p.Cells[other.ID] = text
		if column {
			m.model.cells[i][at] = text
		} else {
			m.model.cells[at][i] = text
		}
	}
	if rapid.Bool().Draw(m.rt, "rename") {
		title := listTitles.Draw(m.rt, "title")
		p.Title = &title
		if column {
			m.model.columns[at] = title
		} else {
			m.model.rows[at] = title
		}
	}
	m.update(list.ID, p)
}

func (m *tableMachine) SetColumn(*rapid.T) { m.set(true) }
func (m *tableMachine) SetRow(*rapid.T)    { m.set(false) }

// EditCell changes or deletes a cell as an elemental.
func (m *tableMachine) EditCell(*rapid.T) {
	for c, column := range m.now.Details.Columns {
		for _, cell := range column.Cells {
			if cell.ID == "" || rapid.IntRange(0, 3).Draw(m.rt, "this") > 0 {
				continue
			}
			r := slices.IndexFunc(m.now.Details.Rows, func(l quire.TableList) bool { return l.ID == cell.RowID })
			text := cellTexts.Draw(m.rt, "text")
			m.model.cells[r][c] = text
			if text == "" {
				m.must(m.DeleteElemental(context.Background(), m.ann, cell.ID))
				return
			}
			_, err := m.UpdateElemental(context.Background(), m.ann, cell.ID, quire.ElementalPatch{Body: &text})
			m.must(err)
			return
		}
	}
}

func (m *tableMachine) AddColumn(*rapid.T) {
	title := listTitles.Draw(m.rt, "title")
	_, err := m.fixture.AddColumn(context.Background(), m.ann, m.id, title)
	m.must(err)
	m.model.columns = append(m.model.columns, title)
	for r := range m.model.cells {
		m.model.cells[r] = append(m.model.cells[r], "")
	}
}

func (m *tableMachine) AddRow(*rapid.T) {
	title := listTitles.Draw(m.rt, "title")
	_, err := m.fixture.AddRow(context.Background(), m.ann, m.id, title)
	m.must(err)
	m.model.rows = append(m.model.rows, title)
	m.model.cells = append(m.model.cells, make([]string, len(m.model.columns)))
}

func (m *tableMachine) DeleteColumn(*rapid.T) {
	if list := m.pick(m.now.Details.Columns); list != nil {
		at := slices.IndexFunc(m.now.Details.Columns, func(l quire.TableList) bool { return l.ID == list.ID })
		m.must(m.DeleteList(context.Background(), m.ann, list.ID))
		m.model.columns = slices.Delete(m.model.columns, at, at+1)
		for r := range m.model.cells {
			m.model.cells[r] = slices.Delete(m.model.cells[r], at, at+1)
		}
	}
}

func (m *tableMachine) DeleteRow(*rapid.T) {
	if list := m.pick(m.now.Details.Rows); list != nil {
		at := slices.IndexFunc(m.now.Details.Rows, func(l quire.TableList) bool { return l.ID == list.ID })
		m.must(m.DeleteList(context.Background(), m.ann, list.ID))
		m.model.rows = slices.Delete(m.model.rows, at, at+1)
		m.model.cells = slices.Delete(m.model.cells, at, at+1)
	}
}

func (m *tableMachine) Show(*rapid.T) {
	m.model.visibility = rapid.SampledFrom([]quire.Visibility{quire.Public, quire.Unlisted}).Draw(m.rt, "visibility")
	_, err := m.UpdateElemental(context.Background(), m.ann, m.id, quire.ElementalPatch{Visibility: &m.model.visibility})
	m.must(err)
}

// Refuse tries what must change nothing.
func (m *tableMachine) Refuse(*rapid.T) {
	list := m.pick(slices.Concat(m.now.Details.Columns, m.now.Details.Rows))
	if list == nil {
		return
	}
	cells := map[int64]string{list.ID: "its own"}
	for _, other := range m.now.Details.Columns {
		cells[other.ID] = "x"
	}
	for _, other := range m.now.Details.Rows {
		cells[other.ID] = "y"
	}
	_, err := m.UpdateList(context.Background(), m.ann, list.ID, quire.ListPatch{Cells: cells})
	wantField(m.t, err, fmt.Sprintf("table/%d", list.ID))
}

// Check is the invariant: the table is what the model says.
func (m *tableMachine) Check(*rapid.T) {
	m.now = m.read(m.id)
	want := m.model
	got := tableModel{titlesOf(m.now.Details.Columns), titlesOf(m.now.Details.Rows), texts(m.now), m.now.Visibility}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(tableModel{})); diff != "" {
		m.rt.Fatalf("(-model +table):\n%s", diff)
	}
	// Cells are named by where they are, and nothing is left of those that went.
	left := make(map[string]bool)
	for c, column := range m.now.Details.Columns {
		for _, cell := range column.Cells {
			if cell.ID != "" {
				left[cell.ID] = true
			}
			r := slices.IndexFunc(m.now.Details.Rows, func(l quire.TableList) bool { return l.ID == cell.RowID })
			if name := m.model.rows[r] + " / " + m.model.columns[c]; !strings.HasPrefix(name, cell.Title) || len(cell.Title) < min(len(name), 100) {
				m.rt.Fatalf("the cell of %q is named %q", name, cell.Title)
			}
		}
	}
	err := m.store.View(context.Background(), func(tx quire.ReadTx) error {
		cells, err := tx.Cells(context.Background(), m.id)
		if len(cells) != len(left) {
			m.rt.Fatalf("%d cells are stored, %d shown", len(cells), len(left))
		}
		return err
	})
	m.must(err)
}

// TestTableModel changes tables at random and holds them against a plain model.
func TestTableModel(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		tables := 0
		_, durable := f.store.(*sqlite.Store)
		rapid.Check(t, func(rt *rapid.T) {
			if durable && tables == 10 {
				return // each change waits for the disk
			}
			m := &tableMachine{fixture: f, rt: rt}
			m.model = tableModel{
				columns: rapid.SliceOfN(listTitles, 1, 4).Draw(rt, "columns"), rows: rapid.SliceOfN(listTitles, 1, 4).Draw(rt, "rows"), visibility: quire.Public,
			}
			in := quire.TableInput{Title: "A table of things", Columns: m.model.columns, Rows: m.model.rows}
			for range m.model.rows {
				row := rapid.SliceOfN(cellTexts, 0, len(in.Columns)).Draw(rt, "cells")
				in.Cells = append(in.Cells, row)
				m.model.cells = append(m.model.cells, append(slices.Clone(row), make([]string, len(in.Columns)-len(row))...))
			}
			e, err := f.CreateTable(context.Background(), f.ann, in)
			m.must(err)
			m.id = e.ID
			actions := rapid.StateMachineActions(m)
			rt.Repeat(actions)
			tables++
		})
		t.Logf("%d tables", tables)
	})
}

// halfStore fails a write of the next Update.
type halfStore struct {
	quire.Store
	left int // writes that go through
}

var errHalf = errors.New("the disk is full")

func (s *halfStore) Update(ctx context.Context, fn func(tx quire.Tx) error) error {
	return s.Store.Update(ctx, func(tx quire.Tx) error { return fn(&halfTx{tx, s}) })
}

type halfTx struct {
	quire.Tx
	s *halfStore
}

func (tx *halfTx) write() error {
	if tx.s.left--; tx.s.left < 0 {
		return errHalf
	}
	return nil
}

func (tx *halfTx) PutElemental(ctx context.Context, e quire.ElementalRecord, text quire.IndexedText) error {
	return errors.Join(tx.write(), tx.Tx.PutElemental(ctx, e, text))
}

func (tx *halfTx) PutList(ctx context.Context, l quire.ListRecord, text quire.IndexedText) error {
	return errors.Join(tx.write(), tx.Tx.PutList(ctx, l, text))
}

func (tx *halfTx) PutItem(ctx context.Context, it quire.ListItem) error {
	return errors.Join(tx.write(), tx.Tx.PutItem(ctx, it))
}

func (tx *halfTx) DeleteElemental(ctx context.Context, id string) error {
	return errors.Join(tx.write(), tx.Tx.DeleteElemental(ctx, id))
}

func (tx *halfTx) DeleteList(ctx context.Context, id int64) error {
	return errors.Join(tx.write(), tx.Tx.DeleteList(ctx, id))
}

func (tx *halfTx) ShowTable(ctx context.Context, id string, v quire.Visibility, at time.Time) error {
	return errors.Join(tx.write(), tx.Tx.ShowTable(ctx, id, v, at))
}

func (tx *halfTx) ClearTable(ctx context.Context, id string) error {
	return errors.Join(tx.write(), tx.Tx.ClearTable(ctx, id))
}

// TestTablesAreChangedWholly: whichever write of a change fails, nothing of it stays.
func TestTablesAreChangedWholly(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			half := &halfStore{Store: s.open(t), left: 1 << 30}
			f := newFixture(t, half, nil)
			ctx := t.Context()
			var table quire.Elemental
			all := func() (out []string) {
				err := f.store.View(ctx, func(tx quire.ReadTx) error {
					for e, err := range tx.ElementalsOf(ctx, "ann") {
						if err != nil {
							return err
						}
						out = append(out, fmt.Sprintf("%s %s %d %v", e.Title, e.Body, e.Version, e.Visibility))
					}
					lists, _, err := tx.SearchLists(ctx, quire.ListSearch{Viewer: quire.Viewer{OwnerID: "ann"}, Limit: 100})
					for _, l := range lists {
						items, err := tx.Items(ctx, l.ID)
						if err != nil {
							return err
						}
						out = append(out, fmt.Sprintf("%s %d %d", l.Title, l.Version, len(items)))
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			for _, step := range []struct {
				name string
				do   func() error
			}{
				{"create", func() (err error) {
					table, err = f.CreateTable(ctx, f.ann, quire.TableInput{
						Title: "A table of things", Columns: []string{"a", "b"}, Rows: []string{"r", "s"}, Cells: [][]string{{"1", "2"}, {"3"}},
					})
					return err
				}},
				{"set", func() error {
					_, err := f.UpdateList(ctx, f.ann, table.Details.Rows[1].ID, quire.ListPatch{
						Title: ptr("t"), Cells: map[int64]string{table.Details.Columns[0].ID: "", table.Details.Columns[1].ID: "4"}})
					return err
				}},
				{"show", func() error {
					_, err := f.UpdateElemental(ctx, f.ann, table.ID, quire.ElementalPatch{Visibility: ptr(quire.Unlisted)})
					return err
				}},
				{"grow", func() error { _, err := f.AddColumn(ctx, f.ann, table.ID, "c"); return err }},
				{"shrink", func() error { return f.DeleteList(ctx, f.ann, table.Details.Columns[1].ID) }},
				{"delete", func() error { return f.DeleteElemental(ctx, f.ann, table.ID) }},
			} {
				before, failed := all(), 0
				for half.left = 0; ; half.left = failed {
					err := step.do()
					if err == nil {
						break
					}
					if !errors.Is(err, errHalf) {
						t.Fatalf("%s: %v", step.name, err)
					}
					if diff := cmp.Diff(before, all()); diff != "" {
						t.Errorf("%s failed at write %d and left:\n%s", step.name, failed, diff)
					}
					failed++
				}
				if failed < 2 {
					t.Errorf("%s has %d writes", step.name, failed)
				}
				t.Logf("%s: failed at each of %d writes", step.name, failed)
			}
			if left := all(); len(left) > 0 {
				t.Errorf("left in the end: %q", left)
			}
		})
	}
}
