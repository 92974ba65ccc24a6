package embedded_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/store"
	"github.com/quirelib/quire/store/sqlite"
)

// childEnv makes the test program import an archive into a directory and nothing else.
const childEnv = "QUIRE_TEST_IMPORT"

// importChild imports the archive archive.quire of a directory.
func importChild(dir string) {
	ctx := context.Background()
	q, err := embedded.Open(ctx, filepath.Join(dir, "data"), nil)
	if err != nil {
		fmt.Println(quire.Cause(err))
		return
	}
	f, err := os.Open(filepath.Join(dir, "archive.quire"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("ready")
	if _, err = q.Engine.Import(ctx, f, nil); err != nil {
		fmt.Println(quire.Cause(err))
		return
	}
	fmt.Println("done")
	select {} // killed
}

// filled makes a library of n documents of the tenant "home", with the chunks of all.
func filled(tb testing.TB, n int) *embedded.Quire {
	tb.Helper()
	ctx := context.Background()
	q, err := embedded.Open(ctx, "", &embedded.Options{Store: store.NewMemory()})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { q.Close(ctx) })
	u, err := q.Library.CreateUser(ctx, quire.UserInput{ID: "owner", TenantID: "home"})
	if err != nil {
		tb.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("a river runs through the valley where copper and granite were mined until the harbour closed its gates for good")
	text := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(words[r.IntN(len(words))])
			if i%12 == 11 {
				b.WriteString(fmt.Sprint(". ", r.IntN(100_000), "\n\n"))
			}
			b.WriteByte(' ')
		}
		return b.String()
	}
	for done := 0; done < n; {
		var ins []quire.ElementalInput
		for ; len(ins) < 500 && done < n; done++ {
			ins = append(ins, quire.ElementalInput{
				Title: fmt.Sprint("Document number ", done), TypeID: quire.TypeDocument, CategoryID: quire.CategoryText,
				Body: text(260), Settings: quire.Settings{KnowledgeBase: true},
			})
		}
		if _, err := q.Library.CreateElementals(ctx, u.Actor(), ins); err != nil {
			tb.Fatal(err)
		}
	}
	jobs, err := q.Engine.Jobs(ctx, "home", "", quire.Page{Size: 1})
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := q.Engine.Wait(ctx, "home", jobs.Items[0].ID); err != nil {
		tb.Fatal(err)
	}
	for q.Engine.Healthy(ctx) == nil { // the other workers
		jobs, err := q.Engine.Jobs(ctx, "home", "", quire.Page{Size: 20})
		if err != nil {
			tb.Fatal(err)
		}
		active := false
		for _, j := range jobs.Items {
			active = active || !j.Status.Final()
		}
		if !active {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return q
}

// TestKillWhileImporting kills a process at any moment of an import: all is there
// afterwards, or nothing, and what was in the temporary file is gone.
func TestKillWhileImporting(t *testing.T) {
	t.Parallel()
	n, kills := 200, 8
	if testing.Short() {
		n, kills = 100, 4
	}
	var archive bytes.Buffer
	if err := filled(t, n).Engine.Export(t.Context(), "home", &archive); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	whole := killImport(t, dir, archive.Bytes(), -1)
	if got := checkKilled(t, dir, archive.Bytes()); got != "all" {
		t.Errorf("a kill after the commit left %s", got)
	}
	left := map[string]int{"all": 0, "nothing": 0}
	kill := func(after time.Duration) {
		dir := t.TempDir()
		killImport(t, dir, archive.Bytes(), after)
		left[checkKilled(t, dir, archive.Bytes())]++
	}
	for i := range kills { // evenly over the time that it takes, and a bit beyond
		kill(whole * time.Duration(i) / time.Duration(kills-2))
	}
	for i := range kills { // and about the commit, which is the last that is done
		kill(whole * time.Duration(100-kills/2+i) / 100)
	}
	t.Logf("%d kills during %v left: %v", 2*kills, whole.Round(time.Millisecond), left)
	if left["nothing"] == 0 {
		t.Error("no kill came before the commit")
	}
}

// killImport runs an import in another process and kills it after a while; if that is
// negative, when it is done. It returns how long it ran.
func killImport(t *testing.T, dir string, archive []byte, after time.Duration) time.Duration {
	t.Helper()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "tmp"), 0o700),
		os.WriteFile(filepath.Join(dir, "archive.quire"), archive, 0o600)); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childEnv+"="+dir, "TMPDIR="+filepath.Join(dir, "tmp"))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var begun time.Time
	for lines := bufio.NewScanner(out); lines.Scan(); {
		switch lines.Text() {
		case "ready":
			begun = time.Now()
			if after >= 0 {
				time.AfterFunc(after, func() { cmd.Process.Kill() })
			}
		case "done":
			if after < 0 {
				cmd.Process.Kill()
			}
		default:
			t.Fatalf("the child says %q", lines.Text())
		}
	}
	took := time.Since(begun)
	cmd.Wait() // reports the kill
	return took
}

