package quire_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store"
)

// slowService is an Embedder in front of which a service takes its time for each text, and
// gives up on calls that would take longer than its limit.
type slowService struct {
	quire.Embedder
	limit  time.Duration
	always time.Duration // what each call takes besides

	failing time.Duration // what a call takes at least that fails
	outage  int           // so many calls fail first

	mu      sync.Mutex
	perText time.Duration
	calls   []int // how many texts each had
}

func (s *slowService) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	s.mu.Lock()
	s.calls = append(s.calls, len(texts))
	takes := s.always + time.Duration(len(texts))*s.perText
	down := len(s.calls) <= s.outage
	s.mu.Unlock()
	if takes > s.limit || down {
		time.Sleep(max(s.limit, s.failing))
		return nil, context.DeadlineExceeded
	}
	time.Sleep(takes)
	return s.Embedder.Embed(ctx, texts)
}

// since returns the calls since the last time, and changes the time for a text.
func (s *slowService) since(perText time.Duration) []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := s.calls
	s.calls, s.perText = nil, perText
	return calls
}

// numberedParagraphs is a text of n passages.
func numberedParagraphs(name string, n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprint(name, " passage ", i)
	}
	return strings.Join(parts, "\n\n")
}

// withService runs a test with an Engine whose Embedder is slow.
func withService(t *testing.T, perText, limit time.Duration, test func(t *testing.T, f *engineFixture, s *slowService)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newEngineFixture(t, store.NewMemory(), quire.EngineOptions{Chunker: paragraphs{}, Workers: 1})
		s := &slowService{Embedder: enginetest.NewEmbedder(), perText: perText, limit: limit}
		f.startWith(s)
		test(t, f, s)
	})
}

// TestPace: calls have as many texts as are embedded in two seconds, at most as many as the
// options say.
func TestPace(t *testing.T) {
	withService(t, 100*time.Millisecond, time.Hour, func(t *testing.T, f *engineFixture, s *slowService) {
		f.add(f.ann, "What a slow service embeds", numberedParagraphs("slow", 130))
		wantEqual(t, s.since(200*time.Millisecond), []int{64, 20, 20, 20, 7})
		f.add(f.ann, "What a slower service embeds", numberedParagraphs("slower", 40))
		wantEqual(t, s.since(time.Millisecond), []int{20, 10, 10, 1})
		f.add(f.ann, "What a fast service embeds", numberedParagraphs("fast", 270))
		wantEqual(t, s.since(time.Millisecond), []int{10, 20, 40, 64, 64, 64, 9})
	})
}

// TestPaceGrowsNoFurther: an Embedder that became fast again is given as many texts as the
// options say, for ever.
func TestPaceGrowsNoFurther(t *testing.T) {
	withService(t, 100*time.Millisecond, time.Hour, func(t *testing.T, f *engineFixture, s *slowService) {
		f.add(f.ann, "What a slow service embeds", numberedParagraphs("slow", 99))
		s.since(0)
		f.add(f.ann, "What a fast service embeds", numberedParagraphs("fast", 6000))
		calls := s.since(0)
		if calls = calls[3 : len(calls)-1]; len(slices.Compact(calls)) != 1 || calls[0] != 64 {
			t.Errorf("calls of %v texts", calls)
		}
	})
}

// TestPaceOfLatency: where a call takes long whatever it holds, calls do not become small.
func TestPaceOfLatency(t *testing.T) {
	withService(t, 0, time.Hour, func(t *testing.T, f *engineFixture, s *slowService) {
		s.always = 3 * time.Second
		f.add(f.ann, "What a service far away embeds", numberedParagraphs("far", 269))
		wantEqual(t, s.since(20*time.Millisecond), []int{64, 42, 64, 64, 36})
		s.always = 1500 * time.Millisecond
		f.add(f.ann, "What a service less far away embeds", numberedParagraphs("near", 269))
		wantEqual(t, s.since(0), []int{64, 64, 64, 64, 14})
	})
}

// TestPaceOfFailures: a service that gives up on calls with many texts is given fewer until
// it answers.
func TestPaceOfFailures(t *testing.T) {
	withService(t, time.Second, 5*time.Second, func(t *testing.T, f *engineFixture, s *slowService) {
		e := f.add(f.ann, "What an overloaded service embeds", numberedParagraphs("late", 99))
		calls := s.since(0)
		if !slices.Equal(calls[:4], []int{64, 8, 1, 2}) || slices.Max(calls[4:]) > 2 {
			t.Errorf("calls of %v texts", calls)
		}
		if texts := f.texts(e.ID); len(texts) != 100 {
			t.Errorf("%d passages", len(texts))
		}
	})
}

// TestPaceBelowAFailure: a service that embeds so many texts and never more is not asked for
// more again and again, each of which would cost a try.
func TestPaceBelowAFailure(t *testing.T) {
	for _, tt := range []struct{ always, perText, limit time.Duration }{
		{0, 20 * time.Millisecond, 200 * time.Millisecond}, // 10 texts, and what is more takes 3 s
		{2500 * time.Millisecond, 100 * time.Millisecond, 4500 * time.Millisecond},
		{0, 2100 * time.Millisecond, 2150 * time.Millisecond},
	} {
		t.Run(fmt.Sprint(tt.always, tt.perText, tt.limit), func(t *testing.T) {
			withService(t, tt.perText, tt.limit, func(t *testing.T, f *engineFixture, s *slowService) {
				s.always, s.failing = tt.always, 3*time.Second
				e := f.add(f.ann, "What an overloaded service embeds", numberedParagraphs("limited", 199))
				if texts := f.texts(e.ID); len(texts) != 200 {
					t.Errorf("%d passages after calls of %v texts", len(texts), s.since(0))
				}
			})
		})
	}
}

// TestPaceAfterOutage: a service that answered nobody for a while gets as many texts as before,
// also where a call takes long whatever it holds.
func TestPaceAfterOutage(t *testing.T) {
	for _, always := range []time.Duration{100 * time.Millisecond, 1100 * time.Millisecond, 3 * time.Second} {
		t.Run(always.String(), func(t *testing.T) {
			withService(t, 0, time.Hour, func(t *testing.T, f *engineFixture, s *slowService) {
				s.always, s.failing, s.limit, s.outage = always, 30*time.Second, 30*time.Second, 3
				f.add(f.ann, "What waits for a service", numberedParagraphs("waits", 269))
				wantEqual(t, s.since(0), []int{64, 8, 1, 1, 2, 4, 8, 16, 32, 64, 64, 64, 15})
			})
		})
	}
}

// TestPaceOfChange: a change of the embedder is at the new one's pace.
func TestPaceOfChange(t *testing.T) {
	withService(t, 0, time.Hour, func(t *testing.T, f *engineFixture, s *slowService) {
		f.add(f.ann, "What is embedded anew", numberedParagraphs("again", 99))
		former := s.Embedder
		slow := &slowService{Embedder: newEmbedder(), perText: 100 * time.Millisecond, limit: time.Hour}
		f.opts.Former = former
		f.startWith(slow)
		f.waitChanged()
		wantEqual(t, slow.since(0), []int{64, 20, 16})
	})
}
