package quire

import (
	"cmp"
	"context"
	"maps"
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

// TableList is a column or row of a table with its cells: one for each list that it
// crosses, in their order, so that Rows[r].Cells[c] and Columns[c].Cells[r] are the same.
// Where the table has no text, the cell has no ID and Version: nothing is stored for it.
// TotalItems counts those that are.
type TableList struct {
	List
	Cells []Elemental // without Details
}

// addDetails reads the details of elementals, with the columns and rows of tables if
// asked for: one table may have megabytes of them.
func (l *Library) addDetails(ctx context.Context, tx ReadTx, a Actor, es []Elemental, tables bool) error {
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
		if tables && e.TypeID == TypeTable {
			if err := l.addTable(ctx, tx, a, e.ElementalRecord, d); err != nil {
				return err
			}
		}
		e.Details = d
	}
	return nil
}

// addTable reads the columns, rows and cells of a table, and fills its empty places. Both directions hold the
// same cells; nothing in them leads back to the table.
func (l *Library) addTable(ctx context.Context, tx ReadTx, a Actor, rec ElementalRecord, d *Details) error {
	t, err := readTable(ctx, tx, rec)
	if err != nil {
		return err
	}
	for _, row := range t.rows {
		for _, column := range t.columns {
			if at := (crossing{column.ID, row.ID}); t.cells[at].ID == "" {
				t.cells[at] = newCell(rec, column, row)
			}
		}
	}
	resolved, err := l.resolveElementals(ctx, tx, a, slices.Collect(maps.Values(t.cells)))
	if err != nil {
		return err
	}
	cells := make(map[crossing]Elemental, len(resolved))
	for _, c := range resolved {
		cells[crossingOf(c.ElementalRecord)] = c
	}
	whole := func(lists, crossed []ListRecord, at func(list, other int64) crossing) ([]TableList, error) {
		resolved, err := l.resolveLists(ctx, tx, a, lists)
		out := make([]TableList, len(resolved))
		for i, list := range resolved {
			out[i].List, out[i].TotalItems = list, 0
			for _, other := range crossed {
				c := cells[at(list.ID, other.ID)]
				out[i].Cells = append(out[i].Cells, c)
				if c.ID != "" { // all are shown, even of an Unlisted table
					out[i].TotalItems++
				}
			}
		}
		return out, err
	}
	if d.Columns, err = whole(t.columns, t.rows, func(column, row int64) crossing { return crossing{column, row} }); err != nil {
		return err
	}
	d.Rows, err = whole(t.rows, t.columns, func(row, column int64) crossing { return crossing{column, row} })
	return err
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
	users, err := usersSeen(ctx, tx, a, ids)
	return pick(users, ids), err
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
