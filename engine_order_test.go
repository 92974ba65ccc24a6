package quire_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

// TestForcedOrders does something to an elemental at each point of its ingest:
// while it is queued and before each of its batches is embedded, the last of which
// is just before the commit.
func TestForcedOrders(t *testing.T) {
	t.Parallel()
	const title = "A title to find"
	newest := []string{title, "new one", "new two"}
	const newBody = "new one\n\nnew two"
	steps := []struct {
		name  string
		do    func(f *engineFixture, e quire.Elemental)
		want  []string
		first quire.JobStatus // of the ingest that was under way
	}{
		{"delete the elemental", func(f *engineFixture, e quire.Elemental) {
			f.check(f.DeleteElemental(f.t.Context(), f.ann, e.ID))
		}, nil, quire.JobCancelled},
		{"delete its knowledge", func(f *engineFixture, e quire.Elemental) {
			_, err := f.eng.DeleteElemental(f.t.Context(), f.ann.TenantID, e.ID)
			f.check(err)
		}, nil, quire.JobCancelled},
		{"delete by filters", func(f *engineFixture, e quire.Elemental) {
			_, err := f.eng.Delete(f.t.Context(), quire.Filters{TenantID: f.ann.TenantID, TypeName: "Document"})
			f.check(err)
		}, nil, quire.JobCancelled},
		{"delete by other filters", func(f *engineFixture, e quire.Elemental) {
			for _, filters := range []quire.Filters{
				{TenantID: f.ann.TenantID, TypeName: "Prompt"},
				{TenantID: f.bob.TenantID},
			} {
				_, err := f.eng.Delete(f.t.Context(), filters)
				f.check(err)
			}
		}, []string{title, "one", "two", "three"}, quire.JobSucceeded},
		{"update", func(f *engineFixture, e quire.Elemental) {
			f.update(f.ann, e.ID, newBody)
		}, newest, quire.JobSucceeded},
		{"update and ingest", func(f *engineFixture, e quire.Elemental) {
			f.update(f.ann, e.ID, newBody)
			f.ingest(f.ann, e.ID, "")
		}, newest, quire.JobSucceeded},
		{"update twice", func(f *engineFixture, e quire.Elemental) {
			f.update(f.ann, e.ID, "not this")
			f.ingest(f.ann, e.ID, "again")
			f.update(f.ann, e.ID, newBody)
		}, newest, quire.JobSucceeded},
		{"delete its knowledge and ingest", func(f *engineFixture, e quire.Elemental) {
			_, err := f.eng.DeleteElemental(f.t.Context(), f.ann.TenantID, e.ID)
			f.check(err)
			f.update(f.ann, e.ID, newBody)
			f.ingest(f.ann, e.ID, "")
		}, newest, quire.JobCancelled},
		{"ingest and delete its knowledge", func(f *engineFixture, e quire.Elemental) {
			f.ingest(f.ann, e.ID, "second")
			_, err := f.eng.DeleteElemental(f.t.Context(), f.ann.TenantID, e.ID)
			f.check(err)
		}, nil, quire.JobCancelled},
		{"delete the elemental and make another with its id", func(f *engineFixture, e quire.Elemental) {
			f.check(f.DeleteElemental(f.t.Context(), f.ann, e.ID))
			in := document(title, newBody)
			in.ID = e.ID
			f.create(f.ann, in)
			f.ingest(f.ann, e.ID, "")
		}, newest, quire.JobCancelled},
		{"attach a tag", func(f *engineFixture, e quire.Elemental) {
			tag, err := f.CreateTag(f.t.Context(), f.ann, quire.TagInput{Title: "marked", Color: "#fff", ElementalTypeID: quire.TypeDocument})
			f.check(err)
			_, err = f.AttachTag(f.t.Context(), f.ann, e.ID, tag.ID)
			f.check(err)
		}, []string{title, "one", "two", "three"}, quire.JobSucceeded},
		{"change the category", func(f *engineFixture, e quire.Elemental) {
			_, err := f.UpdateElemental(f.t.Context(), f.ann, e.ID, quire.ElementalPatch{CategoryID: ptr(research)})
			f.check(err)
		}, []string{title, "one", "two", "three"}, quire.JobSucceeded},
		{"change the embedder", func(f *engineFixture, e quire.Elemental) {
			f.change(newEmbedder())
		}, []string{title, "one", "two", "three"}, quire.JobSucceeded},
		{"change the embedder, update and ingest", func(f *engineFixture, e quire.Elemental) {
			f.change(newEmbedder())
			f.update(f.ann, e.ID, newBody)
			f.ingest(f.ann, e.ID, "")
		}, newest, quire.JobSucceeded},
		{"change the embedder and delete its knowledge", func(f *engineFixture, e quire.Elemental) {
			gate, to := enginetest.NewGate(), newEmbedder() // with which the ingest could end before the deletion
			to.Hold(gate)
			defer gate.Open()
			f.change(to)
			_, err := f.eng.DeleteElemental(f.t.Context(), f.ann.TenantID, e.ID)
			f.check(err)
		}, nil, quire.JobCancelled},
	}
	var ran, deletions, updates, wrong atomic.Int64
	t.Cleanup(func() {
		t.Logf("C1: %d forced orders, %d of them with a deletion: %d with another end than wanted", ran.Load(), deletions.Load(), wrong.Load())
		t.Logf("C2: %d forced orders with an update: %d with another end than wanted", updates.Load(), wrong.Load())
	})
	for _, s := range stores {
		for _, step := range steps {
			for point := range 5 { // 0: queued; title and three paragraphs make four batches
				for _, restart := range []bool{false, true} {
					for _, known := range []bool{false, true} {
						if s.name != "memory" && (point%2 == 1 || point == 4 || !known || testing.Short() && !restart) {
							continue // the order of things is the Engine's: samples are enough, and opening files is slow
						}
						name := fmt.Sprintf("%s/%s/%d/restart=%t/known=%t", s.name, step.name, point, restart, known)
						t.Run(name, func(t *testing.T) {
							t.Parallel()
							defer func() {
								ran.Add(1)
								if t.Failed() {
									wrong.Add(1)
								}
								if strings.Contains(step.name, "delete") {
									deletions.Add(1)
								}
								if strings.Contains(step.name, "update") {
									updates.Add(1)
								}
							}()
							f := newEngineFixture(t, s.open(t), quire.EngineOptions{Chunker: paragraphs{}, BatchSize: 1, Workers: 1})
							e, job, gate := f.ingestUpTo(point, known, title, "one\n\ntwo\n\nthree")
							step.do(f, e)
							if restart {
								f.stop(t.Context())
							}
							gate.Open()
							if restart {
								f.start()
							}
							f.waitStatus(job, step.first)
							f.settle(f.ann)
							f.settle(f.bob)
							f.waitChanged()
							wantEqual(t, f.texts(e.ID), step.want)
							f.chunks(f.embedder)
							f.checkMetadata(e.ID)
							if got := f.search(f.ann, title, quire.Filters{ElementalID: e.ID}); len(got) != len(step.want) {
								t.Errorf("found %q", got)
							}
						})
					}
				}
			}
		}
	}
}

