package quire_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store"
)

// order is a random order of changes, ingests, batches of the embedders, restarts and
// changes of the embedder, with what may be stored at its end.
type order struct {
	f      *engineFixture
	rng    *rand.Rand
	gate   *enginetest.Gate
	models []*enginetest.Embedder // the present one last
	tag    int64
	tagged string // the present title of the tag
	known  []*ordered
	trace  []string
}

// ordered is what an order knows of one elemental.
type ordered struct {
	id     string
	bodies []string // of all versions
	asked  bool     // for an ingest, after which its knowledge was not deleted
	since  int      // the version at the last such ingest; that or a later one is to be stored
	gone   bool
	stored []string // texts, when it was looked at last
}

// TestRandomOrders runs random orders. None may bring back what was deleted, mix two
// versions, lose one or leave vectors of two embedders.
func TestRandomOrders(t *testing.T) {
	t.Parallel()
	orders := 10_000
	if testing.Short() {
		orders = 200
	}
	const groups = 20
	var ran, steps, wrong atomic.Int64
	t.Cleanup(func() {
		t.Logf("C1: %d random orders of %d steps: %d in which something else was stored than may be, deleted content above all", ran.Load(), steps.Load(), wrong.Load())
	})
	for group := range groups {
		t.Run(fmt.Sprint(group), func(t *testing.T) {
			t.Parallel()
			for i := range orders / groups {
				seed := uint64(group*orders/groups + i)
				synctest.Test(t, func(t *testing.T) {
					steps.Add(int64(runOrder(t, store.NewMemory(), seed, synctest.Wait)))
				})
				if ran.Add(1); t.Failed() {
					wrong.Add(1)
					return
				}
			}
		})
	}
}

