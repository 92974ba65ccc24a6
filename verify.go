package quire

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"strconv"
)

// Fault is something that Verify found wrong.
type Fault struct {
	Part    string // what it is about, a key of [Verification.Checked]
	ID      string // of the elemental, list, chunk .. ; "" if it is about no single one
	Problem string // what is wrong, for operators: no content is in it
}

// Verification is what Verify has read and found. The zero value is that of nothing read.
type Verification struct {
	Checked map[string]int // how many of each part were read: "elementals", "lists", "chunks" ..; of "index" a sample
	Faults  []Fault        // in the order in which they were found, at most 1,000
	Found   int            // how many faults there are in all
}

// maxFaults bounds the memory for the faults of a library that is damaged all over.
const maxFaults = 1000

// Sound reports whether nothing wrong was found.
func (v Verification) Sound() bool { return v.Found == 0 }

// Count adds n to what was read of a part.
func (v *Verification) Count(part string, n int) {
	if v.Checked == nil {
		v.Checked = map[string]int{}
	}
	v.Checked[part] += n
}

// Add adds a fault.
func (v *Verification) Add(part, id, format string, args ...any) {
	v.Found++
	if len(v.Faults) < maxFaults {
		v.Faults = append(v.Faults, Fault{Part: part, ID: id, Problem: fmt.Sprintf(format, args...)})
	}
}

// addOnce adds a fault of something of which no fault is known yet: what cannot be read is
// named by the Store, and met again by each who wants to read it.
func (v *Verification) addOnce(part, id, problem string) {
	known := slices.ContainsFunc(v.Faults, func(f Fault) bool {
		return f.Part == part && f.ID == id && (id != "" || f.Problem == problem)
	})
	if !known {
		v.Add(part, id, "%s", problem)
	}
}

// passOver makes a fault of an error that says that something is damaged: it is what was
// looked for, and the check goes on with the rest. Other errors, such as that of a disk that
// does not answer, it returns.
func (v *Verification) passOver(part, id, problem string, err error) error {
	if CodeOf(err) != CodeCorrupt {
		return err
	}
	v.addOnce(part, id, problem)
	return nil
}

// cannotBeRead is the problem of what is passed over.
const cannotBeRead = "it, or something that belongs to it, cannot be read"

// VerifiedStore is an optional ability of a Store: to find out whether it still holds what
// was put into it.
type VerifiedStore interface {
	Store
	// Verify reads all that is stored and adds to v what is not as it was written: broken
	// structure, references to what is missing, values that fail their checksum. What cannot
	// be read because it is damaged is a fault too, named as far as it can be, and the rest is
	// read nevertheless. An error is only that of the reading itself. It cannot be called
	// inside a transaction.
	Verify(ctx context.Context, v *Verification) error
}

// Verify reads everything in the Store, of all users, and says what is wrong with it:
//
//   - what the Store itself finds, if it is a [VerifiedStore]. That of package sqlite
//     checks the structure of its file, its tables, indexes and triggers against those of a
//     new file, references, that each row can be read, the checksums of elementals, lists,
//     media (with whose they are, and all else of them) and passages, and that what stands twice is the same: what pages show of an
//     elemental, who is shown the items of a list, the tags that passages are filtered by;
//     and that everything has its row in the full-text index;
//   - tags, tables, columns, rows and items that are missing, and parts of a table that
//     are not its owner's;
//   - counters that are not the number of the comments, rates, upvotes and saves there are;
//   - media whose length is not the stated one;
//   - values that there are none of: visibilities, kinds of media, hashes of keys.
//
// What cannot be read, a row or a whole table, is such a fault, and the rest is read
// nevertheless.
//
// It does not see everything. What has no checksum and fits its structure can be changed, and
// what nothing counts can be gone, without a sign:
//
//   - all of users, keys and tags that nothing repeats: names, addresses, colors, times, the
//     tenant of a user, whose a tag is;
//   - of comments, rates and marks: messages, authors, votes and times, and that a comment was a
//     reply;
//   - of lists: what is not their texts, owner or counters, such as type, visibility, price, settings,
//     steps, tags and times, and their counters of sales and uses; of elementals the same, but
//     only where both places in which it stands were changed alike;
//   - the order of items and tags;
//   - of jobs all but the state and purpose of those to be run; receipts; settings of the library;
//   - items, media, keys, receipts, tags of a list and jobs that are gone altogether; so are users,
//     whatever they own or wrote, since an [Actor] need not be one, and tags that nothing has;
//   - the words of the full-text index, as long as everything has its row there.
//
// Nor does it see what was lost before the file was opened: after a crash, the last changes
// are in a log beside it, which SQLite reads as far as its checksums are right. Where a bit of
// it has flipped, all changes from there on are gone, and nothing tells. A library that was
// closed has no such log.
//
// Reading and writing go on meanwhile; it sees the state of one moment and holds it until
// it returns, so that the log of SQLite grows by what is written. It takes seconds for
// 100,000 elementals. The error is that of the reading, nil however much is wrong. Beside an
// Engine, call [Engine.Verify] too.
func (l *Library) Verify(ctx context.Context) (Verification, error) {
	var v Verification
	if l.closed.Load() {
		return v, ErrClosed
	}
	if err := l.apart(ctx); err != nil {
		return v, err
	}
	if s, ok := l.store.(VerifiedStore); ok {
		if err := v.passOver("file", "", "not all of it can be read", s.Verify(ctx, &v)); err != nil {
			return v, err
		}
	}
	err := l.view(ctx, func(tx ReadTx) error { return contentCheck{&v, tx}.all(ctx) })
	return v, v.passOver("file", "", "not all of it can be read", err)
}

