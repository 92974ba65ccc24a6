package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
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

// A file of each earlier version is brought to the present one when it is opened, with
// what is in it; then it is the same as a new one.
func TestMigrateEarlier(t *testing.T) {
	t.Parallel()
	want := schemaOf(t, newStore(t))
	for version := 1; version < len(migrations); version++ {
		t.Run(fmt.Sprint("version ", version), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "store.db")
			makeEarlier(t, path, version)
			s := mustOpen(t, path)
			if diff := cmp.Diff(want, schemaOf(t, s)); diff != "" {
				t.Errorf("schema (-new +migrated):\n%s", diff)
			}
			wantEarlier(t, s)
			mustClose(t, s)
			mustClose(t, mustOpen(t, path))
		})
	}
}

// wantEarlier checks that all that makeEarlier wrote is there and as it should be, and
// that more can be written.
func wantEarlier(t *testing.T, s *Store) {
	t.Helper()
	var rates []quire.Rate
	var comments []quire.Comment
	var items, newest []quire.ElementalRecord
	err := s.View(t.Context(), func(tx quire.ReadTx) (err error) {
		if rates, err = tx.Rates(t.Context(), quire.Subject{ElementalID: "e"}, 9, 2); err != nil {
			return err
		}
		if comments, err = tx.Comments(t.Context(), "e", 0, 10); err != nil {
			return err
		}
		if newest, _, err = tx.NewestElementals(t.Context(), quire.ElementalQuery{OwnerID: "[]", TypeID: 1, Limit: 5}); err != nil {
			return err
		}
		items, _, err = tx.ListItems(t.Context(), quire.ItemQuery{ListID: 1, Order: quire.OrderIndex, Limit: 5})
		return err
	})
	if err != nil || len(rates) != 2 || rates[0].ID != 7 || rates[1].UserID != "u8" || len(comments) != 1 || comments[0].Message != "old" {
		t.Errorf("rates %+v, comments %+v, error %v", rates, comments, err)
	}
	if len(items) != 1 || items[0].ID != "e" {
		t.Errorf("the list has %+v", items)
	}
	if len(newest) != 1 || newest[0].ID != "e" {
		t.Errorf("of the owner there is %+v", newest)
	}
	mustUpdate(t, s, func(ctx context.Context, tx quire.Tx) error {
		r, _, err := tx.PutRate(ctx, quire.Rate{Subject: quire.Subject{ElementalID: "e"}, UserID: "new", Rating: 1})
		if err == nil && r.ID != 10 {
			err = fmt.Errorf("the next rate has the id %d", r.ID)
		}
		return err
	})
	wantIntact(t, s)
	var v quire.Verification
	err = s.Verify(t.Context(), &v)
	// makeEarlier has put rows in, and not what is made of them: words and copies.
	faults := slices.DeleteFunc(v.Faults, func(f quire.Fault) bool {
		return f.Problem == "it has no words in the full-text index" ||
			f.Part == "items" && f.ID == "1"
	})
	if err != nil || len(faults) > 0 || v.Checked["rows"] < 2 {
		t.Errorf("checks of what was there before: %+v, error %v", v, err)
	}
}

// TestMigrateMedia: a file of the version before checksums of media covered everything has
// those that do, and what was damaged in it before is not taken for what was stored.
func TestMigrateMedia(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	s := mustOpen(t, path)
	fillForFlips(t, s)
	mustClose(t, s)
	execRaw(t, path, `ALTER TABLE media RENAME COLUMN checksum TO sum; PRAGMA user_version = 11`)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(fillSums(t.Context(), tx), tx.Commit(), db.Close()); err != nil { // as step 11 does
		t.Fatal(err)
	}
	execRaw(t, path, `UPDATE media SET data = zeroblob(length(data)) WHERE id = 5; UPDATE media SET sum = NULL WHERE id = 7`)
	s = mustOpen(t, path)
	defer mustClose(t, s)
	for _, want := range [][]string{{"5", "7"}, {"5", "7", "9"}} {
		var v quire.Verification
		if err := s.Verify(t.Context(), &v); err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, f := range v.Faults {
			ids = append(ids, f.ID)
		}
		if !slices.Equal(ids, want) {
			t.Errorf("faults are %+v", v.Faults)
		}
		execRaw(t, path, `UPDATE media SET elemental = elemental + 1 WHERE id = 9`)
	}
}

// makeEmpty makes an empty file, which a pool needs.
func makeEmpty(t *testing.T, path string) string {
	t.Helper()
	mustWrite(t, path, nil)
	return path
}

// makeEarlier makes a database file as the program of an earlier version left it, with
// an elemental that has a comment and nine rates.
func makeEarlier(t *testing.T, path string, version int) {
	t.Helper()
	makeEmpty(t, path)
	db, err := newPool(path, (&Options{Synchronous: Normal}).writer(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for v := range version {
		if err := migrateStep(t.Context(), db, v); err != nil {
			t.Fatal(err)
		}
	}
	columns := func(table string) (names, values []string) {
		rows, err := db.QueryContext(t.Context(), `SELECT name, type FROM pragma_table_info(?)`, table)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var name, kind string
			if err := rows.Scan(&name, &kind); err != nil {
				t.Fatal(err)
			}
			names, values = append(names, name), append(values, map[string]string{"INTEGER": "1", "TEXT": "'[]'", "BLOB": "NULL"}[kind])
		}
		return names, values
	}
	names, values := columns("elementals") // which may be others in other versions
	values[slices.Index(names, "id")] = "'e'"
	statements := []string{
		`INSERT INTO elementals (` + strings.Join(names, ", ") + `) VALUES (` + strings.Join(values, ", ") + `)`,
		`INSERT INTO comments (elemental, user_id, message, votes, created_at) VALUES (1, 'u', 'old', 0, 0)`,
	}
	names, values = columns("lists")
	statements = append(statements,
		`INSERT INTO lists (`+strings.Join(names, ", ")+`) VALUES (`+strings.Join(values, ", ")+`)`,
		`INSERT INTO list_items (list_id, elemental, order_index, added_at) VALUES (1, 1, 0, 0)`)
	for i := 1; i < 10; i++ {
		statements = append(statements, fmt.Sprintf(
			`INSERT INTO rates (elemental, user_id, rating, message, votes, created_at) VALUES (1, 'u%d', 5, '', 0, 0)`, i))
	}
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	for v := range version { // what a program of that version writes with its rows
		fill, ok := fills[v+1]
		if !ok {
			continue
		}
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(fill(t.Context(), tx), tx.Commit()); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// schemaOf is the version and everything that the schema consists of, by name.
func schemaOf(t *testing.T, s *Store) map[string]string {
	t.Helper()
	rows, err := s.read.QueryContext(t.Context(), `SELECT name, coalesce(sql, '') FROM sqlite_schema
		UNION ALL SELECT 'version', user_version FROM pragma_user_version`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var name, sql string
		if err := rows.Scan(&name, &sql); err != nil {
			t.Fatal(err)
		}
		out[name] = sql
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
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
	if err := migrate(t.Context(), db, len(migrations)); err == nil {
		t.Error("no error")
	}
	var tables, version int
	if err := db.QueryRowContext(t.Context(), `SELECT count(*), (SELECT user_version FROM pragma_user_version) FROM sqlite_schema`).
		Scan(&tables, &version); err != nil || tables != 1 || version != 0 {
		t.Errorf("%d tables, version %d, error %v", tables, version, err)
	}
}
