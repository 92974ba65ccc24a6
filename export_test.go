package quire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store"
)

// A library goes from Store to Store and stays what it is; so do the bytes.
func TestExportRoundTrip(t *testing.T) {
	t.Parallel()
	libraries, records, most := 0, 0, 40
	if testing.Short() {
		most = 6
	}
	rapid.Check(t, func(rt *rapid.T) {
		if libraries == most {
			return
		}
		seed := rapid.Uint64().Draw(rt, "seed")
		start := rapid.IntRange(0, 1).Draw(rt, "store")
		from := newInstance(t, stores[start].open(t), nil)
		defer from.close()
		b := fillLibrary(from, seed, rapid.IntRange(0, 12).Draw(rt, "elementals"))
		want, first := b.see(from), from.export(acme)
		for step := range 2 {
			to := newInstance(t, stores[(start+step+1)%2].open(t), nil)
			defer to.close()
			addVisitor(to)
			res, err := to.importing(first, &quire.ImportOptions{KnownGuests: true})
			to.must(err)
			if n := to.embedder.Calls(); n > 0 {
				rt.Fatalf("the embedder was called %d times", n)
			}
			if d := cmp.Diff(want, b.see(to), moved(false)); d != "" {
				rt.Fatalf("step %d (-exported +imported):\n%s", step, d)
			}
			to.inStep(t)
			if again := to.export(acme); !bytes.Equal(first, again) {
				rt.Fatalf("step %d: the archive of what was imported differs", step)
			}
			if res.Users != len(b.users) || res.Chunks != len(want.Chunks) || res.Ingests != 0 || res.TenantID != acme {
				rt.Fatalf("the result is %+v", res)
			}
			records += res.Elementals + res.Lists + res.Media + res.Tags
			for _, a := range b.users {
				if keys, err := to.Keys(t.Context(), a.UserID); err != nil || len(keys) > 0 {
					rt.Fatalf("there are keys: %v %v", keys, err)
				}
			}
		}
		if bytes.Contains(first, []byte("secret-of-nobody")) || bytes.Contains(first, []byte("qk_")) {
			rt.Fatal("a secret is in the archive")
		}
		libraries++
	})
	t.Logf("%d libraries, each moved twice, %d records compared", libraries, records)
}

func TestImportRenamesTheTenant(t *testing.T) {
	t.Parallel()
	from := newInstance(t, store.NewMemory(), nil)
	b := fillLibrary(from, 7, 6)
	archive := from.export(acme)
	to := newInstance(t, store.NewMemory(), nil)
	addVisitor(to)
	res, err := to.importing(archive, &quire.ImportOptions{TenantID: "other", KnownGuests: true})
	to.must(err)
	wantEqual(t, res.TenantID, "other")
	want, got := b.see(from), b.see(to)
	want.Chats, got.Chats = nil, nil // name the tenant inside of sources
	if d := cmp.Diff(want, got, moved(true)); d != "" {
		t.Errorf("(-exported +imported):\n%s", d)
	}
	err = to.eng.Export(t.Context(), acme, io.Discard)
	wantCode(t, err, quire.CodeNotFound)
	for _, u := range got.Users {
		wantEqual(t, u.TenantID, "other")
	}
}

// Vectors of another embedder do not come along; the ingests do.
func TestImportIntoAnotherEmbedder(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			from := newInstance(t, store.NewMemory(), nil)
			b := fillLibrary(from, 3, 8)
			want := b.see(from)
			with := map[string]bool{}
			for _, c := range want.Chunks {
				with[c.ElementalID] = true
			}
			to := newInstance(t, s.open(t), &enginetest.Embedder{Dim: 64})
			addVisitor(to)
			res, err := to.importing(from.export(acme), &quire.ImportOptions{KnownGuests: true})
			to.must(err)
			if res.Chunks != 0 || res.Ingests != len(with) || len(with) == 0 {
				t.Errorf("%d chunks and %d ingests for %d elementals that had chunks", res.Chunks, res.Ingests, len(with))
			}
			to.idle(acme)
			got := b.see(to)
			if len(got.Chunks) != len(want.Chunks) {
				t.Errorf("%d chunks after the ingests, %d before", len(got.Chunks), len(want.Chunks))
			}
			to.inStep(t)
		})
	}
}