// TestRandomOrdersOnDisk runs some of them on SQLite, where things go on while the next
// step is taken.
func TestRandomOrdersOnDisk(t *testing.T) {
	t.Parallel()
	orders := 60
	if testing.Short() {
		orders = 10
	}
	for seed := range orders {
		runOrder(t, stores[1].open(t), uint64(seed), nil)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d orders ran", orders)
}

// runOrder runs the order of a seed and returns how many steps it has. wait, if not
// nil, waits until nothing happens by itself any more; then each step is looked at.
func runOrder(t *testing.T, s quire.Store, seed uint64, wait func()) int {
	f := newEngineFixture(t, s, quire.EngineOptions{Chunker: paragraphs{}, BatchSize: 1, Workers: 2})
	o := &order{f: f, rng: rand.New(rand.NewPCG(seed, 4)), tagged: "marked"}
	defer func() {
		if t.Failed() {
			t.Logf("seed %d:\n%s", seed, strings.Join(o.trace, "\n"))
		}
		o.gate.Open()
		f.stop(context.Background())
	}()
	o.models = []*enginetest.Embedder{f.embedder}
	o.hold()
	tag, err := f.CreateTag(t.Context(), f.ann, quire.TagInput{Title: o.tagged, Color: "#fff", ElementalTypeID: quire.TypeDocument})
	f.check(err)
	o.tag = tag.ID
	o.create()
	steps := 4 + o.rng.IntN(12)
	for range steps {
		o.step()
		if wait != nil {
			wait()
			o.look()
		}
	}
	o.check()
	return steps
}

// hold makes both embedders wait at a new gate.
func (o *order) hold() {
	o.gate = enginetest.NewGate()
	for _, e := range o.models[max(0, len(o.models)-2):] {
		e.Hold(o.gate)
	}
}

func (o *order) note(format string, args ...any) {
	o.trace = append(o.trace, fmt.Sprintf(format, args...))
}

func (o *order) create() {
	k := &ordered{id: fmt.Sprint("e", len(o.known)), bodies: []string{o.body()}}
	in := document(o.title(k), k.bodies[0])
	in.ID = k.id
	o.f.create(o.f.ann, in)
	o.known = append(o.known, k)
	o.note("create %s", k.id)
}

func (o *order) title(k *ordered) string { return "Elemental of an order " + k.id }

// body is a text of one to three paragraphs that is unlike all others.
func (o *order) body() string {
	n := len(o.trace)
	parts := make([]string, 1+o.rng.IntN(3))
	for i := range parts {
		parts[i] = fmt.Sprintf("step %d part %d", n, i)
		if o.rng.IntN(3) == 0 {
			parts[i] = fmt.Sprintf("common %d", i)
		}
	}
	return strings.Join(append(parts, fmt.Sprint("end of ", n)), "\n\n")
}

// step does one thing at random.
func (o *order) step() {
	f, ctx := o.f, o.f.t.Context()
	k := o.known[o.rng.IntN(len(o.known))]
	choice := o.rng.IntN(100)
	switch {
	case choice < 30:
		n := 1 + o.rng.IntN(3)
		o.note("let %d batches pass", n)
		o.gate.Pass(n)
	case choice < 36 && len(o.known) < 4:
		o.create()
	case choice < 44:
		o.note("restart")
		f.restart()
	case choice < 52:
		o.change()
	case k.gone:
	case choice < 70:
		o.note("ingest %s", k.id)
		f.ingest(f.ann, k.id, "")
		k.asked, k.since = true, len(k.bodies)-1
	case choice < 80:
		k.bodies = append(k.bodies, o.body())
		o.note("update %s to version %d", k.id, len(k.bodies)-1)
		f.update(f.ann, k.id, k.bodies[len(k.bodies)-1])
	case choice < 84:
		o.note("attach the tag to %s", k.id)
		_, err := f.AttachTag(ctx, f.ann, k.id, o.tag)
		f.check(err)
	case choice < 87:
		o.tagged = fmt.Sprint("marked at ", len(o.trace))
		o.note("rename the tag")
		_, err := f.UpdateTag(ctx, f.ann, o.tag, quire.TagPatch{Title: &o.tagged})
		f.check(err)
	case choice < 93:
		o.note("delete the knowledge of %s", k.id)
		_, err := f.eng.DeleteElemental(ctx, f.ann.TenantID, k.id)
		f.check(err)
		k.asked = false
	case choice < 96:
		o.note("delete by filters")
		_, err := f.eng.Delete(ctx, quire.Filters{TenantID: f.ann.TenantID, TypeName: "Document"})
		f.check(err)
		for _, k := range o.known {
			k.asked = false
		}
	default:
		o.note("delete %s", k.id)
		f.check(f.DeleteElemental(ctx, f.ann, k.id))
		k.asked, k.gone = false, true
	}
}

// change begins to change the embedder, unless such a change is under way: what the
// former one was, is known then only to that.
func (o *order) change() {
	if s := o.f.eng.Reembedding(); s.Running {
		o.note("the embedder is being changed already")
		return
	}
	o.note("change the embedder")
	o.models = append(o.models, &enginetest.Embedder{Model: fmt.Sprint("model ", len(o.models)), Dim: 32 + 16*len(o.models)})
	o.models[len(o.models)-1].Hold(o.gate)
	o.f.change(o.models[len(o.models)-1])
}

// look checks what one step has done: vectors are of one embedder, and what is stored of
// an elemental is as it was, or its newest version, or nothing if it was deleted.
func (o *order) look() {
	f := o.f
	texts := map[string][]string{}
	chunks := f.chunks(o.models...)
	slices.SortFunc(chunks, func(a, b quire.Chunk) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
	for _, c := range chunks {
		texts[c.ElementalID] = append(texts[c.ElementalID], c.Text)
	}
	for _, k := range o.known {
		got := texts[k.id]
		if !slices.Equal(got, k.stored) && !o.is(k, got, len(k.bodies)-1) && (k.asked || len(got) > 0) {
			f.t.Errorf("after %q there is stored of %s %q, before that %q; it has %q", o.trace[len(o.trace)-1], k.id, got, k.stored, k.bodies)
		}
		k.stored = got
	}
}

// is reports whether texts are those of a version of an elemental.
func (o *order) is(k *ordered, texts []string, version int) bool {
	return slices.Equal(texts, append([]string{o.title(k)}, strings.Split(k.bodies[version], "\n\n")...))
}

// check lets everything come to its end and looks at what is stored.
func (o *order) check() {
	f := o.f
	o.gate.Open()
	f.settleAll(f.ann)
	f.waitChanged()
	f.chunks(o.models[len(o.models)-1])
	for _, k := range o.known {
		got := f.texts(k.id)
		ok := len(got) == 0
		if k.asked {
			ok = false
			for version := k.since; version < len(k.bodies); version++ {
				ok = ok || o.is(k, got, version)
			}
		}
		if !ok {
			f.t.Errorf("of %s there is stored %q; it has %q, and an ingest was asked for: %t, at version %d", k.id, got, k.bodies, k.asked, k.since)
		}
		f.checkMetadata(k.id)
	}
}
