package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quirelib/quire/store/sqlite"
)

// serveForParent says where the child process of TestBodyMemory keeps its data.
const serveForParent = "QUIRE_TEST_SERVE"

// TestBodyMemoryServer is the child process of TestBodyMemory: a server of its own, whose
// memory is its own too. It ends with its standard input.
func TestBodyMemoryServer(t *testing.T) {
	dir := os.Getenv(serveForParent)
	if dir == "" {
		t.Skip("skipped: TestBodyMemory starts it as a process of its own")
	}
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "quire.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := newFixtureOn(t, s, nil)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: f.h}
	go func() { _ = srv.Serve(ln) }() // until Close
	defer srv.Close()
	fmt.Printf("serving http://%v\n", ln.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// TestBodyMemory sends many bodies that are as large as a body may be at the same time: files
// as numbers, which readers that make something of each number hold in many times the memory,
// and then templates of nothing but short words, for which the same goes.
func TestBodyMemory(t *testing.T) {
	if raceDetector {
		t.Skip("skipped: the race detector takes several times the memory")
	}
	const clients, templates, limit = 16, 6, 600 << 20
	server, url := startServer(t)
	numbers := bytes.Repeat([]byte("255,"), 15<<20) // 15 MiB of bytes
	numbers = append(numbers[:len(numbers)-1], "]}}]}"...)
	bodies := [][]byte{
		append([]byte(`{"title":"x","files":[{"file_name":"a","file_buffer":{"type":"Buffer","data":[`), numbers...),
		append([]byte(`{"title":"x","tagIds":[`), append(bytes.Repeat([]byte("1,"), 31<<20), "1]}"...)...),
		[]byte(`{"title":"x","table":{` + strings.Repeat(`"":0,`, 12<<20) + `"":0}}`),
		[]byte(`[` + strings.Repeat("{},", 20<<20) + `{}]`),
	}
	keys := []string{"key-of-ann-0123456789", "key-of-bob-0123456789"}
	statuses := map[int]int{}
	var largest atomic.Int64
	var mu sync.Mutex
	var posts sync.WaitGroup
	for i := range clients {
		posts.Go(func() {
			body := bodies[i%len(bodies)]
			largest.Store(max(largest.Load(), int64(len(body))))
			status := post(t, url+"/v1/user/list", keys[i/len(bodies)%2], body) // each may have one at a time
			mu.Lock()
			defer mu.Unlock()
			statuses[status]++
		})
	}
	posts.Wait()
	// Those with the files may all have been told to come later: one does.
	statuses[post(t, url+"/v1/user/list", keys[0], bodies[0])]++
	template := []byte(`{"title":"A document of holes","type_id":3,"category_id":18,"template":"` + strings.Repeat("#a ", 5<<20) + `"}`)
	for i := range templates {
		posts.Go(func() {
			status := post(t, url+"/v1/user/elemental", keys[i%2], template)
			mu.Lock()
			defer mu.Unlock()
			statuses[status]++
		})
	}
	posts.Wait()
	http.DefaultClient.CloseIdleConnections()
	most := peakMemory(t, server)
	if statuses[201]+statuses[400]+statuses[503] != clients+1+templates || statuses[201] == 0 {
		t.Errorf("statuses %v", statuses)
	}
	if most > limit {
		t.Errorf("the server took %d MiB", most>>20)
	}
	if t.Failed() {
		return
	}
	t.Logf("B10: %d posts at a time of up to %d MiB each, one after them, and %d of templates: %d stored, %d refused, %d told to come later; the server took %d MiB at most",
		clients, largest.Load()>>20, templates, statuses[201], statuses[400], statuses[503], most>>20)
}

// post posts a payload and returns the status of the answer.
func post(t *testing.T, url, key string, body []byte) int {
	req, err := http.NewRequestWithContext(t.Context(), "POST", url, bytes.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0
	}
	req.Header.Set("X-Api-Key", key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return 0
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	return resp.StatusCode
}

// startServer starts TestBodyMemoryServer and returns its process and address.
func startServer(t *testing.T) (*os.Process, string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestBodyMemoryServer$")
	cmd.Env = append(os.Environ(), serveForParent+"="+t.TempDir(), "QUIRE_RECORD=")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		_, _ = io.Copy(io.Discard, stdout)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server: %v", err)
		}
		cancel()
	})
	text := make([]byte, 200)
	n, err := stdout.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	url, ok := strings.CutPrefix(strings.TrimSpace(string(text[:n])), "serving ")
	if !ok {
		t.Fatalf("the server says %q", text[:n])
	}
	return cmd.Process, url
}

// peakMemory is the most memory that a process has had at a time, in bytes.
func peakMemory(t *testing.T, p *os.Process) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Pid))
	if err != nil {
		t.Skipf("skipped: the memory of a process cannot be read here: %v", err)
	}
	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Fatalf("no peak in %s", status)
	}
	kb, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}
