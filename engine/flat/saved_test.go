package flat

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/quirelib/quire"
)

// saved is what the world's index saves.
func (w *world) saved() []byte {
	w.Helper()
	var b bytes.Buffer
	if err := w.index.Save(w.Context(), &b); err != nil {
		w.Fatal(err)
	}
	return b.Bytes()
}

// reopened is the world with a new index that has the same rows, filled in the order of
// elementals and not of changes, and was given what was saved.
func (w *world) reopened(saved []byte) (*world, error) {
	w.Helper()
	next := w.refilled()
	err := next.index.Load(w.Context(), bytes.NewReader(saved))
	return next, err
}

// refilled is the world with a new index that is held and has the same rows.
func (w *world) refilled() *world {
	w.Helper()
	next := *w
	next.index = New(&Options{GraphRows: 1})
	next.index.builder.least = w.index.builder.least
	w.Cleanup(func() { next.index.Close() })
	next.index.Hold()
	for e := range w.elementals {
		if w.backwards {
			e = len(w.elementals) - 1 - e
		}
		next.store(e)
	}
	return &next
}

// linkedAnew is how many rows the builder has linked since the graph was loaded.
func (w *world) linkedAnew() int {
	w.Helper()
	w.built()
	g := w.index.tenants["t"].graph
	n := g.size()
	for _, ready := range g.ready {
		n -= ready.count()
	}
	return n
}

// share wants walks to find at least 0.99 of 10 hits, all in all.
func (w *world) share() {
	w.Helper()
	found, wanted := 0, 0
	w.compared, w.scanned = 0, 0
	for range 100 {
		f, n := w.compare(quire.Filters{TenantID: "t"}, 10)
		found, wanted = found+f, wanted+n
	}
	if recall := float64(found) / float64(wanted); recall < 0.99 {
		w.Errorf("recall is %.4f of %d", recall, wanted)
	}
	if w.scanned > 0 {
		w.Errorf("%d of %d searches were scans", w.scanned, w.compared)
	}
}

// A graph that is loaded is the graph that was saved: nothing is linked anew, and recall is
// what it was; and then it is one like any other.
func TestSaved(t *testing.T) {
	elementals, dimension := 1500, 64
	if testing.Short() {
		elementals, dimension = 100, 32
	}
	w := newWorld(t, elementals, dimension)
	w.built()
	again, err := w.reopened(w.saved())
	if err != nil {
		t.Fatal(err)
	}
	if n := again.linkedAnew(); n != 0 {
		t.Errorf("%d rows were linked anew", n)
	}
	again.recall("loaded")
	for _, e := range w.random.Perm(elementals)[:elementals/2] {
		again.replace(e, 1)
	}
	again.built()
	again.recall("half replaced after loading")
	// Now half as many nodes are removed ones, and rows are in another order.
	more, err := again.reopened(again.saved())
	t.Logf("%d rows of %d were linked anew after half were replaced (%v)", more.linkedAnew(), elementals*perWorldElemental, err)
	more.recall("half replaced before saving")
	for _, e := range w.random.Perm(elementals) {
		more.replace(e, 2)
	}
	more.built()
	more.recall("all replaced")
	for e := range elementals - 20 {
		more.remove(e)
	}
	if more.index.tenants["t"].graph != nil {
		t.Error("400 rows have a graph")
	}
}

// Rows that are not as they were saved are linked anew, and few others.
func TestSavedStale(t *testing.T) {
	w := newWorld(t, 100, 24)
	w.built()
	saved := w.saved()
	for name, change := range map[string]func(){
		"a vector": func() { w.elementals[7][3].Vector = w.query() },
		"added":    func() { w.replace(len(w.elementals)-1, 1) },
		"removed":  func() { w.remove(8) },
		"order":    func() { w.backwards = true },
	} {
		t.Run(name, func(t *testing.T) {
			elementals := w.elementals
			defer func() { w.elementals, w.backwards = elementals, false }()
			w.elementals = nil
			for _, chunks := range elementals {
				w.elementals = append(w.elementals, slices.Clone(chunks))
			}
			if name == "added" {
				w.elementals = append(w.elementals, nil)
			}
			change()
			again, err := w.reopened(saved)
			want := map[string]int{"a vector": 1, "added": perWorldElemental}[name]
			if n := again.linkedAnew(); n < want || n > want+40 {
				t.Errorf("%d rows were linked anew, not %d and few others", n, want)
			}
			if want > 0 && !errors.Is(err, quire.ErrConflict) {
				t.Errorf("Load: %v", err)
			}
			again.T = t
			again.share()
		})
	}
}

// tinyWorld is a world of 40 rows with a graph. Walks look at all of them.
func tinyWorld(t *testing.T) *world {
	w := newWorld(t, 2, 6)
	w.index.builder.least = 2 * perWorldElemental
	for e := range w.elementals {
		w.replace(e, 1)
	}
	w.built()
	return w
}

// savedStart is where the first section begins.
const savedStart = len(savedMagic) + 4

// sign makes the checksum of a section right that is all of a saved index.
func sign(saved []byte) []byte {
	saved = slices.Clone(saved)
	if end := len(saved) - sha256.Size; end > savedStart {
		sum := sha256.Sum256(saved[savedStart:end])
		copy(saved[end:], sum[:])
	}
	return saved
}

// agree searches and returns how many of the hits of scans walks have found.
func (w *world) agree() (found, wanted int) {
	w.Helper()
	w.built()
	for _, limit := range []int{1, 10, 39} {
		f, n := w.compare(quire.Filters{TenantID: "t"}, limit)
		found, wanted = found+f, wanted+n
	}
	return found, wanted
}

