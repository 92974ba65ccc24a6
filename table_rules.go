package quire

import "context"

// checkType checks the type of an elemental that had another one before, 0 if it is
// new. Cells and tables are made by CreateTable only, and stay what they are.
func (l *Library) checkType(p *problems, old, typeID int) {
	made := func(id int) bool { return id == TypeCell || id == TypeTable }
	cat := l.catalogue.Load()
	switch t, ok := cat.elementalType(typeID); {
	case old != 0 && old == typeID:
	case made(old):
		p.add("type_id", "a cell or table stays what it is")
	case made(typeID):
		p.add("type_id", "must be one of %s; a table is created whole, with its columns, rows and cells, as a table", cat.creatableChoices())
	case typeID == 0:
		p.add("type_id", "is required; it must be one of %s", cat.creatableChoices())
	case !ok || !t.Creatable:
		p.add("type_id", "must be a type that can be created: one of %s", cat.creatableChoices())
	}
}

// checkTablePatch refuses changes of a table or cell that would contradict the rest of
// the table.
func checkTablePatch(p *problems, old, rec ElementalRecord) {
	switch old.TypeID {
	case TypeTable:
		if rec.Body != old.Body {
			p.add("template", "the content of a table is its cells; set them in its columns and rows")
		}
	case TypeCell:
		if rec.Body == "" {
			p.add("template", "an empty place has no cell; delete the cell instead")
		}
		if rec.Title != old.Title {
			p.add("title", "a cell is named by its row and column; rename those")
		}
		if rec.Visibility != old.Visibility {
			p.add("visibility", "a cell is as visible as its table; change that of the table")
		}
		if rec.CategoryID != old.CategoryID {
			p.add("category_id", "cells have the category Text, which cannot be changed")
		}
	}
}

// followElemental brings the rest of a table in step with a change of its elemental or
// of one of its cells, by its record or its media.
func (l *Library) followElemental(ctx context.Context, tx Tx, ch *changes, old, rec ElementalRecord, mediaChanged bool) error {
	switch {
	case rec.TypeID == TypeTable && rec.Visibility != old.Visibility:
		ch.follow[rec.ID] = true
		return tx.ShowTable(ctx, rec.ID, rec.Visibility, now())
	case rec.TypeID == TypeCell && (mediaChanged || rec.Body != old.Body || rec.Description != old.Description):
		sizes, err := tx.ElementalSizes(ctx, []string{rec.TableID})
		if err != nil {
			return err
		}
		var probs problems
		if l.checkTableSize(&probs, "template", int(sizes[rec.TableID].CellBody)); len(probs) > 0 {
			return probs.err()
		}
		return l.saveTable(ctx, tx, ch, rec.TableID)
	}
	return nil
}

// checkTableList refuses what would take a column or row out of step with its table,
// and cells for a list that is neither.
func checkTableList(old, rec ListRecord, p ListPatch) error {
	var probs problems
	switch {
	case old.TableID == "":
		if len(p.Cells) > 0 {
			probs.add("table", "only columns and rows of a table have cells; this list is neither")
		}
	default:
		if p.Items != nil && (len(*p.Items) > 0 || p.ReplaceItems) {
			probs.add("item_ids", "the items of a column or row are its cells; set them with table")
		}
		if rec.Visibility != old.Visibility {
			probs.add("visibility", "a column or row is as visible as its table; change that of the table")
		}
	}
	return probs.err()
}

// followList brings the rest of a table in step with a change of a column or row: its
// cells are named after it.
func (l *Library) followList(ctx context.Context, tx Tx, ch *changes, old, rec ListRecord, cellsSet bool) error {
	switch {
	case old.TableID == "", rec.Title == old.Title && !cellsSet:
		return nil
	case rec.Title == old.Title:
		return l.saveTable(ctx, tx, ch, old.TableID)
	}
	t, err := tableOf(ctx, tx, old.TableID)
	if err != nil {
		return err
	}
	for _, row := range t.rows {
		for _, column := range t.columns {
			c, ok := t.cells[crossing{column.ID, row.ID}]
			title := cellTitle(column, row)
			if !ok || c.Title == title {
				continue
			}
			c.Title = title
			if _, err := l.saveContent(ctx, tx, ch, c); err != nil {
				return err
			}
		}
	}
	_, err = l.saveContent(ctx, tx, ch, t.rec)
	return err
}