func (f *engineFixture) check(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// research is a category of the default catalogue.
const research = 11

// checkMetadata checks that the chunks of an elemental repeat what it is now.
func (f *engineFixture) checkMetadata(elementalID string) {
	f.t.Helper()
	e, err := f.Elemental(f.t.Context(), f.ann, elementalID)
	if quire.CodeOf(err) == quire.CodeNotFound {
		return
	}
	f.check(err)
	category := map[int]string{quire.CategoryText: "Text", research: "Research"}[e.CategoryID]
	var tags []string
	for _, tag := range e.Tags {
		tags = append(tags, tag.Title)
	}
	for _, c := range f.stored(elementalID) {
		if c.Title != e.Title || c.CategoryName != category || !slices.Equal(c.TagNames, tags) {
			f.t.Errorf("a chunk has title %q, category %q, tags %q; the elemental %q, %q, %q", c.Title, c.CategoryName, c.TagNames, e.Title, category, tags)
		}
	}
}

// ingestUpTo brings the ingest of an elemental to a point: 0 is queued, n waits for
// its n-th batch to be embedded. If known, an older text was ingested before.
func (f *engineFixture) ingestUpTo(point int, known bool, title, body string) (quire.Elemental, quire.Job, *enginetest.Gate) {
	f.t.Helper()
	var e quire.Elemental
	if known {
		e = f.add(f.ann, title, "an older text")
		if _, err := f.UpdateElemental(f.t.Context(), f.ann, e.ID, quire.ElementalPatch{Body: &body}); err != nil {
			f.t.Fatal(err)
		}
		if point > 3 {
			point = 3 // the vector of the title is known
		}
	} else {
		e = f.create(f.ann, document(title, body))
	}
	gate := enginetest.NewGate()
	f.embedder.Hold(gate)
	if point == 0 {
		busy := f.create(f.bob, document("Keeps the worker busy", "text"))
		f.ingest(f.bob, busy.ID, "")
		<-gate.Arrived()
		return e, f.ingest(f.ann, e.ID, ""), gate
	}
	job := f.ingest(f.ann, e.ID, "")
	gate.Pass(point - 1)
	for range point {
		<-gate.Arrived()
	}
	return e, job, gate
}

// TestReadersSeeOldOrNew searches an elemental again and again while it is changed
// and ingested.
func TestReadersSeeOldOrNew(t *testing.T) {
	var searches, changes, mixed, empty atomic.Int64
	t.Cleanup(func() {
		t.Logf("C3: %d searches while %d versions came: %d mixed, %d empty", searches.Load(), changes.Load(), mixed.Load(), empty.Load())
	})
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		const readers = 6
		versions, least := 15, int64(mixedSearches/10)
		if f.onMemory() { // where they are quick
			least = mixedSearches
		}
		if testing.Short() {
			versions, least = 5, 0
		}
		parts := func(version int) int { return 3 + version%4 }
		body := func(version int) string {
			var b strings.Builder
			for i := range parts(version) {
				fmt.Fprintf(&b, "version %d part %d\n\n", version, i)
			}
			return b.String()
		}
		e := f.add(f.ann, "Old or new, not both", body(0))
		noise := f.add(f.ann, "Something else there", "version and part")

		var stop atomic.Bool
		var seen atomic.Int64
		var wg sync.WaitGroup
		for range readers {
			wg.Go(func() {
				last := 0
				for !stop.Load() {
					hits, err := f.eng.Search(t.Context(), quire.SearchRequest{
						Query: "version part", Filters: quire.Filters{TenantID: f.ann.TenantID, ElementalID: e.ID}, Limit: 100,
					})
					if err != nil {
						t.Error(err)
						return
					}
					counts := map[int]int{}
					for _, h := range hits {
						var version, part int
						if _, err := fmt.Sscanf(h.Chunk.Text, "version %d part %d", &version, &part); err == nil {
							counts[version]++
						}
					}
					for version, n := range counts {
						if len(counts) != 1 || n != parts(version) || version < last {
							mixed.Add(1)
							t.Errorf("after version %d a search saw %v", last, counts)
							return
						}
						last = version
					}
					if len(counts) == 0 {
						empty.Add(1)
						t.Error("a search saw neither")
						return
					}
					seen.Add(1)
					time.Sleep(100 * time.Microsecond) // leave the writer a processor
				}
			})
		}
		for v := 1; (v <= versions || seen.Load() < least) && !t.Failed(); v++ {
			f.update(f.ann, e.ID, body(v))
			f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
			if v%5 == 0 {
				f.update(f.ann, noise.ID, fmt.Sprint("version ", v))
			}
			changes.Add(1)
		}
		stop.Store(true)
		wg.Wait()
		searches.Add(seen.Load())
	})
}

