package quire_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

func TestIngestedChunks(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		tag, err := f.CreateTag(t.Context(), f.ann, quire.TagInput{Title: "green", Color: "#0f0", ElementalTypeID: quire.TypeDocument})
		if err != nil {
			t.Fatal(err)
		}
		in := document("Ein Titel mit Umläuten", "Erster Absatz.\n\nZweiter: 日本語 👩‍👩‍👧.")
		in.Description, in.TagIDs = "Worum es geht", []int64{tag.ID}
		e := f.create(f.ann, in)
		job := f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
		if job.Stage != "done" || job.Done != 4 || job.Total != 4 || job.Attempts != 1 || job.StartedAt == nil || job.FinishedAt == nil || job.Error != "" {
			t.Errorf("job %+v", job)
		}

		const source = "Ein Titel mit Umläuten\n\nWorum es geht\n\nErster Absatz.\n\nZweiter: 日本語 👩‍👩‍👧."
		chunks := f.stored(e.ID)
		if len(chunks) != 4 {
			t.Fatalf("%d chunks", len(chunks))
		}
		ids := map[string]bool{}
		for i, c := range chunks {
			ids[c.ID] = true
			if source[c.Start:c.End] != c.Text || c.Ordinal != i {
				t.Errorf("chunk %d: %q is not %d..%d of the source", i, c.Text, c.Start, c.End)
			}
			if c.Fingerprint != f.embedder.Fingerprint() || len(c.Hash) != 64 {
				t.Errorf("chunk %d: fingerprint %q, hash %q", i, c.Fingerprint, c.Hash)
			}
			c.ID, c.Text, c.Start, c.End, c.Ordinal, c.Hash, c.Fingerprint, c.Vector, c.Heading = "", "", 0, 0, 0, "", "", nil, nil
			wantEqual(t, c, quire.Chunk{
				TenantID: f.ann.TenantID, UserID: f.ann.UserID, ElementalID: e.ID, ItemID: e.ID, Source: "document",
				TypeName: "Document", CategoryName: "Text", Title: e.Title,
				TagIDs: []string{strconv.FormatInt(tag.ID, 10)}, TagNames: []string{"green"},
			})
		}
		if len(ids) != 4 {
			t.Errorf("ids %v are not all different", ids)
		}
		// The title is in front of what is embedded, but not twice.
		wantEqual(t, f.embedder.Texts(), []string{
			"Ein Titel mit Umläuten",
			"Ein Titel mit Umläuten\nWorum es geht",
			"Ein Titel mit Umläuten\nErster Absatz.",
			"Ein Titel mit Umläuten\nZweiter: 日本語 👩‍👩‍👧.",
		})
	})
}

func TestIngestAgain(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		e := f.add(f.ann, "Ingested again", "one\n\ntwo\n\ntwo")
		before := f.stored(e.ID)
		wantEqual(t, f.embedder.Texts(), []string{"Ingested again", "Ingested again\none", "Ingested again\ntwo"})

		f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
		wantEqual(t, f.stored(e.ID), before)
		if calls := f.embedder.Calls(); calls != 1 {
			t.Errorf("without change the embedder was called: %d calls", calls)
		}

		f.update(f.ann, e.ID, "zero\n\none\n\ntwo\n\ntwo")
		f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
		wantEqual(t, f.texts(e.ID), []string{"Ingested again", "zero", "one", "two", "two"})
		wantEqual(t, f.embedder.Batches()[1:], [][]string{{"Ingested again\nzero"}})
	})
}

func TestBatches(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		f.opts.BatchSize = 3
		f.restart()
		var body []string
		for i := range 9 {
			body = append(body, fmt.Sprint("part ", i))
		}
		f.add(f.ann, "Many small parts", strings.Join(body, "\n\n"))
		var sizes []int
		for _, b := range f.embedder.Batches() {
			sizes = append(sizes, len(b))
		}
		wantEqual(t, sizes, []int{3, 3, 3, 1})
	})
}

