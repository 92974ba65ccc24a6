package quire

import (
	"context"
	"strconv"
)

// comments checks the number of comments of an elemental, which replies are among.
func (c contentCheck) comments(ctx context.Context, rec ElementalRecord) error {
	n := int64(0)
	page := func(before int64) ([]Comment, error) { return c.tx.Comments(ctx, rec.ID, before, portionOfTalk) }
	err := oldestFirst(page, func(c Comment) int64 { return c.ID }, func(Comment) error { n++; return nil })
	if err != nil {
		return err
	}
	c.Count("comments", int(n))
	if n != rec.Counters.Comments {
		c.Add("elementals", rec.ID, "it counts %d comments and has %d", rec.Counters.Comments, n)
	}
	return nil
}

// noComments checks that a list counts no comments: there are none on lists.
func (c contentCheck) noComments(id string, list ListRecord) {
	if n := list.Counters.Comments; n != 0 {
		c.Add("lists", id, "it counts %d comments, which lists have none of", n)
	}
}

// counters checks the counters of rates and marks.
func (c contentCheck) counters(ctx context.Context, part, id string, s Subject, have Counters) error {
	var rates, sum int64
	page := func(before int64) ([]Rate, error) { return c.tx.Rates(ctx, s, before, portionOfTalk) }
	err := oldestFirst(page, func(r Rate) int64 { return r.ID }, func(r Rate) error {
		rates++
		sum += int64(r.Rating)
		return nil
	})
	if err != nil {
		return err
	}
	c.Count("rates", int(rates))
	if rates != have.Rates || sum != have.RatingSum {
		c.Add(part, id, "it counts %d rates with a sum of %d and has %d with %d", have.Rates, have.RatingSum, rates, sum)
	}
	for _, counted := range []struct {
		kind MarkKind
		have int64
	}{{MarkUpvote, have.Upvotes}, {MarkSave, have.Saves}} {
		// One more than there should be tells that there are too many.
		marks, err := c.tx.LastMarks(ctx, s, counted.kind, int(max(counted.have, 0))+1)
		if err != nil {
			return err
		}
		c.Count("marks", len(marks))
		if n := int64(len(marks)); n != counted.have {
			c.Add(part, id, "it counts %d marks of the kind %s and has %s", counted.have, counted.kind, atLeast(n, counted.have))
		}
	}
	return nil
}

// atLeast writes a number that was counted up to one more than it should be.
func atLeast(n, should int64) string {
	if n > should {
		return "more"
	}
	return strconv.FormatInt(n, 10)
}