// ofTheTest marks the context of a call of the test: workers view the Store as well.
type ofTheTest struct{}

func marked(ctx context.Context) context.Context { return context.WithValue(ctx, ofTheTest{}, true) }

// eager is a Store whose Views see the state of the moment they begin, and then wait.
type eager struct {
	quire.Store
	gate atomic.Pointer[chan struct{}] // the next marked View tells that it began and waits until it can tell again
}

func (s *eager) View(ctx context.Context, fn func(tx quire.ReadTx) error) error {
	if ctx.Value(ofTheTest{}) == nil {
		return s.Store.View(ctx, fn)
	}
	gate := s.gate.Swap(nil)
	if gate == nil {
		return s.Store.View(ctx, fn)
	}
	return s.Store.View(ctx, func(tx quire.ReadTx) error {
		if _, err := tx.CountChunks(ctx); err != nil {
			return err
		}
		*gate <- struct{}{}
		*gate <- struct{}{}
		return fn(tx)
	})
}

// TestOldSnapshot ingests while a search has its state of the Store, but has not asked
// the index yet.
func TestOldSnapshot(t *testing.T) {
	t.Parallel()
	sqlite := stores[1] // the one in memory lets nobody write meanwhile
	s := &eager{Store: sqlite.open(t)}
	f := newEngineFixture(t, s, quire.EngineOptions{Chunker: paragraphs{}})
	e := f.add(f.ann, "Of two states one", "old one\n\nold two\n\nold three")
	gate := make(chan struct{})
	s.gate.Store(&gate)
	found := make(chan []string)
	go func() {
		hits, err := f.eng.Search(marked(context.Background()), quire.SearchRequest{Query: "one", Filters: quire.Filters{TenantID: f.ann.TenantID}})
		if err != nil {
			t.Error(err)
		}
		found <- sourceTexts(hits)
	}()
	<-gate
	f.update(f.ann, e.ID, "new one")
	f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
	<-gate
	got := <-found
	slices.Sort(got)
	wantEqual(t, got, []string{"Of two states one", "new one"})
	t.Logf("C3: a search whose state of the store was replaced under it found %d passages, all of one version", len(got))
}