// What was queued, or is out of date, is queued again.
func TestImportQueuesWhatIsMissing(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		good := f.add(f.ann, "Good and ingested", "text")
		stale := f.add(f.ann, "Changed and not again", "old text")
		f.update(f.ann, stale.ID, "a new text of another length")
		failed := f.add(f.ann, "Longer, which failed", "the first part")
		f.update(f.ann, failed.ID, "the first part\n\nthe second part")
		f.embedder.Fail(1, quire.Errorf(quire.CodeInvalid, "not that"))
		f.waitStatus(f.ingest(f.ann, failed.ID, ""), quire.JobFailed)
		gate := enginetest.NewGate()
		f.embedder.Hold(gate)
		in := document("Queued at the export", "text")
		in.Settings.KnowledgeBase = true
		queued := f.create(f.ann, in)
		<-gate.Arrived()
		var b bytes.Buffer
		if err := f.eng.Export(t.Context(), f.ann.TenantID, &b); err != nil {
			t.Fatal(err)
		}
		gate.Open()
		to := newInstance(t, store.NewMemory(), nil)
		res, err := to.importing(b.Bytes(), nil)
		to.must(err)
		if res.Chunks != 4 || res.Ingests != 3 {
			t.Errorf("%d chunks and %d ingests, want those of %s and %s, and %s, %s and %s", res.Chunks, res.Ingests, good.ID, failed.ID, stale.ID, queued.ID, failed.ID)
		}
		to.idle(f.ann.TenantID)
		to.inStep(t)
		hits, err := to.eng.Search(t.Context(), quire.SearchRequest{Query: "a new text of another length", Filters: quire.Filters{TenantID: f.ann.TenantID}})
		to.must(err)
		if len(hits) == 0 || hits[0].Chunk.ElementalID != stale.ID {
			t.Errorf("the new text is not found: %v", hits)
		}
	})
}

// Passages that were deleted do not come back by a move; an ingest that was given up is tried again.
func TestImportLeavesDeletedPassages(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		known := func(title, text string) quire.Elemental {
			in := document(title, text)
			in.Settings.KnowledgeBase = true
			return f.create(f.ann, in)
		}
		deleted := known("Deleted from the knowledge base", "a text that was taken back")
		f.settleAll(f.ann)
		res, err := f.eng.DeleteElemental(t.Context(), f.ann.TenantID, deleted.ID)
		if f.check(err); res.Chunks == 0 {
			t.Fatalf("%+v", res)
		}
		f.embedder.Fail(1, quire.Errorf(quire.CodeInvalid, "not that"))
		failed := known("Given up at the first try", "another text")
		f.settleAll(f.ann)
		var b bytes.Buffer
		f.check(f.eng.Export(t.Context(), f.ann.TenantID, &b))
		to := newInstance(t, store.NewMemory(), nil)
		moved, err := to.importing(b.Bytes(), nil)
		if to.must(err); moved.Ingests != 1 || moved.Chunks != 0 {
			t.Errorf("%d ingests and %d chunks, want that of %s", moved.Ingests, moved.Chunks, failed.ID)
		}
		to.idle(f.ann.TenantID)
		hits, err := to.eng.Search(t.Context(), quire.SearchRequest{Query: "a text", Filters: quire.Filters{TenantID: f.ann.TenantID}})
		to.must(err)
		if len(hits) == 0 {
			t.Errorf("nothing of %s is found", failed.ID)
		}
		for _, hit := range hits {
			if hit.Chunk.ElementalID != failed.ID {
				t.Errorf("found is %+v", hit)
			}
		}
	})
}

// What an archive brought with its passages, or what failed, looks deleted after a deletion: Verify,
// as the instances end, does not miss an ingest, and another move brings nothing back.
func TestImportedAndDeleted(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		in := document("Of the knowledge base", "a text")
		in.Settings.KnowledgeBase = true
		moved, failed := f.create(f.ann, in), f.create(f.ann, in)
		f.settleAll(f.ann)
		f.embedder.Fail(1, quire.Errorf(quire.CodeInvalid, "not that"))
		f.update(f.ann, failed.ID, "a text\n\nand more")
		f.settleAll(f.ann)
		_, err := f.eng.DeleteElemental(t.Context(), f.ann.TenantID, failed.ID)
		f.check(err)
		var b bytes.Buffer
		f.check(f.eng.Export(t.Context(), f.ann.TenantID, &b))
		to := newInstance(t, store.NewMemory(), nil)
		res, err := to.importing(b.Bytes(), nil)
		to.must(err)
		if res.Chunks != 2 || res.Ingests != 0 {
			t.Errorf("%d chunks and %d ingests, want those of %s", res.Chunks, res.Ingests, moved.ID)
		}
		deleted, err := to.eng.DeleteElemental(t.Context(), f.ann.TenantID, moved.ID)
		if to.must(err); deleted.Chunks != 2 {
			t.Errorf("%d chunks deleted", deleted.Chunks)
		}
		res, err = newInstance(t, store.NewMemory(), nil).importing(to.export(f.ann.TenantID), nil)
		if to.must(err); res.Chunks != 0 || res.Ingests != 0 {
			t.Errorf("moved again: %d chunks and %d ingests", res.Chunks, res.Ingests)
		}
	})
}

