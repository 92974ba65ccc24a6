package httpapi

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/quirelib/quire"
)

// What an answer takes, in bytes for each byte of the texts that it is about: the texts
// themselves, one rendering at a time, and what the database copies. Markdown up to
// parsedBody is parsed, and a syntax tree is many times its source; longer bodies are not.
const (
	textCost   = 5
	parsedCost = 48
	parsedBody = 2 << 20
	cellCost   = 4 << 10 // of each cell of a table, besides its text
	noteCost   = 2       // of descriptions, which are shown as they are and as plain text, one by one
)

// smallAnswer is what an answer may take that does not wait for large ones: what one with a
// body of 80 KiB takes, whatever is in it. anyAnswer is what each one is counted with at least.
const (
	smallAnswer = 5 << 20
	anyAnswer   = 32 << 10
)

// maxWait is how long a request waits for memory; retryAfter is when the client is told
// to come back, in seconds.
const (
	maxWait    = 10 * time.Second
	retryAfter = 5
)

// errBusy answers who has waited for too long. Nothing has been done for it yet.
var errBusy = &problem{status: http.StatusServiceUnavailable, retryAfter: retryAfter,
	message: "the requests that are being answered, others' or your own, take all the memory there is for them; nothing was done for this one: send it again in some seconds, and read your other answers to their end"}

// errBusyBodies is errBusy for whose body has not been read.
var errBusyBodies = &problem{status: http.StatusServiceUnavailable, retryAfter: retryAfter,
	message: fmt.Sprintf("the bodies of requests, others' or your own, that are being sent or worked on take all the memory there is for them; nothing was done for this one: send it again in some seconds, and read your other answers to their end; bodies of up to %d KiB do not wait for them, and those of up to %d KiB for none", smallBody>>10, freeBody>>10)}

// answerCost estimates the memory that answering with an elemental takes.
func answerCost(size quire.ElementalSize) int64 {
	cost := size.Body * textCost
	if size.Body <= parsedBody {
		cost = size.Body * parsedCost
	}
	return cost + size.CellBody*textCost + int64(size.Cells)*cellCost + size.Descriptions*noteCost
}

// admit waits until the memory is free that a request takes: for a body that it has sent,
// and for the elemental that its path names. It is called outside of transactions, so
// that nobody who waits holds one, and before anything is written: what was written is
// not answered with 503.
func (c *call) admit() error {
	switch {
	case c.route.open: // small, and nobody's
		return nil
	case c.group != contentGroup:
		return c.hold(anyAnswer)
	}
	sent := int64(len(c.body))
	cost := max(anyAnswer, answerCost(quire.ElementalSize{Body: sent}))
	if c.route.large {
		id := c.params["id"]
		sizes, err := c.s.lib.ElementalSizes(c.r.Context(), c.actor(), []string{id})
		if err != nil {
			return err
		}
		// Of what was sent and what is there, if anything, one is rendered.
		cost = max(cost+sizes[id].Body*textCost, sent*textCost+answerCost(sizes[id]))
	}
	return c.hold(cost)
}

// holdWhole waits for the memory of a list whose items are shown whole: what of them is
// read at once, and the largest one, since they are rendered and sent one after the other.
func (c *call) holdWhole(ids []string) error { return c.holdList(ids, answerCost) }

// holdCompiled is holdWhole for a list that is only compiled: nothing of it is parsed.
func (c *call) holdCompiled(ids []string) error {
	return c.holdList(ids, func(size quire.ElementalSize) int64 {
		return (size.Body+size.CellBody)*textCost + int64(size.Cells)*cellCost
	})
}

func (c *call) holdList(ids []string, costOf func(quire.ElementalSize) int64) error {
	sizes, err := c.s.lib.ElementalSizes(c.r.Context(), c.actor(), ids)
	if err != nil {
		return err
	}
	var read, largest int64
	for _, size := range sizes {
		read += size.Body + size.CellBody
		largest = max(largest, costOf(size))
	}
	return c.hold(min(read, quire.MaxWholeList) + largest)
}

// holdPage waits for the memory that the largest of the elementals of a page takes, which
// has descriptions of so many bytes together. All of these are parsed, for a second or more
// where they are as long as they may be: as much as one text of their length counts them,
// so that some pages of them at a time leave the processor to others.
func (c *call) holdPage(ids []string, descriptions int64) error {
	sizes, err := c.s.lib.ElementalSizes(c.r.Context(), c.actor(), ids)
	if err != nil {
		return err
	}
	cost := descriptions * parsedCost
	for _, size := range sizes {
		cost = max(cost, answerCost(size))
	}
	return c.hold(cost)
}

