package httpapi

import (
	"io"
	"net/http"

	"github.com/quirelib/quire"
)

func (s *server) addMedia(c *call) error {
	o := c.object()
	in := mediaInput(o)
	if err := o.err(); err != nil {
		return err
	}
	return s.once(c, effect{uploads: []quire.MediaInput{in}, stored: (*call).elementalAndCells, knowledge: true, do: func(c *call) error {
		e, err := s.lib.AddMedia(c.r.Context(), c.actor(), c.params["id"], in)
		if err != nil {
			return err
		}
		return s.respondElemental(c, http.StatusCreated, e, quire.KnowledgeOptions{})
	}})
}

// elementalAndCells reads the elemental that the path names, with its cells if it is a
// table; none if there is no such elemental, which will be said later.
func (c *call) elementalAndCells() ([]quire.Elemental, error) {
	e, err := c.s.lib.Elemental(c.r.Context(), c.actor(), c.params["id"])
	if quire.CodeOf(err) == quire.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := []quire.Elemental{e}
	if e.Details != nil {
		for _, column := range e.Details.Columns {
			all = append(all, column.Cells...)
		}
	}
	return all, nil
}

func (s *server) removeMedia(c *call) error {
	o := c.object()
	removal := mediaRemoval(o)
	if err := o.err(); err != nil {
		return err
	}
	e, err := s.lib.RemoveMedia(c.r.Context(), c.actor(), c.params["id"], removal)
	if err != nil {
		return err
	}
	return s.respondElemental(c, http.StatusOK, e, quire.KnowledgeOptions{})
}

func (s *server) getElementalFile(c *call) error {
	id := c.numericID("file_id")
	if err := c.holdFile(id); err != nil {
		return err
	}
	m, data, err := s.lib.ElementalFile(c.r.Context(), c.actor(), c.params["id"], id)
	if err != nil {
		return err
	}
	return c.respondFile(m, data)
}

func (s *server) getListFile(c *call) error {
	id := c.numericID("file_id")
	if err := c.holdFile(id); err != nil {
		return err
	}
	m, data, err := s.lib.ListFile(c.r.Context(), c.actor(), c.numericID("list_id"), id)
	if err != nil {
		return err
	}
	return c.respondFile(m, data)
}

func (s *server) getImage(c *call) error {
	id := c.numericID("id")
	if err := c.holdFile(id); err != nil {
		return err
	}
	m, data, err := s.lib.Image(c.r.Context(), c.actor(), id)
	if err != nil {
		return err
	}
	return c.sendMedia(m, data)
}

// respondFile answers with the bytes of a file, or with its description and the bytes as
// numbers for a client that asks for JSON.
func (c *call) respondFile(m quire.Media, data []byte) error {
	c.w.Header().Set("Vary", "Accept")
	if !prefersJSON(c.r.Header.Values("Accept"), servedType(m.MIMEType)) {
		return c.sendMedia(m, data)
	}
	file := c.s.fileOf(m)
	file.Data = byteNumbers{}
	head := envelope{Code: http.StatusOK, Meta: c.meta(1), Response: file}
	return c.writeInside(head, `"data":[]`, func(w io.Writer) error { return writeByteNumbers(w, data) })
}
