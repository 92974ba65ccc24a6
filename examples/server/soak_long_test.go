//go:build long && linux

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// The soak: how often is measured, with how many clients, and what they keep. How long it takes
// is in a file of its own.
const (
	soakSample  = 10 * time.Second
	soakClients = 8
	soakKept    = 20 // elementals of each client
)

// TestSoak has clients create, change, ingest, search, ask and delete for half an hour,
// and break off one in ten of the requests that leave the number of elementals as it is. The server gives no answer of a fault, and what it
// takes does not grow.
func TestSoak(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	server := start(t, "", "-data", data)
	s := &soak{url: server.url, key: server.key}
	ctx, cancel := context.WithTimeout(t.Context(), soakTime)
	defer cancel()
	var clients sync.WaitGroup
	for n := range soakClients {
		clients.Go(func() { s.client(ctx, rand.New(rand.NewPCG(uint64(n), 5))) })
	}
	taken := map[string][]float64{}
	tick := time.NewTicker(soakSample)
	defer tick.Stop()
	for began := time.Now(); ctx.Err() == nil; {
		select {
		case <-ctx.Done():
		case <-tick.C:
			if time.Since(began) > soakWarm {
				s.measure(t, server.cmd.Process.Pid, data, taken)
			}
		}
	}
	clients.Wait()
	server.stop(t, syscall.SIGTERM)

	var slopes []string
	for _, what := range []string{"memory", "open files", "log of the database", "database in use"} {
		level, slope := trend(taken[what])
		slopes = append(slopes, fmt.Sprintf("%s %.0f, %+.1f %%", what, level, 100*slope))
		if slope > soakGrowth {
			t.Errorf("%s grows by %.1f %% in 10 minutes, from a level of %.0f", what, 100*slope, level)
		}
	}
	if s.faults.Load() > 0 || s.answered.Load() < 1000 {
		t.Errorf("%d answers, %d of a fault, such as %v", s.answered.Load(), s.faults.Load(), s.fault.Load())
	}
	t.Logf("H5: %v of mixed load, %d answers, %d broken off, %d of a fault; level and growth in 10 minutes: %s",
		soakTime, s.answered.Load(), s.broken.Load(), s.faults.Load(), strings.Join(slopes, "; "))
}

// soak is what clients do to a server.
type soak struct {
	url, key                 string
	answered, broken, faults atomic.Int64
	fault                    atomic.Value // of the last fault, what was asked and answered
}

// client makes requests, one after the other, until the context ends.
func (s *soak) client(ctx context.Context, r *rand.Rand) {
	var ids []string
	for ctx.Err() == nil {
		words := fmt.Sprintf("The %s of berth %d is %d metres.", []string{"depth", "length", "width"}[r.IntN(3)], r.IntN(1000), r.IntN(100))
		switch n := r.IntN(10); {
		case len(ids) < soakKept:
			body := fmt.Sprintf(`{"title":"Berths of the harbour","type_id":3,"category_id":18,"template":%q,"settings":{"is_knowledge_base":true}}`, strings.Repeat(words+" ", 30))
			var created struct{ Response struct{ ID string } }
			if json.Unmarshal(s.ask(ctx, "POST", "/v1/user/elemental", body), &created) == nil && created.Response.ID != "" {
				ids = append(ids, created.Response.ID)
			}
		case n < 2:
			s.ask(ctx, "DELETE", "/v1/elemental/"+ids[0], "")
			ids = ids[1:]
		case n == 2:
			s.try(ctx, r, "PUT", "/v1/user/elemental/"+ids[r.IntN(len(ids))], fmt.Sprintf(`{"template":%q}`, strings.Repeat(words+" ", 20)))
		case n == 3:
			s.try(ctx, r, "GET", "/v1/user/elementals?size=20", "")
		case n == 4:
			s.try(ctx, r, "GET", "/v1/elementals?search=berth", "")
		case n < 7:
			s.try(ctx, r, "POST", "/v1/kb/search", `{"query":"How deep is the berth?","filters":{"tenant_id":"owner"}}`)
		case n == 7:
			s.try(ctx, r, "POST", "/v1/kb/chat", `{"query":"How deep is the berth?","filters":{"tenant_id":"owner"}}`)
		default:
			s.try(ctx, r, "POST", "/v1/kb/chat/stream", `{"query":"How long is the berth?","filters":{"tenant_id":"owner"}}`)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(r.IntN(200)) * time.Millisecond):
		}
	}
}

// try is ask, but breaks off one request in ten.
func (s *soak) try(ctx context.Context, r *rand.Rand, method, path, body string) {
	if r.IntN(10) == 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(r.IntN(20))*time.Millisecond)
		defer cancel()
	}
	s.ask(ctx, method, path, body)
}

// ask sends a request and returns the answer.
func (s *soak) ask(ctx context.Context, method, path, body string) []byte {
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("X-Api-Key", s.key)
	var answer []byte
	resp, err := http.DefaultClient.Do(req)
	if err == nil {
		answer, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	switch {
	case ctx.Err() != nil:
		s.broken.Add(1)
	case err != nil || resp.StatusCode >= 400: // nothing here is refused
		s.faults.Add(1)
		s.fault.Store(fmt.Sprint(method, " ", path, ": ", err, " ", string(answer[:min(len(answer), 500)])))
	default:
		s.answered.Add(1)
	}
	return answer
}

// measure notes what the server takes.
func (s *soak) measure(t *testing.T, pid int, data string, taken map[string][]float64) {
	note := func(what string, n float64) { taken[what] = append(taken[what], n) }
	process := filepath.Join("/proc", strconv.Itoa(pid))
	status, err := os.ReadFile(filepath.Join(process, "status"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(status, []byte("VmRSS:"))
	memory, err := strconv.ParseFloat(string(bytes.Fields(rest)[0]), 64)
	if err != nil {
		t.Fatal(err)
	}
	note("memory", memory)
	open, err := os.ReadDir(filepath.Join(process, "fd"))
	if err != nil {
		t.Fatal(err)
	}
	note("open files", float64(len(open)))
	files, err := os.ReadDir(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		info, err := file.Info()
		switch {
		case err != nil:
		case strings.HasSuffix(file.Name(), "-wal"):
			note("log of the database", float64(info.Size()))
		case strings.HasSuffix(file.Name(), ".db"):
			note("database in use", inUse(t, filepath.Join(data, file.Name())))
		}
	}
}

// inUse returns how many bytes of an SQLite file are pages in use. The file itself is as long as
// the most that there ever was, so that it grows now and then for ever without holding more.
// See https://www.sqlite.org/fileformat2.html#the_database_header.
func inUse(t *testing.T, path string) float64 {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var header [40]byte
	if _, err := io.ReadFull(f, header[:]); err != nil {
		t.Fatal(err)
	}
	size, pages, free := binary.BigEndian.Uint16(header[16:]), binary.BigEndian.Uint32(header[28:]), binary.BigEndian.Uint32(header[36:])
	return float64(size) * float64(pages-free)
}

// trend returns the mean of samples and by what part of it a line through them rises in 10
// minutes.
func trend(samples []float64) (mean, slope float64) {
	n := float64(len(samples))
	var sum, sumX, sumXX, sumXY float64
	for i, y := range samples {
		x := float64(i)
		sum, sumX, sumXX, sumXY = sum+y, sumX+x, sumXX+x*x, sumXY+x*y
	}
	mean = sum / n
	perSample := (n*sumXY - sumX*sum) / (n*sumXX - sumX*sumX)
	return mean, perSample * float64(10*time.Minute/soakSample) / mean
}
