package quire

import (
	"context"
	"iter"
	"math"
	"slices"
)

// ListItems reads one page of a list's elementals: those that the actor owns and
// those that are Public.
func (l *Library) ListItems(ctx context.Context, a Actor, id int64, in ItemsInput) (Paged[Elemental], error) {
	page, err := in.Page.normal()
	if err != nil {
		return Paged[Elemental]{}, err
	}
	order := in.Order
	switch order {
	case "":
		order = OrderIndex
	case OrderIndex, OrderCreatedAt, OrderUpdatedAt, OrderTitle:
	default:
		var probs problems
		probs.add("order_by", "must be index, created_at, updated_at or title")
		return Paged[Elemental]{}, probs.err()
	}
	out := Paged[Elemental]{Page: page}
	err = l.viewAs(ctx, a, func(tx ReadTx) error {
		recs, total, err := tx.ListItems(ctx, ItemQuery{
			ListID: id, Viewer: viewer(a), Order: order, Desc: in.Desc, WithoutBody: !in.Details, Offset: page.offset(), Limit: page.Size,
		})
		if err != nil {
			return err
		}
		if total == 0 { // which an unknown list has too
			if _, err := tx.List(ctx, id); err != nil {
				return err
			}
		}
		out.Total = total
		if in.WithoutTags && !in.Details {
			out.Items, err = l.untagged(ctx, tx, a, recs)
			return err
		}
		out.Items, err = l.itemsOf(ctx, tx, a, recs, in.Details, true)
		return err
	})
	return out, err
}

// itemsOf turns records into elementals, with their details if asked for.
func (l *Library) itemsOf(ctx context.Context, tx ReadTx, a Actor, recs []ElementalRecord, details, tables bool) ([]Elemental, error) {
	if details {
		return l.wholeElementals(ctx, tx, a, recs, tables)
	}
	return l.resolveElementals(ctx, tx, a, recs)
}

// A portion is what of many elementals is read at a time: up to lightPortion elementals without
// their bodies, lightBlock of them at a time until their descriptions have portionBytes together, and
// tags of up to that; or up to wholePortion with all texts of up to that. But one at least.
const (
	lightPortion = 100
	lightBlock   = 25
	wholePortion = 16
	portionBytes = 1 << 20
)

