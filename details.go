package quire

import (
	"cmp"
	"context"
	"slices"
	"strconv"
)

// Details are what belongs to an elemental besides its record.
type Details struct {
	Media    []Media         // by kind, then order
	Comments []CommentThread // the latest MaxShown comments and replies, oldest first
	Rates    []UserRate      // the latest MaxShown, oldest first
	Columns  []TableList     // of a table, in their order
	Rows     []TableList
}

// mediaOf returns the media of a kind; none of nil details.
func (d *Details) mediaOf(kind MediaKind) (out []Media) {
	if d == nil {
		return nil
	}
	for _, m := range d.Media {
		if m.Kind == kind {
			out = append(out, m)
		}
	}
	return out
}

// MaxShown is how many comments and how many rates of one subject are read with it;
// the counters count all, and [Library.Comments] and [Library.Rates] read all.
const MaxShown = 100

// maxLastSaves is how many of those who saved a list it shows.
const maxLastSaves = 10

// TableList is a column or row of a table with its cells, in the order of what it
// crosses.
type TableList struct {
	List
	Cells []Elemental // without Details
}

// addDetails reads the details of elementals.
func (l *Library) addDetails(ctx context.Context, tx ReadTx, a Actor, es []Elemental) error {
	owners := make([]MediaOwner, len(es))
	for i, e := range es {
		owners[i] = MediaOwner{ElementalID: e.ID}
	}
	media, err := tx.MediaOf(ctx, owners)
	if err != nil {
		return err
	}
	for i := range es {
		e := &es[i]
		d := &Details{Media: media[owners[i]]}
		if e.Counters.Comments > 0 {
			if d.Comments, err = threads(ctx, tx, a, e.ID); err != nil {
				return err
			}
		}
		if d.Rates, err = ratesOf(ctx, tx, a, Subject{ElementalID: e.ID}, e.Counters); err != nil {
			return err
		}
		if e.TypeID == TypeTable {
			if err := l.addTable(ctx, tx, a, e.ID, d); err != nil {
				return err
			}
		}
		e.Details = d
	}
	return nil
}

// addTable reads the columns, rows and cells of a table. Both directions hold the
// same cells; nothing in them leads back to the table.
func (l *Library) addTable(ctx context.Context, tx ReadTx, a Actor, tableID string, d *Details) error {
	recs, err := tx.TableLists(ctx, tableID)
	if err != nil {
		return err
	}
	lists, err := l.resolveLists(ctx, tx, a, recs)
	if err != nil {
		return err
	}
	cells, err := tx.Cells(ctx, tableID)
	if err != nil {
		return err
	}
	resolved, err := l.resolveElementals(ctx, tx, a, cells)
	if err != nil {
		return err
	}
	at := make(map[int64]int64, len(lists)) // place of each list
	in := make(map[int64][]Elemental, len(lists))
	for _, list := range lists {
		at[list.ID] = list.TableIndex
	}
	for _, c := range resolved {
		in[c.ColumnID] = append(in[c.ColumnID], c)
		in[c.RowID] = append(in[c.RowID], c)
	}
	for _, list := range lists {
		t := TableList{List: list, Cells: in[list.ID]}
		t.TotalItems = len(t.Cells) // all are shown, even of an Unlisted table
		if list.TableOrientation == TableColumn {
			slices.SortFunc(t.Cells, func(x, y Elemental) int { return cmp.Compare(at[x.RowID], at[y.RowID]) })
			d.Columns = append(d.Columns, t)
		} else {
			slices.SortFunc(t.Cells, func(x, y Elemental) int { return cmp.Compare(at[x.ColumnID], at[y.ColumnID]) })
			d.Rows = append(d.Rows, t)
		}
	}
	return nil
}

