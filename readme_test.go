package quire_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// readmeBlocks returns the fenced blocks of the README in one language.
func readmeBlocks(t *testing.T, language string) []string {
	t.Helper()
	var blocks []string
	var block *strings.Builder
	for line := range strings.Lines(readText(t, "README.md")) {
		switch fence, is := strings.CutPrefix(line, "```"); {
		case !is && block != nil:
			block.WriteString(line)
		case !is:
		case block != nil:
			blocks = append(blocks, block.String())
			block = nil
		case strings.TrimSpace(fence) == language:
			block = &strings.Builder{}
		default:
			block = nil
		}
	}
	return blocks
}

// TestReadmeCommands holds the two commands at the top where .ci/run, which runs
// them, looks for them.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	blocks := readmeBlocks(t, "sh")
	want := "go run ./examples/ask \"What happens on a send to a closed channel?\"\ngo test -short ./...\n"
	if len(blocks) == 0 || blocks[0] != want {
		t.Errorf("the first block is not\n%s", want)
	}
}

// TestReadmeProgram compiles and runs the programs of the README as they are printed.
func TestReadmeProgram(t *testing.T) {
	t.Parallel()
	programs, outputs := readmeBlocks(t, "go"), readmeBlocks(t, "text")
	if len(programs) != 2 || len(outputs) < len(programs) {
		t.Fatalf("%d programs and %d outputs in the README", len(programs), len(outputs))
	}
	for i, program := range programs {
		name := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(name, []byte(program), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "go", "run", name).Output()
		if err != nil {
			t.Fatal(commandError(err))
		}
		if diff := cmp.Diff(outputs[i], string(out)); diff != "" {
			t.Errorf("program %d (-README +program)\n%s", i+1, diff)
		}
	}
}

// TestReadmeCurl runs the curl lines of the README as they are printed, but for the
// port, against the server that they are about.
func TestReadmeCurl(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil || runtime.GOOS == "windows" {
		t.Skip("needs curl and a shell; the tests of examples/server and httpapi cover the routes")
	}
	addr, key := startServer(t)
	ran := 0
	for _, block := range readmeBlocks(t, "sh") {
		for line := range strings.Lines(block) {
			if !strings.HasPrefix(line, "curl ") {
				continue
			}
			line = strings.ReplaceAll(line, "127.0.0.1:8080", addr)
			cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.Replace(line, "curl ", "curl -sS --fail-with-body ", 1))
			cmd.Env = append(os.Environ(), "KEY="+key, "no_proxy=*")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v: %s%s", err, line, out)
			}
			if want := wantFromCurl(line); !strings.Contains(string(out), want) {
				t.Errorf("no %q in the answer to %s%s", want, line, out)
			}
			ran++
		}
	}
	if ran == 0 {
		t.Error("no curl line was found")
	}
	t.Logf("ran %d curl lines", ran)
}

// wantFromCurl is something that the answer to a line must hold.
func wantFromCurl(line string) string {
	for _, c := range []struct{ in, want string }{
		{"search=restore", "demo-backup"},
		{"-X DELETE", ""}, // 204
		{"/v1/user/elementals", `"retry-policy"`},
		{"/v1/kb/elemental", "accepted"},
		{"/v1/kb/jobs", "retry-policy"},
		{"/v1/kb/search", "total_found"},
		{"/v1/kb/chat/stream", "data: [DONE]"},
		{"/v1/kb/chat", "four minutes"},
		{"/health/detailed", "UP"},
	} {
		if strings.Contains(line, c.in) {
			return c.want
		}
	}
	return "a line that this test does not know"
}

// startServer starts the server of the README on a free port, fills it and returns
// its address and key.
func startServer(t *testing.T) (addr, key string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "server")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./examples/server").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, "-addr", "127.0.0.1:0", "-data", filepath.Join(t.TempDir(), "data"), "-demo")
	cmd.Env = append(os.Environ(), "QUIRE_USERS=")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		io.Copy(io.Discard, stdout)
		cmd.Wait() // its error is that it was interrupted
	})
	for lines := bufio.NewScanner(stdout); addr == "" && lines.Scan(); {
		if s, ok := strings.CutPrefix(lines.Text(), "API key: "); ok {
			key = s
		}
		if s, ok := strings.CutPrefix(lines.Text(), "Listening on http://"); ok {
			addr = s
		}
	}
	if addr == "" || key == "" {
		t.Fatalf("the server printed the address %q and the key %q", addr, key)
	}
	return addr, key
}
