package httpapi

import (
	"net/http"

	"github.com/quirelib/quire"
)

func (s *server) createTable(c *call) error {
	o := bodyObject(c.body)
	in := tableInput(o)
	if err := o.err(); err != nil {
		return err
	}
	return s.once(c, effect{answered: cellsIn(in), do: func(c *call) error {
		e, err := s.lib.CreateTable(c.r.Context(), c.actor(), in)
		if err != nil {
			return err
		}
		c.w.Header().Set("Location", e.URL)
		return s.respondElemental(c, http.StatusCreated, e, quire.KnowledgeOptions{})
	}})
}

// cellsIn are the cells that a table will have, and its description.
func cellsIn(in quire.TableInput) []quire.Elemental {
	all := []quire.Elemental{{ElementalRecord: quire.ElementalRecord{TypeID: quire.TypeTable, Description: in.Description}}}
	for _, row := range in.Cells {
		for _, text := range row {
			if text != "" {
				all = append(all, quire.Elemental{ElementalRecord: quire.ElementalRecord{TypeID: quire.TypeCell, Body: text}})
			}
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
