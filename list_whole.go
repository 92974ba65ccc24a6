package quire

import (
	"context"
	"io"
	"iter"
)

// What of a list WholeList reads at once: up to wholeListItems items whose texts have up
// to MaxWholeList bytes together.
const (
	wholeListItems = 100
	// MaxWholeList is how many bytes of texts a WholeList keeps in memory at most; of a
	// table cellWeight are counted for each cell besides its text.
	MaxWholeList = 4 << 20
	cellWeight   = 1 << 10
)

// WholeList is a list with its items, as one moment has them. A list of up to 100 items
// with MaxWholeList bytes of texts, or without details 1 MiB, was read in one transaction. Of a larger one that
// moment fixes the list, and which items it has in which order; what they hold is read in
// portions while Items is consumed, later and each time anew: what was deleted meanwhile
// is left out, what was changed is as it is then.
type WholeList struct {
	List
	library *Library
	actor   Actor
	details bool
	ids     []string    // of the items, some of which the actor may not see
	items   []Elemental // those that the actor sees, if all were read
	read    bool
}

// WholeList reads a list with its items, which with details are whole, without have no
// Body and TutorialSteps, as in ListItems.
func (l *Library) WholeList(ctx context.Context, a Actor, id int64, details bool) (WholeList, error) {
	w := WholeList{library: l, actor: a, details: details}
	err := l.viewAs(ctx, a, func(tx ReadTx) error {
		rec, err := tx.List(ctx, id)
		if err != nil {
			return err
		}
		if w.List, err = l.resolveList(ctx, tx, a, rec); err != nil {
			return err
		}
		return w.readItems(ctx, tx)
	})
	return w, err
}

// readItems reads which items the list has, and the items if they are few.
func (w *WholeList) readItems(ctx context.Context, tx ReadTx) error {
	items, err := tx.Items(ctx, w.ID)
	if err != nil {
		return err
	}
	w.ids = make([]string, len(items))
	for i, it := range items {
		w.ids[i] = it.ElementalID
	}
	if len(w.ids) > wholeListItems {
		return nil
	}
	recs, err := w.readAtOnce(ctx, tx)
	if err != nil || !w.read {
		return err
	}
	w.items, err = w.library.itemsOf(ctx, tx, w.actor, findable(w.actor, recs), w.details, true)
	return err
}

// readAtOnce reads the items if their texts are short enough for that, and sets whether they are.
func (w *WholeList) readAtOnce(ctx context.Context, tx ReadTx) ([]ElementalRecord, error) {
	if !w.details {
		recs, n, err := lightItems(ctx, tx, w.ids)
		w.read = n == len(w.ids)
		return recs, err
	}
	sizes, err := tx.ElementalSizes(ctx, w.ids)
	bytes := int64(0)
	for _, size := range sizes {
		bytes += size.Body + size.CellBody + size.Notes + int64(size.Cells)*cellWeight
	}
	if w.read = err == nil && bytes <= MaxWholeList; !w.read {
		return nil, err
	}
	found, err := tx.Elementals(ctx, w.ids)
	return pick(found, w.ids), err
}

// Items iterates over the items that the actor may see, by their order in the list. Of
// those that are read now, in portions, long ones and the details of tables one by one,
// only the ids of all are kept in memory. An error is the last thing yielded.
func (w WholeList) Items(ctx context.Context) iter.Seq2[Elemental, error] {
	if !w.read {
		return w.library.inPortions(ctx, w.actor, w.ids, w.details)
	}
	return func(yield func(Elemental, error) bool) {
		for _, e := range w.items {
			if err := ctx.Err(); err != nil {
				yield(Elemental{}, err)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Knowledge compiles a list that was read with details, for reading item by item.
func (w WholeList) Knowledge(ctx context.Context, opts KnowledgeOptions) (Knowledge, error) {
	opts, err := opts.normal()
	return w.knowledge(ctx, opts, KnowledgeOptions.object), err
}

// knowledge is Knowledge with an object that selects the fields of items.
func (w WholeList) knowledge(ctx context.Context, opts KnowledgeOptions, object fieldsOf) Knowledge {
	items := func(yield func(KnowledgeItem, error) bool) {
		for e, err := range w.Items(ctx) {
			if err != nil {
				yield(KnowledgeItem{}, err)
				return
			}
			item := KnowledgeItem{Title: e.Title, Description: e.Description, Type: e.Type.Name, Fields: object(opts, w.library, &e)}
			if !yield(item, nil) {
				return
			}
		}
	}
	return Knowledge{Title: w.Title, Description: w.Description, Type: w.Type.Name, Items: items}
}

// WriteKnowledge writes the compiled text of a list that was read with details, in the
// format of opts and item by item. What was written before an error stays written.
func (w WholeList) WriteKnowledge(ctx context.Context, opts KnowledgeOptions, to io.Writer) error {
	if to == nil {
		return errNoWriter
	}
	opts, err := opts.normal()
	if err != nil {
		return err
	}
	switch opts.Format {
	case FormatJSON:
		return writeListJSON(to, w.knowledge(ctx, opts, KnowledgeOptions.object))
	case FormatMarkdown:
		return writeList(to, markdownLayout{}, w.knowledge(ctx, opts, KnowledgeOptions.markdownObject), w.Template)
	default:
		return writeList(to, textLayout{}, w.knowledge(ctx, opts, KnowledgeOptions.object), w.Template)
	}
}
