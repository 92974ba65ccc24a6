package flat

import (
	"slices"

	"github.com/quirelib/quire"
)

// field is one of those that Filters name, without the tenant.
type field uint8

const (
	fieldElemental field = iota
	fieldUser
	fieldSource
	fieldType
	fieldCategory
	fieldTagID
	fieldTagName
)

// term is a value of a field.
type term struct {
	field field
	value string
}

// termsOf returns what filters can ask a chunk for: each tag once, and the other fields that
// are not empty, because nobody can ask for an empty one.
func termsOf(c *quire.Chunk) []term {
	terms := make([]term, 0, 5+len(c.TagIDs)+len(c.TagNames))
	for _, t := range scalars(c.ElementalID, c.UserID, c.Source, c.TypeName, c.CategoryName) {
		if t.value != "" {
			terms = append(terms, t)
		}
	}
	return append(append(terms, tagTerms(fieldTagID, c.TagIDs)...), tagTerms(fieldTagName, c.TagNames)...)
}

func scalars(elementalID, userID, source, typeName, categoryName string) [5]term {
	return [5]term{{fieldElemental, elementalID}, {fieldUser, userID}, {fieldSource, source}, {fieldType, typeName}, {fieldCategory, categoryName}}
}

func tagTerms(f field, tags []string) []term {
	terms := make([]term, len(tags))
	for i, tag := range tags {
		terms[i] = term{f, tag}
	}
	return terms
}

// condition is one of those that Filters make: a row must have one of the terms.
type condition []term

// conditions returns what filters ask for, all of which a row must fulfil.
func conditions(f quire.Filters) []condition {
	var all []condition
	for _, t := range scalars(f.ElementalID, f.UserID, f.Source, f.TypeName, f.CategoryName) {
		if t.value != "" {
			all = append(all, condition{t})
		}
	}
	for _, tags := range [][]term{tagTerms(fieldTagID, f.TagIDs), tagTerms(fieldTagName, f.TagNames)} {
		if len(tags) > 0 {
			all = append(all, tags)
		}
	}
	return all
}

// selection is what a search compares with its query: rows of blocks. It stays as it is
// whatever happens to the tenant.
type selection []chosen

type chosen struct {
	*block
	slots slotSet
}

// choose appends the rows that match the filters, whose tenant is this one.
func (t *tenant) choose(s selection, f quire.Filters) selection {
	asked := conditions(f)
	if len(asked) == 0 {
		return t.everything(s)
	}
	sets := make([]rowSet, len(asked))
	for i, c := range asked {
		sets[i] = t.having(c)
	}
	rows := intersection(sets)
	s = slices.Grow(s, len(rows))
	for i := range rows {
		s = append(s, chosen{t.blocks[rows[i].block], rows[i].slots})
	}
	return s
}

func (t *tenant) everything(s selection) selection {
	s = slices.Grow(s, len(t.blocks))
	for _, b := range t.blocks {
		if b != nil {
			s = append(s, chosen{b, b.live})
		}
	}
	return s
}

// having returns the rows that fulfil a condition. What it returns may be the tenant's own.
func (t *tenant) having(c condition) rowSet {
	var rows rowSet
	for i, term := range c {
		switch p := t.terms[term]; {
		case p == nil:
		case i == 0:
			rows = p.rows
		default:
			rows = union(rows, p.rows)
		}
	}
	return rows
}
