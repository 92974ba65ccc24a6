package httpapi

import (
	"net/http"
	"slices"
)

// claim is memory that a request has of a budget.
type claim struct {
	of      *budget
	cost    int64
	release func()
}

// The budgets are waited for in one order, so that requests do not wait for each other: who
// waits for one of a later stage has what others wait for of an earlier one only.
//
//	bodies, values, chats or pages or unpaged or files, answers

// hold waits for memory for an answer, besides what the request has for it already; it has that
// until it gives it back. While it waits, it has none: two that each have a part of what
// the other one waits for would never get it. A quarter of what there is cannot be had by
// reading, so that those who read slowly keep nobody from writing.
func (c *call) hold(cost int64) error {
	for _, has := range c.held {
		if c.s.forAnswers(has.of) {
			cost += has.cost
		}
	}
	c.giveBackOf(c.s.forAnswers)
	b := c.s.answers(cost)
	limit := b.size
	if c.reads() {
		limit -= b.size / 4
	}
	if err := c.claim(b, cost, limit); err != nil {
		return err
	}
	c.giveBackOf(c.s.forPages) // what was read counts in the answer
	return nil
}

// answers is the budget that an answer of some cost is counted in.
func (s *server) answers(cost int64) *budget {
	if cost <= smallAnswer {
		return &s.smallAnswers
	}
	return &s.largeAnswers
}

// forAnswers reports whether a budget is one that answers are made in.
func (s *server) forAnswers(b *budget) bool { return b == &s.largeAnswers || b == &s.smallAnswers }

// forPages reports whether a budget is one that what goes into answers is read in.
func (s *server) forPages(b *budget) bool { return b == &s.pages || b == &s.unpaged }

// forBodies reports whether a budget is one for bodies and what is in them.
func (s *server) forBodies(b *budget) bool {
	return b == &s.largeBodies || b == &s.smallBodies || b == &s.values
}

// bodies is the budget that a body of a length is counted in.
func (s *server) bodies(length int64) *budget {
	if length <= smallBody {
		return &s.smallBodies
	}
	return &s.largeBodies
}

// budgets are all there are.
func (s *server) budgets() []*budget {
	return []*budget{&s.largeAnswers, &s.smallAnswers, &s.pages, &s.unpaged, &s.files, &s.largeBodies, &s.smallBodies, &s.values, &s.chats}
}

// makeBudgets gives each budget its size: small answers and bodies get half as much again, and so
// do what pages and answers without pages are read in, what is in bodies and what chats are
// asked with; files get as much as answers.
func (s *server) makeBudgets() {
	s.largeAnswers.size, s.smallAnswers.size = s.opts.MaxAnswerMemory, s.opts.MaxAnswerMemory/2
	s.largeBodies.size, s.smallBodies.size = s.opts.MaxRequestMemory, s.opts.MaxRequestMemory/2
	s.pages.size, s.unpaged.size, s.files.size = s.opts.MaxAnswerMemory/2, s.opts.MaxAnswerMemory/2, s.opts.MaxAnswerMemory
	s.values.size, s.chats.size = s.opts.MaxRequestMemory/2, s.opts.MaxRequestMemory/2
	for _, b := range s.budgets() {
		b.wait = maxWait
	}
	for _, b := range []*budget{&s.largeBodies, &s.smallBodies} {
		b.busy, b.start, b.whole = errBusyBodies, fairStart, fairTime
	}
	s.values.busy = errBusyBodies
}

// claim waits for a part of a budget; what the request has of it already counts as its own.
func (c *call) claim(b *budget, cost, limit int64) error {
	own := int64(0)
	for _, has := range c.held {
		if has.of == b {
			own += has.cost
		}
	}
	cost = max(0, min(cost, limit-own))
	release, err := b.acquireMore(c.r.Context(), c.user.ID, own, cost, limit)
	if err != nil {
		return err
	}
	c.held = append(c.held, claim{b, cost, release})
	return nil
}

// reads reports whether a request changes nothing.
func (c *call) reads() bool {
	return c.r.Method == http.MethodGet || c.r.Method == http.MethodHead || c.route.reads
}

// settle lets go of all memory but that of the answer, n bytes that are about to be sent. It
// stays in the budgets that it was taken from; what goes beyond it is counted as it is. What is
// recorded instead is counted where it is sent.
func (c *call) settle(n int) {
	c.giveBackBody()
	had := c.held
	c.held = nil
	rest := int64(n)
	if _, recorded := c.w.(*recording); recorded {
		rest = 0
	}
	for _, has := range had {
		has.release()
		if kept := min(rest, has.cost); kept > 0 {
			c.take(has.of, kept)
			rest -= kept
		}
	}
	if rest > 0 {
		c.take(&c.s.smallAnswers, rest)
	}
}

// take counts what the request has already.
func (c *call) take(b *budget, cost int64) {
	c.held = append(c.held, claim{b, cost, b.take(c.user.ID, cost)})
}

// giveBackBody lets go of the body, of which nothing is needed any more.
func (c *call) giveBackBody() {
	c.body = nil
	c.giveBackOf(c.s.forBodies)
}

// giveBack lets go of the memory that was held for the request. It may be called again.
func (c *call) giveBack() {
	c.body = nil
	c.giveBackOf(func(*budget) bool { return true })
}

// giveBackOf lets go of what is held of some of the budgets.
func (c *call) giveBackOf(some func(*budget) bool) {
	c.held = slices.DeleteFunc(c.held, func(has claim) bool {
		if !some(has.of) {
			return false
		}
		has.release()
		return true
	})
}
