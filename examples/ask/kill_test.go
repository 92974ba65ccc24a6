package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
)

// TestStopped stops the program in the middle of an ingest: the next run finishes
// it and nothing is lost.
func TestStopped(t *testing.T) {
	t.Parallel()
	const documents = 40
	dir := t.TempDir()
	writeDocuments(t, dir, documents)
	for _, sig := range []os.Signal{os.Kill, os.Interrupt} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			if sig == os.Interrupt && runtime.GOOS == "windows" {
				t.Skip("a process cannot be interrupted from outside on Windows")
			}
			data := filepath.Join(t.TempDir(), "data")
			stopInIngest(t, sig, "-dir", dir, "-data", data, "What is the password?")
			_, r := askJSON(t, "-dir", dir, "-data", data, "What is the password of document number 7?")
			wantLine(t, r, "0 added, 0 changed, 0 removed, 40 unchanged")
			wantLine(t, r, "Ingesting: 0 of ") // or it was stopped too late
			checkIngested(t, dir, data, documents)
		})
	}
}

// writeDocuments fills dir with documents that take some time to ingest.
func writeDocuments(t *testing.T, dir string, n int) {
	t.Helper()
	const sections = 60
	for i := range n {
		var b strings.Builder
		fmt.Fprintf(&b, "# Document number %d\n\nIts password is plum%dpie.\n", i, i)
		for s := range sections {
			fmt.Fprintf(&b, "\n## Section %d\n\n%s\n", s, strings.Repeat(fmt.Sprintf("Sentence %d of section %d says little. ", i, s), 20))
		}
		write(t, dir, fmt.Sprintf("doc%02d.md", i), b.String())
	}
}

// stopInIngest runs the program and sends it a signal as soon as it says that it
// ingests.
func stopInIngest(t *testing.T, sig os.Signal, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var sent time.Time
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "Ingesting: ") && sent.IsZero() {
			sent = time.Now()
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); sent.IsZero() || err == nil {
		t.Fatalf("it was not stopped while it ingested: %v", err)
	}
	t.Logf("ended %v after %v", time.Since(sent), sig)
	if code := cmd.ProcessState.ExitCode(); sig == os.Interrupt && code != exitFailure {
		t.Errorf("exit code %d, want %d", code, exitFailure)
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
	jobs, err := q.Engine.Jobs(ctx, f.actor.TenantID, "", quire.Page{Size: quire.MaxPageSize})
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
