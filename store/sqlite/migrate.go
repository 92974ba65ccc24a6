package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// migrations are the steps from an empty database to the present schema: the
// files schema/NNN_*.sql in the order of their numbers. A database's user_version
// is the number of steps it has behind it.
var migrations = readMigrations(schemaFiles)

// fills are the steps, by number, that write what SQL alone cannot compute.
var fills = map[int]func(ctx context.Context, tx *sql.Tx) error{
	11: fillSums,
	12: fillMediaSums,
}

func readMigrations(files fs.FS) []string {
	names, err := fs.Glob(files, "schema/*.sql") // sorted by name, so by number
	if err != nil {
		panic(err) // the pattern is malformed
	}
	steps := make([]string, len(names))
	for i, name := range names {
		step, err := fs.ReadFile(files, name)
		if err != nil {
			panic(err) // embedded files can be read
		}
		steps[i] = string(step)
	}
	return steps
}

// migrate brings a database to a version of the schema, each step in a transaction of
// its own.
func migrate(ctx context.Context, db *sql.DB, to int) error {
	var version int
	if err := db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return failure(ctx, err)
	}
	for version < to {
		if err := failure(ctx, migrateStep(ctx, db, version)); err != nil {
			return err
		}
		version++
	}
	return nil
}

// migrateStep takes the step from a version to the next.
func migrateStep(ctx context.Context, db *sql.DB, version int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	if _, err := tx.ExecContext(ctx, migrations[version]); err != nil {
		return err
	}
	if fill, ok := fills[version+1]; ok {
		if err := fill(ctx, tx); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, version+1)); err != nil {
		return err
	}
	return tx.Commit()
}

// emptyAt makes an empty database in memory, of a version of the schema.
func emptyAt(version int) (*sql.DB, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // each would have a database of its own
	if err := migrate(context.Background(), db, version); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}
