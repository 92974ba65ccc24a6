package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// run fills a contestant and answers lines of input until there are no more.
func run(ctx context.Context, dir, name string, in io.Reader, out io.Writer) error {
	d, fill, err := open(dir, name)
	if err != nil {
		return err
	}
	s := &session{ctx: ctx, data: d}
	before := resident()
	begin, used := time.Now(), cpuTime()
	if s.contestant, err = fill(ctx); err != nil {
		return err
	}
	built, cpu := time.Since(begin), cpuTime()-used
	d.base = nil
	debug.FreeOSMemory()
	answer := json.NewEncoder(out)
	if err := answer.Encode(map[string]any{"name": name, "build_s": built.Seconds(), "build_cpu_s": cpu.Seconds(),
		"rss_mb": resident() / (1 << 20), "before_mb": before / (1 << 20)}); err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		reply, err := s.obey(lines.Text())
		if err != nil {
			return err
		}
		if err := answer.Encode(reply); err != nil {
			return err
		}
	}
	return lines.Err()
}

// session is a contestant that is asked.
type session struct {
	ctx        context.Context
	data       *dataset
	contestant contestant
}

// obey does what a line says.
func (s *session) obey(line string) (any, error) {
	var a, b, c int
	if _, err := fmt.Sscanf(line, "lat %d %d %d", &a, &b, &c); err == nil {
		return s.oneByOne(a, b, time.Duration(c)*time.Millisecond)
	}
	if _, err := fmt.Sscanf(line, "conc %d %d", &a, &b); err == nil {
		return s.beside(a, time.Duration(b)*time.Millisecond)
	}
	if _, err := fmt.Sscanf(line, "ef %d", &a); err == nil {
		return struct{}{}, nil
	}
	return nil, fmt.Errorf("cannot read %q; lines are lat OFF N MS, conc C MS, ef K", line)
}

// latencies is the answer to lat.
type latencies struct {
	Lat    []float64 `json:"lat"`
	Recall float64   `json:"recall"`
	CPU    float64   `json:"cpu_us"` // of a query
}

func (s *session) oneByOne(offset, count int, most time.Duration) (l latencies, err error) {
	begin, used, found := time.Now(), cpuTime(), 0
	for i := offset; i < offset+count && time.Since(begin) < most; i++ {
		asked := time.Now()
		ids, err := s.contestant.search(s.ctx, s.data.query(i))
		if err != nil {
			return l, err
		}
		l.Lat = append(l.Lat, microseconds(time.Since(asked)))
		found += s.data.found(i, ids)
	}
	n := float64(max(1, len(l.Lat)))
	l.Recall, l.CPU = float64(found)/n/nearest, microseconds(cpuTime()-used)/n
	return l, nil
}

// throughput is the answer to conc.
type throughput struct {
	QPS float64 `json:"qps"`
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
}

func (s *session) beside(callers int, most time.Duration) (t throughput, err error) {
	var mu sync.Mutex
	var all []float64
	var group sync.WaitGroup
	begin := time.Now()
	for c := range callers {
		group.Go(func() {
			var own []float64
			var failed error
			for i := c * 97; failed == nil && time.Since(begin) < most; i++ {
				asked := time.Now()
				_, failed = s.contestant.search(s.ctx, s.data.query(i))
				own = append(own, microseconds(time.Since(asked)))
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, own...)
			if failed != nil {
				err = failed
			}
		})
	}
	group.Wait()
	if err != nil || len(all) == 0 {
		return t, err
	}
	slices.Sort(all)
	return throughput{QPS: float64(len(all)) / time.Since(begin).Seconds(), P50: all[len(all)/2], P99: all[len(all)*99/100]}, nil
}

func microseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
