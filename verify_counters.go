package quire

import (
	"context"
	"strconv"
)

// comments checks the number of comments of an elemental, which replies are among.
func (c contentCheck) comments(ctx context.Context, rec ElementalRecord) error {
	const some = 1000 // at a time
	n, before := int64(0), int64(0)
	for {
		page, err := c.tx.Comments(ctx, rec.ID, before, some)
		if err != nil {
			return err
		}
		n += int64(len(page))
		if len(page) < some {
			break
		}
		before = page[0].ID
	}
	c.Count("comments", int(n))
	if n != rec.Counters.Comments {
		c.Add("elementals", rec.ID, "it counts %d comments and has %d", rec.Counters.Comments, n)
	}
	return nil
}

// counters checks the counters of rates and marks.
func (c contentCheck) counters(ctx context.Context, part, id string, s Subject, have Counters) error {
	rates, sum, err := c.rates(ctx, s)
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

// rates counts the rates of a subject and sums them up.
func (c contentCheck) rates(ctx context.Context, s Subject) (n, sum int64, err error) {
	const some = 1000 // at a time
	before := int64(0)
	for {
		page, err := c.tx.Rates(ctx, s, before, some)
		if err != nil {
			return 0, 0, err
		}
		for _, r := range page {
			sum += int64(r.Rating)
		}
		n += int64(len(page))
		if len(page) < some {
			return n, sum, nil
		}
		before = page[0].ID
	}
}

// atLeast writes a number that was counted up to one more than it should be.
func atLeast(n, should int64) string {
	if n > should {
		return "more"
	}
	return strconv.FormatInt(n, 10)
}
