package httpapi

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// slowClients are the ways to keep a connection busy: what is sent at once, and after that
// nothing but a byte from time to time. None of them reads.
func slowClients(key string) map[string]string {
	head := func(method, path string, headers ...string) string {
		return method + " " + path + " HTTP/1.1\r\nHost: x\r\n" + strings.Join(append(headers, ""), "\r\n") + "\r\n"
	}
	const length = "Content-Length: 200000"
	return map[string]string{
		"headers":                 "GET /v1/lists HTTP/1.1\r\nHost: x\r\nX-Slow: ",
		"body":                    head("POST", "/v1/user/list", "x-api-key: "+key, length) + `{"title":"`,
		"chunked body":            head("POST", "/v1/user/list", "x-api-key: "+key, "Transfer-Encoding: chunked") + "10000\r\n",
		"body of a stranger":      head("POST", "/v1/user/list", "x-api-key: wrong", length),
		"body that nobody asks":   head("GET", "/v1/lists", "x-api-key: "+key, length),
		"body of no route":        head("POST", "/nowhere", length),
		"reader of long answers":  strings.Repeat(head("GET", "/openapi.json"), 5),
		"reader of short answers": strings.Repeat(head("GET", "/v1/nothing"), 200),
	}
}

// TestSlowClients: connections of clients that send or read too slowly are given up, and
// others are served meanwhile. It runs alone: what it measures is the server, not the tests
// beside it.
func TestSlowClients(t *testing.T) {
	const each, limit, slack = 50, time.Second, 30 * time.Second
	f := newFixture(t, &Options{ReadTimeout: limit, WriteTimeout: limit})
	srv := httptest.NewUnstartedServer(f.h)
	srv.Config.ReadHeaderTimeout, srv.Config.IdleTimeout = limit, limit
	var closed sync.Map // by the client's address, when the server has closed its connection
	srv.Config.ConnState = func(conn net.Conn, s http.ConnState) {
		switch s {
		case http.StateNew: // so that few answers fill the system's buffer
			_ = conn.(*net.TCPConn).SetWriteBuffer(4 << 10)
		case http.StateClosed:
			closed.Store(conn.RemoteAddr().String(), time.Now())
		}
	}
	srv.Start()
	defer srv.Close()
	normal := func() time.Duration {
		began := time.Now()
		resp := f.request(srv, "/v1/lists")
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("a normal request: %s, %v", resp.Status, err)
		}
		resp.Body.Close()
		return time.Since(began)
	}
	p99 := func(times []time.Duration) time.Duration {
		slices.Sort(times)
		return times[len(times)*99/100]
	}
	var before, meanwhile []time.Duration
	for range 200 {
		before = append(before, normal())
	}
	var mu sync.Mutex
	took := map[string]time.Duration{} // the slowest of a kind
	freed := 0
	var clients sync.WaitGroup
	for kind, first := range slowClients(f.ann.key) {
		for range each {
			clients.Go(func() {
				d, err := connected(srv, &closed, first, limit+slack)
				mu.Lock()
				defer mu.Unlock()
				took[kind] = max(took[kind], d)
				if err != nil {
					t.Errorf("%s: %v", kind, err)
					return
				}
				freed++
			})
		}
	}
	done := make(chan struct{})
	go func() {
		clients.Wait()
		close(done)
	}()
	for waiting := true; waiting; {
		meanwhile = append(meanwhile, normal())
		select {
		case <-done:
			waiting = false
		case <-time.After(5 * time.Millisecond):
		}
	}
	var slowest time.Duration
	for kind, d := range took {
		slowest = max(slowest, d)
		t.Logf("%s: %v", kind, d.Round(time.Millisecond))
	}
	t.Logf("D1: %d of %d slow connections of %d kinds freed, the last after %.1f s with a limit of %v; normal requests meanwhile: %d, p99 %v, before %v",
		freed, each*len(took), len(took), slowest.Seconds(), limit, len(meanwhile), p99(meanwhile).Round(time.Microsecond), p99(before).Round(time.Microsecond))
}

// connected says how long the server keeps a client that sends a text and then a byte from
// time to time. What the system still has to say to the client after that is not the server's:
// with answers that it cannot deliver it may keep a connection for a minute (MPTCP, with which Go
// listens on Linux).
func connected(srv *httptest.Server, closed *sync.Map, first string, most time.Duration) (time.Duration, error) {
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		return 0, err
	}
	began := time.Now()
	if err := conn.SetWriteDeadline(began.Add(most)); err != nil {
		return 0, err
	}
	_, _ = io.WriteString(conn, first)
	for time.Since(began) < most {
		if at, ok := closed.Load(conn.LocalAddr().String()); ok {
			return at.(time.Time).Sub(began), nil
		}
		time.Sleep(50 * time.Millisecond)
		_, _ = io.WriteString(conn, "x") // an error means that it is closed, or soon seen to be
	}
	return most, fmt.Errorf("still connected after %v", most)
}
