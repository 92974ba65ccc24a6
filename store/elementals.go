package store

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/quirelib/quire"
)

// elemental is an elemental's row.
type elemental struct {
	record quire.ElementalRecord
	text   quire.IndexedText
}

// titleKey is what ElementalByTitle finds elementals by.
type titleKey struct {
	ownerID string
	typeID  int
	title   string
}

func titleOf(e *quire.ElementalRecord) titleKey { return titleKey{e.OwnerID, e.TypeID, e.Title} }

func (d *data) deriveElemental(old, cur *elemental) {
	if old != nil {
		e := &old.record
		d.elementalsOf.remove(e.OwnerID, e.ID)
		d.elementalsIn.remove(e.TenantID, e.ID)
		d.elementalTitle.remove(titleOf(e), e.ID)
		d.cellsOf.remove(e.TableID, e.ID)
	}
	if cur != nil {
		e := &cur.record
		d.elementalsOf.add(e.OwnerID, e.ID, e)
		d.elementalsIn.add(e.TenantID, e.ID, e)
		d.elementalTitle.add(titleOf(e), e.ID, e)
		if e.TableID != "" {
			d.cellsOf.add(e.TableID, e.ID, e)
		}
	}
	switch {
	case cur == nil && old == nil:
	case cur == nil:
		d.elementalText.remove(old.record.ID)
	default:
		d.elementalText.put(cur.record.ID, cur.text)
	}
}

func cloneRecord(e elemental) quire.ElementalRecord { return cloneElemental(e.record) }

// visible reports whether a viewer finds what somebody owns.
func visible(v quire.Viewer, ownerID string, vis quire.Visibility) bool {
	return ownerID == v.OwnerID || v.OthersToo && vis == quire.Public
}

// Elemental implements [quire.ElementalReader].
func (tx readTx) Elemental(ctx context.Context, id string) (quire.ElementalRecord, error) {
	return found(ctx, tx.elementals.rows[id], cloneRecord, "elemental")
}

// Elementals implements [quire.ElementalReader].
func (tx readTx) Elementals(ctx context.Context, ids []string) (map[string]quire.ElementalRecord, error) {
	return pick(ctx, tx.elementals.rows, ids, cloneRecord)
}

// ElementalsWithoutBody implements [quire.ElementalReader].
func (tx readTx) ElementalsWithoutBody(ctx context.Context, ids []string) (map[string]quire.ElementalRecord, error) {
	return pick(ctx, tx.elementals.rows, ids, func(e elemental) quire.ElementalRecord {
		return withoutBody(cloneRecord(e))
	})
}

// withoutBody is an elemental as a page of many has it.
func withoutBody(e quire.ElementalRecord) quire.ElementalRecord {
	e.Body, e.TutorialSteps = "", nil
	return e
}

// ElementalByTitle implements [quire.ElementalReader].
func (tx readTx) ElementalByTitle(ctx context.Context, ownerID string, typeID int, title string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	same := tx.elementalTitle[titleKey{ownerID, typeID, title}]
	if len(same) == 0 {
		return "", notFound("elemental")
	}
	return slices.Min(slices.Collect(maps.Keys(same))), nil
}

// SearchElementals implements [quire.ElementalReader].
func (tx readTx) SearchElementals(ctx context.Context, q quire.ElementalSearch) ([]quire.ElementalRecord, int, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	ids := slices.DeleteFunc(ranked(tx.elementalText.search(q.Text)), func(id string) bool {
		e := &tx.elementals.rows[id].record
		return !visible(q.Viewer, e.OwnerID, e.Visibility) ||
			len(q.TypeIDs) > 0 && !slices.Contains(q.TypeIDs, e.TypeID)
	})
	var es []quire.ElementalRecord
	for _, id := range page(ids, q.Offset, q.Limit) {
		e := cloneRecord(*tx.elementals.rows[id])
		if q.WithoutBody {
			e = withoutBody(e)
		}
		es = append(es, e)
	}
	return es, len(ids), nil
}

