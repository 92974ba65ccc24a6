package httpapi

import (
	"context"
	"io"
	"iter"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

// endless is a model that says something from time to time, until its context ends.
type endless struct{}

func (endless) Name() string { return "endless" }

func (endless) Generate(ctx context.Context, _ *quire.LLMRequest) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		pause := time.NewTicker(100 * time.Millisecond)
		defer pause.Stop()
		for {
			select {
			case <-ctx.Done():
				yield("", ctx.Err())
				return
			case <-pause.C:
			}
			if !yield("and so on ", nil) {
				return
			}
		}
	}
}

// load is what clients do to a server, and what they got.
type load struct {
	*fixture
	url  string
	id   string        // of an elemental
	stop chan struct{} // closed when clients are to stop

	stopping                                atomic.Bool  // the server may refuse connections
	requests, statuses5xx, halves, failures atomic.Int64 // halves: answers that ended early
	begun, ended, inForm                    atomic.Int64 // streams; with an error event and the end
}

// TestLoad keeps many clients and streams busy, and then stops the server. It is not
// parallel, as it counts goroutines and memory.
func TestLoad(t *testing.T) {
	f := newFixtureOn(t, openSQLite(t), nil)
	eng, err := quire.NewEngine(t.Context(), f.lib, enginetest.NewIndex(), enginetest.NewEmbedder(), endless{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Close(context.Background())
	f.eng = eng
	stopping := make(chan struct{})
	f.h = New(f.lib, eng, &Options{Stopping: stopping, HeartbeatInterval: time.Second})
	l := &load{fixture: f, id: f.elemental(f.ann, "All about a boat", ""), stop: make(chan struct{})}
	f.ingest(f.ann, l.id)
	goroutines, heap := runtime.NumGoroutine(), heapInUse()
	srv := httptest.NewUnstartedServer(f.h)
	srv.Config.RegisterOnShutdown(func() { close(stopping) })
	srv.Start()
	l.url = srv.URL

	var clients, streams sync.WaitGroup
	for i := range loadClients {
		clients.Go(func() { l.client(rand.New(rand.NewPCG(uint64(i), 1))) })
	}
	for range loadStreams {
		streams.Go(l.streamToEnd)
	}
	time.Sleep(loadTime)
	for l.begun.Load() < loadStreams && l.ended.Load() == 0 { // those that have not are refused when the server stops
		time.Sleep(10 * time.Millisecond)
	}
	open := loadStreams - l.ended.Load()
	l.stopping.Store(true) // Shutdown closes the listener before it calls anybody
	began := time.Now()
	shutdown, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := srv.Config.Shutdown(shutdown); err != nil {
		t.Errorf("Shutdown: %v", err)
		srv.CloseClientConnections()
	}
	ended := time.Since(began)
	streams.Wait()
	close(l.stop)
	clients.Wait()
	srv.Close()
	left, grown := runtime.NumGoroutine()-goroutines, heapInUse()-heap
	for began := time.Now(); left > 0 && time.Since(began) < time.Minute; left = runtime.NumGoroutine() - goroutines {
		time.Sleep(20 * time.Millisecond)
	}
	if l.statuses5xx.Load()+l.halves.Load()+l.failures.Load() > 0 || l.requests.Load() < loadClients {
		t.Errorf("%d requests: %d answers from 500 up, %d cut, %d failed", l.requests.Load(), l.statuses5xx.Load(), l.halves.Load(), l.failures.Load())
	}
	if open != loadStreams || l.inForm.Load() != loadStreams {
		t.Errorf("of %d streams %d were open at the end, %d ended in form, after %v", loadStreams, open, l.inForm.Load(), ended)
	}
	if left > 0 || grown > 32<<20 {
		t.Errorf("%d goroutines and %d KiB are left", left, grown>>10)
	}
	if t.Failed() {
		return
	}
	t.Logf("D10: %d keep-alive clients and %d streams for %v: %d requests, 0 answers from 500 up, 0 cut; Shutdown ended all streams with an event after %.1f s; %d goroutines and %d KiB left over",
		loadClients, loadStreams, loadTime, l.requests.Load(), ended.Seconds(), max(0, left), max(0, grown>>10))
}

// heapInUse is how much memory what is reachable takes.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// client asks again and again, over a connection of its own.
func (l *load) client(random *rand.Rand) {
	transport := &http.Transport{MaxConnsPerHost: 1}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	for {
		select {
		case <-l.stop:
			return
		case <-time.After(time.Duration(random.Int64N(int64(2 * loadPause)))):
		}
		method, path, body := "GET", "/v1/elemental/"+l.id, ""
		switch random.IntN(6) {
		case 0:
			path = "/v1/lists?size=5"
		case 1:
			path = "/v1/elementals?search=boat"
		case 2:
			method, path, body = "POST", "/v1/kb/search", chatBody
		case 3:
			method, path, body = "PUT", "/v1/user/elemental/"+l.id, `{"description":"`+strings.Repeat("x", random.IntN(100))+`"}`
		}
		req, err := http.NewRequestWithContext(l.t.Context(), method, l.url+path, strings.NewReader(body))
		if err != nil {
			l.failures.Add(1)
			return
		}
		req.Header.Set("X-Api-Key", l.ann.key)
		resp, err := client.Do(req)
		if err != nil {
			if !l.stopping.Load() {
				l.failures.Add(1)
				l.t.Error(err)
			}
			return // the server has stopped
		}
		if resp.StatusCode >= 500 {
			l.statuses5xx.Add(1)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			l.halves.Add(1)
		}
		resp.Body.Close()
		l.requests.Add(1)
	}
}

// streamToEnd reads a stream for as long as it goes on.
func (l *load) streamToEnd() {
	defer l.ended.Add(1)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(l.t.Context(), "POST", l.url+"/v1/kb/chat/stream", strings.NewReader(chatBody))
	if err != nil {
		l.t.Error(err)
		return
	}
	req.Header.Set("X-Api-Key", l.ann.key)
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		l.t.Error(err)
		return
	}
	defer resp.Body.Close()
	l.begun.Add(1)
	body, err := io.ReadAll(resp.Body)
	text := string(body)
	if err == nil && resp.StatusCode == 200 && strings.Contains(text, `"event":"error"`) && strings.HasSuffix(text, "data: [DONE]\n\n") {
		l.inForm.Add(1)
	} else {
		l.t.Errorf("a stream: %d, %v, ...%q", resp.StatusCode, err, text[max(0, len(text)-300):])
	}
}