// busyStore does something before each of its marked Views, up to a number of times.
type busyStore struct {
	quire.Store
	left int
	do   func()
}

func (s *busyStore) View(ctx context.Context, fn func(tx quire.ReadTx) error) error {
	if ctx.Value(ofTheTest{}) != nil && s.left > 0 {
		s.left--
		s.do()
	}
	return s.Store.View(ctx, fn)
}

// TestSearchAmongManyCommits lets a commit come before each try of a search.
func TestSearchAmongManyCommits(t *testing.T) {
	t.Parallel()
	for _, open := range stores {
		s := &busyStore{Store: open.open(t)}
		f := newEngineFixture(t, s, quire.EngineOptions{Chunker: paragraphs{}})
		e := f.add(f.ann, "Changed all the time", "text")
		version := 0
		s.do = func() {
			version++
			if _, err := f.UpdateElemental(t.Context(), f.ann, e.ID, quire.ElementalPatch{Title: ptr(fmt.Sprint("Changed all the time ", version))}); err != nil {
				t.Error(err)
			}
		}
		const many = 1000
		s.left = many
		hits, err := f.eng.Search(marked(t.Context()), quire.SearchRequest{Query: "text", Filters: quire.Filters{TenantID: f.ann.TenantID}})
		tries := many - s.left
		if err != nil || len(hits) != 2 || tries < 2 || tries > 100 {
			t.Errorf("%s: %d hits after %d tries, %v", open.name, len(hits), tries, err)
		}
		for _, h := range hits {
			if want := fmt.Sprint("Changed all the time ", version); h.Chunk.Title != want {
				t.Errorf("%s: title %q, want %q", open.name, h.Chunk.Title, want)
			}
		}
	}
}

// slowIndex waits after a search, when told to.
type slowIndex struct {
	*enginetest.Index
	gate atomic.Pointer[chan struct{}]
}

func (x *slowIndex) Search(ctx context.Context, query []float32, filters quire.Filters, limit int) ([]quire.Hit, error) {
	hits, err := x.Index.Search(ctx, query, filters, limit)
	if gate := x.gate.Swap(nil); gate != nil {
		*gate <- struct{}{}
		*gate <- struct{}{}
	}
	return hits, err
}

