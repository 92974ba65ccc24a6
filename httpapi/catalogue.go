package httpapi

import (
	"net/http"
	"slices"

	"github.com/quirelib/quire"
)

func (s *server) elementalTypes(c *call) error {
	cat, err := s.lib.Catalogue(c.r.Context())
	if err != nil {
		return err
	}
	return respondAll(c, http.StatusOK, mapAll(cat.Types, func(t quire.ElementalType) refJSON { return refJSON{t.ID, t.Name} }))
}

func (s *server) visibilities(c *call) error {
	return respondAll(c, http.StatusOK, mapAll([]quire.Visibility{quire.Public, quire.Unlisted}, visibilityRef))
}

func (s *server) listTypes(c *call) error {
	cat, err := s.lib.Catalogue(c.r.Context())
	if err != nil {
		return err
	}
	return respondAll(c, http.StatusOK, mapAll(cat.ListTypes, func(t quire.ListType) refJSON { return refJSON{t.ID, t.Name} }))
}

// categories answers with the categories that are offered for a type.
func (s *server) categories(c *call) error {
	cat, err := s.lib.Catalogue(c.r.Context())
	if err != nil {
		return err
	}
	id, ok := parseNumericID(c.params["type_id"])
	if !ok || !slices.ContainsFunc(cat.Types, func(t quire.ElementalType) bool { return int64(t.ID) == id }) {
		return quire.ErrNotFound
	}
	out := []refJSON{}
	for _, g := range cat.Categories {
		if slices.Contains(g.TypeIDs, int(id)) {
			out = append(out, refJSON{g.ID, g.Name})
		}
	}
	return respondAll(c, http.StatusOK, out)
}

// topics answers with the topics that are offered for a category.
func (s *server) topics(c *call) error {
	cat, err := s.lib.Catalogue(c.r.Context())
	if err != nil {
		return err
	}
	id, ok := parseNumericID(c.params["category_id"])
	if !ok || !slices.ContainsFunc(cat.Categories, func(g quire.Category) bool { return int64(g.ID) == id }) {
		return quire.ErrNotFound
	}
	out := []refJSON{}
	for _, t := range cat.Topics {
		if slices.Contains(t.CategoryIDs, int(id)) {
			out = append(out, refJSON{t.ID, t.Name})
		}
	}
	return respondAll(c, http.StatusOK, out)
}
