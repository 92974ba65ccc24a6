package httpapi

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
)

// statuses sends n requests at the same time and counts the statuses of their answers, 0 for
// those that got none.
func statuses(n int, send func() (*http.Response, error)) map[int]int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	got := map[int]int{}
	for range n {
		wg.Go(func() {
			status := 0
			if resp, err := send(); err == nil {
				resp.Body.Close()
				status = resp.StatusCode
			}
			mu.Lock()
			defer mu.Unlock()
			got[status]++
		})
	}
	wg.Wait()
	return got
}

// bePatient has all requests of a server wait for a minute, so that those who are refused
// waited for each other and not for a busy machine.
func (s *server) bePatient() {
	for _, b := range s.budgets() {
		b.wait = time.Minute
	}
}

// busyStore reads like a store that has much to do: those who come at the same time all get
// to the same step.
type busyStore struct{ quire.Store }

func (s busyStore) View(ctx context.Context, read func(quire.ReadTx) error) error {
	time.Sleep(100 * time.Millisecond)
	return s.Store.View(ctx, read)
}

// TestSearchesDoNotWaitForEachOther: a search has memory for the page that it reads while it
// waits for more to make its answer in, and nobody waits for the first who has the second.
func TestSearchesDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	f := newFixtureOn(t, busyStore{store.NewMemory()}, nil)
	f.h.(*server).bePatient()
	srv := httptest.NewServer(f.h)
	defer srv.Close()
	for range 2 {
		f.elementalOf(f.ann, words(100<<10))
	}
	search := func() (*http.Response, error) {
		req, err := http.NewRequestWithContext(t.Context(), "GET", srv.URL+"/v1/elementals?search=word&size=100", nil)
		if err != nil {
			return nil, err
		}
		req.Header.Set("x-api-key", f.ann.key)
		return http.DefaultClient.Do(req)
	}
	got := statuses(24, search)
	if got[200] != 24 {
		t.Errorf("24 searches of one user, with nobody else there: %v", got)
	}
	f.h.(*server).allGivenBack(t)
	t.Logf("B10: %d of 24 searches of one user at the same time answered", got[200])
}

// TestChunkedBodiesDoNotWaitForEachOther: bodies of unknown length, more at the same time than
// there is memory for, all get their turn.
func TestChunkedBodiesDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	f := newFixture(t, &Options{ReadTimeout: time.Minute}) // the clients are slow on a busy machine
	f.h.(*server).bePatient()
	srv := httptest.NewServer(f.h)
	defer srv.Close()
	const n = 400
	body := `{"title":"A list of it"}` + strings.Repeat(" ", 200<<10)
	var begun sync.WaitGroup
	begun.Add(n)
	send := func() (*http.Response, error) {
		r, w := io.Pipe()
		defer r.Close()
		go func() {
			_, _ = io.WriteString(w, body[:100])
			begun.Done()
			begun.Wait()
			for rest := body[100:]; rest != ""; rest = rest[min(len(rest), 16<<10):] {
				if _, err := io.WriteString(w, rest[:min(len(rest), 16<<10)]); err != nil {
					return // refused
				}
				time.Sleep(25 * time.Millisecond) // so that all come on together, also on a busy machine
			}
			w.Close()
		}()
		req, err := http.NewRequestWithContext(t.Context(), "POST", srv.URL+"/v1/user/list", r)
		if err != nil {
			return nil, err
		}
		req.Header.Set("x-api-key", f.ann.key)
		return srv.Client().Do(req)
	}
	got := statuses(n, send)
	if got[201] != n {
		t.Errorf("%d bodies of unknown length of one user: %v", n, got)
	}
	f.h.(*server).allGivenBack(t)
	t.Logf("B10: %d of %d bodies of unknown length of one user at the same time taken", got[201], n)
}

// TestSteadyReadersGetAll: a client that takes much more than WriteTimeout asks for, but less than
// a system gives back at once of a full buffer, gets a long answer to its end.
func TestSteadyReadersGetAll(t *testing.T) {
	t.Parallel()
	const size, pace = 15 << 20, 1600 << 10 // bytes, bytes a second
	f := newFixture(t, &Options{WriteTimeout: 500 * time.Millisecond})
	srv := httptest.NewServer(f.h)
	defer srv.Close()
	path := f.fileOf(size)
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nx-api-key: %s\r\n\r\n", path, f.ann.key)
	began, got, buffer := time.Now(), 0, make([]byte, 32<<10)
	for {
		n, err := conn.Read(buffer)
		got += n
		if err == io.EOF && got > size {
			t.Logf("D1: a reader of %d KiB a second got all of %d MiB, with a limit of 500 ms for 64 KiB", pace>>10, size>>20)
			return
		}
		if err != nil {
			t.Fatalf("%v after %d of %d bytes and %v", err, got, size, time.Since(began))
		}
		time.Sleep(time.Until(began.Add(time.Duration(float64(got) / pace * float64(time.Second)))))
	}
}
