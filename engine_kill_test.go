package quire_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store/sqlite"
)

// changeChild names the directory in which the test binary, started again, is to change
// the embedder; changeBatch is how many texts it embeds at a time.
const (
	changeChild = "QUIRE_TEST_CHANGE_EMBEDDER"
	changeBatch = "QUIRE_TEST_CHANGE_BATCH"
)

// announcer is an Embedder that says on the standard output what it embeds before it
// does so.
type announcer struct{ *enginetest.Embedder }

func (a announcer) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	hashes := make([]string, len(texts))
	for i, text := range texts {
		sum := sha256.Sum256([]byte(text))
		hashes[i] = hex.EncodeToString(sum[:])
	}
	fmt.Println("embed", strings.Join(hashes, " "))
	return a.Embedder.Embed(ctx, texts)
}

// changeEmbedder is the child process: it opens a directory, changes the embedder of
// what is stored there and says when that is done.
func changeEmbedder(dir string) {
	ctx := context.Background()
	var batch int
	fmt.Sscan(os.Getenv(changeBatch), &batch) // 0 is the default
	s, err := sqlite.Open(ctx, filepath.Join(dir, "quire.db"), nil)
	if err != nil {
		fmt.Println(quire.Cause(err))
		return
	}
	lib, err := quire.NewLibrary(ctx, s, nil)
	if err != nil {
		fmt.Println(quire.Cause(err))
		return
	}
	opts := &quire.EngineOptions{Chunker: paragraphs{}, BatchSize: batch, Former: enginetest.NewEmbedder()}
	eng, err := quire.NewEngine(ctx, lib, enginetest.NewIndex(), announcer{newEmbedder()}, enginetest.NewLLM(), opts)
	if err != nil {
		fmt.Println(quire.Cause(err))
		return
	}
	fmt.Println("changed", eng.WaitReembedded(ctx))
	select {} // until it is killed
}

// startChild starts the test binary again with more environment variables, as the child
// that they make of it, and returns what it says line by line.
func startChild(t *testing.T, env ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	return cmd, lines
}

// startChange starts a child that changes the embedder.
func startChange(t *testing.T, dir string, batch int) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	return startChild(t, changeChild+"="+dir, fmt.Sprint(changeBatch, "=", batch))
}

// newChangeFixture makes an engine over a file, with elementals of 4 passages each, three
// of which are unlike all others.
func newChangeFixture(t *testing.T, dir string, elementals int) (f *engineFixture, passages int) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "quire.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	f = newEngineFixture(t, s, quire.EngineOptions{Chunker: paragraphs{}, Workers: 4})
	for i := range elementals {
		e := f.create(f.ann, document(fmt.Sprint("Elemental with number ", i), fmt.Sprintf("one %d\n\ntwo %d\n\nthree", i, i)))
		f.ingest(f.ann, e.ID, "")
	}
	f.settleAll(f.ann)
	return f, 4 * elementals
}

// finishChange opens what killed processes have left, lets the change come to its end
// and checks what is stored. It returns the texts that it embedded, by hash.
func finishChange(t *testing.T, dir string, passages int) map[string]int {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "quire.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	lib, err := quire.NewLibrary(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	former, given := enginetest.NewEmbedder(), newEmbedder()
	f := &engineFixture{fixture: &fixture{Library: lib, t: t, store: s}, embedder: given, llm: enginetest.NewLLM(),
		opts: quire.EngineOptions{Chunker: paragraphs{}, Former: former}}
	f.start()
	defer func() {
		f.stop(context.Background())
		f.check(s.Close())
	}()
	f.waitChanged()
	if chunks := f.chunks(given); len(chunks) != passages {
		t.Errorf("%d chunks, want %d", len(chunks), passages)
	}
	f.wantNothingKept(given)
	embedded := map[string]int{}
	for _, text := range given.Texts() {
		sum := sha256.Sum256([]byte(text))
		embedded[hex.EncodeToString(sum[:])]++
	}
	return embedded
}

