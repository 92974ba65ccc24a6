package embedded_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/engine"
	"github.com/quirelib/quire/engine/flat"
	"github.com/quirelib/quire/engine/static"
	"github.com/quirelib/quire/store/sqlite"
)

// TestDamagedVector: of what only repeats the content, damage keeps no library shut. The chunks
// are made again, and what is found then is what was found before.
func TestDamagedVector(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(vector []byte) []byte{
		"not a number": func(v []byte) []byte { return setNumber(v, math.NaN()) },
		"infinite":     func(v []byte) []byte { return setNumber(v, math.Inf(1)) },
		"zeros":        func(v []byte) []byte { return make([]byte, len(v)) },
		"shorter":      func(v []byte) []byte { return v[4:] },
	} {
		for _, index := range []string{"chromem-go", "flat"} {
			t.Run(name+" "+index, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				tenantID := threeDocuments(t, dir)
				changeVector(t, dir, change)
				opts := &embedded.Options{}
				if index == "flat" {
					opts.Index = flat.New(nil)
				}
				q := open(t, dir, opts)
				waitForJobs(t, q, tenantID)
				for i := range 3 {
					got, err := q.Engine.Search(t.Context(), quire.SearchRequest{Query: fmt.Sprintf("harbour number %d", i), Filters: quire.Filters{TenantID: tenantID}})
					if err != nil || len(got) < 3 {
						t.Errorf("search: %d hits, %v", len(got), err)
					}
				}
				report, err := q.Engine.Verify(t.Context())
				if err != nil || len(report.Faults) > 0 {
					t.Errorf("verify: %v, %v", report.Faults, err)
				}
			})
		}
	}
}

// TestDamagedRow: a row of a chunk that cannot be read, or does not say what it is or whose,
// keeps no library shut either, whatever indexes it has. It is made again, and no other is
// touched.
func TestDamagedRow(t *testing.T) {
	t.Parallel()
	const one = ` WHERE num = (SELECT num FROM chunks ORDER BY elemental_id LIMIT 1 OFFSET 1)`
	var opened atomic.Int32
	damages := map[string]string{
		"vector one byte short":      `UPDATE chunks SET vector = substr(vector, 1, length(vector) - 1)` + one,
		"tags that are no JSON":      `UPDATE chunks SET tag_ids = '[1,'` + one,
		"names of tags":              `UPDATE chunks SET tag_names = 'x'` + one,
		"heading that is no JSON":    `UPDATE chunks SET heading = '{'` + one,
		"no tenant":                  `UPDATE chunks SET tenant_id = ''` + one,
		"no elemental":               `UPDATE chunks SET elemental_id = ''` + one,
		"no elemental and no vector": `UPDATE chunks SET elemental_id = '', vector = x'00'` + one,
		"no id":                      `UPDATE chunks SET id = ''` + one,
		"the first by id":            `UPDATE chunks SET tag_ids = '[' WHERE id = (SELECT min(id) FROM chunks)`,
		"all headings":               `UPDATE chunks SET heading = '{'`,
		"all vectors":                `UPDATE chunks SET vector = x'00'`,
	}
	indexes := map[string]func(t *testing.T, dir string) *embedded.Quire{
		"chromem-go": func(t *testing.T, dir string) *embedded.Quire { return open(t, dir, nil) },
		"flat": func(t *testing.T, dir string) *embedded.Quire {
			return open(t, dir, &embedded.Options{Index: flat.New(nil)})
		},
		"flat without texts": openWithoutTexts,
	}
	t.Cleanup(func() {
		t.Logf("A6: %d kinds of damaged rows of passages with %d kinds of indexes: %d libraries opened, and had all passages again that can be told", len(damages), len(indexes), opened.Load())
	})
	for name, statement := range damages {
		for index, open := range indexes {
			t.Run(name+", "+index, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				tenantID := threeDocuments(t, dir)
				before := passages(t, dir)
				execute(t, dir, statement)
				q := open(t, dir)
				waitForJobs(t, q, tenantID)
				report, err := q.Engine.Verify(t.Context())
				if err != nil || len(report.Faults) > 0 {
					t.Errorf("verify: %v, %v", report.Faults, err)
				}
				if err := q.Close(t.Context()); err != nil {
					t.Fatal(err)
				}
				after := passages(t, dir)
				// What nobody can tell the elemental of is lost, until that is ingested again.
				want, kept := len(before), 0
				if name == "no elemental and no vector" {
					want--
				}
				for id, num := range after {
					if before[id] == num {
						kept++
					}
				}
				if others := len(before) - 1; len(after) != want || !strings.HasPrefix(name, "all ") && kept < others {
					t.Errorf("the passages were %v, are %v", before, after)
				}
				if !t.Failed() {
					opened.Add(1)
				}
			})
		}
	}
}

