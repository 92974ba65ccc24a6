package httpapi

import (
	"net/http"
	"strings"

	"github.com/quirelib/quire"
)

func (s *server) createTable(c *call) error {
	o := c.object()
	in := tableInput(o)
	if err := o.err(); err != nil {
		return err
	}
	if err := c.holdTags(in.TagIDs); err != nil {
		return err
	}
	if places := len(in.Columns) * len(in.Rows); places <= quire.MaxTableCells { // else it will be refused
		if err := c.hold(int64(places) * cellCost); err != nil {
			return err
		}
	}
	return s.once(c, effect{stored: func(*call) ([]quire.Elemental, error) { return tableAndCells(in), nil }, knowledge: true, do: func(c *call) error {
		e, err := s.lib.CreateTable(c.r.Context(), c.actor(), in)
		if err != nil {
			return err
		}
		c.w.Header().Set("Location", e.URL)
		return s.respondElemental(c, http.StatusCreated, e, quire.KnowledgeOptions{})
	}})
}

// tableAndCells are a table and its cells as far as they are known before it is created;
// none if it is too large, which will be said later.
func tableAndCells(in quire.TableInput) []quire.Elemental {
	if len(in.Columns) > quire.MaxTableColumns || len(in.Rows) > quire.MaxTableRows || len(in.Columns)*len(in.Rows) > quire.MaxTableCells {
		return nil
	}
	lists := func(titles []string) []quire.TableList {
		out := make([]quire.TableList, len(titles))
		for i, title := range titles { // without ids the places tell them apart
			out[i].ListRecord = quire.ListRecord{ID: int64(i), Title: strings.TrimSpace(title)}
		}
		return out
	}
	d := &quire.Details{Columns: lists(in.Columns), Rows: lists(in.Rows)}
	all := []quire.Elemental{{Details: d, ElementalRecord: quire.ElementalRecord{
		TypeID: quire.TypeTable, Title: strings.TrimSpace(in.Title), Description: in.Description,
	}}}
	for r := range in.Rows {
		for c := range in.Columns {
			cell := quire.Elemental{ElementalRecord: quire.ElementalRecord{TypeID: quire.TypeCell, ColumnID: int64(c), RowID: int64(r)}}
			if r < len(in.Cells) && c < len(in.Cells[r]) {
				cell.Body = in.Cells[r][c]
			}
			d.Columns[c].Cells = append(d.Columns[c].Cells, cell)
			all = append(all, cell)
		}
	}
	return all
}

// columnOf is a column of a table with its cells, whole but for what is never in a
// cell.
func (s *server) columnOf(t quire.TableList, ahead renderings) largeList {
	return largeList{s.bareList(t), func(yield func(any, error) bool) {
		for _, c := range t.Cells {
			if cell, err := s.whole(c, nil, ahead); !yield(cell, err) || err != nil {
				return
			}
		}
	}}
}

// rowOf is a row of a table. Its cells are light: the columns have said the rest.
func (s *server) rowOf(t quire.TableList, _ renderings) largeList {
	return largeList{s.bareList(t), func(yield func(any, error) bool) {
		for _, c := range t.Cells {
			if !yield(lightElemental(c), nil) {
				return
			}
		}
	}}
}

// bareList is a column or row without its cells.
func (s *server) bareList(t quire.TableList) listJSON {
	out := s.listOf(t.List)
	out.Items = []elementalJSON{}
	return out
}