// NewestElementals implements [quire.ElementalReader].
func (tx readTx) NewestElementals(ctx context.Context, q quire.ElementalQuery) ([]quire.ElementalRecord, int, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	var own []*quire.ElementalRecord
	for _, e := range tx.elementalsOf[q.OwnerID] {
		typed := e.TypeID == q.TypeID || q.TypeID == 0 && e.TableID == ""
		if typed && (q.TagID == 0 || slices.Contains(e.TagIDs, q.TagID)) {
			own = append(own, e)
		}
	}
	slices.SortFunc(own, func(a, b *quire.ElementalRecord) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	var es []quire.ElementalRecord
	for _, e := range page(own, q.Offset, q.Limit) {
		es = append(es, withoutBody(cloneElemental(*e)))
	}
	return es, len(own), nil
}

// PutElementalText implements [quire.ElementalWriter].
func (tx *writeTx) PutElementalText(ctx context.Context, id string, text quire.IndexedText) error {
	e, err := found(ctx, tx.elementals.rows[id], func(e elemental) elemental { return e }, "elemental")
	if err != nil {
		return err
	}
	tx.elementals.set(&tx.undo, id, &elemental{e.record, text}) // rows are never changed, so they may share slices
	return nil
}

// Cells implements [quire.ElementalReader].
func (tx readTx) Cells(ctx context.Context, tableID string) ([]quire.ElementalRecord, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var es []quire.ElementalRecord
	for _, e := range tx.cellsOf[tableID] {
		es = append(es, cloneElemental(*e))
	}
	slices.SortFunc(es, func(a, b quire.ElementalRecord) int { return cmp.Compare(a.ID, b.ID) })
	return es, nil
}

// CellTexts implements [quire.ElementalReader].
func (tx readTx) CellTexts(ctx context.Context, tableID string) ([]quire.CellText, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var cs []quire.CellText
	for _, e := range tx.cellsOf[tableID] {
		cs = append(cs, quire.CellText{ID: e.ID, ColumnID: e.ColumnID, RowID: e.RowID, Body: e.Body})
	}
	slices.SortFunc(cs, func(a, b quire.CellText) int { return cmp.Compare(a.ID, b.ID) })
	return cs, nil
}

// ElementalSizes implements [quire.ElementalReader].
func (tx readTx) ElementalSizes(ctx context.Context, ids []string) (map[string]quire.ElementalSize, error) {
	return pick(ctx, tx.elementals.rows, ids, tx.sizeOf)
}

func (tx readTx) sizeOf(e elemental) quire.ElementalSize {
	id := e.record.ID
	s := quire.ElementalSize{Body: int64(len(e.record.Body)), Notes: tx.notesOf(&e.record)}
	s.Notes += tx.commentNotes(id) + tx.rateNotes(quire.Subject{ElementalID: id})
	for _, c := range tx.cellsOf[id] {
		s.CellBody += int64(len(c.Body))
		s.Notes += tx.notesOf(c)
	}
	of := map[string]int{} // columns and rows
	for _, l := range tx.tableLists[id] {
		of[l.TableOrientation]++
		s.Notes += tx.listSize(l).Notes
	}
	s.Cells = of[quire.TableColumn] * of[quire.TableRow]
	return s
}

// notesOf is how long the texts of an elemental are besides its body.
func (tx readTx) notesOf(e *quire.ElementalRecord) int64 {
	return int64(len(e.Description)) + stepNotes(e.TutorialSteps) + tx.tagNotes(e.TagIDs)
}

// stepNotes is how long the texts of tutorial steps are.
func stepNotes(steps []quire.TutorialStep) (n int64) {
	for _, s := range steps {
		n += int64(len(s.Title) + len(s.Description) + len(s.VideoURL))
	}
	return n
}

// ElementalsOf implements [quire.ElementalReader].
func (tx readTx) ElementalsOf(ctx context.Context, ownerID string) iter.Seq2[quire.ElementalRecord, error] {
	return inOrder(ctx, tx.elementalsOf[ownerID], cloneElemental)
}

// TenantElementals implements [quire.ElementalReader].
func (tx readTx) TenantElementals(ctx context.Context, tenantID string) iter.Seq2[quire.ElementalRecord, error] {
	return inOrder(ctx, tx.elementalsIn[tenantID], cloneElemental)
}

// PutElemental implements [quire.ElementalWriter].
func (tx *writeTx) PutElemental(ctx context.Context, e quire.ElementalRecord, text quire.IndexedText) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tx.elementals.set(&tx.undo, e.ID, &elemental{cloneElemental(e), text})
	return nil
}

// DeleteElemental implements [quire.ElementalWriter].
func (tx *writeTx) DeleteElemental(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for listID := range maps.Clone(tx.memberships[id]) {
		tx.items.set(&tx.undo, itemKey{listID, id}, nil)
	}
	tx.deleteEngagement(quire.Subject{ElementalID: id})
	tx.elementals.set(&tx.undo, id, nil)
	return nil
}
