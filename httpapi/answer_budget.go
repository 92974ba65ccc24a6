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
	portion    = 1 << 20 // what of many things is read at a time, or one that is longer
)

// smallAnswer is what an answer may take that does not wait for large ones: what one with a
// body of 80 KiB takes, whatever is in it. anyAnswer is what each one is counted with at least.
const (
	smallAnswer = 5 << 20
	anyAnswer   = 32 << 10
)

// maxWait is how long a request waits for memory; retryAfter is when the client of a 503 is
// told to come back, in seconds, unless what failed says more.
const (
	maxWait    = 10 * time.Second
	retryAfter = 5
)

// errBusy answers who has waited for too long. Nothing has been done for it yet.
var errBusy = &problem{status: http.StatusServiceUnavailable,
	message: "the requests that are being answered, others' or your own, take all the memory there is for them; nothing was done for this one: send it again in some seconds, and read your other answers to their end"}

// errBusyBodies is errBusy for whose body has not been read.
var errBusyBodies = &problem{status: http.StatusServiceUnavailable,
	message: fmt.Sprintf("the bodies of requests, others' or your own, that are being sent or worked on take all the memory there is for them; nothing was done for this one: send it again in some seconds, and read your other answers to their end; bodies of up to %d KiB do not wait for them, and those of up to %d KiB for none", smallBody>>10, freeBody>>10)}

// answerCost estimates the memory that answering with an elemental takes.
func answerCost(size quire.ElementalSize) int64 {
	cost := size.Body * textCost
	if size.Body <= parsedBody {
		cost = size.Body * parsedCost
	}
	return cost + (size.CellBody+size.Notes)*textCost + int64(size.Cells)*cellCost
}

// admit waits until the memory is free that a request takes: for a body that it has sent,
// and for the elemental or list that its path names. It is called outside of transactions, so
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
		cost = max(cost+(sizes[id].Body+sizes[id].Notes)*textCost, sent*textCost+answerCost(sizes[id]))
	}
	if id := c.numericID("list_id"); id != 0 {
		sizes, err := c.s.lib.ListSizes(c.r.Context(), c.actor(), []int64{id})
		if err != nil {
			return err
		}
		cost += sizes[id].Notes * textCost
	}
	return c.hold(cost)
}

// holdTags waits for the memory of tags that are named in a body: the answer shows them. Each
// is read once, and shown with one elemental after the other.
func (c *call) holdTags(ids ...[]int64) error {
	cost, err := c.tagCost(ids)
	if err != nil || cost == 0 {
		return err
	}
	return c.hold(cost)
}

// portionCost is what texts take of so many bytes together that are read a portion at a time and
// sent one by one, the largest of which has so many.
func portionCost(all, largest int64) int64 { return min(all, portion+largest) + largest*textCost }

// holdEach waits for the memory of tags that are read in portions and sent one by one.
func (c *call) holdEach(ids []int64) error {
	sizes, err := c.s.lib.TagSizes(c.r.Context(), c.actor(), ids)
	if err != nil {
		return err
	}
	var all, largest int64
	for _, size := range sizes {
		all += size
		largest = max(largest, size)
	}
	return c.hold(anyAnswer + portionCost(all, largest))
}

// tagCost is what the tags take of some things that are shown one by one.
func (c *call) tagCost(ids [][]int64) (int64, error) {
	all := slices.Concat(ids...)
	if len(all) == 0 {
		return 0, nil
	}
	sizes, err := c.s.lib.TagSizes(c.r.Context(), c.actor(), all)
	var read, largest int64
	for _, some := range ids {
		one := int64(0)
		for _, id := range some {
			one += sizes[id]
		}
		largest = max(largest, one)
	}
	for _, size := range sizes {
		read += size
	}
	return portionCost(read, largest), err
}

// holdWhole waits for the memory of a list whose items are shown whole: what of them is
// read at once, and the largest one, since they are rendered and sent one after the other.
func (c *call) holdWhole(sizes []quire.ElementalSize) error { return c.holdList(sizes, answerCost) }

// holdCompiled is holdWhole for a list that is only compiled: nothing of it is parsed.
func (c *call) holdCompiled(sizes []quire.ElementalSize) error {
	return c.holdList(sizes, func(size quire.ElementalSize) int64 {
		return (size.Body+size.CellBody+size.Notes)*textCost + int64(size.Cells)*cellCost
	})
}