// contentCheck checks content.
type contentCheck struct {
	*Verification
	tx ReadTx
}

// all checks the content of all tenants.
func (c contentCheck) all(ctx context.Context) error {
	tenants, err := c.tx.Tenants(ctx)
	if err != nil {
		return err
	}
	for _, tenantID := range tenants {
		if err := c.tenant(ctx, tenantID); err != nil {
			return err
		}
	}
	return nil
}

// tenant checks the content of a tenant.
func (c contentCheck) tenant(ctx context.Context, tenantID string) error {
	users := checkEach(ctx, c, "users", c.tx.TenantUsers(ctx, tenantID), func(u User) string { return u.ID }, c.user)
	if users != nil {
		return users
	}
	elementals := checkEach(ctx, c, "elementals", c.tx.TenantElementals(ctx, tenantID), func(e ElementalRecord) string { return e.ID }, c.elemental)
	if elementals != nil {
		return elementals
	}
	return checkEach(ctx, c, "lists", c.tx.TenantLists(ctx, tenantID), listID, c.list)
}

// listID is how a list is named in a fault; "" if even its id could not be read.
func listID(l ListRecord) string {
	if l.ID == 0 {
		return ""
	}
	return strconv.FormatInt(l.ID, 10)
}

// checkEach has each of a kind checked. What cannot be read, as a whole or in part, is a
// fault.
func checkEach[T any](ctx context.Context, c contentCheck, part string, all iter.Seq2[T, error], id func(T) string, check func(context.Context, T) error) error {
	for one, err := range all {
		if err == nil {
			c.Count(part, 1)
			err = check(ctx, one)
		}
		problem := cannotBeRead
		if id(one) == "" {
			problem = "not all of them can be read"
		}
		if err := c.passOver(part, id(one), problem, err); err != nil {
			return err
		}
	}
	return nil
}

// user checks the keys of a user.
func (c contentCheck) user(ctx context.Context, u User) error {
	keys, err := c.tx.KeysOf(ctx, u.ID)
	c.Count("keys", len(keys))
	for _, k := range keys {
		if b, err := hex.DecodeString(k.Hash); err != nil || len(b) != sha256.Size || k.Hash != hex.EncodeToString(b) {
			c.Add("keys", k.ID, "its hash is none")
		}
	}
	return err
}

// each runs checks of one thing. One that cannot be made, because something is damaged, is
// a fault; the others are made nevertheless.
func (c contentCheck) each(part, id string, checks ...func() error) error {
	for _, check := range checks {
		if err := c.passOver(part, id, cannotBeRead, check()); err != nil {
			return err
		}
	}
	return nil
}

func (c contentCheck) elemental(ctx context.Context, rec ElementalRecord) error {
	c.visibility("elementals", rec.ID, rec.Visibility)
	return c.each("elementals", rec.ID,
		func() error { return c.tags(ctx, "elementals", rec.ID, rec.TagIDs) },
		func() error { return c.cell(ctx, rec) },
		func() error { return c.comments(ctx, rec) },
		func() error { return c.counters(ctx, "elementals", rec.ID, Subject{ElementalID: rec.ID}, rec.Counters) },
		func() error { return c.media(ctx, MediaOwner{ElementalID: rec.ID}) })
}

