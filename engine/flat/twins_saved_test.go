package flat

import (
	"errors"
	"testing"

	"github.com/quirelib/quire"
)

// Twins that are gone break no chain: of a graph that is saved after one row in a hundred was
// removed next to nothing is linked anew, and few rows if they are removed after it was saved: those whose
// first is gone.
func TestTwinsSavedAfterRemovals(t *testing.T) {
	number, size := 400, 40
	if testing.Short() {
		number = 200
	}
	w := newWorld(t, 0, 64)
	queries := singly(w, number, size, 0.02)
	w.built()
	before := w.saved()
	removed := w.random.Perm(number * size)[:number*size/100]
	for _, e := range removed {
		w.remove(e)
	}
	w.built()
	again, err := w.reopened(w.saved())
	if n := again.linkedAnew(); n > few(number*size) {
		t.Errorf("%d rows were linked anew, %v", n, err)
	}
	if share := again.found(queries); share < 0.97 {
		t.Errorf("recall of what was loaded is %.3f", share)
	}
	v := again.index.tenants["t"].graph.view()
	for node := range uint32(number*size - len(removed)) {
		if v.blank(node) {
			t.Fatalf("node %d of what was loaded is blank", node)
		}
	}
	stale, _ := w.reopened(before)
	if n, most := stale.linkedAnew(), number*size/12; n > most { // a few firsts, and those behind them
		t.Errorf("%d rows were linked anew of a file of before %d were removed, more than %d", n, len(removed), most)
	}
	if share := stale.found(queries); share < 0.97 {
		t.Errorf("recall of the file of before is %.3f", share)
	}
	// Once more, of what was loaded: the last of a chain is a twin there too.
	for _, e := range w.random.Perm(number * size)[:number*size/100] {
		again.remove(e)
	}
	again.built()
	more, err := again.reopened(again.saved())
	if n := more.linkedAnew(); n > few(number*size) {
		t.Errorf("%d rows were linked anew the second time, %v", n, err)
	}
}

// few is how many rows may be linked anew where none should: two that are linked at the same time may
// both get links where one should be the twin of the other, and a third that is removed takes many of them away.
func few(rows int) int { return rows / 500 }

// A graph of equal rows, which is one node and its twins, is taken as it was saved.
func TestTwinsSavedEqual(t *testing.T) {
	w := newWorld(t, 0, 16)
	for range 3 {
		w.elementals = append(w.elementals, nil)
	}
	w.group(w.around(nil), 3000, 0)
	w.built()
	again, err := w.reopened(w.saved())
	if n := again.linkedAnew(); n > 0 || err != nil {
		t.Errorf("%d equal rows were linked anew, %v", n, err)
	}
}

// Of forged chains, such as lead in circles, come together, or lead to nodes with links, nothing loops:
// neither loading nor searching nor saving.
func TestTwinsForged(t *testing.T) {
	w := newWorld(t, 0, 8)
	queries := singly(w, 60, 20, 0.02)
	w.built()
	for e := 0; e < len(w.elementals); e += 3 {
		w.elementals[e][0].ID += " anew"
		w.store(e)
	}
	w.built()
	saved := w.saved()
	rounds := 200
	if testing.Short() {
		rounds = 30
	}
	nodes := int(saved[savedStart+20]) | int(saved[savedStart+21])<<8
	levels := saved[savedStart+24+8*nodes:][:nodes]
	taken := 0
	for range rounds {
		data := append([]byte(nil), saved...)
		at := savedStart + 24 + 9*nodes
		for node, top := range levels {
			for level := range top + 1 {
				n := int(data[at] &^ savedTwins)
				if to := w.random.IntN(nodes); level == 0 && n > 0 && to != node && w.random.IntN(3) == 0 {
					data[at+1], data[at+2] = byte(to), byte(to>>8)
					data[at] |= savedTwins
				}
				at += 1 + 4*n
			}
		}
		again, err := w.reopened(sign(data))
		if !errors.Is(err, quire.ErrCorrupt) {
			taken++
		}
		again.built()
		for _, query := range queries[:5] {
			scan, walk := again.both(query, 20)
			for i := range walk {
				if walk[i].Score > scan[i].Score {
					t.Fatalf("hit %d has the score %v, and %v of a scan", i, walk[i].Score, scan[i].Score)
				}
			}
		}
		for e := 0; e < len(again.elementals); e += 2 {
			if err := again.index.Replace(t.Context(), "t", elementalID(e), nil); err != nil {
				t.Fatal(err)
			}
		}
		again.saved()
		again.index.Close()
	}
	if taken < rounds {
		t.Errorf("%d of %d were taken", taken, rounds)
	}
}
