package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/quirelib/quire"
)

// maxStructural bounds what SQLite reports of the structure of a file: one damaged page
// can break everything behind it.
const maxStructural = 100

// readStructure adds what SQLite's own checks find, and what the schema lacks. A check that
// cannot be made because of the damage is a fault too.
func readStructure(ctx context.Context, db *sql.DB, v *quire.Verification) error {
	for _, part := range []struct {
		what  string
		check func(context.Context, *sql.DB, *quire.Verification) error
	}{
		{"schema", compareSchema},
		{"structure", checkIntegrity},
		{"references", checkReferences},
	} {
		err := failure(ctx, refused(part.check(ctx, db, v)))
		if err := unreadable(v, part.what, err); err != nil {
			return err
		}
	}
	return nil
}

// checkIntegrity has SQLite check the whole file; where one damaged index keeps it from
// that, each table.
func checkIntegrity(ctx context.Context, db *sql.DB, v *quire.Verification) error {
	err := addVerdicts(ctx, db, v, `PRAGMA integrity_check(`+strconv.Itoa(maxStructural)+`)`)
	if resultCode(err) == 0 {
		return err
	}
	tables, failed := namesOf(ctx, db, `SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0`)
	for _, table := range tables {
		check := `PRAGMA integrity_check("` + strings.ReplaceAll(table, `"`, `""`) + `")`
		failed = errors.Join(failed, addVerdicts(ctx, db, v, check))
	}
	return errors.Join(err, failed)
}

// addVerdicts adds what an integrity check says.
func addVerdicts(ctx context.Context, db *sql.DB, v *quire.Verification, check string) error {
	verdicts, err := namesOf(ctx, db, check)
	for _, verdict := range verdicts {
		if verdict != "ok" {
			v.Add("file", "", "the structure is damaged: %s", verdict)
		}
	}
	return err
}

// namesOf returns the only column of a query, as far as it can be read.
func namesOf(ctx context.Context, db *sql.DB, query string) (names []string, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return names, err
		}
		names = append(names, name)
	}
	return names, errors.Join(rows.Err(), rows.Close())
}

// checkReferences adds the rows that refer to what is missing.
func checkReferences(ctx context.Context, db *sql.DB, v *quire.Verification) error {
	rows, err := db.QueryContext(ctx, `PRAGMA foreign_key_check`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var table, parent string
		var key, constraint sql.NullInt64
		if err := rows.Scan(&table, &key, &parent, &constraint); err != nil {
			return err
		}
		v.Add("file", "", "a row of %s refers to one of %s that is missing", table, parent)
	}
	return rows.Err()
}

// schemaObject is a table, index or trigger.
type schemaObject struct{ kind, table, statement string }

// newSchema is the schema of a new file. Files of earlier versions are brought to the same,
// word by word.
var newSchema = sync.OnceValues(func() (map[string]schemaObject, error) {
	db, err := emptyAt(len(migrations))
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return readSchema(context.Background(), db)
})

// readSchema reads the schema of a database, by name, without what SQLite adds by itself.
func readSchema(ctx context.Context, db *sql.DB) (map[string]schemaObject, error) {
	rows, err := db.QueryContext(ctx, `SELECT name, type, tbl_name, coalesce(sql, '') FROM sqlite_schema
		WHERE name NOT LIKE 'sqlite\_%' ESCAPE '\'`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	schema := map[string]schemaObject{}
	for rows.Next() {
		var name string
		var o schemaObject
		if err := rows.Scan(&name, &o.kind, &o.table, &o.statement); err != nil {
			return nil, err
		}
		if strings.HasPrefix(name, "elemental_text_") || strings.HasPrefix(name, "list_text_") {
			o.statement = "" // FTS5 made it, whose versions may word it in other ways
		}
		schema[name] = o
	}
	return schema, rows.Err()
}

// compareSchema compares the schema with that of a new file.
func compareSchema(ctx context.Context, db *sql.DB, v *quire.Verification) error {
	want, err := newSchema()
	if err != nil {
		return err
	}
	have, err := readSchema(ctx, db)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		o := want[name]
		switch found, ok := have[name]; {
		case !ok:
			v.Add("file", "", "the %s %s is missing", o.kind, name)
		case found != o:
			v.Add("file", "", "the %s %s is not as it was made", o.kind, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		o := have[name]
		if _, ok := want[name]; !ok {
			v.Add("file", "", "the %s %s of table %s is none of this program", o.kind, name, o.table)
		}
	}
	return nil
}
