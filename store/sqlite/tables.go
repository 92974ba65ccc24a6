package sqlite

import (
	"context"
	"time"

	"github.com/quirelib/quire"
)

// ShowTable implements quire.TableWriter. What is indexed does not change; what is packed
// is read from the rows from now on.
func (t *tx) ShowTable(ctx context.Context, tableID string, v quire.Visibility, at time.Time) error {
	args := []any{v, micros(at), quire.MaxVersion, tableID} // see quire.NextVersion
	return t.runAll(ctx, []statement{
		{`UPDATE elementals SET visibility = ?, updated_at = ?, version = version % ? + 1 WHERE table_id = ? AND table_id <> ''`, args},
		{`DELETE FROM elemental_short WHERE num IN (SELECT e.num FROM elementals e WHERE e.table_id = ? AND e.table_id <> '')`, []any{tableID}},
		{`UPDATE lists SET visibility = ?, updated_at = ?, version = version % ? + 1 WHERE table_id = ? AND table_id <> ''`, args},
	})
}

// ClearTable implements quire.TableWriter.
func (t *tx) ClearTable(ctx context.Context, tableID string) error {
	args := []any{tableID}
	return t.runAll(ctx, []statement{
		{`DELETE FROM elemental_text WHERE rowid IN (SELECT e.num FROM elementals e WHERE e.table_id = ? AND e.table_id <> '')`, args},
		{`DELETE FROM elementals WHERE table_id = ? AND table_id <> ''`, args}, // takes all along that refers to them
		{`DELETE FROM list_text WHERE rowid IN (SELECT l.id FROM lists l WHERE l.table_id = ? AND l.table_id <> '')`, args},
		{`DELETE FROM lists WHERE table_id = ? AND table_id <> ''`, args},
	})
}
