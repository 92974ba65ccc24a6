package quire_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store/sqlite"
)

// ingestChild names the directory in which the test binary, started again, is to ingest
// all that there is; ingestHalt is where it halts: a place, and how often it comes there.
const (
	ingestChild = "QUIRE_TEST_INGEST"
	ingestHalt  = "QUIRE_TEST_INGEST_HALT"
)

// ingestPlaces are where a process that ingests is killed, in the order of an attempt. At
// all but the last it stands still at that moment; at the last it goes on until the kill
// comes, somewhere in the writing of the chunks, the commit or the attempt after it.
var ingestPlaces = []string{"extract", "embed", "embedded", "replaced", "ended", "committed", "writing"}

// halter stands still for good at the nth time at a place, after it has said so.
type halter struct {
	mu    sync.Mutex
	place string
	left  int
}

func (h *halter) at(place string) {
	h.mu.Lock()
	if place != h.place {
		h.mu.Unlock()
		return
	}
	h.left--
	halt := h.left == 0
	h.mu.Unlock()
	if halt {
		fmt.Println("at", place)
		if place != "writing" {
			select {}
		}
	}
}

// haltingChunker, haltingEmbedder and haltingStore pass the places of a halter.
type haltingChunker struct {
	paragraphs
	*halter
}

func (c haltingChunker) Chunks(text string) []quire.Span {
	c.at("extract")
	return c.paragraphs.Chunks(text)
}

type haltingEmbedder struct {
	*enginetest.Embedder
	*halter
}

func (e haltingEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	said, err := json.Marshal(texts)
	if err != nil {
		return nil, err
	}
	fmt.Printf("embed %s\n", said)
	e.at("embed")
	vectors, err := e.Embedder.Embed(ctx, texts)
	fmt.Printf("embedded %s\n", said)
	e.at("embedded")
	return vectors, err
}

type haltingStore struct {
	*sqlite.Store
	*halter
}

func (s haltingStore) Update(ctx context.Context, fn func(tx quire.Tx) error) error {
	tx := haltingTx{halter: s.halter}
	err := s.Store.Update(ctx, func(inner quire.Tx) error {
		tx.Tx = inner
		err := fn(&tx)
		if tx.replaced {
			s.at("ended")
		}
		return err
	})
	if tx.replaced {
		s.at("committed")
	}
	return err
}

type haltingTx struct {
	quire.Tx
	*halter
	replaced bool
}

func (t *haltingTx) ReplaceChunks(ctx context.Context, elementalID string, chunks []quire.Chunk) error {
	t.at("writing")
	err := t.Tx.ReplaceChunks(ctx, elementalID, chunks)
	t.replaced = true
	t.at("replaced")
	return err
}

// ingestAll is the child process: it asks for the ingest of everything, again and again
// under the same trace ids, and says when all has ended.
func ingestAll(dir string) {
	ctx := context.Background()
	h := &halter{}
	fmt.Sscan(os.Getenv(ingestHalt), &h.place, &h.left)
	err := func() error {
		s, err := sqlite.Open(ctx, filepath.Join(dir, "quire.db"), nil)
		if err != nil {
			return err
		}
		eng, err := ingestEngine(ctx, haltingStore{s, h}, haltingChunker{halter: h}, haltingEmbedder{enginetest.NewEmbedder(), h}, enginetest.NewIndex())
		if err != nil {
			return err
		}
		_, err = ingestEverything(ctx, eng, s)
		return err
	}()
	fmt.Println("over", err, quire.Cause(err))
}

// ingestBatch is how many texts are embedded at a time: most elementals take several calls.
const ingestBatch = 8

