package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/quirelib/quire"
)

// How often childTry tries.
const childTries = 8

// childTry opens a file and makes some writes, each once, whatever becomes of the others.
// It reports the number of each that has come back, and else the code of its error.
//
// All of it is done by one thread, since strace counts the calls of each thread apart.
func childTry(path string) {
	runtime.LockOSThread()
	ctx := context.Background()
	s, err := Open(ctx, path, nil)
	if err != nil {
		fmt.Println("open:", quire.CodeOf(err))
		return
	}
	for range childTries {
		n, err := writeNext(ctx, s)
		if err != nil {
			fmt.Println("write:", quire.CodeOf(err))
			continue
		}
		fmt.Println(n)
	}
	if err := s.Close(); err != nil {
		fmt.Println("close:", quire.CodeOf(err))
	}
	fmt.Println("end")
}

// fault is a kind of system calls that fail.
type fault struct {
	call, errno string
	forever     bool // from the first failure on, else once
}

// TestFailingCalls has one system call after the other fail while a process opens a file,
// writes and closes it. Calls of the Store that are hit say so; those after them work
// again, or fail as cleanly as long as the disk fails. Nothing acknowledged is lost, and
// what is left is whole.
func TestFailingCalls(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skipf("A3: there is no strace here: %v", err)
	}
	var faults []fault
	for _, call := range []string{"fsync", "pwrite64", "ftruncate"} {
		for _, errno := range []string{"EIO", "ENOSPC"} {
			faults = append(faults, fault{call, errno, false}, fault{call, errno, true})
		}
	}
	var mu sync.Mutex
	points, hit, refused := 0, map[string]int{}, 0
	t.Run("faults", func(t *testing.T) { // ends when all have
		for _, f := range faults {
			t.Run(fmt.Sprintf("%s %s %t", f.call, f.errno, f.forever), func(t *testing.T) {
				t.Parallel()
				for n := 1; ; n = nextFailing(n) {
					injected, no := f.inject(t, strace, n)
					if !injected || t.Failed() {
						break
					}
					mu.Lock()
					points++
					hit[f.call]++
					refused += no
					mu.Unlock()
				}
			})
		}
	})
	if t.Failed() {
		return
	}
	if len(hit) < 3 {
		t.Errorf("only these calls failed: %v", hit)
	}
	t.Logf("A3: %d runs with failing system calls (%v), once and for ever: %d calls of the Store refused, 0 acknowledged writes lost, 0 damaged files, 0 panics",
		points, hit, refused)
}

// inject runs a process whose n-th call fails. It returns whether there was such a call,
// and how many calls of the Store were refused.
func (f fault) inject(t *testing.T, strace string, n int) (injected bool, refusals int) {
	t.Helper()
	dir := t.TempDir()
	path, trace := filepath.Join(dir, "store.db"), filepath.Join(dir, "trace")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	when := strconv.Itoa(n)
	if f.forever {
		when += "+"
	}
	cmd := exec.CommandContext(t.Context(), strace, "-f", "-qq", "-o", trace, "-e", "signal=none", "-e", "trace="+f.call,
		"-e", fmt.Sprintf("inject=%s:error=%s:when=%s", f.call, f.errno, when), self, path)
	cmd.Env = append(os.Environ(), childEnv+"=try")
	var panicked bytes.Buffer
	cmd.Stderr = &panicked
	said, err := cmd.Output()
	calls, readErr := os.ReadFile(trace)
	if readErr != nil || len(calls) == 0 {
		t.Skipf("A3: processes cannot be traced here: %v, %v: %s", err, readErr, &panicked)
	}
	acknowledged, refused, err := f.judge(strings.Split(strings.TrimSpace(string(said)), "\n"), err)
	if err != nil {
		t.Errorf("call %d: %v; it said %q, %s", n, err, said, &panicked)
	}
	kept, err := leftWhole(t, path)
	if err != nil || kept < acknowledged {
		t.Errorf("call %d: %d writes are left, %d were acknowledged: %v", n, kept, acknowledged, err)
	}
	return bytes.Contains(calls, []byte("(INJECTED)")), refused
}

// judge returns the last write that was acknowledged, and what is not as it should be.
func (f fault) judge(lines []string, failure error) (acknowledged, refused int, err error) {
	if failure != nil {
		return 0, 0, fmt.Errorf("the process did not end well: %w", failure)
	}
	for _, line := range lines {
		n, isNumber := strconv.Atoi(line)
		_, code, _ := strings.Cut(line, ": ")
		switch {
		case isNumber == nil:
			acknowledged = n
		case line == "end":
		case code == string(quire.CodeUnavailable):
			refused++
		default:
			return 0, 0, fmt.Errorf("%q is not how a failing disk is told", line)
		}
	}
	if !f.forever && refused > 1 {
		return 0, 0, errors.New("what came after the failure did not work again")
	}
	return acknowledged, refused, nil
}
