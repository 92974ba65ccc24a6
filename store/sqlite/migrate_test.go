package sqlite

import (
	"database/sql"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// The number of a migration is its place: a gap or a duplicate would run others
// than a database has behind it.
func TestMigrationNames(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(schemaFiles, "schema/*.sql")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d migrations, error %v", len(names), err)
	}
	for i, name := range names {
		if want := fmt.Sprintf("schema/%03d_", i+1); !strings.HasPrefix(name, want) {
			t.Errorf("%s does not begin with %s", name, want)
		}
	}
}

func TestReadMigrations(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"schema/002_b.sql":  {Data: []byte("second")},
		"schema/001_a.sql":  {Data: []byte("first")},
		"schema/010_c.sql":  {Data: []byte("third")},
		"schema/readme.txt": {Data: []byte("other")},
	}
	if diff := cmp.Diff([]string{"first", "second", "third"}, readMigrations(files)); diff != "" {
		t.Error(diff)
	}
}

// TestSchema checks what holds for all tables, and the marks of the file.
func TestSchema(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for pragma, want := range map[string]int{"application_id": applicationID, "user_version": len(migrations)} {
		var got int
		if err := s.read.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %d (error %v), want %d", pragma, got, err, want)
		}
	}
	rows, err := s.read.QueryContext(t.Context(), `SELECT name, strict FROM pragma_table_list
		WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	tables := 0
	for rows.Next() {
		var name string
		var strict bool
		if err := rows.Scan(&name, &strict); err != nil {
			t.Fatal(err)
		}
		if !strict {
			t.Errorf("table %s is not STRICT", name)
		}
		tables++
	}
	if err := rows.Err(); err != nil || tables < 10 {
		t.Errorf("%d tables, error %v", tables, err)
	}
}

// A step that fails leaves nothing behind.
func TestMigrateFails(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `CREATE TABLE jobs (x)`); err != nil { // 001 makes that later on
		t.Fatal(err)
	}
	if err := migrate(t.Context(), db); err == nil {
		t.Error("no error")
	}
	var tables, version int
	if err := db.QueryRowContext(t.Context(), `SELECT count(*), (SELECT user_version FROM pragma_user_version) FROM sqlite_schema`).
		Scan(&tables, &version); err != nil || tables != 1 || version != 0 {
		t.Errorf("%d tables, version %d, error %v", tables, version, err)
	}
}
