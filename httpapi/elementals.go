package httpapi

import (
	"iter"
	"math"
	"net/http"
	"strings"

	"github.com/quirelib/quire"
)

func (s *server) getElemental(c *call) error {
	q := c.query()
	opts := q.knowledge()
	if err := q.err(); err != nil {
		return err
	}
	e, err := s.lib.Elemental(c.r.Context(), c.actor(), c.params["id"])
	if err != nil {
		return err
	}
	return s.respondElemental(c, http.StatusOK, e, opts)
}

// respondElemental answers with one elemental and its knowledge text.
func (s *server) respondElemental(c *call, status int, e quire.Elemental, opts quire.KnowledgeOptions) error {
	out, err := s.whole(e, &opts, c.ahead)
	if err != nil {
		return err
	}
	return c.respondLarge(status, out)
}

func (s *server) searchElementals(c *call) error {
	q := c.query()
	text, _ := q.text("search")
	page, opts := q.page(), q.knowledge()
	q.require("search", "it is what to look for")
	if err := q.err(); err != nil {
		return err
	}
	if err := c.holdRead(page.Size); err != nil {
		return err
	}
	found, err := s.lib.SearchElementals(c.r.Context(), c.actor(), quire.SearchInput{Text: text, Page: page, WithoutBody: true, WithoutTags: true})
	if err != nil {
		return err
	}
	return respondWhole(c, found, page, func(e quire.Elemental) (any, error) { return s.pageItem(e, opts, page.Size) })
}

// userElementals answers with a page of the caller's own elementals.
func (s *server) userElementals(c *call) error {
	q := c.query()
	in := quire.UserElementalsInput{TypeID: q.number("type_id", math.MaxInt32), TagID: q.id("tag_id"), Page: q.page(), WithoutTags: true}
	if err := q.err(); err != nil {
		return err
	}
	if err := c.holdRead(in.Page.Size); err != nil {
		return err
	}
	found, err := s.lib.UserElementals(c.r.Context(), c.actor(), in)
	if err != nil {
		return err
	}
	return c.respondLight(found, in.Page)
}

// respondLight answers with a page of light items, found without tags.
func (c *call) respondLight(found quire.Paged[quire.Elemental], page quire.Page) error {
	tags, err := c.tagCost(mapAll(found.Items, func(e quire.Elemental) []int64 { return e.TagIDs }))
	if err != nil {
		return err
	}
	if err := c.holdNotes(lengths(found.Items, descriptionOf), tags); err != nil {
		return err
	}
	items := c.s.lib.WithTags(c.r.Context(), c.actor(), found.Items)
	return respondEach(c, eachOf(items, func(e quire.Elemental) (any, error) { return lightItem{&e}, nil }), page, found.Total)
}

// respondWhole sends a page, found without bodies and tags, with its elementals whole: each is
// read, made, encoded and let go before the next one. What is deleted meanwhile is left
// out, so that the page has fewer than its total says.
func respondWhole(c *call, found quire.Paged[quire.Elemental], page quire.Page, item func(quire.Elemental) (any, error)) error {
	ids := idsOf(found.Items)
	if err := c.holdPage(ids, lengths(found.Items, descriptionOf)); err != nil {
		return err
	}
	head := envelope{Code: http.StatusOK, Meta: c.pageMeta(page, found.Total), Response: []any{}}
	return c.sendInside(head, `"response":[]`, eachOf(c.s.lib.Elementals(c.r.Context(), c.actor(), ids), item))
}

func descriptionOf(e quire.Elemental) string { return e.Description }

func idsOf(es []quire.Elemental) []string {
	return mapAll(es, func(e quire.Elemental) string { return e.ID })
}

// eachOf makes an item of each elemental or list, one after the other.
func eachOf[T any](all iter.Seq2[T, error], item func(T) (any, error)) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for one, err := range all {
			var v any
			if err == nil {
				v, err = item(one)
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// pageItem is an elemental with its knowledge text, if size is small enough for it.
func (s *server) pageItem(e quire.Elemental, opts quire.KnowledgeOptions, size int) (any, error) {
	if size >= knowledgeLimit {
		return s.whole(e, nil, nil)
	}
	return s.whole(e, &opts, nil)
}

func (s *server) createElemental(c *call) error {
	o := c.object()
	in := elementalInput(o)
	if err := o.err(); err != nil {
		return err
	}
	if err := c.holdTags(in.TagIDs); err != nil {
		return err
	}
	return s.once(c, effect{uploads: []quire.MediaInput{in.Media}, answered: []quire.Elemental{elementalOf(in)}, knowledge: true, do: func(c *call) error {
		e, err := s.lib.CreateElemental(c.r.Context(), c.actor(), in)
		if err != nil {
			return err
		}
		c.w.Header().Set("Location", e.URL)
		return s.respondElemental(c, http.StatusCreated, e, quire.KnowledgeOptions{})
	}})
}

// elementalOf is what is known of an elemental before it is created, for renderAhead.
func elementalOf(in quire.ElementalInput) quire.Elemental {
	return quire.Elemental{ElementalRecord: quire.ElementalRecord{
		Title: strings.TrimSpace(in.Title), TypeID: in.TypeID, Description: in.Description, Body: in.Body,
	}}
}

func (s *server) updateElemental(c *call) error {
	o := c.object()
	patch := elementalPatch(o)
	if err := o.err(); err != nil {
		return err
	}
	if patch.TagIDs != nil {
		if err := c.holdTags(*patch.TagIDs); err != nil {
			return err
		}
	}
	e, err := s.lib.UpdateElemental(c.r.Context(), c.actor(), c.params["id"], patch)
	if err != nil {
		return err
	}
	return s.respondElemental(c, http.StatusOK, e, quire.KnowledgeOptions{})
}

func (s *server) deleteElemental(c *call) error {
	if err := s.lib.DeleteElemental(c.r.Context(), c.actor(), c.params["id"]); err != nil {
		return err
	}
	return c.noContent()
}

func (s *server) getElementalKnowledge(c *call) error {
	q := c.query()
	opts := q.knowledge()
	if err := q.err(); err != nil {
		return err
	}
	e, err := s.lib.Elemental(c.r.Context(), c.actor(), c.params["id"])
	if err != nil {
		return err
	}
	item, err := s.compiledElemental(e, opts)
	if err != nil {
		return err
	}
	return c.respondLarge(http.StatusOK, knowledgeObject{{Key: "knowledge_base", Value: knowledgeObject(item)}})
}

func (s *server) attachTag(c *call) error { return s.changeTag(c, s.lib.AttachTag) }

func (s *server) detachTag(c *call) error { return s.changeTag(c, s.lib.DetachTag) }
