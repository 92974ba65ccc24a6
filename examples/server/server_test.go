package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// program is the compiled command: the tests run it as its users do.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "server")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "server")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// running is a started server.
type running struct {
	cmd    *exec.Cmd
	url    string
	key    string // "" if none was printed
	stdout *bufio.Reader
}

var (
	keyLine    = regexp.MustCompile(`^API key: (\S+)\n`)
	listenLine = regexp.MustCompile(`^Listening on (\S+)\n`)
)

// start runs the server on a free port until it listens.
func start(t *testing.T, users string, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, program, append([]string{"-addr", "127.0.0.1:0"}, args...)...)
	cmd.Env = append(os.Environ(), "QUIRE_USERS="+users)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := &running{cmd: cmd, stdout: bufio.NewReader(out)}
	for r.url == "" {
		line, err := r.stdout.ReadString('\n')
		if err != nil {
			t.Fatalf("the server ended before it listened: %v", cmd.Wait())
		}
		if m := keyLine.FindStringSubmatch(line); m != nil {
			r.key = m[1]
		}
		if m := listenLine.FindStringSubmatch(line); m != nil {
			r.url = m[1]
		}
	}
	return r
}

// stop asks the server to stop and waits until it has.
func (r *running) stop(t *testing.T, sig os.Signal) {
	t.Helper()
	if err := r.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, r.stdout)
	if err := r.cmd.Wait(); err != nil {
		t.Errorf("after %v: %v", sig, err)
	}
}

// call sends a request and returns the decoded answer, which must have that status.
func call(t *testing.T, status int, key, method, url, body string) any {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("x-api-key", key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != status {
		t.Fatalf("%s %s: %d, want %d: %s", method, url, resp.StatusCode, status, data)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%s %s: %v in %s", method, url, err, data)
	}
	return v
}

// at walks into decoded JSON by keys.
func at(v any, keys ...string) any {
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

// waitIngested waits until no job is unfinished and returns how many succeeded.
func waitIngested(t *testing.T, r *running, key string) int {
	t.Helper()
	for range 6000 {
		jobs, _ := at(call(t, http.StatusOK, key, "GET", r.url+"/v1/kb/jobs?size=100", ""), "jobs").([]any)
		succeeded := 0
		for _, j := range jobs {
			if at(j, "status") == "succeeded" {
				succeeded++
			}
		}
		if succeeded == len(jobs) && len(jobs) > 0 {
			return succeeded
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the ingest does not end")
	return 0
}

func TestServer(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be asked to stop by a signal on Windows")
	}
	data := filepath.Join(t.TempDir(), "data")
	const question = `{"query":"How long does a rollback take?","filters":{"tenant_id":"owner"}}`

	first := start(t, "", "-data", data, "-demo")
	if first.key == "" {
		t.Fatal("the first start printed no key")
	}
	call(t, http.StatusOK, "", "GET", first.url+"/health", "")
	call(t, http.StatusUnauthorized, "", "GET", first.url+"/v1/user/tags", "")
	call(t, http.StatusUnauthorized, first.key+"x", "GET", first.url+"/v1/user/tags", "")
	if n := waitIngested(t, first, first.key); n != 5 {
		t.Errorf("%d ingests of the demo, want 5", n)
	}
	answer := call(t, http.StatusOK, first.key, "POST", first.url+"/v1/kb/chat", question)
	if text := fmt.Sprint(at(answer, "answer")); !strings.Contains(text, "four minutes") {
		t.Errorf("the answer is %q", text)
	}
	first.stop(t, syscall.SIGTERM)

	second := start(t, "", "-data", data, "-demo")
	if second.key != "" {
		t.Error("the second start printed a key")
	}
	lists := call(t, http.StatusOK, first.key, "GET", second.url+"/v1/user/lists", "")
	if n := at(lists, "meta", "total"); n != 1.0 {
		t.Errorf("%v lists after the second start, want 1", n)
	}
	if n := waitIngested(t, second, first.key); n != 5 {
		t.Errorf("%d ingests after the second start, want 5", n)
	}
	again := call(t, http.StatusOK, first.key, "POST", second.url+"/v1/kb/chat", question)
	if at(again, "answer") != at(answer, "answer") {
		t.Errorf("the answer changed from %v to %v", answer, again)
	}
	second.stop(t, syscall.SIGINT)
}

func TestUsersFromEnvironment(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be asked to stop by a signal on Windows")
	}
	data := filepath.Join(t.TempDir(), "data")
	const ada, grace = "ada-key-0123456789", "grace-key-0123456789"
	for range 2 { // the same users at the second start
		r := start(t, "ada="+ada+", grace="+grace, "-data", data)
		if r.key != "" {
			t.Error("a key was printed")
		}
		for _, key := range []string{ada, grace} {
			call(t, http.StatusOK, key, "GET", r.url+"/v1/user/tags", "")
		}
		call(t, http.StatusUnauthorized, "other-key-0123456789", "GET", r.url+"/v1/user/tags", "")
		r.stop(t, syscall.SIGTERM)
	}
	r := startFails(t, "ada="+grace, "-data", data)
	if want := "the key belongs to another user"; !strings.Contains(r, want) {
		t.Errorf("no %q in %q", want, r)
	}
	if strings.Contains(r, grace) {
		t.Error("the key is in the error")
	}
}

// startFails runs a server that must end by itself with exit code 1 or 2 and
// returns what it wrote to stderr.
func startFails(t *testing.T, users string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, append([]string{"-addr", "127.0.0.1:0"}, args...)...)
	cmd.Env = append(os.Environ(), "QUIRE_USERS="+users)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != exitFailure && code != exitUsage {
		t.Errorf("exit code %d: %v", code, err)
	}
	return stderr.String()
}

func TestStartErrors(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	for _, c := range []struct {
		name, users, want string
		args              []string
	}{
		{"unknown flag", "", "Usage:", []string{"-x"}},
		{"argument", "", `unexpected argument "x"`, []string{"x"}},
		{"bad users", "ada", "not of the form id=key", nil},
		{"bad address", "", "listen", []string{"-data", data, "-addr", "127.0.0.1:99999"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := startFails(t, c.users, c.args...); !strings.Contains(got, c.want) {
				t.Errorf("no %q in %q", c.want, got)
			}
		})
	}
}
