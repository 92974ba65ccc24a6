package main

import (
	"bufio"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
)

// TestKilled kills the program in the middle of an ingest: the next run finishes it
// and nothing is lost.
func TestKilled(t *testing.T) {
	t.Parallel()
	const documents, sections = 40, 60
	dir, data := t.TempDir(), filepath.Join(t.TempDir(), "data")
	for i := range documents {
		var b strings.Builder
		fmt.Fprintf(&b, "# Document number %d\n\nIts password is plum%dpie.\n", i, i)
		for s := range sections {
			fmt.Fprintf(&b, "\n## Section %d\n\n%s\n", s, strings.Repeat(fmt.Sprintf("Sentence %d of section %d says little. ", i, s), 20))
		}
		write(t, dir, fmt.Sprintf("doc%02d.md", i), b.String())
	}
	killInIngest(t, "-dir", dir, "-data", data, "What is the password?")

	_, r := askJSON(t, "-dir", dir, "-data", data, "What is the password of document number 7?")
	wantLine(t, r, "0 added, 0 changed, 0 removed, 40 unchanged")
	wantLine(t, r, "Ingesting: 0 of ") // or it was killed too late
	checkIngested(t, dir, data, documents)
}

// killInIngest runs the program and kills it as soon as it says that it ingests.
func killInIngest(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killed := false
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "Ingesting: ") && !killed {
			killed = true
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); !killed || err == nil {
		t.Fatalf("it was not killed while it ingested: %v", err)
	}
}

// checkIngested opens the library and finds every document by its password.
func checkIngested(t *testing.T, dir, data string, documents int) {
	t.Helper()
	ctx := t.Context()
	q, err := embedded.Open(ctx, data, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close(ctx)
	f, err := openFolder(ctx, q, source{key: dir})
	if err != nil {
		t.Fatal(err)
	}
	for i := range documents {
		id := f.elementalID(fmt.Sprintf("doc%02d.md", i))
		hits, err := q.Engine.Search(ctx, quire.SearchRequest{
			Query:   fmt.Sprintf("password plum%dpie", i),
			Filters: quire.Filters{TenantID: f.actor.TenantID, ElementalID: id},
			Limit:   100,
		})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, h := range hits {
			found = found || strings.Contains(h.Chunk.Text, fmt.Sprintf("plum%dpie", i))
		}
		if !found {
			t.Errorf("document %d is not found", i)
		}
	}
	jobs, err := q.Engine.Jobs(ctx, f.actor.TenantID, quire.Page{Size: quire.MaxPageSize})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs.Items {
		if j.Status != quire.JobSucceeded {
			t.Errorf("job %s is %s", j.ID, j.Status)
		}
	}
	t.Logf("%d documents found, %d jobs succeeded", documents, jobs.Total)
}
