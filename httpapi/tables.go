package httpapi

import (
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"strings"

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

// wholeTable is a table with its columns and rows. With ten thousand cells it is twenty
// megabytes of JSON, so that it is encoded list by list.
type wholeTable struct {
	elementalJSON // without columns and rows
	s             *server
	details       *quire.Details
}

// noLists is where columns and rows are missing in the JSON of a table.
const noLists = `"columns":[],"rows":[]`

func (t wholeTable) encodeTo(w io.Writer) error {
	head, err := json.Marshal(t.elementalJSON)
	if err != nil {
		return err
	}
	before, after, _ := strings.Cut(string(head), noLists)
	if _, err := io.WriteString(w, before+`"columns":[`); err != nil {
		return err
	}
	if err := encodeEach(w, converted(t.details.Columns, t.s.columnOf)); err != nil {
		return err
	}
	if _, err := io.WriteString(w, `],"rows":[`); err != nil {
		return err
	}
	if err := encodeEach(w, converted(t.details.Rows, t.s.rowOf)); err != nil {
		return err
	}
	_, err = io.WriteString(w, "]"+after)
	return err
}

// converted converts lists one after the other.
func converted(lists []quire.TableList, convert func(quire.TableList) listJSON) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for _, l := range lists {
			if !yield(convert(l), nil) {
				return
			}
		}
	}
}

// columnOf is a column of a table with its cells, whole but for what is never in a
// cell.
func (s *server) columnOf(t quire.TableList) listJSON {
	out := s.listOf(t.List)
	out.Items = mapAll(t.Cells, s.fullElemental)
	return out
}

// rowOf is a row of a table. Its cells are light: the columns have said the rest.
func (s *server) rowOf(t quire.TableList) listJSON {
	out := s.listOf(t.List)
	out.Items = mapAll(t.Cells, lightElemental)
	return out
}