// AllListItems iterates over all of a list's elementals that the actor may see, by
// their order in the list. With details they are whole, without details Body and
// TutorialSteps are empty, as in ListItems. A small list is read in one transaction; of a
// larger one the membership is, and the elementals in portions: see [WholeList]. An error is
// the last thing yielded.
func (l *Library) AllListItems(ctx context.Context, a Actor, id int64, details bool) iter.Seq2[Elemental, error] {
	return func(yield func(Elemental, error) bool) {
		w, err := l.WholeList(ctx, a, id, details)
		if err != nil {
			yield(Elemental{}, err)
			return
		}
		for e, err := range w.Items(ctx) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// Elementals iterates over those of the elementals that show up for the actor in
// searches and lists, whole and in the order of ids: in portions, long ones and the
// details of tables one by one, so that memory holds one long text at a time. What was
// deleted, or is hidden meanwhile, is left out. An error is the last thing yielded.
func (l *Library) Elementals(ctx context.Context, a Actor, ids []string) iter.Seq2[Elemental, error] {
	return l.inPortions(ctx, a, ids, true)
}

func (l *Library) inPortions(ctx context.Context, a Actor, ids []string, details bool) iter.Seq2[Elemental, error] {
	items := inTurn(a, ids, func(rest []string) ([]Elemental, int, error) { return l.visible(ctx, a, rest, details) })
	return func(yield func(Elemental, error) bool) {
		for e, err := range items {
			if err == nil && details && e.TypeID == TypeTable {
				if e, err = l.Elemental(ctx, a, e.ID); CodeOf(err) == CodeNotFound { // deleted meanwhile
					continue
				}
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// inTurn yields what is read of ids, a portion after the other: read returns of how many of
// the rest it has read.
func inTurn[K, V any](a Actor, ids []K, read func(rest []K) (found []V, n int, err error)) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		var none V
		if err := a.Check(); err != nil { // also if there is nothing to read
			yield(none, err)
			return
		}
		for rest := ids; len(rest) > 0; {
			found, n, err := read(rest)
			if err != nil {
				yield(none, err)
				return
			}
			rest = rest[n:]
			for _, v := range found {
				if !yield(v, nil) {
					return
				}
			}
		}
	}
}

// portionOf returns how many of some things, with so many bytes each, are read at a time.
func portionOf[K any](all []K, bytes func(K) int64) int {
	sum := int64(0)
	for i, v := range all {
		if sum += bytes(v); i > 0 && sum > portionBytes {
			return i
		}
	}
	return len(all)
}

// ListItemSizes returns the sizes of all items of a list, also of those that the actor may not
// see; an unknown list has none.
func (l *Library) ListItemSizes(ctx context.Context, a Actor, id int64) ([]ElementalSize, error) {
	var out []ElementalSize
	err := l.viewAs(ctx, a, func(tx ReadTx) error {
		items, err := tx.Items(ctx, id)
		if err != nil {
			return err
		}
		ids := make([]string, len(items))
		for i, it := range items {
			ids[i] = it.ElementalID
		}
		sizes, err := tx.ElementalSizes(ctx, ids)
		out = pick(sizes, ids)
		return err
	})
	return out, err
}

// TagSizes returns how many bytes the descriptions of those of the tags have that exist, also
// of those that the actor may not see.
func (l *Library) TagSizes(ctx context.Context, a Actor, ids []int64) (map[int64]int64, error) {
	var sizes map[int64]int64
	err := l.viewAs(ctx, a, func(tx ReadTx) (err error) {
		sizes, err = tx.TagSizes(ctx, unique(ids))
		return err
	})
	return sizes, err
}

// WithTags iterates over elementals that were read without their tags, and reads these, in
// portions: an elemental may have 100 with long descriptions. An error is the last thing
// yielded.
func (l *Library) WithTags(ctx context.Context, a Actor, es []Elemental) iter.Seq2[Elemental, error] {
	return inTurn(a, es, func(rest []Elemental) (out []Elemental, n int, err error) {
		recs := make([]ElementalRecord, len(rest))
		for i, e := range rest {
			recs[i] = e.ElementalRecord
		}
		if len(tagIDsOf(recs)) == 0 {
			return rest, len(rest), nil
		}
		err = l.viewAs(ctx, a, func(tx ReadTx) error {
			if n, err = taggedPortion(ctx, tx, recs); err != nil {
				return err
			}
			tags, err := tx.Tags(ctx, tagIDsOf(recs[:n]))
			out = slices.Clone(rest[:n])
			for i := range out {
				out[i].Tags = pick(tags, out[i].TagIDs)
			}
			return err
		})
		return out, n, err
	})
}

// tagIDsOf returns the tags of elementals, each once.
func tagIDsOf(recs []ElementalRecord) []int64 {
	var ids []int64
	for _, rec := range recs {
		ids = append(ids, rec.TagIDs...)
	}
	return unique(ids)
}

// taggedPortion returns of how many elementals the tags are read at a time.
func taggedPortion(ctx context.Context, tx ReadTx, recs []ElementalRecord) (int, error) {
	sizes, err := tx.TagSizes(ctx, tagIDsOf(recs))
	n := portionOf(recs, func(rec ElementalRecord) (bytes int64) {
		for _, id := range rec.TagIDs {
			bytes += sizes[id]
			sizes[id] = 0 // each is read once
		}
		return bytes
	})
	return n, err
}

// visible reads those of the next portion of elementals that the actor may see in a list,
// without the columns and rows of tables, and returns how many ids the portion has.
func (l *Library) visible(ctx context.Context, a Actor, ids []string, details bool) (out []Elemental, n int, err error) {
	err = l.viewAs(ctx, a, func(tx ReadTx) (err error) {
		read := wholeItems
		if !details {
			read = lightItems
		}
		var recs []ElementalRecord
		if recs, n, err = read(ctx, tx, ids); err != nil {
			return err
		}
		out, err = l.itemsOf(ctx, tx, a, findable(a, recs), details, false)
		return err
	})
	return out, n, err
}

// wholeItems reads the next portion of elementals whole, and returns how many ids it has.
func wholeItems(ctx context.Context, tx ReadTx, ids []string) (recs []ElementalRecord, n int, err error) {
	ids = ids[:min(wholePortion, len(ids))]
	sizes, err := tx.ElementalSizes(ctx, ids)
	if err != nil {
		return nil, 0, err
	}
	n = portionOf(ids, func(id string) int64 { return sizes[id].Body + sizes[id].Notes })
	found, err := tx.Elementals(ctx, ids[:n])
	return pick(found, ids[:n]), n, err
}

// lightItems reads the next portion of elementals without their bodies, and returns how many ids
// it has.
func lightItems(ctx context.Context, tx ReadTx, ids []string) (recs []ElementalRecord, n int, err error) {
	bytes := 0
	for some := range slices.Chunk(ids[:min(lightPortion, len(ids))], lightBlock) {
		found, err := tx.ElementalsWithoutBody(ctx, some)
		if err != nil {
			return nil, 0, err
		}
		for _, rec := range pick(found, some) {
			bytes += len(rec.Description)
			recs = append(recs, rec)
		}
		if n += len(some); bytes > portionBytes {
			break
		}
	}
	fewer, err := taggedPortion(ctx, tx, recs)
	if err == nil && fewer < len(recs) {
		n, recs = slices.Index(ids, recs[fewer].ID), recs[:fewer]
	}
	return recs, n, err
}

// mayFind reports whether an elemental shows up for the actor in searches and
// lists.
func mayFind(a Actor, rec ElementalRecord) bool {
	return rec.OwnerID == a.UserID || rec.Visibility == Public
}

// RemoveListItems takes elementals out of a list of the actor. Those that are not
// in it do not matter. A column or row of a table keeps its cells: ErrInvalid.
func (l *Library) RemoveListItems(ctx context.Context, a Actor, id int64, elementalIDs []string) error {
	var probs problems
	if l.checkIDs(&probs, "item_ids", len(elementalIDs)); len(probs) > 0 {
		return probs.err()
	}
	return l.changeAs(ctx, a, func(tx Tx, _ *changes) error {
		rec, err := ownList(ctx, tx, a, id)
		if err != nil {
			return err
		}
		if rec.TableID != "" {
			probs.add("item_ids", "the items of a column or row are its cells; delete the cell instead")
			return probs.err()
		}
		members, err := membership(ctx, tx, id)
		if err != nil {
			return err
		}
		changed := false
		for _, e := range unique(elementalIDs) {
			if _, ok := members[e]; !ok {
				continue
			}
			changed = true
			if err := tx.DeleteItem(ctx, id, e); err != nil {
				return err
			}
		}
		if changed {
			_, err = saveList(ctx, tx, rec)
		}
		return err
	})
}

// membership reads the items of a list by their elemental.
func membership(ctx context.Context, tx ReadTx, listID int64) (map[string]ListItem, error) {
	items, err := tx.Items(ctx, listID)
	m := make(map[string]ListItem, len(items))
	for _, it := range items {
		m[it.ElementalID] = it
	}
	return m, err
}

// checkItems refuses items that the actor could not find: they must exist, and be
// its own or Public. Members that are there already may stay.
func checkItems(ctx context.Context, tx ReadTx, a Actor, members map[string]ListItem, items []ItemInput) error {
	ids := make([]string, len(items))
	for i, it := range items {
		ids[i] = it.ElementalID
	}
	allowed := make(map[string]bool, len(ids))
	for some := range slices.Chunk(unique(ids), lightPortion) { // not all with their descriptions at once
		found, err := tx.ElementalsWithoutBody(ctx, some)
		if err != nil {
			return err
		}
		for id, rec := range found {
			_, member := members[id]
			allowed[id] = member || mayFind(a, rec)
		}
	}
	var probs problems
	for i, id := range ids {
		if !allowed[id] {
			probs.add("item_ids/"+itoa(i), "must name an elemental of yours or a Public one")
		}
	}
	return probs.err()
}

// putItems adds and re-orders items. Of an elemental that is named twice the last
// place counts. Items without a place go to the end, in the order given; members
// without a new place keep theirs.
func putItems(ctx context.Context, tx Tx, listID int64, members map[string]ListItem, items []ItemInput) error {
	last := make(map[string]ItemInput, len(items))
	var order []string
	for _, it := range items {
		if _, ok := last[it.ElementalID]; !ok {
			order = append(order, it.ElementalID)
		}
		last[it.ElementalID] = it
	}
	next := int64(-1)
	for _, m := range members {
		next = max(next, m.OrderIndex)
	}
	for _, in := range last {
		if in.OrderIndex != nil {
			next = max(next, *in.OrderIndex)
		}
	}
	for _, id := range order {
		it, member := members[id]
		if !member {
			it = ListItem{ListID: listID, ElementalID: id, AddedAt: now()}
		}
		switch place := last[id].OrderIndex; {
		case place != nil:
			it.OrderIndex = *place
		case !member:
			next = after(next)
			it.OrderIndex = next
		}
		if err := tx.PutItem(ctx, it); err != nil {
			return err
		}
	}
	return nil
}

// updateItems adds and re-orders items of a list, or makes them its exact
// membership, and reports whether anything changed.
func updateItems(ctx context.Context, tx Tx, a Actor, listID int64, items []ItemInput, replace bool) (bool, error) {
	members, err := membership(ctx, tx, listID)
	if err != nil {
		return false, err
	}
	if err := checkItems(ctx, tx, a, members, items); err != nil {
		return false, err
	}
	changed := len(items) > 0
	if replace {
		keep := make(map[string]bool, len(items))
		for _, it := range items {
			keep[it.ElementalID] = true
		}
		for id := range members {
			if keep[id] {
				continue
			}
			changed = true
			delete(members, id)
			if err := tx.DeleteItem(ctx, listID, id); err != nil {
				return false, err
			}
		}
	}
	return changed, putItems(ctx, tx, listID, members, items)
}

// targets remembers, for the length of a transaction, of the lists that elementals are put
// into what is wrong with them and their last place: a request names a list many times.
type targets struct {
	faults map[int64]string // "" for none
	ends   map[int64]int64
}

func newTargets() targets {
	return targets{faults: map[int64]string{}, ends: map[int64]int64{}}
}

// check refuses lists that are not the owner's, and columns and rows of tables.
func (t targets) check(ctx context.Context, tx ReadTx, ownerID string, lists []int64) error {
	var probs problems
	for i, id := range lists {
		fault, known := t.faults[id]
		if !known {
			var err error
			if fault, err = targetFault(ctx, tx, ownerID, id); err != nil {
				return err
			}
			t.faults[id] = fault
		}
		if fault != "" {
			probs.add("lists_to_save/"+itoa(i)+"/list_id", "%s", fault)
		}
	}
	return probs.err()
}

// targetFault says why elementals of an owner cannot be put into a list, "" if they can.
func targetFault(ctx context.Context, tx ReadTx, ownerID string, id int64) (string, error) {
	switch rec, err := tx.List(ctx, id); {
	case CodeOf(err) == CodeNotFound || err == nil && rec.OwnerID != ownerID:
		return "must be the id of one of your lists", nil
	case err != nil:
		return "", err
	case rec.TableID != "":
		return "must not be a column or row of a table, which holds its cells only", nil
	}
	return "", nil
}

// append puts an elemental at the end of each of the lists. In a list that it is
// in already it stays where it is.
func (t targets) append(ctx context.Context, tx Tx, lists []int64, elementalID string) error {
	for _, list := range unique(lists) {
		items, err := t.load(ctx, tx, list)
		if err != nil {
			return err
		}
		if _, member := items[elementalID]; member {
			continue
		}
		t.ends[list] = after(t.ends[list])
		it := ListItem{ListID: list, ElementalID: elementalID, OrderIndex: t.ends[list], AddedAt: now()}
		if err := tx.PutItem(ctx, it); err != nil {
			return err
		}
	}
	return nil
}

// load finds the end of a list the first time that it is needed, and returns its
// members then; a list whose end is known has no member that is new to it.
func (t targets) load(ctx context.Context, tx ReadTx, list int64) (map[string]ListItem, error) {
	if _, known := t.ends[list]; known {
		return nil, nil
	}
	members, err := membership(ctx, tx, list)
	t.ends[list] = -1
	for _, m := range members {
		t.ends[list] = max(t.ends[list], m.OrderIndex)
	}
	return members, err
}

// after is the place behind i; the largest one there is has none, and ties are
// ordered by id.
func after(i int64) int64 {
	if i == math.MaxInt64 {
		return i
	}
	return i + 1
}

// findable are those of the elementals that show up for the actor.
func findable(a Actor, recs []ElementalRecord) []ElementalRecord {
	return slices.DeleteFunc(recs, func(rec ElementalRecord) bool { return !mayFind(a, rec) })
}
