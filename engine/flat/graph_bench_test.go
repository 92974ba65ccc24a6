package flat

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

// BenchmarkGraph measures what walks find of the 10 nearest of -rows clustered vectors, and
// how long they and scans take: recall, µs-walk and µs-scan are of each width of 300
// queries near rows, in turn.
func BenchmarkGraph(b *testing.B) {
	r := newBenchRows()
	x := New(&Options{GraphRows: 1})
	defer x.Close()
	x.Hold()
	r.fill(b, x)
	queries := make([][]float32, 300)
	for i := range queries {
		queries[i] = r.elemental(*rows/perWorldElemental + i)[0].Vector // of the same clusters, not in the index
	}
	truth := make([][]quire.Hit, len(queries))
	var scans []time.Duration
	for i, q := range queries {
		var err error
		begin := time.Now()
		if truth[i], err = x.Search(b.Context(), q, quire.Filters{TenantID: "t"}, 10); err != nil {
			b.Fatal(err)
		}
		scans = append(scans, time.Since(begin))
	}
	x.release()
	if err := x.Built(b.Context()); err != nil {
		b.Fatal(err)
	}
	for _, width := range []int{32, 48, 64, 0} {
		b.Run(fmt.Sprint("width=", width), func(b *testing.B) {
			x.width = width
			found := 0
			var walks []time.Duration
			for b.Loop() {
				for i, q := range queries {
					begin := time.Now()
					hits, err := x.Search(b.Context(), q, quire.Filters{TenantID: "t"}, 10)
					walks = append(walks, time.Since(begin))
					if err != nil {
						b.Fatal(err)
					}
					for _, h := range truth[i] {
						if slices.ContainsFunc(hits, func(got quire.Hit) bool { return got.ID == h.ID }) {
							found++
						}
					}
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(found)/float64(10*len(walks)), "recall")
			b.ReportMetric(median(walks), "µs-walk")
			b.ReportMetric(median(scans), "µs-scan")
		})
	}
}

func median(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2].Nanoseconds()) / 1000
}
