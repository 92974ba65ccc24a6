package flat

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

// rows is how many vectors BenchmarkSaved has. 1,000,000 take 3 GB and a quarter of an hour.
var rows = flag.Int("rows", 10_000, "how many vectors of 384 numbers BenchmarkSaved has")

// benchRows are clustered vectors of 384 numbers, the same each time they are asked for.
type benchRows struct{ centres [][]float32 }

func newBenchRows() *benchRows {
	r := &benchRows{}
	random := rand.New(rand.NewPCG(31, 32))
	for range 1000 {
		r.centres = append(r.centres, benchVector(random, nil))
	}
	return r
}

func benchVector(random *rand.Rand, centre []float32) []float32 {
	v := make([]float32, 384)
	for i := range v {
		v[i] = float32(random.NormFloat64())
		if centre != nil {
			v[i] = centre[i] + 0.75*v[i]
		}
	}
	return v
}

// elemental returns the chunks of one.
func (r *benchRows) elemental(e int) []quire.Chunk {
	random := rand.New(rand.NewPCG(33, uint64(e)))
	chunks := make([]quire.Chunk, perWorldElemental)
	for i := range chunks {
		n := e*perWorldElemental + i
		chunks[i] = quire.Chunk{ID: fmt.Sprintf("00000000-0000-5000-8000-%012x", n), TenantID: "t", ElementalID: elementalID(e),
			Source: "document", TypeName: "Document", CategoryName: "Text", TagIDs: []string{fmt.Sprint(n % 10)},
			Vector: benchVector(random, r.centres[random.IntN(len(r.centres))])}
	}
	return chunks
}

// fill fills an index and returns how long its Replace took.
func (r *benchRows) fill(b *testing.B, x *Index) (took time.Duration) {
	b.Helper()
	for e := range *rows / perWorldElemental {
		chunks := r.elemental(e)
		begin := time.Now()
		if err := x.Replace(b.Context(), "t", elementalID(e), chunks); err != nil {
			b.Fatal(err)
		}
		took += time.Since(begin)
	}
	return took
}

// BenchmarkSaved measures what a saved graph is worth: filling an index takes s-fill, and
// then it takes s-build to build the graph, or s-load to load the one that s-save wrote.
func BenchmarkSaved(b *testing.B) {
	r := newBenchRows()
	for b.Loop() {
		var saved bytes.Buffer
		x := New(&Options{GraphRows: 1})
		x.Hold()
		b.ReportMetric(r.fill(b, x).Seconds(), "s-fill")
		report(b, "s-build", func() error { return errors.Join(x.Load(b.Context(), &saved), x.Built(b.Context())) })
		report(b, "s-save", func() error { return x.Save(b.Context(), &saved) })
		b.ReportMetric(float64(saved.Len())/float64(*rows), "B/row-saved")
		x.Close()
		runtime.GC()

		y := New(&Options{GraphRows: 1})
		y.Hold()
		b.ReportMetric(r.fill(b, y).Seconds(), "s-refill")
		report(b, "s-load", func() error { return errors.Join(y.Load(b.Context(), &saved), y.Built(b.Context())) })
		y.Close()
	}
	b.ReportMetric(0, "ns/op")
}

// report reports how long something takes.
func report(b *testing.B, unit string, do func() error) {
	b.Helper()
	begin := time.Now()
	if err := do(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(time.Since(begin).Seconds(), unit)
}
