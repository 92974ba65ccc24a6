package httpapi

import (
	"io"
	"iter"
	"maps"
	"net/http"
	"slices"

	"github.com/quirelib/quire"
)

// numericID is the list or tag that the path names. A text that is no such id gives
// 0, which nothing has, so that it is answered as an unknown id.
func (c *call) numericID(param string) int64 {
	id, _ := parseNumericID(c.params[param])
	return id
}

func (s *server) getList(c *call) error {
	q := c.query()
	opts, expand := q.knowledge(), q.flag("expand_items")
	if err := q.err(); err != nil {
		return err
	}
	l, err := s.lib.List(c.r.Context(), c.actor(), c.numericID("list_id"))
	if err != nil {
		return err
	}
	w, err := c.readList(l.ID, l.TotalItems, expand, true)
	if err != nil {
		return err
	}
	return c.respondLarge(http.StatusOK, wholeList{c, w, opts, expand, isSmall(w.List)})
}

// readList reads a list for an answer, with its items as they are at the same moment:
// whole if they are shown so, or if the list is small enough for knowledge text, if it is to
// have that. There were so many items before.
func (c *call) readList(id int64, items int, expand, knowledge bool) (quire.WholeList, error) {
	for {
		details := expand || knowledge && items < knowledgeLimit
		if c.reads() { // for what was written there is memory already
			if err := c.holdItemsOf(id, items, details); err != nil {
				return quire.WholeList{}, err
			}
		}
		w, err := c.s.lib.WholeList(c.r.Context(), c.actor(), id, details)
		if err != nil || details || !knowledge || !isSmall(w.List) {
			return w, err
		}
		items = w.TotalItems // which has become small meanwhile
	}
}

// holdItemsOf waits for the memory of so many items of a list that is about to be read.
func (c *call) holdItemsOf(id int64, items int, details bool) error {
	if !details {
		return c.holdLight(items)
	}
	sizes, err := c.itemsOf(id)
	if err != nil {
		return err
	}
	return c.holdWhole(sizes)
}

// isSmall reports whether a list carries knowledge text.
func isSmall(l quire.List) bool { return l.TotalItems < knowledgeLimit }

// wholeList is a list with all its items, which are made and go out one by one, and with
// knowledge text if it is small enough for it.
type wholeList struct {
	c         *call
	l         quire.WholeList
	opts      quire.KnowledgeOptions
	expand    bool
	knowledge bool
}

// encodeTo implements selfEncoded.
func (w wholeList) encodeTo(to io.Writer) error {
	head := w.c.s.listOf(w.l.List)
	head.Items = []elementalJSON{}
	places := []filling{{"items", `[]`, inArray(w.items())}}
	if w.knowledge {
		places = append(places, w.c.listKnowledge(w.l, w.opts)...)
	}
	return encodeFilled(to, head, places)
}

// items makes the items one after the other.
func (w wholeList) items() iter.Seq2[any, error] {
	items := w.l.Items(w.c.r.Context())
	if w.expand {
		return eachOf(items, func(e quire.Elemental) (any, error) { return w.c.s.pageItem(e, w.opts, w.l.TotalItems) })
	}
	return eachOf(items, func(e quire.Elemental) (any, error) { return lightItem{&e}, nil })
}

func (s *server) getListItems(c *call) error {
	q := c.query()
	in := quire.ItemsInput{
		Page: q.page(), WithoutTags: true,
		Order: oneOf(q, "order_by", quire.OrderIndex, quire.OrderCreatedAt, quire.OrderUpdatedAt, quire.OrderTitle),
		Desc:  oneOf(q, "order_dir", "asc", "desc") == "desc",
	}
	expand := q.flag("expand_items")
	if err := q.err(); err != nil {
		return err
	}
	if err := c.holdRead(in.Page.Size); err != nil {
		return err
	}
	found, err := s.lib.ListItems(c.r.Context(), c.actor(), c.numericID("list_id"), in)
	if err != nil {
		return err
	}
	if expand {
		return respondWhole(c, found, in.Page, func(e quire.Elemental) (any, error) { return s.whole(e, nil, nil) })
	}
	return c.respondLight(found, in.Page)
}

func (s *server) searchLists(c *call) error {
	q := c.query()
	text, _ := q.text("search")
	page := q.page()
	if err := q.err(); err != nil {
		return err
	}
	found, err := s.lib.FindLists(c.r.Context(), c.actor(), quire.SearchInput{Text: text, Page: page})
	if err != nil {
		return err
	}
	return c.respondLists(found, page)
}

// respondLists answers with lists without their items: each is read, made, encoded and let go
// before the next one, as in respondWhole.
func (c *call) respondLists(found quire.Paged[int64], page quire.Page) error {
	if err := c.holdLists(found.Items); err != nil {
		return err
	}
	lists := c.s.lib.Lists(c.r.Context(), c.actor(), found.Items)
	return respondEach(c, eachOf(lists, func(l quire.List) (any, error) { return c.s.listOf(l), nil }), page, found.Total)
}

