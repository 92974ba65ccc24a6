package quire

import (
	"context"
	"fmt"
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
	Checked map[string]int // how many of each part were read: "elementals", "lists", "chunks" ..
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

// VerifiedStore is an optional ability of a Store: to find out whether it still holds what
// was put into it.
type VerifiedStore interface {
	Store
	// Verify reads all that is stored and adds to v what is not as it was written: broken
	// structure, references to what is missing, values that fail their checksum. An error
	// is only that of the reading itself. It cannot be called inside a transaction.
	Verify(ctx context.Context, v *Verification) error
}

// Verify reads everything in the Store, of all users, and says what is wrong with it:
//
//   - what the Store itself finds, if it is a [VerifiedStore]. That of package sqlite
//     checks the structure of its file, references, and the checksums of elementals, lists
//     and media;
//   - tags, tables, columns, rows and items that are missing, and parts of a table that
//     are not its owner's;
//   - counters that are not the number of the comments, rates, upvotes and saves there are;
//   - media whose length is not the stated one.
//
// Names of users and tags, messages of comments and rates, and the words of the full-text
// indexes have no checksum: what is changed in them goes unseen if it fits its structure.
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
		if err := s.Verify(ctx, &v); err != nil {
			return v, err
		}
	}
	err := l.view(ctx, func(tx ReadTx) error {
		tenants, err := tx.Tenants(ctx)
		if err != nil {
			return err
		}
		check := contentCheck{Verification: &v, tx: tx}
		for _, tenantID := range tenants {
			if err := check.tenant(ctx, tenantID); err != nil {
				return err
			}
		}
		return nil
	})
	return v, err
}

// contentCheck checks content.
type contentCheck struct {
	*Verification
	tx ReadTx
}

// tenant checks the content of a tenant.
func (c contentCheck) tenant(ctx context.Context, tenantID string) error {
	for _, err := range c.tx.TenantUsers(ctx, tenantID) {
		if err != nil {
			return err
		}
		c.Count("users", 1)
	}
	for rec, err := range c.tx.TenantElementals(ctx, tenantID) {
		if err != nil {
			return err
		}
		if err := c.elemental(ctx, rec); err != nil {
			return err
		}
	}
	for list, err := range c.tx.TenantLists(ctx, tenantID) {
		if err != nil {
			return err
		}
		if err := c.list(ctx, list); err != nil {
			return err
		}
	}
	return nil
}

func (c contentCheck) elemental(ctx context.Context, rec ElementalRecord) error {
	c.Count("elementals", 1)
	if err := c.tags(ctx, "elementals", rec.ID, rec.TagIDs); err != nil {
		return err
	}
	if rec.TypeID == TypeCell {
		if err := c.cell(ctx, rec); err != nil {
			return err
		}
	}
	if err := c.comments(ctx, rec); err != nil {
		return err
	}
	if err := c.counters(ctx, "elementals", rec.ID, Subject{ElementalID: rec.ID}, rec.Counters); err != nil {
		return err
	}
	return c.media(ctx, MediaOwner{ElementalID: rec.ID})
}

func (c contentCheck) list(ctx context.Context, list ListRecord) error {
	c.Count("lists", 1)
	id := strconv.FormatInt(list.ID, 10)
	if err := c.tags(ctx, "lists", id, list.TagIDs); err != nil {
		return err
	}
	if list.TableID != "" {
		if err := c.table(ctx, "lists", id, list.TableID, list.OwnerID); err != nil {
			return err
		}
	}
	if err := c.items(ctx, list); err != nil {
		return err
	}
	if err := c.counters(ctx, "lists", id, Subject{ListID: list.ID}, list.Counters); err != nil {
		return err
	}
	return c.media(ctx, MediaOwner{ListID: list.ID})
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

// table checks that there is the table which something says it belongs to, of the same
// owner.
func (c contentCheck) table(ctx context.Context, part, id, tableID, ownerID string) error {
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

// cell checks that a cell is where a column and a row of its table cross.
func (c contentCheck) cell(ctx context.Context, rec ElementalRecord) error {
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
		data, err := c.tx.MediaData(ctx, m.ID)
		if err != nil {
			return err
		}
		c.Count("media", 1)
		if int64(len(data)) != m.Size {
			c.Add("media", strconv.FormatInt(m.ID, 10), "it has %d bytes instead of %d", len(data), m.Size)
		}
	}
	return nil
}