// TestKillWhileEmbedding kills a process again and again while it embeds what is stored
// anew. Nothing is embedded twice but what was under way at that moment.
func TestKillWhileEmbedding(t *testing.T) {
	t.Parallel()
	const kills = 24
	dir := t.TempDir()
	f, passages := newChangeFixture(t, dir, 150)
	f.stop(t.Context())
	f.check(f.store.Close())
	times := map[string]int{} // a text was embedded, but for batches that may not have come to their end
	batches, again := 0, 0
	for kill := range kills {
		cmd, lines := startChange(t, dir, 3)
		var last []string
		for n := 0; lines.Scan(); n++ {
			hashes, ok := strings.CutPrefix(lines.Text(), "embed ")
			if !ok {
				t.Fatalf("the child says %q", lines.Text())
			}
			for _, hash := range last {
				times[hash]++
			}
			if last = strings.Fields(hashes); n == kill%3 {
				time.AfterFunc(time.Duration(rand.IntN(3000))*time.Microsecond, func() { cmd.Process.Kill() })
			}
			batches++
		}
		cmd.Wait() // reports the kill
		again += len(last)
	}
	rest := finishChange(t, dir, passages)
	for hash, n := range rest {
		times[hash] += n
	}
	for hash, n := range times {
		if n > 1 {
			t.Errorf("%s was embedded %d times", hash, n)
		}
	}
	t.Logf("%d kills in %d batches; %d texts were embedded by killed processes, %d by the last one, at most %d twice", kills, batches, len(times)-len(rest), len(rest), again)
	if len(rest) == 0 {
		t.Error("the change had come to its end before the last kill")
	}
}

// TestKillAtTheChange kills a process at moments from the last batch to the end of the
// change: what is left is of the one embedder or of the other.
func TestKillAtTheChange(t *testing.T) {
	t.Parallel()
	kills := 20
	if testing.Short() {
		kills = 5
	}
	from := t.TempDir()
	f, passages := newChangeFixture(t, from, 100)
	f.stop(t.Context())
	f.check(f.store.Close())
	var end time.Time
	run := func(kill func(cmd *exec.Cmd)) (dir string) {
		dir = filepath.Join(t.TempDir(), "copy")
		f.check(os.CopyFS(dir, os.DirFS(from)))
		cmd, lines := startChange(t, dir, 1000)
		for lines.Scan() {
			switch {
			case strings.HasPrefix(lines.Text(), "embed "):
				kill(cmd)
			case lines.Text() == "changed <nil>":
				end = time.Now()
				cmd.Process.Kill()
			default:
				t.Fatalf("the child says %q", lines.Text())
			}
		}
		cmd.Wait() // reports the kill
		return dir
	}
	var begin time.Time
	finishChange(t, run(func(*exec.Cmd) { begin = time.Now() }), passages)
	span := end.Sub(begin)
	left := map[string]int{}
	for i := range kills {
		delay := span * time.Duration(i) / time.Duration(kills-1)
		dir := run(func(cmd *exec.Cmd) { time.AfterFunc(delay, func() { cmd.Process.Kill() }) })
		s, err := sqlite.Open(t.Context(), filepath.Join(dir, "quire.db"), nil)
		f.check(err)
		f.check(s.View(t.Context(), func(tx quire.ReadTx) error {
			fingerprints := map[string]int{}
			var hashes []string
			for c, err := range tx.AllChunks(t.Context()) {
				if err != nil {
					return err
				}
				fingerprints[c.Fingerprint]++
				hashes = append(hashes, c.Hash)
			}
			missing, err := tx.MissingVectors(t.Context(), newEmbedder().Fingerprint(), hashes)
			switch {
			case fingerprints[newEmbedder().Fingerprint()] == passages:
				left["changed"]++
			case fingerprints[enginetest.NewEmbedder().Fingerprint()] == passages && len(missing) == 0:
				left["embedded"]++
			case fingerprints[enginetest.NewEmbedder().Fingerprint()] == passages:
				left["not embedded"]++
			default:
				t.Errorf("chunks of %v", fingerprints)
			}
			return err
		}))
		f.check(s.Close())
		finishChange(t, dir, passages)
	}
	t.Logf("%d kills within %v left behind: %v", kills, span, left)
}
