package storetest

import (
	"context"
	"strings"
	"unicode"

	"github.com/quirelib/quire"
)

// indexed is what full-text search sees of a record, made the simple way: runs of
// letters, marks and digits in lower case.
func indexed(title, description, body string) quire.IndexedText {
	apart := func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) }
	fold := func(s string) string { return strings.Join(strings.FieldsFunc(strings.ToLower(s), apart), " ") }
	return quire.IndexedText{Title: fold(title), Description: fold(description), Body: fold(body)}
}

// putElementals writes elementals with the words of their title, description and
// body as their text, all in one Update.
func putElementals(s *store, es ...quire.ElementalRecord) {
	s.tb.Helper()
	s.update(func(ctx context.Context, tx quire.Tx) error {
		for _, e := range es {
			if err := tx.PutElemental(ctx, e, indexed(e.Title, e.Description, e.Body)); err != nil {
				return err
			}
		}
		return nil
	})
}

// putLists writes lists with the words of their title and description as their
// text, all in one Update.
func putLists(s *store, ls ...quire.ListRecord) {
	s.tb.Helper()
	s.update(func(ctx context.Context, tx quire.Tx) error {
		for _, l := range ls {
			if err := tx.PutList(ctx, l, indexed(l.Title, l.Description, "")); err != nil {
				return err
			}
		}
		return nil
	})
}
