package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// questions have their answers in the documents of the Go distribution; one of the
// sources must hold one of the phrases.
var questions = []struct {
	question string
	phrases  []string
}{
	{"What happens on a send to a closed channel?", []string{"send on a closed channel proceeds by causing a run-time panic"}},
	{"What is the order of deferred calls?", []string{"in the reverse order they were deferred"}},
	{"What is the iteration order of maps?", []string{"iteration order over maps is not specified"}},
	{"What is the zero value of a slice?", []string{"value of an uninitialized slice is nil", "nil for pointers, functions, interfaces, slices"}},
	{"When does init run?", []string{"calling all init functions in the order they appear"}},
	{"What does the memory model say about a channel receive from a closed channel?",
		[]string{"closing of a channel is synchronized before a receive that returns a zero value"}},
	{"Which GODEBUG setting restores the old behavior of unbuffered timer channels?", []string{"asynctimerchan"}},
}

// memoryLimit is what the README promises, in bytes. How long answers take is printed.
const memoryLimit = 500 << 20

func TestGoDocuments(t *testing.T) {
	if _, err := chooseSource(t.Context(), ""); err != nil {
		t.Skipf("this Go distribution has no documents: %v", err)
	}
	data := filepath.Join(t.TempDir(), "data")
	for _, c := range questions {
		resp, r := askJSON(t, "-data", data, c.question)
		if rss := peakMemory(r.state); rss > memoryLimit {
			t.Errorf("%s: took %d MiB of memory", c.question, rss>>20)
		}
		t.Logf("%.2f s, %d MiB: %s", r.took.Seconds(), peakMemory(r.state)>>20, c.question)
		if !cites(resp, c.phrases) {
			t.Errorf("%s: no source holds %q", c.question, c.phrases)
			for i, s := range resp.Sources {
				t.Logf("[%d] %.3f %s", i+1, s.Score, excerpt(s.Text, ""))
			}
		}
	}
	t.Logf("asked %d questions", len(questions))
}

// cites reports whether one of the sources holds one of the phrases, however its
// lines are broken and its words marked up.
func cites(r response, phrases []string) bool {
	for _, s := range r.Sources {
		text := strings.NewReplacer("`", "", "*", "", `\_`, "_").Replace(unmarked(s.Text))
		text = strings.Join(strings.Fields(text), " ")
		if slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, p) }) {
			return true
		}
	}
	return false
}