// checkKilled says what a killed import has left.
func checkKilled(t *testing.T, dir string, archive []byte) string {
	t.Helper()
	if runtime.GOOS != "windows" {
		left, err := os.ReadDir(filepath.Join(dir, "tmp"))
		if err != nil {
			t.Error(err)
		}
		for _, entry := range left { // an empty one is left by a kill before it lost its name
			if info, err := entry.Info(); err != nil || info.Size() > 0 {
				t.Errorf("a temporary file with content is left: %v %v", entry, err)
			}
		}
	}
	q, err := embedded.Open(t.Context(), filepath.Join(dir, "data"), nil)
	if err != nil {
		t.Fatal(quire.Cause(err))
	}
	defer q.Close(context.Background())
	var b bytes.Buffer
	err = q.Engine.Export(t.Context(), "home", &b)
	switch {
	case errors.Is(err, quire.ErrNotFound):
		if _, err := q.Engine.Import(t.Context(), bytes.NewReader(archive), nil); err != nil {
			t.Errorf("the import cannot be done again: %s", quire.Cause(err))
		}
		return "nothing"
	case err != nil:
		t.Fatal(quire.Cause(err))
	case !bytes.Equal(b.Bytes(), archive):
		t.Error("a part of the archive was imported")
	}
	if _, err := q.Engine.Import(t.Context(), bytes.NewReader(archive), nil); !errors.Is(err, quire.ErrConflict) {
		t.Errorf("what is there can be imported again: %v", err)
	}
	return "all"
}

// peak samples the heap while it runs; stop returns by how much it grew at most.
func peak() (stop func() uint64) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	base, most := m.HeapAlloc, m.HeapAlloc
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}
	}()
	return func() uint64 { close(done); <-ended; return most - base }
}

// BenchmarkArchive moves 10,000 documents from SQLite to SQLite.
func BenchmarkArchive(b *testing.B) {
	const n = 10_000
	ctx := context.Background()
	file := filepath.Join(b.TempDir(), "archive")
	b.Run("make", func(b *testing.B) { // what it is made from is out of memory afterwards
		for b.Loop() {
			f, err := os.Create(file)
			if err != nil {
				b.Fatal(err)
			}
			if err := errors.Join(filled(b, n).Engine.Export(ctx, "home", f), f.Close()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("gzip", func(b *testing.B) {
		for b.Loop() {
			in, err := os.Open(file)
			if err != nil {
				b.Fatal(err)
			}
			var out counter
			w, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed)
			size, err := io.Copy(w, in)
			if err := errors.Join(err, w.Close(), in.Close()); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(out)/float64(size), "size")
			b.ReportMetric(float64(size)/n, "B/elemental")
		}
	})
	b.Run("move", func(b *testing.B) {
		for b.Loop() {
			move(b, file, n)
		}
	})
}

func move(b *testing.B, file string, n int) {
	ctx := context.Background()
	q, err := embedded.Open(ctx, b.TempDir(), &embedded.Options{SQLite: &sqlite.Options{Synchronous: sqlite.Normal}})
	if err != nil {
		b.Fatal(err)
	}
	defer q.Close(ctx)
	in, err := os.Open(file)
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // so that the heap is about what is in use
	stop, begun := peak(), time.Now()
	res, err := q.Engine.Import(ctx, in, nil)
	if err != nil {
		b.Fatal(quire.Cause(err))
	}
	b.ReportMetric(time.Since(begun).Seconds(), "s/import")
	b.ReportMetric(float64(stop())/(1<<20), "MB-heap/import")
	b.ReportMetric(float64(res.Chunks)/float64(n), "chunks/elemental")
	var out counter
	stop, begun = peak(), time.Now()
	if err := q.Engine.Export(ctx, "home", &out); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(time.Since(begun).Seconds(), "s/export")
	b.ReportMetric(float64(stop())/(1<<20), "MB-heap/export")
}

type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }
