package flat

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

// pair is an index beside the oracle.
type pair struct {
	*testing.T
	index  *Index
	oracle *enginetest.Index
	random *rand.Rand
}

func newPair(t *testing.T) *pair {
	return &pair{t, New(nil), enginetest.NewIndex(), rand.New(rand.NewPCG(11, 12))}
}

// testDimension is no multiple of anything that the kernels like.
const testDimension = 21

func (p *pair) vector() []float32 {
	v := make([]float32, testDimension)
	for i := range v {
		v[i] = float32(p.random.NormFloat64())
	}
	return v
}

// elemental makes chunks with something to filter by.
func (p *pair) elemental(id string, count int) []quire.Chunk {
	chunks := make([]quire.Chunk, count)
	for n := range chunks {
		chunks[n] = quire.Chunk{ID: fmt.Sprintf("%s-%04d", id, n), TenantID: "t", ElementalID: id, Vector: p.vector(),
			UserID: fmt.Sprint(n % 2), Source: "document", TypeName: fmt.Sprint(len(id) % 3), CategoryName: fmt.Sprint(p.random.IntN(5)),
			TagIDs: []string{fmt.Sprint(p.random.IntN(100)), "0"}, TagNames: []string{"a", "a", fmt.Sprint(n % 10)}}
	}
	return chunks
}

func (p *pair) replace(id string, chunks []quire.Chunk) {
	p.Helper()
	if err := p.oracle.Replace(p.Context(), "t", id, chunks); err != nil {
		p.Fatal(err)
	}
	if err := p.index.Replace(p.Context(), "t", id, chunks); err != nil {
		p.Fatal(err)
	}
}

// filters are none, wide and narrow ones.
func (p *pair) filters() []quire.Filters {
	return []quire.Filters{{TenantID: "t"}, {TenantID: "t", UserID: "1"}, {TenantID: "t", TagNames: []string{"3", "7"}},
		{TenantID: "t", TagIDs: []string{fmt.Sprint(p.random.IntN(100))}}, {TenantID: "t", CategoryName: "2", TypeName: "1", TagIDs: []string{"0"}},
		{TenantID: "t", ElementalID: "e3"}, {TenantID: "t", ElementalID: "none"}}
}

// agree searches with every kind of filter and returns how many searches that were.
func (p *pair) agree() int {
	p.Helper()
	searches := 0
	for _, f := range p.filters() {
		for _, limit := range []int{1, 10, 150} {
			query := p.vector()
			want, err := p.oracle.Search(p.Context(), query, f, limit)
			if err != nil {
				p.Fatal(err)
			}
			got, err := p.index.Search(p.Context(), query, f, limit)
			if err != nil {
				p.Fatal(err)
			}
			if diff := cmp.Diff(hitIDs(want), hitIDs(got)); diff != "" {
				p.Fatalf("Search(%+v, limit %d) (-want +got):\n%s", f, limit, diff)
			}
			searches++
		}
	}
	return searches
}

func hitIDs(hits []quire.Hit) []string {
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = h.ID
	}
	return ids
}

// whole checks what must be true of a tenant between changes.
func (p *pair) whole() {
	p.Helper()
	t := p.index.tenants["t"]
	if t == nil {
		return
	}
	live, used := 0, 0
	for n, b := range t.blocks {
		if b == nil {
			if !slices.Contains(t.unused, n) {
				p.Fatalf("block %d is gone and its number lost", n)
			}
			continue
		}
		if b.count == 0 || b.count != b.live.count() || b.sparse() || slices.Contains(t.unused, n) {
			p.Fatalf("block %d of %d rows has %d live ones, %d bits", n, b.rows(), b.count, b.live.count())
		}
		live, used = live+b.count, used+b.rows()
		for slot := range b.rows() {
			if row, known := t.ids[b.ids[slot]]; b.live.has(slot) != (known && row == n*blockRows+slot) {
				p.Fatalf("row %d of block %d and the ids disagree", slot, n)
			}
		}
	}
	if live != t.count() || used > 2*live+33*len(t.blocks) {
		p.Fatalf("%d rows in blocks, %d of them live; %d ids", used, live, t.count())
	}
	rows := 0
	for _, posting := range t.terms {
		if len(posting.rows) == 0 {
			p.Fatalf("a posting of %v without rows", posting.term)
		}
		if posting.term.field == fieldElemental {
			for row := range posting.rows.all() {
				if b, slot := t.at(row); b == nil || !b.live.has(slot) || b.owners[slot].elementalID != posting.term.value {
					p.Fatalf("row %d is not of elemental %s", row, posting.term.value)
				}
				rows++
			}
		}
	}
	if rows != live {
		p.Fatalf("%d rows of elementals, %d live", rows, live)
	}
}