// Of every damaged byte and every end that comes too early Load says that it is damaged, and
// what is found afterwards is what a graph finds that is built.
func TestSavedDamaged(t *testing.T) {
	w := tinyWorld(t)
	saved := w.saved()
	step := 1
	if testing.Short() {
		step = 7
	}
	damaged := 0
	check := func(data []byte) {
		t.Helper()
		again, err := w.reopened(data)
		if !errors.Is(err, quire.ErrCorrupt) {
			t.Errorf("Load: %v", err)
		}
		if found, wanted := again.agree(); found != wanted {
			t.Errorf("%d of %d found", found, wanted)
		}
		again.index.Close()
		damaged++
	}
	for i := 0; i < len(saved); i += step {
		data := slices.Clone(saved)
		data[i] ^= 1 << (i % 8)
		check(data)
	}
	for end := 1; end < len(saved); end += step {
		check(saved[:end])
	}
	check(append(slices.Clone(saved), 0))
	t.Logf("%d damaged ones of %d bytes", damaged, len(saved))
}

// Bytes that somebody has changed together with the checksum cost recall at most.
func TestSavedForged(t *testing.T) {
	w := tinyWorld(t)
	saved := w.saved()
	step := 1
	if testing.Short() {
		step = 7
	}
	found, wanted, refused := 0, 0, 0
	for i := savedStart; i < len(saved)-sha256.Size; i += step {
		data := slices.Clone(saved)
		data[i] ^= 1 << (i % 8)
		again, err := w.reopened(sign(data))
		if errors.Is(err, quire.ErrCorrupt) {
			refused++
		}
		f, n := again.agree()
		found, wanted = found+f, wanted+n
		again.index.Close()
	}
	if recall := float64(found) / float64(wanted); recall < 0.99 || refused == 0 {
		t.Errorf("recall is %.4f of %d, and %d were refused", recall, wanted, refused)
	}
}

// FuzzLoad loads what anybody may have written over an index of 40 rows.
func FuzzLoad(f *testing.F) {
	f.Add([]byte{}, false)
	f.Add([]byte(savedMagic), false)
	f.Fuzz(func(t *testing.T, data []byte, signed bool) {
		if signed {
			data = sign(data)
		}
		w := tinyWorld(t)
		again, err := w.reopened(data)
		if code := quire.CodeOf(err); err != nil && code != quire.CodeCorrupt && code != quire.CodeConflict {
			t.Errorf("Load: %v", err)
		}
		again.agree()
		hits, err := again.index.Search(t.Context(), again.query(), quire.Filters{TenantID: "t"}, 10)
		if err != nil || len(hits) != 10 {
			t.Errorf("%d hits, %v", len(hits), err)
		}
	})
}

// What is saved beside changes and the builder is whole.
func TestSavedBeside(t *testing.T) {
	const elementals = 120
	w := newWorld(t, elementals, 24)
	done := make(chan struct{})
	var saver sync.WaitGroup
	var all [][]byte
	saver.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				if saved := w.saved(); len(saved) > 0 && len(all) < 6 {
					all = append(all, saved)
				}
			}
		}
	})
	for i := range 2 * elementals {
		w.replace(i%elementals, i/elementals+1)
	}
	w.built()
	close(done)
	saver.Wait()
	all = append(all, w.saved())
	for _, saved := range all {
		again, err := w.reopened(saved)
		if err != nil && !errors.Is(err, quire.ErrConflict) {
			t.Fatal(err)
		}
		again.built()
		again.share()
		again.index.Close()
	}
}

// Recall does not fade when a graph is saved, loaded and changed again and again.
func TestSavedOverAndOver(t *testing.T) {
	elementals, rounds := 400, 8
	if testing.Short() {
		elementals, rounds = 80, 4
	}
	w := newWorld(t, elementals, 24)
	for round := range rounds {
		for _, e := range w.random.Perm(elementals)[:elementals/3] {
			w.replace(e, round+1)
		}
		w.built()
		again, err := w.reopened(w.saved())
		if err != nil && !errors.Is(err, quire.ErrConflict) {
			t.Fatal(err)
		}
		w.index.Close()
		w = again
	}
	w.built()
	w.share()
}

// failing is a reader and writer that fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error)  { return 0, f.err }
func (f failing) Write([]byte) (int, error) { return 0, f.err }

// What cannot be read or written is told, and the graph is built.
func TestSavedFails(t *testing.T) {
	w := tinyWorld(t)
	broken := failing{errors.New("broken")}
	if err := w.index.Save(t.Context(), broken); !errors.Is(err, broken.err) {
		t.Errorf("Save: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.index.Save(cancelled, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("Save with a cancelled context: %v", err)
	}
	for _, c := range []struct {
		ctx  context.Context
		r    io.Reader
		want error
	}{{t.Context(), broken, broken.err}, {cancelled, bytes.NewReader(w.saved()), context.Canceled}, {t.Context(), bytes.NewReader(nil), nil}} {
		again := w.refilled()
		again.built()
		if g := again.index.tenants["t"].graph; g != nil {
			t.Error("a graph was built while the index was held")
		}
		if saved := again.saved(); len(saved) != 0 {
			t.Errorf("%d bytes are saved of no graph", len(saved))
		}
		if err := again.index.Load(c.ctx, c.r); !errors.Is(err, c.want) {
			t.Errorf("Load: %v, want %v", err, c.want)
		}
		if found, wanted := again.agree(); found != wanted {
			t.Errorf("%d of %d found", found, wanted)
		}
		again.index.Close()
		for name, err := range map[string]error{"Save": again.index.Save(t.Context(), io.Discard), "Load": again.index.Load(t.Context(), bytes.NewReader(nil))} {
			if !errors.Is(err, quire.ErrClosed) {
				t.Errorf("%s after Close: %v", name, err)
			}
		}
	}
}