func newSlowIndexFixture(t *testing.T) (*engineFixture, *slowIndex) {
	t.Helper()
	f := newEngineFixture(t, stores[1].open(t), quire.EngineOptions{Chunker: paragraphs{}})
	f.stop(t.Context())
	index := &slowIndex{Index: f.index}
	eng, err := quire.NewEngine(t.Context(), f.Library, index, f.embedder, f.llm, &f.opts)
	f.check(err)
	f.eng = eng
	return f, index
}

// TestNoCommitInsideASearch ingests while a search has asked the index, but has not
// read the chunks yet.
func TestNoCommitInsideASearch(t *testing.T) {
	t.Parallel()
	f, index := newSlowIndexFixture(t)
	e := f.add(f.ann, "Of two states one", "old one")
	f.update(f.ann, e.ID, "new one\n\nnew two\n\nnew three")
	gate := make(chan struct{})
	index.gate.Store(&gate)
	found := make(chan []string)
	go func() {
		hits, err := f.eng.Search(marked(context.Background()), quire.SearchRequest{Query: "one", Filters: quire.Filters{TenantID: f.ann.TenantID}})
		if err != nil {
			t.Error(err)
		}
		found <- sourceTexts(hits)
	}()
	<-gate
	job := f.ingest(f.ann, e.ID, "")
	time.Sleep(200 * time.Millisecond) // enough for the ingest, if nothing held it up
	if j := f.storedJob(job); j.Status.Final() {
		t.Errorf("the ingest has ended as %s", j.Status)
	}
	<-gate
	got := <-found
	slices.Sort(got)
	wantEqual(t, got, []string{"Of two states one", "old one"})
	f.waitStatus(job, quire.JobSucceeded)
	t.Logf("C3: an ingest waited for a search that was under way, which found %d passages, all of one version", len(got))
}

// TestManyAtOnce lets everything happen at the same time and compares what is left
// with the content.
func TestManyAtOnce(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		f.opts.Workers = 4
		f.restart()
		var elementals []quire.Elemental
		for i := range 6 {
			elementals = append(elementals, f.create(f.ann, document(fmt.Sprint("Elemental number ", i), "first")))
		}
		var wg sync.WaitGroup
		span := time.Second
		if testing.Short() {
			span /= 4
		}
		end := time.Now().Add(span)
		for worker := range 6 {
			rng := rand.New(rand.NewPCG(uint64(worker), 1))
			e := elementals[worker]
			wg.Go(func() {
				for i := 0; time.Now().Before(end); i++ {
					var err error
					switch rng.IntN(5) {
					case 0:
						_, err = f.eng.DeleteElemental(t.Context(), f.ann.TenantID, e.ID)
					case 1:
						_, err = f.UpdateElemental(t.Context(), f.ann, e.ID, quire.ElementalPatch{Body: ptr(fmt.Sprint("text ", i))})
					case 2, 3:
						_, err = f.eng.Ingest(t.Context(), f.ann.TenantID, quire.IngestRequest{ElementalID: e.ID})
					case 4:
						_, err = f.eng.Search(t.Context(), quire.SearchRequest{Query: "text", Filters: quire.Filters{TenantID: f.ann.TenantID}})
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		f.settleAll(f.ann)
		for i, e := range elementals {
			final, err := f.Elemental(t.Context(), f.ann, e.ID)
			if err != nil {
				t.Fatal(err)
			}
			f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
			wantEqual(t, f.texts(e.ID), []string{final.Title, final.Body})
			if i%2 == 0 {
				f.check(f.DeleteElemental(t.Context(), f.ann, e.ID))
				wantEqual(t, f.texts(e.ID), []string(nil))
			}
		}
	})
}

// settleAll waits for all jobs of a tenant, however many pages they fill.
func (f *engineFixture) settleAll(a quire.Actor) {
	f.t.Helper()
	for page := 1; ; page++ {
		jobs, err := f.eng.Jobs(f.t.Context(), a.TenantID, "", quire.Page{Number: page, Size: 100})
		if err != nil {
			f.t.Fatal(err)
		}
		if len(jobs.Items) == 0 {
			return
		}
		for _, j := range jobs.Items {
			if !j.Status.Final() { // those that have ended may go any time
				f.wait(j)
			}
		}
	}
}
