package quire_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
	"github.com/quirelib/quire/store/sqlite"
)

// knownElemental is what the model keeps of one elemental.
type knownElemental struct {
	owner  quire.Actor
	title  string
	body   string
	tagged bool
	stored []string // texts of the chunks
}

// TestEngineModel does things one after the other and compares what searches find
// with a model: a map of what each elemental's chunks are to be.
func TestEngineModel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	runs, onDisk, steps := 0, 0, 0
	for range modelRuns {
		rapid.Check(t, func(rt *rapid.T) {
			var s quire.Store = store.NewMemory()
			if runs++; runs%5 == 0 {
				onDisk++
				var err error
				if s, err = sqlite.Open(t.Context(), filepath.Join(dir, fmt.Sprint(runs)), &sqlite.Options{Synchronous: sqlite.Normal}); err != nil {
					t.Fatal(err)
				}
			}
			modelRun(t, rt, s, &steps)
		})
	}
	t.Logf("C13: %d sequences of %d steps, %d of them on SQLite: no difference from the model", runs, steps, onDisk)
}

func modelRun(t *testing.T, rt *rapid.T, s quire.Store, steps *int) {
	f := newEngineFixture(t, s, quire.EngineOptions{Chunker: paragraphs{}, BatchSize: 2})
	defer f.close() // cleanups of t come too late to keep memory and the number of goroutines small
	ctx := t.Context()
	tags := map[string]int64{}
	for _, a := range []quire.Actor{f.ann, f.bob} {
		tag, err := f.CreateTag(ctx, a, quire.TagInput{Title: "marked", Color: "#fff", ElementalTypeID: quire.TypeDocument})
		f.check(err)
		tags[a.UserID] = tag.ID
	}
	model := map[string]*knownElemental{}
	ids := func() []string { // in the order of creation, which does not depend on ids
		var all []string
		for id := range model {
			all = append(all, id)
		}
		slices.Sort(all)
		return all
	}
	pick := func(rt *rapid.T) (string, *knownElemental) {
		all := ids()
		if len(all) == 0 {
			rt.Skip("no elemental yet")
		}
		id := rapid.SampledFrom(all).Draw(rt, "elemental")
		return id, model[id]
	}
	body := rapid.Custom(func(rt *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"alpha", "beta", "gamma", "delta"}), 1, 4).Draw(rt, "words"), "\n\n")
	})
	rt.Repeat(map[string]func(*rapid.T){
		"create": func(rt *rapid.T) {
			k := &knownElemental{owner: rapid.SampledFrom([]quire.Actor{f.ann, f.bob}).Draw(rt, "owner"), body: body.Draw(rt, "body")}
			k.title = fmt.Sprint("Elemental of the model ", len(model))
			in := document(k.title, k.body)
			in.ID = fmt.Sprintf("e%03d", len(model))
			for model[in.ID] != nil {
				in.ID += "x"
			}
			model[f.create(k.owner, in).ID] = k
		},
		"update": func(rt *rapid.T) {
			id, k := pick(rt)
			k.body = body.Draw(rt, "body")
			f.update(k.owner, id, k.body)
		},
		"tag": func(rt *rapid.T) {
			id, k := pick(rt)
			k.tagged = !k.tagged
			var err error
			if k.tagged {
				_, err = f.AttachTag(ctx, k.owner, id, tags[k.owner.UserID])
			} else {
				_, err = f.DetachTag(ctx, k.owner, id, tags[k.owner.UserID])
			}
			f.check(err)
		},
		"ingest": func(rt *rapid.T) {
			id, k := pick(rt)
			f.waitStatus(f.ingest(k.owner, id, ""), quire.JobSucceeded)
			k.stored = append([]string{k.title}, strings.Split(k.body, "\n\n")...)
		},
		"delete its knowledge": func(rt *rapid.T) {
			id, k := pick(rt)
			got, err := f.eng.DeleteElemental(ctx, k.owner.TenantID, id)
			f.check(err)
			if got.Chunks != len(k.stored) {
				rt.Errorf("deleted %+v, had %q", got, k.stored)
			}
			k.stored = nil
		},
		"delete what is tagged": func(rt *rapid.T) {
			a := rapid.SampledFrom([]quire.Actor{f.ann, f.bob}).Draw(rt, "tenant")
			_, err := f.eng.Delete(ctx, quire.Filters{TenantID: a.TenantID, TagNames: []string{"marked"}})
			f.check(err)
			for _, k := range model {
				if k.owner == a && k.tagged {
					k.stored = nil
				}
			}
		},
		"delete": func(rt *rapid.T) {
			id, k := pick(rt)
			f.check(f.DeleteElemental(ctx, k.owner, id))
			delete(model, id)
		},
		"restart": func(*rapid.T) { f.restart() },
		"index fails": func(rt *rapid.T) {
			id, k := pick(rt)
			if len(k.stored) == 0 {
				rt.Skip("nothing to fail with")
			}
			f.index.FailReplace(1, errors.New("index down"))
			_, err := f.eng.DeleteElemental(ctx, k.owner.TenantID, id)
			f.check(err)
			k.stored = nil
		},
		"": func(rt *rapid.T) {
			*steps++
			for _, a := range []quire.Actor{f.ann, f.bob} {
				for _, filters := range []quire.Filters{{}, {TagNames: []string{"marked", "other"}}, {Source: "document", UserID: a.UserID}, {TypeName: "Prompt"}} {
					var want []string
					for _, k := range model {
						if k.owner == a && filters.TypeName == "" && (k.tagged || len(filters.TagNames) == 0) {
							want = append(want, k.stored...)
						}
					}
					got := f.search(a, "alpha", filters)
					slices.Sort(got)
					slices.Sort(want)
					if len(want) <= 100 && !slices.Equal(got, want) {
						rt.Fatalf("%s with %+v finds %q, want %q", a.UserID, filters, got, want)
					}
				}
			}
		},
	})
}