func (c *call) holdList(sizes []quire.ElementalSize, costOf func(quire.ElementalSize) int64) error {
	var read, largest int64
	for _, size := range sizes {
		read += size.Body + size.CellBody + size.Notes
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
	var read, largest int64
	for _, size := range sizes {
		read += size.Body + size.Notes
		largest = max(largest, answerCost(size))
	}
	return c.hold(max(c.parsed(descriptions), min(read, portion)+largest))
}

// holdNotes waits for the memory of an answer with descriptions of so many bytes together, which
// are rendered one by one, and for what else it takes. Long ones count as a page of elementals
// with them does, but never so much that their own user has to wait until nobody else has any
// large answer.
func (c *call) holdNotes(notes, rest int64) error {
	return c.hold(anyAnswer + rest + max(notes*noteCost, c.parsed(notes)))
}

// parsed is what descriptions count that are parsed for an answer with many.
func (c *call) parsed(notes int64) int64 {
	return min(notes*parsedCost, max(c.s.largeAnswers.size/4, 2*smallAnswer))
}

// holdLists waits for the memory of lists that are read and sent a portion after the other.
func (c *call) holdLists(ids []int64) error {
	sizes, err := c.s.lib.ListSizes(c.r.Context(), c.actor(), ids)
	if err != nil {
		return err
	}
	var notes, read, largest int64
	for _, size := range sizes {
		notes += size.Description
		read += size.Notes
		largest = max(largest, size.Notes)
	}
	return c.hold(anyAnswer + max(portionCost(read, largest), c.parsed(notes)))
}

// holdLight waits for the memory of so many elementals that are shown without their bodies, as
// items of a list: of up to a hundred at a time.
func (c *call) holdLight(n int) error {
	return c.hold(min(int64(n)*noteMost, smallAnswer/2))
}

// lengths is how long texts of some things are together, in bytes.
func lengths[T any](all []T, text func(T) string) (n int64) {
	for _, v := range all {
		n += int64(len(text(v)))
	}
	return n
}

// fileCost is what a file takes for each of its bytes while it is read: what the database has
// and what it returns.
const fileCost = 2

// holdFile waits for the memory of a file that is about to be read.
func (c *call) holdFile(id int64) error {
	c.giveBackOf(c.s.forAnswers)
	size, err := c.s.lib.MediaSize(c.r.Context(), c.actor(), id)
	if err != nil {
		return err
	}
	return c.claim(&c.s.files, size*fileCost, c.s.files.size)
}

// noteMost is what a description may take while a page of them is read and sent.
const noteMost = 160 << 10

// holdRead waits for the memory of so many descriptions, before it is known how long they are.
func (c *call) holdRead(n int) error {
	return c.holdPages(&c.s.pages, min(int64(n)*noteMost, smallAnswer))
}

// holdAll waits for the memory of descriptions of which it is not known how many there are: a
// user reads for two answers of this kind at a time, and only others of it wait for them.
func (c *call) holdAll() error { return c.holdPages(&c.s.unpaged, c.s.unpaged.size/4) }

// holdPages waits for memory to read what a page is made of, while the request has none for
// its answer.
func (c *call) holdPages(b *budget, cost int64) error {
	c.giveBackOf(c.s.forAnswers)
	return c.claim(b, cost, b.size)
}

// valueCost is what each value and key of a body takes when it is decoded; so many are in any
// body and not counted.
const (
	valueCost  = 112
	freeValues = 512
)

// holdValues waits for the memory that a body takes when it is decoded, besides its text.
func (c *call) holdValues(n int) error {
	if n <= freeValues {
		return nil
	}
	return c.claim(&c.s.values, int64(n)*valueCost, c.s.values.size)
}

// hitMost is what a passage may take with the names of a hundred tags; a search reads ten unless
// it says otherwise, one that reads more of an import may take more.
const (
	hitMost  = 48 << 10
	hitsRead = 10
)

// holdHits waits for the memory of the passages that a search reads, before it is known how long
// they are.
func (c *call) holdHits(limit int) error {
	if limit < 1 {
		limit = hitsRead
	}
	return c.holdPages(&c.s.pages, min(int64(limit)*hitMost, smallAnswer))
}

// jobsCost is what jobs take that were read, with what each says of files that could not be.
func jobsCost(jobs []quire.Job) int64 {
	cost := int64(anyAnswer)
	for i := range jobs {
		for _, p := range jobs[i].Problems {
			cost += hitCost * int64(len(p.Name)+len(p.Reason))
		}
	}
	return cost
}

// hitCost is how often a text of a passage is in memory: as it was read, and as it is sent.
const hitCost = 3

// hitsCost is what passages take that were found.
func hitsCost(hits []quire.SearchHit) int64 {
	length := func(s string) string { return s }
	cost := int64(anyAnswer)
	for i := range hits {
		c := &hits[i].Chunk
		cost += hitCost * (int64(len(c.Text)+len(c.Title)) + lengths(c.Heading, length) + lengths(c.TagIDs, length) + lengths(c.TagNames, length))
	}
	return cost
}

// holdChat waits for the memory of what a chat is asked with, in the place of the body that it
// came in: it stays as long as the LLM writes, and then only other chats wait for it.
func (c *call) holdChat(req quire.ChatRequest) error {
	c.giveBackOf(c.s.forAnswers)
	f := req.Filters
	texts := slices.Concat([]string{req.Query, f.UserID, f.ElementalID, f.Source, f.TypeName, f.CategoryName}, f.TagIDs, f.TagNames)
	cost := lengths(texts, func(s string) string { return s })
	cost += lengths(req.History, func(m quire.Message) string { return m.Content })
	cost += int64(len(f.TagIDs)+len(f.TagNames)+len(req.History)) * valueCost
	err := c.claim(&c.s.chats, cost, c.s.chats.size)
	c.giveBackBody()
	return err
}

// itemsOf returns the sizes of a list's items.
func (c *call) itemsOf(listID int64) ([]quire.ElementalSize, error) {
	return c.s.lib.ListItemSizes(c.r.Context(), c.actor(), listID)
}
