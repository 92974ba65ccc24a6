package embedded_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/engine/flat"
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
