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
	e, err := s.lib.CreateTable(c.r.Context(), c.actor(), in)
	if err != nil {
		return err
	}
	c.w.Header().Set("Location", e.URL)
	return s.respondElemental(c, http.StatusCreated, e, quire.KnowledgeOptions{})
}

// columnOf is a column of a table with its cells, whole but for what is never in a
// cell.
func (s *server) columnOf(t quire.TableList) largeList {
	return largeList{s.bareList(t), func(yield func(any, error) bool) {
		for _, c := range t.Cells {
			if cell, err := s.whole(c, nil); !yield(cell, err) || err != nil {
				return
			}
		}
	}}
}

// rowOf is a row of a table. Its cells are light: the columns have said the rest.
func (s *server) rowOf(t quire.TableList) largeList {
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
