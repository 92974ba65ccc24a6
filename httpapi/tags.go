package httpapi

import (
	"context"
	"net/http"

	"github.com/quirelib/quire"
)

func (s *server) userTags(c *call) error {
	if err := c.holdAll(); err != nil {
		return err
	}
	ids, err := s.lib.FindTags(c.r.Context(), c.actor())
	if err != nil {
		return err
	}
	if err := c.holdEach(ids); err != nil {
		return err
	}
	head := envelope{Code: http.StatusOK, Meta: c.meta(len(ids)), Response: []any{}}
	tags := s.lib.TagsByID(c.r.Context(), c.actor(), ids)
	return c.sendInside(head, `"response":[]`, eachOf(tags, func(t quire.Tag) (any, error) { return tagOf(t), nil }))
}

func (s *server) createTag(c *call) error {
	o := c.object()
	in := tagInput(o)
	if err := o.err(); err != nil {
		return err
	}
	return s.once(c, effect{do: func(c *call) error {
		t, err := s.lib.CreateTag(c.r.Context(), c.actor(), in)
		if err != nil {
			return err
		}
		return c.respond(http.StatusCreated, tagOf(t))
	}})
}

func (s *server) updateTag(c *call) error {
	o := c.object()
	patch := tagPatch(o)
	if err := o.err(); err != nil {
		return err
	}
	t, err := s.lib.UpdateTag(c.r.Context(), c.actor(), c.numericID("tag_id"), patch)
	if err != nil {
		return err
	}
	return c.respond(http.StatusOK, tagOf(t))
}

func (s *server) deleteTag(c *call) error {
	if err := s.lib.DeleteTag(c.r.Context(), c.actor(), c.numericID("tag_id")); err != nil {
		return err
	}
	return c.noContent()
}

// changeTag puts a tag on an elemental or takes it off, and answers with the
// elemental.
func (s *server) changeTag(c *call, change func(context.Context, quire.Actor, string, int64) (quire.Elemental, error)) error {
	e, err := change(c.r.Context(), c.actor(), c.params["id"], c.numericID("tag_id"))
	if err != nil {
		return err
	}
	return s.respondElemental(c, http.StatusOK, e, quire.KnowledgeOptions{})
}