// userLists answers with all of the caller's lists as one page, unless the request
// asks for a page.
func (s *server) userLists(c *call) error {
	q := c.query()
	page := q.page()
	if err := q.err(); err != nil {
		return err
	}
	selected := &page
	if !q.has("page") && !q.has("size") {
		selected = nil
		if err := c.holdAll(); err != nil {
			return err
		}
	}
	found, err := s.lib.FindUserLists(c.r.Context(), c.actor(), selected)
	if err != nil {
		return err
	}
	if selected == nil {
		page = quire.Page{Number: 1, Size: found.Total}
	}
	return c.respondLists(found, page)
}

func (s *server) createList(c *call) error {
	o := c.object()
	in := listInput(o)
	if err := o.err(); err != nil {
		return err
	}
	if err := c.holdItems(0, in.Items); err != nil {
		return err
	}
	if err := c.holdTags(in.TagIDs); err != nil {
		return err
	}
	return s.once(c, effect{uploads: []quire.MediaInput{in.Media}, do: func(c *call) error {
		l, err := s.lib.CreateList(c.r.Context(), c.actor(), in)
		if err != nil {
			return err
		}
		c.w.Header().Set("Location", l.URL)
		return s.respondList(c, http.StatusCreated, l)
	}})
}

func (s *server) updateList(c *call) error {
	o := c.object()
	patch := listPatch(o)
	if err := o.err(); err != nil {
		return err
	}
	var added []quire.ItemInput
	if patch.Items != nil {
		added = *patch.Items
	}
	if err := c.holdItems(c.numericID("list_id"), added); err != nil {
		return err
	}
	if patch.TagIDs != nil {
		if err := c.holdTags(*patch.TagIDs); err != nil {
			return err
		}
	}
	l, err := s.lib.UpdateList(c.r.Context(), c.actor(), c.numericID("list_id"), patch)
	if err != nil {
		return err
	}
	return s.respondList(c, http.StatusOK, l)
}

// holdItems waits for the memory of what the answer with a list shows that is about to be
// written: the knowledge text of one with few items, else the items. There is no list 0.
func (c *call) holdItems(listID int64, added []quire.ItemInput) error {
	ids := mapAll(added, func(it quire.ItemInput) string { return it.ElementalID })
	slices.Sort(ids)
	ids = slices.Compact(ids) // each is an item once, however often it is named
	there := 0
	if listID != 0 {
		l, err := c.s.lib.List(c.r.Context(), c.actor(), listID)
		switch {
		case quire.CodeOf(err) == quire.CodeNotFound: // which will be said later
			return nil
		case err != nil:
			return err
		}
		there = l.TotalItems
	}
	if len(ids) >= knowledgeLimit || there >= knowledgeLimit {
		return c.holdLight(len(ids) + there)
	}
	found, err := c.s.lib.ElementalSizes(c.r.Context(), c.actor(), ids)
	if err != nil {
		return err
	}
	sizes := slices.Collect(maps.Values(found))
	if there > 0 {
		more, err := c.itemsOf(listID)
		if err != nil {
			return err
		}
		sizes = append(sizes, more...)
	}
	return c.holdCompiled(sizes)
}

// respondList answers with a list that was just written.
func (s *server) respondList(c *call, status int, l quire.List) error {
	short, err := c.mayCompile(l)
	if err != nil {
		return err
	}
	w, err := c.readList(l.ID, l.TotalItems, false, short)
	if quire.CodeOf(err) == quire.CodeNotFound { // deleted meanwhile; it was written all the same
		w, err = quire.WholeList{List: l}, nil
	}
	if err != nil {
		return err
	}
	// Through the map: Set would spell it List_url.
	c.w.Header()["list_URL"] = []string{l.URL}
	return c.respondLarge(status, wholeList{c: c, l: w, knowledge: short && isSmall(w.List)})
}

// mayCompile reports whether the answer may have the knowledge text of a list. Inside of a write
// transaction, all others wait while it is compiled and compressed: then only a short one.
func (c *call) mayCompile(l quire.List) (bool, error) {
	if _, recorded := c.w.(*recording); !recorded || !isSmall(l) {
		return true, nil
	}
	sizes, err := c.itemsOf(l.ID)
	bytes := int64(0)
	for _, size := range sizes {
		bytes += size.Body + size.CellBody + size.Notes
	}
	return bytes <= quire.MaxWholeList, err
}

func (s *server) deleteList(c *call) error {
	if err := s.lib.DeleteList(c.r.Context(), c.actor(), c.numericID("list_id")); err != nil {
		return err
	}
	return c.noContent()
}

func (s *server) removeListItems(c *call) error {
	o := c.object()
	items := read(o, "item_ids", arrayOf(asRemovedItem))
	if o.fields != nil && !items.set { // null is none
		o.child("item_ids").wrong("missing", "is required")
	}
	if err := o.err(); err != nil {
		return err
	}
	if err := s.lib.RemoveListItems(c.r.Context(), c.actor(), c.numericID("list_id"), items.val); err != nil {
		return err
	}
	return c.noContent()
}
