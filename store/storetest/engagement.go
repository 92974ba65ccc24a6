package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/quirelib/quire"
)

// The functions below are the part of seed, rewrite and readContents that is about
// media, engagement and receipts.

func seedEngagement(ctx context.Context, tx quire.Tx) error {
	var errs []error
	for i, subject := range []quire.Subject{onElemental("e1"), onElemental("e2"), onList(1), onList(2)} {
		_, markErr := tx.PutMark(ctx, sampleMark(subject, "u1"))
		_, _, rateErr := tx.PutRate(ctx, sampleRate(subject, "u1"))
		id := int64(i + 1)
		errs = append(errs, markErr, rateErr,
			tx.PutMedia(ctx, sampleMedia(id, quire.MediaOwner(subject)), dataOf(id)))
	}
	for _, id := range []string{"e1", "e1", "e2"} {
		_, err := tx.PutComment(ctx, sampleComment(id, 0))
		errs = append(errs, err)
	}
	errs = append(errs,
		tx.PutReceipt(ctx, sampleReceipt("u1", "r", "k1")),
		tx.PutReceipt(ctx, sampleReceipt("u1", "r", "k2")),
		tx.PutList(ctx, tableList(10, "a table", "column", 0), quire.IndexedText{}))
	return errors.Join(errs...)
}

// rewriteEngagement comes after e2 and the list 2 were deleted.
func rewriteEngagement(ctx context.Context, tx quire.Tx) error {
	comment, err := firstComment(tx, ctx, "e1")
	if err != nil {
		return err
	}
	moved, rate, mark := sampleMedia(1, ofElemental("e3")), sampleRate(onElemental("e1"), "u1"), sampleMark(onList(1), "u1")
	rate.Rating, mark.CreatedAt, comment.Message = 1, at(90), "Changed"
	changed, late := sampleReceipt("u1", "r", "k1"), sampleReceipt("u1", "r", "k3")
	changed.Status, late.CreatedAt = 500, at(91)
	_, again := tx.PutMark(ctx, mark)
	_, added := tx.PutMark(ctx, sampleMark(onElemental("e3"), "u1"))
	_, removed := tx.DeleteMark(ctx, onElemental("e1"), "u1", quire.MarkUpvote)
	_, _, replaced := tx.PutRate(ctx, rate)
	_, _, rated := tx.PutRate(ctx, sampleRate(onElemental("e3"), "u1"))
	_, edited := tx.PutComment(ctx, comment)
	reply, replied := tx.PutComment(ctx, sampleComment("e1", comment.ID))
	_, cut := tx.DeleteComment(ctx, reply.ID)
	_, commented := tx.PutComment(ctx, sampleComment("e1", comment.ID))
	return errors.Join(again, added, removed, replaced, rated, edited, replied, cut, commented,
		tx.PutMedia(ctx, moved, []byte("changed")),
		tx.PutMedia(ctx, sampleMedia(5, ofList(1)), dataOf(5)),
		tx.DeleteMedia(ctx, 3),
		tx.PutReceipt(ctx, changed),
		tx.DeleteReceipts(ctx, at(90)),
		tx.PutReceipt(ctx, late),
		tx.PutCounters(ctx, onElemental("e1"), sampleCounters(5)),
		tx.PutList(ctx, tableList(10, "a table", "row", 0), quire.IndexedText{}))
}

// firstComment reads the first comment of an elemental by its id, which it finds
// even if ctx is over.
func firstComment(tx quire.ReadTx, ctx context.Context, elementalID string) (quire.Comment, error) {
	cs, err := allComments(tx, context.WithoutCancel(ctx), elementalID)
	if err != nil {
		return quire.Comment{}, err
	}
	if len(cs) == 0 {
		return quire.Comment{}, quire.ErrNotFound
	}
	return tx.Comment(ctx, cs[0].ID)
}

func readTables(ctx context.Context, tx quire.ReadTx, c *contents) (err error) {
	if c.Cells, err = tx.Cells(ctx, "a table"); err != nil {
		return err
	}
	c.TableLists, err = tx.TableLists(ctx, "a table")
	return err
}

// engaged are the subjects that there are.
var engaged = []quire.Subject{onElemental("e1"), onElemental("e2"), onElemental("e3"), onList(1), onList(2), onList(3)}

func readMedia(ctx context.Context, tx quire.ReadTx, c *contents) (err error) {
	var owners []quire.MediaOwner
	for _, subject := range engaged {
		owners = append(owners, quire.MediaOwner(subject))
	}
	if c.Media, err = tx.MediaOf(ctx, owners); err != nil {
		return err
	}
	c.MediaData = map[int64][]byte{}
	for _, ms := range c.Media {
		for _, m := range ms {
			if c.MediaData[m.ID], err = tx.MediaData(ctx, m.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

func readEngagement(ctx context.Context, tx quire.ReadTx, c *contents) (err error) {
	if c.Marks, err = userMarks(tx, ctx, marksQuery{"u1", engaged}); err != nil {
		return err
	}
	for _, subject := range engaged {
		marks, err := tx.LastMarks(ctx, subject, quire.MarkUpvote, 10)
		if err != nil {
			return err
		}
		rates, err := allRates(tx, ctx, subject)
		if err != nil {
			return err
		}
		c.LastMarks, c.Rates = slices.Concat(c.LastMarks, marks), slices.Concat(c.Rates, rates)
	}
	for _, id := range []string{"e1", "e2", "e3"} {
		comments, err := allComments(tx, ctx, id)
		if err != nil {
			return err
		}
		c.Comments = append(c.Comments, comments...)
	}
	return nil
}

func readReceipts(ctx context.Context, tx quire.ReadTx, c *contents) error {
	for _, key := range []string{"k1", "k2", "k3"} {
		r, err := tx.Receipt(ctx, "u1", "r", key)
		if err == nil {
			c.Receipts = append(c.Receipts, r)
		} else if !errors.Is(err, quire.ErrNotFound) {
			return err
		}
	}
	return nil
}

// window is what of the comments or rates of one subject is asked for.
type window struct {
	before int64
	limit  int
}

// checkWindows reads every window of rows that have these ids, ascending: bounds at
// each id, beside it, below all, above all and none, with limits from 1 to more than
// there are.
func checkWindows[T any](t *testing.T, s *store, ids []int64, rows map[int64]T, read func(quire.ReadTx, context.Context, window) ([]T, error)) {
	t.Helper()
	bounds := []int64{0, 1, math.MaxInt64}
	for _, id := range ids {
		bounds = append(bounds, id, id+1)
	}
	for _, before := range bounds {
		for limit := 1; limit <= len(ids)+1; limit++ {
			var want []T
			for _, id := range ids {
				if before == 0 || id < before {
					want = append(want, rows[id])
				}
			}
			want = want[max(0, len(want)-limit):]
			w := window{before, limit}
			equal(t, fmt.Sprintf("%d at most, before %d", limit, before), get(s, read, w), want)
		}
	}
}

// many is more than there is of anything here.
const many = 1 << 20

func allComments(tx quire.ReadTx, ctx context.Context, elementalID string) ([]quire.Comment, error) {
	return tx.Comments(ctx, elementalID, 0, many)
}

func allRates(tx quire.ReadTx, ctx context.Context, s quire.Subject) ([]quire.Rate, error) {
	return tx.Rates(ctx, s, 0, many)
}
