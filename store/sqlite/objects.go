package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"sync"

	"github.com/quirelib/quire"
)

// objects are the names of the tables, indexes and triggers of a database, and of columns as
// "table.column".
type objects map[string]bool

// readObjects leaves out the columns of what FTS5 made, whose versions may have others.
func readObjects(ctx context.Context, db *sql.DB) (objects, error) {
	names, err := namesOf(ctx, db, `SELECT name FROM sqlite_schema
		UNION ALL SELECT t.name || '.' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c
		WHERE t.type = 'table' AND t.rootpage > 0 AND t.name NOT LIKE 'elemental_text%' AND t.name NOT LIKE 'list_text%'`)
	found := objects{}
	for _, name := range names {
		found[name] = true
	}
	return found, err
}

// madeObjects are those of an empty database of each version, made when they are first asked
// for.
var madeObjects struct {
	sync.Mutex
	of map[int]objects
}

func objectsAt(version int) (objects, error) {
	madeObjects.Lock()
	defer madeObjects.Unlock()
	if known, ok := madeObjects.of[version]; ok {
		return known, nil
	}
	db, err := emptyAt(version)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	made, err := readObjects(context.Background(), db)
	if err != nil {
		return nil, err
	}
	if madeObjects.of == nil {
		madeObjects.of = map[int]objects{}
	}
	madeObjects.of[version] = made
	return made, nil
}

// checkObjects refuses a file in which something is missing that its version has, or is
// there that only a later one makes: its version has been set, or something was dropped. The
// structure is sound then, but statements and migrations would fail, some of them half way.
func checkObjects(ctx context.Context, db *sql.DB, version int) error {
	have, err := readObjects(ctx, db)
	if err != nil {
		return failure(ctx, err)
	}
	want, err := objectsAt(version)
	if err != nil {
		return err
	}
	latest, err := objectsAt(len(migrations))
	if err != nil {
		return err
	}
	for name := range want {
		if !have[name] {
			return quire.ErrCorrupt.WithCause(fmt.Errorf("schema version %d, but %s is missing", version, name))
		}
	}
	for name := range latest {
		if have[name] && !want[name] {
			return quire.ErrCorrupt.WithCause(fmt.Errorf("schema version %d, but %s of a later one is there", version, name))
		}
	}
	return nil
}
