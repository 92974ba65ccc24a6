package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strings"

	"github.com/quirelib/quire"
)

// madeBy and addedBy match what a migration makes and drops, as the files in schema write it:
// each statement at the beginning of a line.
var (
	madeBy  = regexp.MustCompile(`(?m)^(CREATE|DROP) (?:UNIQUE )?(VIRTUAL TABLE|TABLE|INDEX|TRIGGER) (\w+)`)
	addedBy = regexp.MustCompile(`(?m)^ALTER TABLE (\w+) ADD COLUMN (\w+)`)
)

// objectsOf returns the names of the tables, indexes and triggers that are there after some
// steps, and of the columns that were added, as "table.column".
func objectsOf(steps []string) map[string]bool {
	objects := map[string]bool{}
	for _, step := range steps {
		for _, m := range madeBy.FindAllStringSubmatch(step, -1) {
			if m[1] == "DROP" {
				delete(objects, m[3])
				continue
			}
			objects[m[3]] = true
			if strings.HasPrefix(m[2], "VIRTUAL") { // with the tables that it consists of
				for _, part := range []string{"_data", "_idx", "_docsize", "_config"} {
					objects[m[3]+part] = true
				}
			}
		}
		for _, m := range addedBy.FindAllStringSubmatch(step, -1) {
			objects[m[1]+"."+m[2]] = true
		}
	}
	return objects
}

// checkObjects refuses a file in which something is missing that its version has, or is
// there that only a later one makes: its version has been set, or something was dropped. The
// structure is sound then, but statements and migrations would fail, some of them half way.
func checkObjects(ctx context.Context, db *sql.DB, version int) error {
	rows, err := db.QueryContext(ctx, `SELECT name FROM sqlite_schema
		UNION ALL SELECT t.name || '.' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c
		WHERE t.type = 'table' AND t.rootpage > 0`)
	if err != nil {
		return failure(ctx, err)
	}
	defer rows.Close()
	have := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return failure(ctx, err)
		}
		have[name] = true
	}
	if err := rows.Err(); err != nil {
		return failure(ctx, err)
	}
	want := objectsOf(migrations[:version])
	for name := range want {
		if !have[name] {
			return quire.ErrCorrupt.WithCause(fmt.Errorf("schema version %d, but %s is missing", version, name))
		}
	}
	for name := range objectsOf(migrations) {
		if have[name] && !want[name] {
			return quire.ErrCorrupt.WithCause(fmt.Errorf("schema version %d, but %s of a later one is there", version, name))
		}
	}
	return nil
}
