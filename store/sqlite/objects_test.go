package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/quirelib/quire"
)

// TestChangedSchema opens sound files whose schema is not that of their version: they are
// damaged, and stay as they are.
func TestChangedSchema(t *testing.T) {
	t.Parallel()
	changes := []string{`DROP TABLE vectors`, `DROP TABLE meta`, `DROP TABLE elemental_text`, `DROP TABLE elemental_text_data`, `DROP INDEX jobs_queued`,
		`DROP TRIGGER list_items_follow`, `ALTER TABLE chunks DROP COLUMN sum`}
	for version := 1; version < len(migrations); version++ {
		changes = append(changes, fmt.Sprint("PRAGMA user_version = ", version))
	}
	refused := 0
	for _, change := range changes {
		path := filepath.Join(t.TempDir(), "store.db")
		s := mustOpen(t, path)
		putMetaValue(t, s, "name", "value")
		mustClose(t, s)
		execRaw(t, path, change)
		if err := openBytes(t, mustRead(t, path)); !errors.Is(err, quire.ErrCorrupt) {
			t.Errorf("%s: got error %v, want ErrCorrupt", change, err)
			continue
		}
		refused++
	}
	t.Logf("A6: %d of %d files whose schema is not that of their version are refused", refused, len(changes))
}
