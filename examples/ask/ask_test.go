package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// program is the compiled command: the tests run it as its users do.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "ask")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "ask")
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

// result is what a run of the program left.
type result struct {
	code           int
	stdout, stderr string
	took           time.Duration
	state          *os.ProcessState
}

func ask(t *testing.T, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), time.Since(began), cmd.ProcessState}
}

// response is what -json prints.
type response struct {
	Answer  string
	Sources []struct {
		ID          string
		Score       float64
		ElementalID string `json:"snack_elemental_id"`
		ItemID      string `json:"snack_item_id"`
		Text        string
		TagIDs      []string `json:"tag_ids"`
		TagNames    []string `json:"tag_names"`
	}
}

// askJSON runs the program with -json; it must answer.
func askJSON(t *testing.T, args ...string) (response, result) {
	t.Helper()
	r := ask(t, append([]string{"-json"}, args...)...)
	if r.code != exitAnswered {
		t.Fatalf("exit code %d\n%s", r.code, r.stderr)
	}
	var resp response
	if err := json.Unmarshal([]byte(r.stdout), &resp); err != nil {
		t.Fatalf("%v in %s", err, r.stdout)
	}
	return resp, r
}

// write makes a file below dir.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// wantLine fails unless stderr has a line that contains all of the words.
func wantLine(t *testing.T, r result, words ...string) {
	t.Helper()
	for line := range strings.Lines(r.stderr) {
		found := true
		for _, w := range words {
			found = found && strings.Contains(line, w)
		}
		if found {
			return
		}
	}
	t.Errorf("no line with %q in:\n%s", words, r.stderr)
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		args []string
		code int
	}{
		{"no question", nil, exitUsage},
		{"blank question", []string{"  "}, exitUsage},
		{"unknown flag", []string{"-x", "question"}, exitUsage},
		{"option behind the question", []string{"where is it?", "-dir=notes"}, exitUsage},
		{"help", []string{"-h"}, exitAnswered},
		{"no such folder", []string{"-dir", filepath.Join(t.TempDir(), "absent"), "question"}, exitFailure},
		{"no documents", []string{"-dir", t.TempDir(), "question"}, exitFailure},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := ask(t, c.args...)
			if r.code != c.code {
				t.Errorf("exit code %d, want %d\n%s", r.code, c.code, r.stderr)
			}
			if c.code == exitUsage && !strings.Contains(r.stderr, "Usage:") {
				t.Errorf("no usage in %q", r.stderr)
			}
			if c.code != exitAnswered && r.stdout != "" {
				t.Errorf("stdout has %q", r.stdout)
			}
		})
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	dir, data := t.TempDir(), filepath.Join(t.TempDir(), "data")
	write(t, dir, "bees.md", "# About bees\n\nHoney bees dance to tell where the flowers are.\n")
	write(t, dir, "sub/trains.html", "<title>Night trains in Europe</title><h1>Night trains</h1><p>The night train to Vienna leaves at ten in the evening.</p>")
	write(t, dir, "tea.txt", "Green tea is brewed at eighty degrees.\n")
	write(t, dir, "long.txt", strings.Repeat("a line that never ends ", 50_000))
	write(t, dir, "empty.md", "")
	write(t, dir, "blank.txt", " \n\n ")
	write(t, dir, "latin1.md", "caf\xe9")
	write(t, dir, "binary.txt", "a\x00b")
	write(t, dir, "huge.md", strings.Repeat("x", maxFile+1))
	write(t, dir, "photo.jpg", "not looked at")

	t.Run("first run", func(t *testing.T) {
		r := ask(t, "-dir", dir, "-data", data, "When does the night train to Vienna leave?")
		if r.code != exitAnswered {
			t.Fatalf("exit code %d\n%s", r.code, r.stderr)
		}
		for _, want := range []string{"ten in the evening", "[1] Night trains in Europe (sub/trains.html), score ", "Sources"} {
			if !strings.Contains(r.stdout, want) {
				t.Errorf("no %q in\n%s", want, r.stdout)
			}
		}
		wantLine(t, r, "4 added, 0 changed, 0 removed, 0 unchanged; 5 skipped")
		wantLine(t, r, "1 file of another kind was not read: photo.jpg")
		wantLine(t, r, "empty.md", "is empty")
		wantLine(t, r, "blank.txt", "holds no text")
		wantLine(t, r, "latin1.md", "not valid UTF-8")
		wantLine(t, r, "binary.txt", "not a text document")
		wantLine(t, r, "huge.md", "larger than")
		wantLine(t, r, "long.txt", "holds a line of")
	})
	t.Run("second run", func(t *testing.T) {
		resp, r := askJSON(t, "-dir", dir, "-data", data, "How do bees tell where flowers are?")
		wantLine(t, r, "0 added, 0 changed, 0 removed, 4 unchanged")
		if strings.Contains(r.stderr, "Ingesting") {
			t.Errorf("something was ingested again:\n%s", r.stderr)
		}
		if len(resp.Sources) == 0 || !strings.Contains(resp.Sources[0].Text, "dance") {
			t.Errorf("sources: %+v", resp.Sources)
		}
	})
	t.Run("after changes", func(t *testing.T) {
		write(t, dir, "tea.txt", "Black tea is brewed at ninety-five degrees.\n")
		write(t, dir, "bread.md", "# Bread at home\n\nSourdough rises for twelve hours.\n")
		if err := os.Remove(filepath.Join(dir, "bees.md")); err != nil {
			t.Fatal(err)
		}
		resp, r := askJSON(t, "-dir", dir, "-data", data, "At how many degrees is tea brewed?")
		wantLine(t, r, "1 added, 1 changed, 1 removed, 2 unchanged")
		all := fmt.Sprint(resp)
		if !strings.Contains(all, "ninety-five") || strings.Contains(all, "eighty") {
			t.Errorf("the answer is from the old file: %+v", resp)
		}
	})
	t.Run("removed", func(t *testing.T) {
		resp, _ := askJSON(t, "-dir", dir, "-data", data, "Do honey bees dance for flowers?")
		if strings.Contains(fmt.Sprint(resp.Sources), "bees") {
			t.Errorf("a removed document is cited: %+v", resp.Sources)
		}
	})
	t.Run("another folder in the same library", func(t *testing.T) {
		other := t.TempDir()
		write(t, other, "moon.md", "# About the moon\n\nThe moon has no air.\n")
		_, r := askJSON(t, "-dir", other, "-data", data, "Does the moon have air?")
		wantLine(t, r, "1 added, 0 changed, 0 removed, 0 unchanged")
		resp, r := askJSON(t, "-dir", dir, "-data", data, "Does the moon have air?")
		wantLine(t, r, "0 added, 0 changed, 0 removed, 4 unchanged")
		if strings.Contains(fmt.Sprint(resp.Sources), "moon") {
			t.Errorf("a document of the other folder is cited: %+v", resp.Sources)
		}
	})
	t.Run("no answer", func(t *testing.T) {
		r := ask(t, "-dir", dir, "-data", data, "Zyxwvut qponmlk?")
		if r.code != exitAnswered || strings.Contains(r.stdout, "Sources") || strings.TrimSpace(r.stdout) == "" {
			t.Errorf("exit code %d, stdout %q", r.code, r.stdout)
		}
	})
}

// TestDirOfFile holds that a file in the place of a folder is named as what it is, with the
// folder to name instead.
func TestDirOfFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "notes.md")
	if err := os.WriteFile(file, []byte("# Notes\n\nA note.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := chooseSource(t.Context(), file)
	want := "-dir takes a folder, and " + file + " is a file: name the folder that it is in, " + filepath.Dir(file)
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}
