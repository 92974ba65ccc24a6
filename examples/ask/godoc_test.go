package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// questions have their answers in the documents of the Go distribution; one of the
// sources must hold the phrase.
var questions = []struct{ question, phrase string }{
	{"What happens on a send to a closed channel?", "send on a closed channel proceeds by causing a run-time panic"},
	{"In which order are deferred calls executed?", "reverse order they were deferred"},
	{"What is the iteration order of maps?", "iteration order over maps is not specified"},
	{"What is the zero value of a slice?", "value of an uninitialized slice is nil"},
	{"When does init run?", "init functions"},
	{"What does the memory model say about a receive from a closed channel?", "closing of a channel is synchronized before a receive"},
	{"Which GODEBUG setting brings back asynchronous timer channels?", "asynctimerchan"},
}

// The promises of the README, for two cores.
const (
	firstAnswer = 30 * time.Second
	nextAnswer  = 2 * time.Second
	memoryLimit = 500 << 20 // bytes
)

func TestGoDocuments(t *testing.T) {
	if _, err := chooseSource(t.Context(), ""); err != nil {
		t.Skipf("this Go distribution has no documents: %v", err)
	}
	data := filepath.Join(t.TempDir(), "data")
	for i, c := range questions {
		resp, r := askJSON(t, "-data", data, c.question)
		limit := nextAnswer
		if i == 0 {
			limit = firstAnswer
		}
		if r.took > limit {
			t.Errorf("%s: took %v, want at most %v", c.question, r.took, limit)
		}
		if rss := peakMemory(r.state); rss > memoryLimit {
			t.Errorf("%s: took %d MiB of memory", c.question, rss>>20)
		}
		t.Logf("%.2f s, %d MiB: %s", r.took.Seconds(), peakMemory(r.state)>>20, c.question)
		if !cites(resp, c.phrase) {
			t.Errorf("%s: no source holds %q", c.question, c.phrase)
			for i, s := range resp.Sources {
				t.Logf("[%d] %.3f %s", i+1, s.Score, excerpt(s.Text))
			}
		}
	}
	t.Logf("asked %d questions", len(questions))
}

// cites reports whether one of the sources holds a phrase, however its lines are
// broken and its words marked up.
func cites(r response, phrase string) bool {
	for _, s := range r.Sources {
		text := strings.NewReplacer("`", "", "*", "", `\_`, "_").Replace(s.Text)
		if strings.Contains(strings.Join(strings.Fields(text), " "), phrase) {
			return true
		}
	}
	return false
}