func TestKnowledgeBaseElementalsAreIngested(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		in := document("Knowledge of itself", "old")
		in.Settings.KnowledgeBase = true
		e := f.create(f.ann, in)
		f.settle(f.ann)
		wantEqual(t, f.texts(e.ID), []string{"Knowledge of itself", "old"})
		f.update(f.ann, e.ID, "new")
		f.settle(f.ann)
		wantEqual(t, f.texts(e.ID), []string{"Knowledge of itself", "new"})
		if err := f.DeleteElemental(t.Context(), f.ann, e.ID); err != nil {
			t.Fatal(err)
		}
		wantEqual(t, f.texts(e.ID), []string(nil))

		plain := f.create(f.ann, document("Knowledge of nobody", "text"))
		f.settle(f.ann)
		wantEqual(t, f.texts(plain.ID), []string(nil))
	})
}

// TestJobsWaitForAnEngine queues while the Library has none.
func TestJobsWaitForAnEngine(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		f.stop(t.Context())
		in := document("Before the engine", "text")
		in.Settings.KnowledgeBase = true
		e := f.create(f.ann, in)
		f.start()
		f.settle(f.ann)
		wantEqual(t, f.texts(e.ID), []string{"Before the engine", "text"})
	})
}

// TestMetadataFollows changes what chunks repeat of their elemental.
func TestMetadataFollows(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		ctx := t.Context()
		e := f.add(f.ann, "Metadata follows", "alpha\n\nbeta")
		calls := f.embedder.Calls()
		tag, err := f.CreateTag(ctx, f.ann, quire.TagInput{Title: "old name", Color: "#123", ElementalTypeID: quire.TypeDocument})
		if err != nil {
			t.Fatal(err)
		}
		ids := []string{strconv.FormatInt(tag.ID, 10)}
		all := []string{"Metadata follows", "alpha", "beta"}
		found := func(filters quire.Filters, want []string) {
			t.Helper()
			got := f.search(f.ann, "alpha", filters)
			if len(got) != len(want) {
				t.Errorf("%+v finds %q", filters, got)
			}
			wantEqual(t, f.texts(e.ID), all)
		}

		found(quire.Filters{TagIDs: ids}, nil)
		if _, err := f.AttachTag(ctx, f.ann, e.ID, tag.ID); err != nil {
			t.Fatal(err)
		}
		found(quire.Filters{TagIDs: ids}, all)
		found(quire.Filters{TagNames: []string{"old name"}}, all)
		if _, err := f.UpdateTag(ctx, f.ann, tag.ID, quire.TagPatch{Title: ptr("new name")}); err != nil {
			t.Fatal(err)
		}
		found(quire.Filters{TagNames: []string{"old name"}}, nil)
		found(quire.Filters{TagNames: []string{"new name"}}, all)
		if err := f.DeleteTag(ctx, f.ann, tag.ID); err != nil {
			t.Fatal(err)
		}
		found(quire.Filters{TagIDs: ids}, nil)

		found(quire.Filters{TypeName: "Document", Source: "document"}, all)
		if _, err := f.UpdateElemental(ctx, f.ann, e.ID, quire.ElementalPatch{TypeID: ptr(quire.TypeSnippet), Title: ptr("Another title")}); err != nil {
			t.Fatal(err)
		}
		found(quire.Filters{TypeName: "Document"}, nil)
		found(quire.Filters{TypeName: "Snippet", Source: "elemental"}, all)
		for _, c := range f.stored(e.ID) {
			if c.Title != "Another title" {
				t.Errorf("chunk %q has title %q", c.Text, c.Title)
			}
		}
		if f.embedder.Calls() != calls+f.searches {
			t.Errorf("the embedder was called %d times by changes of metadata", f.embedder.Calls()-calls-f.searches)
		}
		// The ids are those that another ingest gives.
		before := f.stored(e.ID)
		f.update(f.ann, e.ID, "alpha\n\nbeta")
		f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
		for i, c := range f.stored(e.ID) {
			if c.ID != before[i].ID {
				t.Errorf("chunk %d has id %s, had %s", i, c.ID, before[i].ID)
			}
		}
	})
}

func TestIngestRefuses(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		ctx := t.Context()
		e := f.create(f.ann, document("Owned by Ann only", "text"))
		_, err := f.eng.Ingest(ctx, f.bob.TenantID, quire.IngestRequest{ElementalID: e.ID})
		wantCode(t, err, quire.CodeNotFound)
		_, err = f.eng.Ingest(ctx, f.ann.TenantID, quire.IngestRequest{ElementalID: "unknown"})
		wantCode(t, err, quire.CodeNotFound)
		_, err = f.eng.Ingest(ctx, "", quire.IngestRequest{ElementalID: e.ID})
		wantField(t, err, "tenant_id")
		_, err = f.eng.Ingest(ctx, f.ann.TenantID, quire.IngestRequest{})
		wantField(t, err, "elemental_id")
		for _, trace := range []string{strings.Repeat("é", 201), "a\nb", "a\x7f", "\xff"} {
			_, err = f.eng.Ingest(ctx, f.ann.TenantID, quire.IngestRequest{ElementalID: e.ID, TraceID: trace})
			wantField(t, err, "trace_id")
		}
		jobs, err := f.eng.Jobs(ctx, f.ann.TenantID, "", quire.Page{})
		if err != nil || jobs.Total != 0 {
			t.Errorf("%d jobs, %v", jobs.Total, err)
		}
	})
}

