// Command quire-bench measures one vector index beside others. It is a contestant of a
// driver that starts one process for each, asks them in turn and compares: ratios of
// interleaved rounds mean something on a machine that does other things too.
//
//	quire-bench DATASET NAME
//
// DATASET is a directory with base.f32 and query.f32 (vectors of little-endian 32-bit
// numbers, one after the other) and, for each query, the numbers of its 10 nearest vectors
// (32-bit): gt.i32 among all, gt10.i32 among those with number%10 = 3, gt1.i32 among those with
// number%100 = 7. NAME is flat, hnsw (flat with a graph), hnsw-64 (with that GraphWidth), chromem (our
// index on chromem-go) or collection (one collection of chromem-go itself), with @10 or @1 for a search
// with one of these filters, or memory, which answers nothing but reads one byte for each number of the
// base: as fast as a scan of 8-bit codes could be.
//
// It prints a line {"build_s", "rss_mb", ...} once the index is filled, then answers each
// line of its input with one of JSON:
//
//	lat OFF N MS  up to N queries from number OFF on, one at a time, for at most MS
//	              milliseconds: {"lat": [microseconds...], "recall", "cpu_us"}
//	conc C MS     queries by C callers for MS milliseconds: {"qps", "p50", "p99"}
//	ef K          {}: nothing here has a search width to set
//
// docs/performance.md says how it is run and what came out.
package main

import (
	"context"
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: quire-bench DATASET NAME")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "quire-bench:", err)
		os.Exit(1)
	}
}