// execute runs a statement on a closed directory.
func execute(t *testing.T, dir, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "quire.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	result, err := db.ExecContext(t.Context(), statement)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		t.Fatalf("%s: changed %d rows, %v", statement, n, err)
	}
}

// openWithoutTexts opens a directory by the parts of package embedded, but for the text index.
func openWithoutTexts(t *testing.T, dir string) *embedded.Quire {
	t.Helper()
	ctx := t.Context()
	s, err := sqlite.Open(ctx, filepath.Join(dir, "quire.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	lib, err := quire.NewLibrary(ctx, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	embedder, err := static.New()
	if err != nil {
		t.Fatal(err)
	}
	eng, err := quire.NewEngine(ctx, lib, flat.New(nil), embedder, engine.NewExtractive(nil), nil)
	if err != nil {
		t.Fatal(err, quire.Cause(err))
	}
	t.Cleanup(func() {
		if err := errors.Join(eng.Close(context.Background()), lib.Close(context.Background()), s.Close()); err != nil {
			t.Error(err)
		}
	})
	return &embedded.Quire{Library: lib, Engine: eng}
}

// passages returns those of a closed directory, their rows by id.
func passages(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "quire.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT id, num FROM chunks`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	found := map[string]int64{}
	for rows.Next() {
		var id string
		var num int64
		if err := rows.Scan(&id, &num); err != nil {
			t.Fatal(err)
		}
		found[id] = num
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// threeDocuments makes three documents and returns their tenant.
func threeDocuments(t *testing.T, dir string) (tenantID string) {
	t.Helper()
	q, err := embedded.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close(context.Background())
	u, err := q.Library.CreateUser(t.Context(), quire.UserInput{ID: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		_, err := q.Library.CreateElemental(t.Context(), u.Actor(), quire.ElementalInput{
			Title: fmt.Sprintf("Document number %d", i), TypeID: quire.TypeDocument, CategoryID: quire.CategoryText,
			Body: fmt.Sprintf("The harbour number %d opens at seven.", i), Settings: quire.Settings{KnowledgeBase: true},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	waitForJobs(t, q, u.TenantID)
	return u.TenantID
}

// changeVector changes the vector of the second chunk of a closed directory.
func changeVector(t *testing.T, dir string, change func([]byte) []byte) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "quire.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var num int64
	var vector []byte
	if err := db.QueryRowContext(t.Context(), `SELECT num, vector FROM chunks ORDER BY elemental_id LIMIT 1 OFFSET 1`).Scan(&num, &vector); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `UPDATE chunks SET vector = ? WHERE num = ?`, change(bytes.Clone(vector)), num); err != nil {
		t.Fatal(err)
	}
}

// setNumber sets the third number of a vector.
func setNumber(v []byte, x float64) []byte {
	binary.LittleEndian.PutUint32(v[8:], math.Float32bits(float32(x)))
	return v
}

// waitForJobs waits for all jobs of a tenant.
func waitForJobs(t *testing.T, q *embedded.Quire, tenantID string) {
	t.Helper()
	jobs, err := q.Engine.Jobs(t.Context(), tenantID, "", quire.Page{})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs.Items {
		if j, err = q.Engine.Wait(t.Context(), tenantID, j.ID); err != nil || j.Status != quire.JobSucceeded {
			t.Fatalf("job: %+v, %v", j, err)
		}
	}
}