func TestTraceIDs(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		ctx := t.Context()
		one := f.create(f.ann, document("The first document", "text"))
		two := f.create(f.ann, document("The second document", "text"))
		his := f.create(f.bob, document("The document of Bob", "text"))
		trace := strings.Repeat("é", 200)
		first := f.ingest(f.ann, one.ID, trace)
		if first.ID != trace || first.ElementalID != one.ID {
			t.Errorf("job %+v", first)
		}
		if again := f.ingest(f.ann, one.ID, trace); again.Seq != first.Seq {
			t.Error("the same trace id made another job")
		}
		f.waitStatus(first, quire.JobSucceeded)
		if again := f.ingest(f.ann, one.ID, trace); again.Status != quire.JobSucceeded {
			t.Errorf("the same trace id started the job again: %+v", again)
		}
		_, err := f.eng.Ingest(ctx, f.ann.TenantID, quire.IngestRequest{ElementalID: two.ID, TraceID: trace})
		wantCode(t, err, quire.CodeConflict)
		f.waitStatus(f.ingest(f.bob, his.ID, trace), quire.JobSucceeded) // another tenant's
		_, err = f.eng.Job(ctx, f.bob.TenantID, "of nobody")
		wantCode(t, err, quire.CodeNotFound)
		_, err = f.eng.Wait(ctx, f.bob.TenantID, "of nobody")
		wantCode(t, err, quire.CodeNotFound)
	})
}

// TestQueuedIngestsAreOne asks many times while no worker is free.
func TestQueuedIngestsAreOne(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		f.opts.Workers = 1
		f.restart()
		gate := enginetest.NewGate()
		f.embedder.Hold(gate)
		busy := f.create(f.ann, document("Keeps the worker busy", "text"))
		e := f.create(f.ann, document("Asked for many times", "text"))
		running := f.ingest(f.ann, busy.ID, "")
		<-gate.Arrived()
		// A running job does not count, a queued one does.
		if again := f.ingest(f.ann, busy.ID, ""); again.ID == running.ID {
			t.Error("a running ingest was taken for a queued one")
		}
		first := f.ingest(f.ann, e.ID, "")
		for range 5 {
			if j := f.ingest(f.ann, e.ID, ""); j.ID != first.ID {
				t.Errorf("job %s beside %s", j.ID, first.ID)
			}
		}
		// A trace id is a promise of its own.
		if j := f.ingest(f.ann, e.ID, "mine"); j.ID != "mine" {
			t.Errorf("job %+v", j)
		}
		gate.Open()
		f.settle(f.ann)
		jobs, err := f.eng.Jobs(t.Context(), f.ann.TenantID, "", quire.Page{Size: 3})
		if err != nil || jobs.Total != 4 || len(jobs.Items) != 3 || jobs.Items[0].ID != "mine" {
			t.Errorf("jobs %+v, %v", jobs, err)
		}
		for elementalID, want := range map[string][]string{busy.ID: {"", running.ID}, e.ID: {"mine", first.ID}, "unknown": {}} {
			of, err := f.eng.Jobs(t.Context(), f.ann.TenantID, elementalID, quire.Page{})
			if err != nil || of.Total != len(want) || len(of.Items) != len(want) {
				t.Errorf("jobs of %s: %+v, %v", elementalID, of, err)
				continue
			}
			for i, j := range of.Items {
				if j.ElementalID != elementalID || want[i] != "" && j.ID != want[i] {
					t.Errorf("job %d of %s is %+v", i, elementalID, j)
				}
			}
		}
		if foreign, err := f.eng.Jobs(t.Context(), f.bob.TenantID, e.ID, quire.Page{}); err != nil || foreign.Total != 0 {
			t.Errorf("another tenant's jobs: %+v, %v", foreign, err)
		}
	})
}

