package flat

import (
	"fmt"
	"testing"
)

// A large group that is there before all others has twins too: while it is alone nothing is far
// from its rows.
func TestTwinsFirst(t *testing.T) {
	size, others := 8000, 500
	if testing.Short() {
		size, others = 800, 250
	}
	w := newWorld(t, 0, 64)
	centre := w.around(nil)
	w.group(centre, size, 0.05)
	w.built()
	var queries [][]float32
	for range 50 {
		queries = append(queries, w.near(centre, 0.05))
	}
	more := groups(w, others, 40, 0.05)
	w.built()
	if share := w.found(queries); share < 0.99 {
		t.Errorf("recall in the first group is %.3f", share)
	}
	if share := w.found(more); share < 0.99 {
		t.Errorf("recall in other groups is %.3f", share)
	}
}

// Equal vectors are twins also where halved codes are off: those of one number that is far larger
// than all others, which have one sign.
func TestTwinsOfSpikes(t *testing.T) {
	number, size := 200, 70
	if testing.Short() {
		number = 60
	}
	w := newWorld(t, 0, 384)
	var queries [][]float32
	for n := range number {
		v := w.around(nil)
		for i := range v {
			v[i] = min(v[i], -v[i])
		}
		v[n] = 10
		w.group(v, size, 0)
		queries = append(queries, v)
	}
	w.built()
	good := 0
	for _, query := range queries {
		scan, walk := w.both(query, 30)
		for _, h := range walk {
			if h.Score >= scan[9].Score {
				good++
			}
		}
	}
	if share := float64(good) / float64(10*number); share < 0.99 {
		t.Errorf("recall is %.3f", share)
	}
}

// Groups whose first row, on which the others hang, was replaced or is excluded by a filter are found
// by walks, and no scans follow; also when there are fewer groups than a walk finds nodes.
func TestTwinsWithoutFirst(t *testing.T) {
	for _, c := range []struct{ groups, size int }{{400, 60}, {100, 200}} {
		if testing.Short() && c.groups > 100 {
			continue
		}
		t.Run(fmt.Sprint(c.groups, " groups"), func(t *testing.T) {
			w := newWorld(t, 0, 64)
			queries := singly(w, c.groups, c.size, 0.05)
			w.built()
			if share := w.found(queries, "2:1"); share < 0.99 {
				t.Errorf("recall without those on which others hang is %.3f", share)
			}
			for g := range c.groups {
				w.elementals[g*c.size][0].ID += " anew"
				w.store(g * c.size)
			}
			w.built()
			if share := w.found(queries); share < 0.99 {
				t.Errorf("recall after they were replaced is %.3f", share)
			}
			again, err := w.reopened(w.saved())
			if n := again.linkedAnew(); n > few(c.groups*c.size) {
				t.Errorf("%d rows were linked anew, %v", n, err)
			}
			if share := again.found(queries); share < 0.99 {
				t.Errorf("recall of what was loaded is %.3f", share)
			}
		})
	}
}

// singly is groups of which each row is an elemental of its own.
func singly(w *world, number, size int, noise float32) (queries [][]float32) {
	w.Helper()
	for range number {
		centre := w.around(nil)
		for i := range size {
			w.group(centre, 1, noise)
			e := len(w.elementals) - 1
			w.elementals[e][0].TagIDs = []string{fmt.Sprint("2:", i%2)}
			w.store(e)
		}
		queries = append(queries, w.near(centre, noise))
	}
	return queries
}

// A node that gets a twin when its list of links is full keeps the nearest of them.
func TestTwinTakesNoNearLink(t *testing.T) {
	w := newWorld(t, 150, 32)
	w.built()
	g := w.index.tenants["t"].graph
	v, l := g.view(), g.newLinker()
	node := uint32(g.size() - 1)
	full := 0
	for first := range node {
		list := v.words(first, 0)
		if list[0].Load()&twinsBit != 0 || list[len(list)-1].Load() == 0 || first%7 != 0 {
			continue
		}
		full++
		l.aim(v, probeOf(v, first, l.own))
		l.near = l.near[:0]
		l.weigh(v, first, list)
		nearest := l.near[0]
		for _, n := range l.near {
			if n.cosine > nearest.cosine {
				nearest = n
			}
		}
		// The nearest is where it would be dropped.
		for i := range list {
			if list[i].Load() == nearest.node+1 {
				list[i].Store(list[len(list)-1].Load())
				list[len(list)-1].Store(nearest.node + 1)
				break
			}
		}
		store(v.words(node, 0), nil)
		l.join(v, node, first)
		kept := false
		for i := range v.links(first, 0) {
			kept = kept || v.links(first, 0)[i].Load() == nearest.node+1
		}
		if !kept || list[0].Load() != twinsBit|(node+1) || v.words(node, 0)[0].Load() != twinsBit {
			t.Fatalf("node %d has lost its nearest link, or its twin", first)
		}
	}
	if full == 0 {
		t.Fatal("no list is full")
	}
}

// Only a node that nobody can come by is blank: not one with links on a level above, nor a last twin.
func TestBlank(t *testing.T) {
	w := newWorld(t, 100, 8)
	w.built()
	v := w.index.tenants["t"].graph.view()
	upper := 0
	for node := range uint32(w.index.tenants["t"].graph.size()) {
		if v.blank(node) {
			t.Fatalf("node %d of a graph is blank", node)
		}
		store(v.words(node, 0), nil)
		if above := v.level(node) > 0 && v.words(node, 1)[0].Load() != 0; v.blank(node) == above {
			t.Fatalf("node %d without links on level 0 is blank: %v", node, !above)
		} else if above {
			upper++
		}
		v.words(node, 0)[0].Store(twinsBit)
		if v.blank(node) {
			t.Fatalf("a last twin is blank")
		}
	}
	if upper == 0 {
		t.Fatal("no node has a level above 0")
	}
}

// What halved codes are off may put another node before the equal one.
func TestTwinOfIsTheEqualOne(t *testing.T) {
	w := newWorld(t, 60, 16)
	same := w.near(make([]float32, 16), 1)
	w.group(same, 1, 0)
	w.group(same, 1, 0)
	w.built()
	g, tenant := w.index.tenants["t"].graph, w.index.tenants["t"]
	node := func(id string) uint32 {
		b, slot := tenant.at(tenant.ids[id])
		return uint32(b.page*blockRows + slot)
	}
	first, twin, other := node("60 0"), node("61 0"), node("0 r0")
	at := []near{{1, other}, {0.999, first}, {0.1, node("20 r0")}}
	if link := g.newLinker().twinOf(g.view(), twin, at); link != first+1 {
		t.Errorf("the twin of node %d is %d, not %d", twin, int(link)-1, first)
	}
}
