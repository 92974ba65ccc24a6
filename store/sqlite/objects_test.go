package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/quirelib/quire"
)

// TestObjects holds what is read from the files in schema against what SQLite makes of them.
func TestObjects(t *testing.T) {
	t.Parallel()
	there := schemaOf(t, newStore(t))
	objects := objectsOf(migrations)
	for name, sql := range there {
		if !objects[name] && sql != "" && name != "version" && name != "sqlite_sequence" {
			t.Errorf("%s is not read from the files", name)
		}
	}
	if len(objects) < 50 {
		t.Errorf("only %d objects", len(objects))
	}
}

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
