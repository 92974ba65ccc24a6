package sqlite

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// call is a system call of a traced process that changes files, or that says on the
// standard output which write has come back.
type call struct {
	name string // open, close, write, sync, truncate, rename, unlink or said
	fd   int
	path string
	to   string // of a rename
	data []byte // of a write
	at   int64  // of a write, or the size of a truncation
}

// traceWrites runs a process that makes so many writes, under strace, and returns its
// system calls. It skips the test where processes cannot be traced.
func traceWrites(t *testing.T, path string, writes int) []call {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skipf("A2: there is no strace here: %v", err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(t.TempDir(), "trace")
	cmd := exec.CommandContext(t.Context(), strace, "-f", "-qq", "-xx", "-s", "70000", "-o", trace,
		"-e", "signal=none", "-e", "trace=open,openat,close,pwrite64,write,fsync,fdatasync,ftruncate,rename,renameat,renameat2,unlink,unlinkat", self, path)
	cmd.Env = append(os.Environ(), childEnv+"=write", fmt.Sprint(childWrites, "=", writes))
	said, err := cmd.CombinedOutput()
	if err != nil && len(bytes.Fields(said)) < writes {
		t.Skipf("A2: processes cannot be traced here: %v: %s", err, said)
	}
	f, err := os.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var calls []call
	begun := map[string]string{} // what an unfinished call looks like so far, by process
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		process, text, _ := strings.Cut(lines.Text(), " ")
		text = strings.TrimLeft(text, " ")
		if before, ok := strings.CutSuffix(text, " <unfinished ...>"); ok {
			begun[process] = before
			continue
		}
		if strings.HasPrefix(text, "<... ") {
			_, rest, _ := strings.Cut(text, " resumed>")
			text = begun[process] + rest
		}
		if c, ok := parseCall(text); ok {
			calls = append(calls, c)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return calls
}

// parseCall reads a line of strace such as
//
//	pwrite64(9, "\x00\x12", 2, 4096) = 2
//
// ok is false for calls that failed or do not matter.
func parseCall(text string) (c call, ok bool) {
	name, rest, _ := strings.Cut(text, "(")
	end := strings.LastIndex(rest, ") ")
	if end < 0 {
		return c, false
	}
	result := strings.Fields(strings.TrimLeft(rest[end+1:], " ="))
	if len(result) == 0 || strings.HasPrefix(result[0], "-") {
		return c, false
	}
	args := strings.Split(rest[:end], ", ") // no string has a comma in it: they are all hexadecimal
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(args[i], 0, 64)
		return n
	}
	text0 := func(i int) []byte {
		data, _ := hex.DecodeString(strings.ReplaceAll(strings.Trim(args[i], `"`), `\x`, ""))
		return data
	}
	switch name {
	case "open":
		fd, _ := strconv.Atoi(result[0])
		return call{name: "open", fd: fd, path: string(text0(0))}, true
	case "openat":
		fd, _ := strconv.Atoi(result[0])
		return call{name: "open", fd: fd, path: string(text0(1))}, true
	case "close":
		return call{name: "close", fd: int(number(0))}, true
	case "pwrite64":
		return call{name: "write", fd: int(number(0)), data: text0(1), at: number(3)}, true
	case "write":
		return call{name: "said", fd: int(number(0)), data: text0(1)}, number(0) == 1
	case "fsync", "fdatasync":
		return call{name: "sync", fd: int(number(0))}, true
	case "ftruncate":
		return call{name: "truncate", fd: int(number(0)), at: number(1)}, true
	case "rename":
		return call{name: "rename", path: string(text0(0)), to: string(text0(1))}, true
	case "renameat", "renameat2":
		return call{name: "rename", path: string(text0(1)), to: string(text0(3))}, true
	case "unlink":
		return call{name: "unlink", path: string(text0(0))}, true
	case "unlinkat":
		return call{name: "unlink", path: string(text0(1))}, true
	}
	return c, false
}

// disk is what a power cut leaves of files: what was synced, and of the rest whatever the
// hardware had come to.
type disk struct {
	dir     string            // that is looked at
	open    map[int]*diskFile // by file descriptor
	names   map[string]*diskFile
	synced  map[string]*diskFile // names that are on the disk for sure
	pending []func(names map[string]*diskFile)
}

// diskFile is a file with the bytes that are on the disk for sure, and the calls since.
type diskFile struct {
	isDir   bool
	data    []byte
	pending []call
}

func newDisk(dir string) *disk {
	return &disk{dir: dir, open: map[int]*diskFile{}, names: map[string]*diskFile{}, synced: map[string]*diskFile{}}
}

// take has a call happen.
func (d *disk) take(c call) {
	switch f := d.open[c.fd]; c.name {
	case "open":
		delete(d.open, c.fd)
		if !strings.HasPrefix(c.path, d.dir) || strings.HasSuffix(c.path, "-shm") || strings.HasSuffix(c.path, ".lock") {
			return // made anew by every process
		}
		if d.names[c.path] == nil {
			f := &diskFile{isDir: c.path == d.dir}
			d.rename(func(names map[string]*diskFile) { names[c.path] = f })
		}
		d.open[c.fd] = d.names[c.path]
	case "close":
		delete(d.open, c.fd)
	case "write", "truncate":
		if f != nil {
			f.pending = append(f.pending, c)
		}
	case "sync":
		if f == nil {
			return
		}
		for _, c := range f.pending {
			f.data = c.on(f.data)
		}
		f.pending = nil
		if f.isDir {
			for _, change := range d.pending {
				change(d.synced)
			}
			d.pending = nil
		}
		for name, other := range d.names { // the sync of a new file makes its name durable too
			if other == f && !f.isDir && d.synced[name] == nil {
				d.synced[name] = f
			}
		}
	case "rename":
		d.rename(func(names map[string]*diskFile) {
			names[c.to] = names[c.path]
			delete(names, c.path)
		})
	case "unlink":
		d.rename(func(names map[string]*diskFile) { delete(names, c.path) })
	}
}

// rename changes names, on the disk at some time.
func (d *disk) rename(change func(names map[string]*diskFile)) {
	change(d.names)
	d.pending = append(d.pending, change)
}

// on returns data after a call.
func (c call) on(data []byte) []byte {
	if c.name == "truncate" {
		if c.at <= int64(len(data)) {
			return data[:c.at]
		}
		return append(data, make([]byte, c.at-int64(len(data)))...)
	}
	if end := c.at + int64(len(c.data)); end > int64(len(data)) {
		data = append(data, make([]byte, end-int64(len(data)))...)
	}
	copy(data[c.at:], c.data)
	return data
}

// The ways in which a power cut treats what was not synced.
var cuts = []string{"dropped", "some dropped", "torn", "reordered", "kept"}

const sector = 512

// cut writes to dir what a power cut leaves now.
func (d *disk) cut(t *testing.T, dir, how string, rng *rand.Rand) {
	t.Helper()
	names := map[string]*diskFile{}
	for name, f := range d.synced {
		names[name] = f
	}
	done := len(d.pending) // of names, a journal keeps the order
	if how != "kept" {
		done = rng.IntN(done + 1)
	}
	for _, change := range d.pending[:done] {
		change(names)
	}
	for name, f := range names {
		if f == nil || f.isDir {
			continue
		}
		data := bytes.Clone(f.data)
		pending := append([]call(nil), f.pending...)
		if how == "reordered" {
			rng.Shuffle(len(pending), func(i, j int) { pending[i], pending[j] = pending[j], pending[i] })
		}
		for _, c := range pending {
			switch {
			case how == "dropped", how != "kept" && rng.IntN(2) == 0:
				continue
			case how == "torn" && c.name == "write" && len(c.data) > sector && rng.IntN(2) == 0:
				whole := sector * (1 + rng.IntN(len(c.data)/sector))
				if rng.IntN(2) == 0 {
					c.data = c.data[:min(whole, len(c.data))]
				} else { // the end of it came first
					from := min(whole, len(c.data)-1)
					c.data, c.at = c.data[from:], c.at+int64(from)
				}
			}
			data = c.on(data)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