func TestExportRefuses(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		var b bytes.Buffer
		wantField(t, f.eng.Export(t.Context(), "", &b), "tenant_id")
		wantCode(t, f.eng.Export(t.Context(), "nobody", &b), quire.CodeNotFound)
		if b.Len() > 0 {
			t.Errorf("%d bytes were written of nothing", b.Len())
		}
		wantCode(t, f.eng.Export(t.Context(), f.ann.TenantID, nil), quire.CodeInvalid)
		_, err := f.eng.Import(t.Context(), nil, nil)
		wantCode(t, err, quire.CodeInvalid)
		f.stop(t.Context())
		wantCode(t, f.eng.Export(t.Context(), f.ann.TenantID, &b), quire.CodeClosed)
		_, err = f.eng.Import(t.Context(), &b, nil)
		wantCode(t, err, quire.CodeClosed)
	})
}

// fullDisk takes some bytes and then no more.
type fullDisk struct{ left int }

func (w *fullDisk) Write(p []byte) (int, error) {
	if len(p) > w.left {
		n := w.left
		w.left = 0
		return n, syscall.ENOSPC
	}
	w.left -= len(p)
	return len(p), nil
}

func TestExportToAFullDisk(t *testing.T) {
	t.Parallel()
	from := newInstance(t, store.NewMemory(), nil)
	fillLibrary(from, 5, 30)
	whole := len(from.export(acme))
	for left := 0; left < whole; left += whole/20 + 1 {
		if err := from.eng.Export(t.Context(), acme, &fullDisk{left}); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("with room for %d of %d bytes: %v", left, whole, err)
		}
	}
}

// cancelling cancels a context once it has passed some bytes.
type cancelling struct {
	io.Writer
	io.Reader
	left   int
	cancel func()
}

func (c *cancelling) count(n int) {
	if c.left -= n; c.left <= 0 {
		c.cancel()
	}
}

func (c *cancelling) Write(p []byte) (int, error) { c.count(len(p)); return c.Writer.Write(p) }
func (c *cancelling) Read(p []byte) (int, error) {
	c.count(len(p))
	return c.Reader.Read(p[:min(len(p), 512)])
}

func TestExportAndImportCancelled(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			from := newInstance(t, s.open(t), nil)
			fillLibrary(from, 5, 60)
			whole := from.export(acme)
			ctx, cancel := context.WithCancel(t.Context())
			err := from.eng.Export(ctx, acme, &cancelling{Writer: io.Discard, left: len(whole) / 2, cancel: cancel})
			wantCode(t, err, quire.CodeCanceled)
			to := newInstance(t, s.open(t), nil)
			for part := range 8 {
				ctx, cancel := context.WithCancel(t.Context())
				_, err := to.eng.Import(ctx, &cancelling{Reader: bytes.NewReader(whole), left: len(whole) * part / 8, cancel: cancel}, nil)
				wantCode(t, err, quire.CodeCanceled)
			}
			wantCode(t, to.eng.Export(t.Context(), acme, io.Discard), quire.CodeNotFound)
		})
	}
}

// An import while others read and write: they see none of it or all.
func TestImportAmongOthers(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			from := newInstance(t, store.NewMemory(), nil)
			b := fillLibrary(from, 11, 40)
			archive := from.export(acme)
			to := newInstance(t, s.open(t), nil)
			u, err := to.CreateUser(t.Context(), quire.UserInput{ID: "busy"})
			to.must(err)
			done, ended := make(chan struct{}), make(chan error, 2)
			reads, writes := 0, 0
			go func() {
				for {
					select {
					case <-done:
						ended <- nil
						return
					default:
					}
					reads++
					if err := to.wholeOrNothing(b); err != nil {
						ended <- err
						return
					}
				}
			}()
			go func() {
				for {
					select {
					case <-done:
						ended <- nil
						return
					default:
					}
					writes++
					if _, err := to.CreateElemental(t.Context(), u.Actor(), document("Written meanwhile", "text")); err != nil {
						ended <- err
						return
					}
				}
			}()
			_, err = to.importing(archive, nil)
			to.must(err)
			close(done)
			to.must(errors.Join(<-ended, <-ended))
			if got := to.export(acme); !bytes.Equal(got, archive) {
				t.Error("the archive of what was imported differs")
			}
			t.Logf("%d reads and %d writes meanwhile", reads, writes)
		})
	}
}

// wholeOrNothing checks that an instance has all elementals of a library or none.
func (in *instance) wholeOrNothing(b *builder) error {
	ctx := context.Background()
	return in.store.View(ctx, func(tx quire.ReadTx) error {
		es, err := tx.Elementals(ctx, b.ids)
		if err == nil && len(es) != 0 && len(es) != len(b.ids) {
			err = fmt.Errorf("%d of %d elementals are there", len(es), len(b.ids))
		}
		return err
	})
}