// TestKnowledgeBaseSwitchedOff: passages stay as they were ingested last, until they are
// ingested again or deleted.
func TestKnowledgeBaseSwitchedOff(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		in := document("Rules of the harbour", "old words")
		in.Settings.KnowledgeBase = true
		e := f.create(f.ann, in)
		f.settle(f.ann)
		set := func(on bool) {
			t.Helper()
			_, err := f.UpdateElemental(t.Context(), f.ann, e.ID, quire.ElementalPatch{KnowledgeBase: &on})
			f.check(err)
			f.settle(f.ann)
		}
		want := func(texts ...string) {
			t.Helper()
			wantEqual(t, f.texts(e.ID), texts)
			found := f.search(f.ann, "words", quire.Filters{})
			slices.Sort(found)
			wantEqual(t, found, texts)
		}
		jobs := func() int {
			t.Helper()
			page, err := f.eng.Jobs(t.Context(), f.ann.TenantID, e.ID, quire.Page{})
			f.check(err)
			return page.Total
		}
		before := jobs()
		set(false)
		want("Rules of the harbour", "old words")
		f.update(f.ann, e.ID, "new words")
		f.settle(f.ann)
		want("Rules of the harbour", "old words")
		if n := jobs(); n != before {
			t.Errorf("%d ingests by themselves", n-before)
		}
		f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
		want("Rules of the harbour", "new words")
		gone, err := f.eng.DeleteElemental(t.Context(), f.ann.TenantID, e.ID)
		if f.check(err); gone.Chunks != 2 {
			t.Errorf("deleted %+v", gone)
		}
		wantEqual(t, f.texts(e.ID), []string(nil))
		set(true)
		want("Rules of the harbour", "new words")

		// An ingest that was asked for before still runs.
		f.opts.Workers = 1
		f.restart()
		gate := enginetest.NewGate()
		f.embedder.Hold(gate)
		f.update(f.ann, e.ID, "newest words")
		<-gate.Arrived()
		off := false
		_, err = f.UpdateElemental(t.Context(), f.ann, e.ID, quire.ElementalPatch{KnowledgeBase: &off})
		f.check(err)
		gate.Open()
		f.settle(f.ann)
		want("Rules of the harbour", "newest words")
	})
}

// TestProgress watches an ingest whose embedder goes on one batch at a time.
func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := onMemory(t)
		f.opts.BatchSize = 1
		f.restart()
		gate := enginetest.NewGate()
		f.embedder.Hold(gate)
		e := f.create(f.ann, document("A long way to go", "one\n\ntwo"))
		job := f.ingest(f.ann, e.ID, "")
		var seen []string
		for j, err := range f.eng.Progress(t.Context(), f.ann.TenantID, job.ID) {
			if err != nil {
				t.Fatal(err)
			}
			seen = append(seen, fmt.Sprintf("%s %s %d/%d", j.Status, j.Stage, j.Done, j.Total))
			if j.Stage == "embed" {
				gate.Pass(1)
			}
		}
		for _, want := range []string{"running embed 0/3", "running embed 1/3", "running embed 2/3", "succeeded done 3/3"} {
			if !strings.Contains(strings.Join(seen, ", "), want) {
				t.Errorf("saw %q, without %q", seen, want)
			}
		}
		if last := seen[len(seen)-1]; last != "succeeded done 3/3" {
			t.Errorf("ended with %q", last)
		}
	})
}

// TestWaitEndsWithItsContext also shows that a consumer may stop watching.
func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := onMemory(t)
		gate := enginetest.NewGate()
		f.embedder.Hold(gate)
		e := f.create(f.ann, document("Never comes to an end", "text"))
		job := f.ingest(f.ann, e.ID, "")
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, err := f.eng.Wait(ctx, f.ann.TenantID, job.ID)
		wantCode(t, err, quire.CodeDeadline)
		for range f.eng.Progress(t.Context(), f.ann.TenantID, job.ID) {
			break
		}
		// An hour is many leases: the heartbeat has kept the job all the time.
		if j, err := f.eng.Job(t.Context(), f.ann.TenantID, job.ID); err != nil || j.Status != quire.JobRunning || j.Attempts != 1 {
			t.Errorf("job %+v, %v", j, err)
		}
		gate.Open()
		f.waitStatus(job, quire.JobSucceeded)
	})
}