// After many replacements across blocks that are filled, emptied and used again, every
// search finds what comparing everything finds.
func TestReplaceMany(t *testing.T) {
	p := newPair(t)
	count := 4000
	if testing.Short() {
		count = 2500
	}
	var names []string
	for n := 0; n < count; {
		name := fmt.Sprint("e", len(names))
		size := 1 + p.random.IntN(90)
		p.replace(name, p.elemental(name, size))
		names, n = append(names, name), n+size
	}
	p.whole()
	searches := p.agree()
	blocks := len(p.index.tenants["t"].blocks)
	reused := 0
	for round := range 3 {
		for _, name := range names {
			unused := len(p.index.tenants["t"].unused)
			switch p.random.IntN(4) {
			case 0: // stays
			case 1:
				p.replace(name, nil)
			default:
				p.replace(name, p.elemental(name, 1+p.random.IntN(60)))
			}
			if len(p.index.tenants["t"].unused) < unused {
				reused++
			}
			p.whole()
		}
		searches += p.agree()
		if now := len(p.index.tenants["t"].blocks); round == 2 && now > 2*blocks+1 {
			t.Errorf("%d blocks have become %d", blocks, now)
		}
	}
	for i, name := range names {
		if i%10 != 0 {
			p.replace(name, nil)
		}
	}
	p.whole()
	searches += p.agree()
	kept := 0
	for _, b := range p.index.tenants["t"].blocks {
		if b != nil {
			kept += cap(b.codings)
		}
	}
	if live := p.index.vectors; kept > 4*live+2*blockRows {
		t.Errorf("%d vectors have memory for %d", live, kept)
	}
	t.Logf("%d searches found the same; numbers of blocks were used again %d times", searches, reused)
	if reused == 0 {
		t.Error("no block was used again")
	}
}

// A search goes on in what it found when it began, whatever happens meanwhile.
func TestSelectionStays(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	for n := range 60 {
		name := fmt.Sprint("e", n)
		p.replace(name, p.elemental(name, 30))
	}
	query := mustQuery(t, p.vector())
	for _, f := range p.filters() {
		s := newSearcher()
		if _, err := p.index.choose(t.Context(), s, query.vector, f); err != nil {
			t.Fatal(err)
		}
		want, err := s.nearest(t.Context(), query, 20)
		if err != nil {
			t.Fatal(err)
		}
		published := make([]block, len(s.rows))
		for i := range s.rows {
			published[i] = *s.rows[i].block
		}
		for n := range 60 {
			name := fmt.Sprint("e", n)
			p.replace(name, p.elemental(name, p.random.IntN(40)))
		}
		for i := range s.rows {
			if was, is := &published[i], s.rows[i].block; is.live != was.live || is.count != was.count || is.rows() != was.rows() {
				t.Errorf("%+v: block %d has changed: %d of %d rows, then %d of %d", f, i, was.count, was.rows(), is.count, is.rows())
			}
		}
		got, err := s.nearest(t.Context(), query, 20)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%+v: %v (-before +after):\n%s", f, err, diff)
		}
		p.whole()
	}
}

// A small tenant takes little memory, though replaced over and over.
func TestSmallTenant(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	most := 0
	for range 500 {
		p.replace("e", p.elemental("e", 3))
		p.whole()
		rows := 0
		for _, b := range p.index.tenants["t"].blocks {
			if b != nil {
				rows += cap(b.codings)
			}
		}
		most = max(most, rows)
	}
	if most > 100 {
		t.Errorf("three vectors had memory for %d", most)
	}
	p.replace("e", nil)
	if len(p.index.tenants) != 0 || p.index.dimension != 0 {
		t.Errorf("an empty index keeps %d tenants and dimension %d", len(p.index.tenants), p.index.dimension)
	}
}