// fileCost is what a file takes for each of its bytes while it is read: what the database has
// and what it returns.
const fileCost = 2

// holdFile waits for the memory of a file that is about to be read.
func (c *call) holdFile(id int64) error {
	size, err := c.s.lib.MediaSize(c.r.Context(), c.actor(), id)
	if err != nil {
		return err
	}
	return c.claim(&c.s.files, size*fileCost, c.s.files.size)
}

// noteMost is what a description may take while a page of them is read and sent.
const noteMost = 160 << 10

// holdRead waits for the memory of so many descriptions, before it is known how long they are.
func (c *call) holdRead(n int) error { return c.hold(min(int64(n)*noteMost, smallAnswer)) }

// searchCost is what the passages of a search take.
const searchCost = 512 << 10

// holdChat waits for the memory of what a chat is asked with, in the place of the body that it
// came in: it stays as long as the LLM writes, and then only other chats wait for it.
func (c *call) holdChat(req quire.ChatRequest) error {
	c.giveBackBody()
	cost := int64(len(req.Query))
	for _, m := range req.History {
		cost += int64(len(m.Content))
	}
	return c.claim(&c.s.chats, cost, c.s.chats.size)
}

// itemsOf returns the ids of a list's items, in order.
func (c *call) itemsOf(listID int64) (ids []string, err error) {
	for e, err := range c.s.lib.AllListItems(c.r.Context(), c.actor(), listID, false) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, e.ID)
	}
	return ids, nil
}

// claim is memory that a request has of a budget.
type claim struct {
	of      *budget
	cost    int64
	release func()
}

// hold waits for memory, which the request has until it gives it back. A quarter of what
// there is cannot be had by reading, so that those who read slowly keep nobody from
// writing.
func (c *call) hold(cost int64) error {
	b := c.s.answers(cost)
	limit := b.size
	if c.reads() {
		limit -= b.size / 4
	}
	return c.claim(b, cost, limit)
}

// answers is the budget that an answer of some cost is counted in.
func (s *server) answers(cost int64) *budget {
	if cost <= smallAnswer {
		return &s.smallAnswers
	}
	return &s.largeAnswers
}

// forBodies reports whether a budget is one for bodies.
func (s *server) forBodies(b *budget) bool { return b == &s.largeBodies || b == &s.smallBodies }

// bodies is the budget that a body of a length is counted in.
func (s *server) bodies(length int64) *budget {
	if length <= smallBody {
		return &s.smallBodies
	}
	return &s.largeBodies
}

// budgets are all there are.
func (s *server) budgets() []*budget {
	return []*budget{&s.largeAnswers, &s.smallAnswers, &s.files, &s.largeBodies, &s.smallBodies, &s.chats}
}

// makeBudgets gives each budget its size: small answers and bodies get half as much again, what
// chats are asked with too, and files as much as answers.
func (s *server) makeBudgets() {
	s.largeAnswers.size, s.smallAnswers.size = s.opts.MaxAnswerMemory, s.opts.MaxAnswerMemory/2
	s.largeBodies.size, s.smallBodies.size = s.opts.MaxRequestMemory, s.opts.MaxRequestMemory/2
	s.files.size, s.chats.size = s.opts.MaxAnswerMemory, s.opts.MaxRequestMemory/2
	for _, b := range s.budgets() {
		b.wait = maxWait
	}
	for _, b := range []*budget{&s.largeBodies, &s.smallBodies} {
		b.busy, b.start, b.whole = errBusyBodies, fairStart, fairTime
	}
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
	had := c.held
	c.body, c.held = nil, nil
	rest := int64(n)
	if _, recorded := c.w.(*recording); recorded {
		rest = 0
	}
	for _, has := range had {
		has.release()
		if kept := min(rest, has.cost); kept > 0 && !c.s.forBodies(has.of) {
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
	c.held = slices.DeleteFunc(c.held, func(has claim) bool {
		if !c.s.forBodies(has.of) {
			return false
		}
		has.release()
		return true
	})
}

// giveBack lets go of the memory that was held for the request. It may be called again.
func (c *call) giveBack() {
	c.body = nil
	for _, has := range c.held {
		has.release()
	}
	c.held = nil
}
