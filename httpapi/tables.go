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