// threads reads the latest comments and replies of an elemental. A reply brings the
// comment that it answers, however old that is.
func threads(ctx context.Context, tx ReadTx, a Actor, elementalID string) ([]CommentThread, error) {
	latest, err := tx.Comments(ctx, elementalID, 0, MaxShown)
	if err != nil {
		return nil, err
	}
	there := make(map[int64]bool, len(latest))
	for _, c := range latest {
		there[c.ID] = true
	}
	shown := latest
	for _, c := range latest {
		if c.ParentID == 0 || there[c.ParentID] {
			continue
		}
		parent, err := tx.Comment(ctx, c.ParentID)
		if err != nil {
			return nil, err
		}
		there[parent.ID] = true
		shown = append(shown, parent)
	}
	slices.SortFunc(shown, func(x, y Comment) int { return cmp.Compare(x.ID, y.ID) })
	written, err := withWriters(ctx, tx, a, shown)
	if err != nil {
		return nil, err
	}
	var out []CommentThread
	at := make(map[int64]int) // place of each thread
	for _, c := range written {
		if c.ParentID == 0 {
			at[c.ID] = len(out)
			out = append(out, CommentThread{UserComment: c})
			continue
		}
		thread := &out[at[c.ParentID]]
		thread.Replies = append(thread.Replies, c)
	}
	return out, nil
}

// ratesOf reads the latest rates of a subject, if it has any.
func ratesOf(ctx context.Context, tx ReadTx, a Actor, s Subject, c Counters) ([]UserRate, error) {
	if c.Rates == 0 {
		return nil, nil
	}
	rates, err := tx.Rates(ctx, s, 0, MaxShown)
	if err != nil {
		return nil, err
	}
	return withRaters(ctx, tx, a, rates)
}

// addListDetails reads what belongs to lists besides their records.
func addListDetails(ctx context.Context, tx ReadTx, a Actor, lists []List) error {
	owners, subjects := make([]MediaOwner, len(lists)), make([]Subject, len(lists))
	place := make(map[int64]*List, len(lists))
	for i := range lists {
		id := lists[i].ID
		owners[i], subjects[i], place[id] = MediaOwner{ListID: id}, Subject{ListID: id}, &lists[i]
	}
	media, err := tx.MediaOf(ctx, owners)
	if err != nil {
		return err
	}
	marks, err := tx.Marks(ctx, a.UserID, subjects)
	if err != nil {
		return err
	}
	for _, m := range marks {
		l := place[m.Subject.ListID]
		switch m.Kind {
		case MarkSave:
			l.Saved = true
		case MarkFavorite:
			l.Favorite = true
		case MarkUpvote:
			l.Voted = true
		}
	}
	for i := range lists {
		l := &lists[i]
		l.Media = media[owners[i]]
		if l.Rates, err = ratesOf(ctx, tx, a, subjects[i], l.Counters); err != nil {
			return err
		}
		if l.LastSaves, err = lastSaves(ctx, tx, a, subjects[i], l.Counters); err != nil {
			return err
		}
	}
	return nil
}

// lastSaves reads who saved a subject last, newest first.
func lastSaves(ctx context.Context, tx ReadTx, a Actor, s Subject, c Counters) ([]User, error) {
	if c.Saves == 0 {
		return nil, nil
	}
	marks, err := tx.LastMarks(ctx, s, MarkSave, maxLastSaves)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(marks))
	for i, m := range marks {
		ids[i] = m.UserID
	}
	users, err := tx.Users(ctx, ids)
	if err != nil {
		return nil, err
	}
	saved := pick(users, ids)
	for i := range saved {
		saved[i] = seenBy(saved[i], a)
	}
	return saved, nil
}

// MediaURL is the address of a file in the HTTP interface, built like the URL of an
// elemental. Reading it needs a key like every other address.
func (l *Library) MediaURL(m Media) string {
	id := strconv.FormatInt(m.ID, 10)
	switch {
	case m.Kind != MediaFile:
		return l.opts.PublicURL + "/v1/image/" + id
	case m.Owner.ElementalID != "":
		return l.elementalURL(m.Owner.ElementalID) + "/file/" + id
	default:
		return l.listURL(m.Owner.ListID) + "/file/" + id
	}
}