func (c contentCheck) list(ctx context.Context, list ListRecord) error {
	id := listID(list)
	c.visibility("lists", id, list.Visibility)
	return c.each("lists", id,
		func() error { return c.tags(ctx, "lists", id, list.TagIDs) },
		func() error { return c.table(ctx, "lists", id, list.TableID, list.OwnerID) },
		func() error { return c.items(ctx, list) },
		func() error { c.noComments(id, list); return nil },
		func() error { return c.counters(ctx, "lists", id, Subject{ListID: list.ID}, list.Counters) },
		func() error { return c.media(ctx, MediaOwner{ListID: list.ID}) })
}

// visibility checks that a visibility is one.
func (c contentCheck) visibility(part, id string, v Visibility) {
	if v != Public && v != Unlisted {
		c.Add(part, id, "its visibility is none that there is")
	}
}

// tags checks that the tags that something has are there.
func (c contentCheck) tags(ctx context.Context, part, id string, tagIDs []int64) error {
	if len(tagIDs) == 0 {
		return nil
	}
	found, err := c.tx.Tags(ctx, tagIDs)
	if err == nil && len(found) < len(tagIDs) {
		c.Add(part, id, "%d of its %d tags are missing", len(tagIDs)-len(found), len(tagIDs))
	}
	return err
}

// table checks that there is the table which something says it belongs to, if it does, of
// the same owner.
func (c contentCheck) table(ctx context.Context, part, id, tableID, ownerID string) error {
	if tableID == "" {
		return nil
	}
	found, err := c.tx.ElementalsWithoutBody(ctx, []string{tableID})
	switch table := found[tableID]; {
	case err != nil:
		return err
	case table.TypeID != TypeTable:
		c.Add(part, id, "its table is missing")
	case table.OwnerID != ownerID:
		c.Add(part, id, "its owner is not that of its table")
	}
	return nil
}

// cell checks that an elemental that is a cell is where a column and a row of its table
// cross.
func (c contentCheck) cell(ctx context.Context, rec ElementalRecord) error {
	if rec.TypeID != TypeCell {
		return nil
	}
	if rec.TableID == "" {
		c.Add("elementals", rec.ID, "its table is missing")
		return nil
	}
	for _, of := range []struct {
		id          int64
		orientation string
	}{{rec.ColumnID, TableColumn}, {rec.RowID, TableRow}} {
		list, err := c.tx.List(ctx, of.id)
		if err != nil && CodeOf(err) != CodeNotFound {
			return err
		}
		if list.TableID != rec.TableID || list.TableOrientation != of.orientation {
			c.Add("elementals", rec.ID, "the %s of its table that it is in is missing", of.orientation)
		}
	}
	return c.table(ctx, "elementals", rec.ID, rec.TableID, rec.OwnerID)
}

// items checks that the elementals of a list are there.
func (c contentCheck) items(ctx context.Context, list ListRecord) error {
	items, err := c.tx.Items(ctx, list.ID)
	if err != nil {
		return err
	}
	c.Count("items", len(items))
	const some = 1000 // at a time
	for len(items) > 0 {
		n := min(some, len(items))
		ids := make([]string, n)
		for i, item := range items[:n] {
			ids[i] = item.ElementalID
		}
		items = items[n:]
		found, err := c.tx.ElementalsWithoutBody(ctx, ids)
		if err != nil {
			return err
		}
		if len(found) < n {
			c.Add("items", strconv.FormatInt(list.ID, 10), "%d elementals in this list are missing", n-len(found))
		}
	}
	return nil
}

// media checks that files are as long as they are said to be.
func (c contentCheck) media(ctx context.Context, owner MediaOwner) error {
	found, err := c.tx.MediaOf(ctx, []MediaOwner{owner})
	if err != nil {
		return err
	}
	for _, m := range found[owner] {
		id := strconv.FormatInt(m.ID, 10)
		if err := c.passOver("media", id, cannotBeRead, c.file(ctx, id, m)); err != nil {
			return err
		}
	}
	return nil
}

// file checks one of the files.
func (c contentCheck) file(ctx context.Context, id string, m Media) error {
	if !slices.Contains([]MediaKind{MediaImage, MediaCover, MediaAvatar, MediaFile}, m.Kind) {
		c.Add("media", id, "its kind is none that there is")
	}
	data, err := c.tx.MediaData(ctx, m.ID)
	if err != nil {
		return err
	}
	c.Count("media", 1)
	if int64(len(data)) != m.Size {
		c.Add("media", id, "it has %d bytes instead of %d", len(data), m.Size)
	}
	return nil
}