func ingestEngine(ctx context.Context, s quire.Store, c quire.Chunker, e quire.Embedder, x quire.VectorIndex) (*quire.Engine, error) {
	lib, err := quire.NewLibrary(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	return quire.NewEngine(ctx, lib, x, e, enginetest.NewLLM(), &quire.EngineOptions{Chunker: c, BatchSize: ingestBatch})
}

// ingestEverything ingests all elementals of a Store and returns the jobs by elemental
// when they have ended.
func ingestEverything(ctx context.Context, eng *quire.Engine, s quire.Store) (map[string]quire.Job, error) {
	var recs []quire.ElementalRecord
	err := s.View(ctx, func(tx quire.ReadTx) error {
		for rec, err := range tx.TenantElementals(ctx, "ann") {
			if err != nil {
				return err
			}
			recs = append(recs, rec)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, rec := range recs {
		if _, err := eng.Ingest(ctx, rec.TenantID, quire.IngestRequest{ElementalID: rec.ID, TraceID: "ingest " + rec.ID}); err != nil {
			return nil, err
		}
	}
	jobs := map[string]quire.Job{}
	for _, rec := range recs {
		j, err := eng.Wait(ctx, rec.TenantID, "ingest "+rec.ID)
		if err != nil {
			return nil, err
		}
		jobs[rec.ID] = j
	}
	return jobs, nil
}

// killedIngests is what is known of processes that ingested and were killed.
type killedIngests struct {
	begun    map[string]int  // how often a text was given to the embedder
	returned map[string]int  // and came back
	open     map[string]int  // how often a text's ingest was cut short after it was given
	done     map[string]bool // texts whose elemental's ingest had succeeded
}

// see takes note of what a process said.
func (k *killedIngests) see(t *testing.T, lines []string) {
	t.Helper()
	for _, line := range lines {
		what, said, _ := strings.Cut(line, " ")
		var texts []string
		if err := json.Unmarshal([]byte(said), &texts); err != nil {
			t.Fatalf("the child says %q", line)
		}
		for _, text := range texts {
			if what == "embedded" {
				k.returned[text]++
				continue
			}
			if k.done[text] {
				t.Errorf("%.60q was embedded again after its ingest had succeeded", text)
			}
			k.begun[text]++
		}
	}
}

// runToKill starts a process that halts at a place, and kills it there. It returns what
// the process said; ok is false if it came to its end before.
func runToKill(t *testing.T, dir, place string, n int) (said []string, ok bool) {
	t.Helper()
	cmd, lines := startChild(t, ingestChild+"="+dir, fmt.Sprint(ingestHalt, "=", place, " ", n))
	for lines.Scan() {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "embed"):
			said = append(said, line)
		case line == "at "+place:
			ok = true
			if place == "writing" {
				time.Sleep(time.Duration(rand.IntN(8000)) * time.Microsecond)
			}
			cmd.Process.Kill()
		default:
			t.Errorf("the child says %q", line)
			cmd.Process.Kill()
		}
	}
	cmd.Wait() // reports the kill
	return said, ok
}

// TestKillWhileIngesting kills a process again and again while it ingests 200 elementals:
// in the end all are ingested, as if nothing had happened.
func TestKillWhileIngesting(t *testing.T) {
	t.Parallel()
	const elementals = 200
	const kills = ingestKills
	begin := time.Now()
	dir, fresh := filepath.Join(t.TempDir(), "killed"), filepath.Join(t.TempDir(), "fresh")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	phrases := newIngestFixture(t, dir, elementals)
	if err := os.CopyFS(fresh, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	want, _ := finishIngest(t, fresh, phrases)

	k := &killedIngests{begun: map[string]int{}, returned: map[string]int{}, open: map[string]int{}, done: map[string]bool{}}
	at := map[string]int{}
	cut := 0 // attempts that a kill ended
	for kill := range kills {
		place := ingestPlaces[kill%len(ingestPlaces)]
		n := 3 + kill%3 // the first ones are those that the kill before has cut short
		if strings.HasPrefix(place, "embed") {
			n *= 3
		}
		said, ok := runToKill(t, dir, place, n)
		if !ok {
			t.Fatalf("kill %d: the process never was at %s for the %d. time", kill+1, place, n)
		}
		at[place]++
		k.see(t, said)
		cut += k.look(t, dir, said)
	}
	got, f := finishIngest(t, dir, phrases)
	again, lost, texts := 0, 0, 0
	last := map[string]int{}
	for _, text := range f.embedder.Texts() {
		last[text]++
	}
	for _, c := range got.chunks {
		texts++
		text := c.Text
		if !strings.Contains(text, c.Title) {
			text = c.Title + "\n" + text
		}
		times := k.begun[text] + last[text]
		if times < 1 || times > 1+k.open[text] || k.done[text] && last[text] > 0 {
			t.Errorf("%.60q was embedded %d times; its ingest was cut short %d times", text, times, k.open[text])
		}
		again += times - 1
		if k.returned[text] > 1 || k.returned[text] == 1 && last[text] > 0 {
			lost++
		}
	}
	if d := cmp.Diff(want.chunks, got.chunks); d != "" {
		t.Errorf("chunks (-of a fresh ingest +after %d kills):\n%s", kills, d)
	}
	most := 0
	for _, j := range got.jobs {
		most = max(most, j.Attempts)
	}
	t.Logf("C6: %d kills -9 (%v) in %v: %d jobs done, %d passages, none missing or double; %d attempts cut short, at most %d attempts for one job; %d texts embedded again, all of attempts cut short, %d of them in batches that had come back",
		kills, at, time.Since(begin).Round(time.Millisecond), len(got.jobs), texts, cut, most, again, lost)
}

// newIngestFixture writes elementals of 2 to 41 passages and returns a phrase that only
// one passage has for each.
func newIngestFixture(t *testing.T, dir string, elementals int) (phrases map[string]string) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "quire.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, s, nil)
	phrases = map[string]string{}
	for i := range elementals {
		var body []string
		for n := range 1 + i*7%40 {
			body = append(body, fmt.Sprintf("passage %d of quay%d: rope%dx%d is kept dry", n, i, i, n))
		}
		phrase := fmt.Sprintf("lantern%d burns", i)
		e := f.create(f.ann, document(fmt.Sprintf("Elemental %d of many, %s", i, phrase), strings.Join(body, "\n\n")))
		phrases[e.ID] = phrase
	}
	if err := errors.Join(f.Close(t.Context()), s.Close()); err != nil {
		t.Fatal(err)
	}
	return phrases
}

// look reads what a killed process has left and returns how many jobs it had running.
func (k *killedIngests) look(t *testing.T, dir string, said []string) (running int) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "quire.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	done := map[string]bool{}
	err = s.View(t.Context(), func(tx quire.ReadTx) error {
		counts, err := tx.CountJobs(t.Context())
		if err != nil {
			return err
		}
		running = counts[quire.JobRunning]
		if counts[quire.JobFailed]+counts[quire.JobCancelled] > 0 {
			t.Errorf("jobs after a kill: %v", counts)
		}
		jobs, _, err := tx.Jobs(t.Context(), quire.JobQuery{TenantID: "ann", Limit: 1000})
		if err != nil {
			return err
		}
		chunks, err := tx.PlainChunks(t.Context(), "", 100_000)
		if err != nil {
			return err
		}
		of := map[string]int{}
		for _, c := range chunks {
			done[c.Title] = true
			of[c.ElementalID]++
		}
		for _, j := range jobs {
			if (j.Status == quire.JobSucceeded) != (of[j.ElementalID] > 0) {
				t.Errorf("a job is %s, and its elemental has %d chunks", j.Status, of[j.ElementalID])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range said {
		what, list, _ := strings.Cut(line, " ")
		var texts []string
		if err := json.Unmarshal([]byte(list), &texts); err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			title, _, _ := strings.Cut(text, "\n")
			k.done[text] = done[title]
			if what == "embed" && !done[title] {
				k.open[text]++
			}
		}
	}
	return running
}

// ingested is what an ingest of everything has left.
type ingested struct {
	jobs   map[string]quire.Job
	chunks []quire.Chunk
}

// finishIngest opens a directory, ingests what is still to be ingested, and returns what
// there is then, after searching for each phrase.
func finishIngest(t *testing.T, dir string, phrases map[string]string) (ingested, *engineFixture) {
	t.Helper()
	ctx := t.Context()
	s, err := sqlite.Open(ctx, filepath.Join(dir, "quire.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := &engineFixture{fixture: &fixture{t: t, store: s}, embedder: enginetest.NewEmbedder(), index: enginetest.NewIndex()}
	f.eng, err = ingestEngine(ctx, s, paragraphs{}, f.embedder, f.index)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		f.stop(context.Background())
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	var left ingested
	if left.jobs, err = ingestEverything(ctx, f.eng, s); err != nil {
		t.Fatal(err)
	}
	for id, j := range left.jobs {
		if j.Status != quire.JobSucceeded {
			t.Errorf("the job of %s is %s (%s) after %d attempts", id, j.Status, j.Error, j.Attempts)
		}
	}
	if len(left.jobs) != len(phrases) {
		t.Errorf("%d jobs, want %d", len(left.jobs), len(phrases))
	}
	for id, phrase := range phrases {
		hits, err := f.eng.Search(ctx, quire.SearchRequest{Query: phrase, Filters: quire.Filters{TenantID: "ann"}, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(hits, func(h quire.SearchHit) bool {
			return h.Chunk.ElementalID == id && strings.Contains(h.Chunk.Text, phrase)
		}) {
			t.Errorf("%q is not found", phrase)
		}
	}
	f.check(s.View(ctx, func(tx quire.ReadTx) error {
		for c, err := range tx.AllChunks(ctx) {
			if err != nil {
				return err
			}
			left.chunks = append(left.chunks, c)
		}
		return nil
	}))
	return left, f
}
