package sqlite

import (
	"context"

	"github.com/quirelib/quire"
)

// Media, marks and rates are about an elemental or a list: see the schema.

// subjectColumns are the columns that say what a row is about; subjectValues are
// what to put into them, with the ElementalID and the ListID of a Subject as
// parameters.
var (
	subjectColumns = columns{"elemental", "list_id"}
	subjectValues  = []string{numOfElemental, "nullif(?, 0)"}
)

// subjectOf reads the ElementalID and the ListID of the row with that alias.
func subjectOf(alias string) string {
	return `coalesce((SELECT e.id FROM elementals e WHERE e.num = ` + alias + `.elemental), ''), coalesce(` + alias + `.list_id, 0)`
}

// about is the condition that a row is about a subject, with its argument.
func about(s quire.Subject) (cond string, arg any) {
	if s.ListID != 0 {
		return `list_id = ?`, s.ListID
	}
	return `elemental = ` + numOfElemental, s.ElementalID
}

// The conditions that a row is about one of an array of elementals or lists.
const (
	aboutElementals = `elemental IN (SELECT e.num FROM elementals e WHERE e.id IN ` + members + `)`
	aboutLists      = `list_id IN ` + members
)

// allAbout returns all rows that are about any of the subjects. The query gets a
// condition and then the order appended.
func allAbout[T any](ctx context.Context, t *tx, scan func(scanner) (T, error), query, order string, subjects []quire.Subject, args ...any) ([]T, error) {
	var elementals []string
	var lists []int64
	for _, s := range subjects {
		if s.ListID != 0 {
			lists = append(lists, s.ListID)
		} else {
			elementals = append(elementals, s.ElementalID)
		}
	}
	var rows []T
	for _, part := range []struct {
		n     int
		cond  string
		array string
	}{{len(elementals), aboutElementals, array(elementals)}, {len(lists), aboutLists, array(lists)}} {
		if part.n == 0 {
			continue
		}
		some, err := all(ctx, t, scan, query+part.cond+order, append(args[:len(args):len(args)], part.array)...)
		if err != nil {
			return nil, err
		}
		rows = append(rows, some...)
	}
	return rows, ctx.Err()
}

// noSubject turns the error of a statement that adds a row about a subject into
// ErrNotFound if that does not exist: an elemental without a number violates the
// check of the table, a list its foreign key.
func noSubject(ctx context.Context, err error) error {
	switch {
	case isCheckViolation(err):
		return quire.Errorf(quire.CodeNotFound, "the elemental does not exist").WithCause(err)
	case isForeignKeyViolation(err):
		return quire.Errorf(quire.CodeNotFound, "the list does not exist").WithCause(err)
	}
	return failure(ctx, err)
}

// counterColumns are the columns of Counters in elementals and lists.
var counterColumns = columns{"comments", "rates", "rating_sum", "sales", "upvotes", "uses", "saves"}

// counterFields are where the values of counterColumns are scanned to.
func counterFields(c *quire.Counters) []any {
	return []any{&c.Comments, &c.Rates, &c.RatingSum, &c.Sales, &c.Upvotes, &c.Uses, &c.Saves}
}

// counterValues are the values of counterColumns.
func counterValues(c quire.Counters) []any {
	return []any{c.Comments, c.Rates, c.RatingSum, c.Sales, c.Upvotes, c.Uses, c.Saves}
}

var (
	putElementalCounters = counterColumns.update("elementals") + ` WHERE id = ?`
	putListCounters      = counterColumns.update("lists") + ` WHERE id = ?`
)

// PutCounters implements quire.EngagementWriter.
func (t *tx) PutCounters(ctx context.Context, s quire.Subject, c quire.Counters) error {
	if s.ListID == 0 {
		return t.putElementalCounters(ctx, s.ElementalID, c)
	}
	n, err := t.exec(ctx, putListCounters, append(counterValues(c), s.ListID)...)
	if err == nil && n == 0 {
		return quire.ErrNotFound
	}
	return failure(ctx, err)
}
