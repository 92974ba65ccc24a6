package httpapi

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

// A caller has its burst, then as many as the rate lets through; others have their own.
func TestRateLimiter(t *testing.T) {
	t.Parallel()
	l := newRateLimiter(Rate{PerMinute: 60, Burst: 3})
	now := time.Unix(1_800_000_000, 0)
	one, other := caller{1}, caller{2}
	for i := range 3 {
		if wait := l.admit(one, now); wait != 0 {
			t.Fatalf("request %d of the burst has to wait %v", i, wait)
		}
	}
	// Refused requests take nothing, however many there are.
	for range 100 {
		if wait := l.admit(one, now); wait != time.Second {
			t.Fatalf("after the burst: wait %v, want 1s", wait)
		}
	}
	if wait := l.admit(other, now); wait != 0 {
		t.Errorf("another caller has to wait %v", wait)
	}
	now = now.Add(250 * time.Millisecond)
	if wait := l.admit(one, now); wait != 750*time.Millisecond {
		t.Errorf("a quarter of a second later: wait %v", wait)
	}
	admitted := 0
	for i := range 1000 { // 10 s, a hundred requests a second
		if l.admit(one, now.Add(time.Duration(i)*10*time.Millisecond)) == 0 {
			admitted++
		}
	}
	if admitted != 10 { // 10.24 s after the first one
		t.Errorf("%d of 1,000 requests in 10 s were admitted, want 10", admitted)
	}
	// A clock that steps back lets nobody in more often.
	if wait := l.admit(one, now.Add(-time.Hour)); wait == 0 {
		t.Error("admitted because the clock stepped back")
	}
}

// What is remembered of callers does not grow with how many there have ever been.
func TestRateLimiterForgets(t *testing.T) {
	t.Parallel()
	l := newRateLimiter(Rate{PerMinute: 60, Burst: 10})
	now := time.Unix(1_800_000_000, 0)
	busy := caller{255, 255}
	for i := range 100_000 {
		now = now.Add(10 * time.Millisecond)
		l.admit(caller{byte(i), byte(i >> 8), byte(i >> 16)}, now)
		l.admit(busy, now)
		if len(l.of) > 3000 {
			t.Fatalf("%d callers are remembered after %d", len(l.of), i)
		}
	}
	if l.admit(busy, now) == 0 {
		t.Error("a caller that asks all the time was forgotten")
	}
}

func TestRateOverHTTP(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, &Options{Rate: Rate{PerMinute: 1, Burst: 2}})
	_, second, err := f.lib.CreateKey(t.Context(), "ann", quire.KeyInput{Secret: "another-key-of-ann-0123456789"})
	if err != nil {
		t.Fatal(err)
	}
	taken, refused := 0, 0
	for _, key := range []string{f.ann.key, f.bob.key, second} {
		for range 2 {
			f.do(key, "GET", "/v1/user/elementals", "").want(200)
			taken++
		}
		a := f.do(key, "GET", "/v1/user/elementals", "").want(429)
		if wait := a.header.Get("Retry-After"); wait != "60" || !strings.Contains(a.body, "1 a minute") {
			t.Errorf("Retry-After %q, %s", wait, a.body)
		}
		refused++
	}
	// Refusals for want of a key come first, and what needs none is not counted.
	f.do("", "GET", "/v1/user/elementals", "").want(401)
	for range 5 {
		f.do("", "GET", "/health", "").want(200)
	}
	if t.Failed() {
		return
	}
	t.Logf("D11: 3 keys of 2 users at their own limit of 2: %d requests taken, %d refused with Retry-After, 0 effects on another key", taken, refused)
}

// With a hook, the header says nothing about who asks.
func TestRateOfAUser(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	h := New(f.lib, nil, &Options{Rate: Rate{PerMinute: 1}, Authenticate: func(*http.Request) (quire.User, error) { return f.ann.User, nil }})
	var statuses []int
	for _, key := range []string{"a", "b"} {
		r := httptest.NewRequest("GET", "/v1/user/elementals", nil)
		r.Header.Set("X-Api-Key", key)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		statuses = append(statuses, w.Code)
	}
	if statuses[0] != 200 || statuses[1] != 429 {
		t.Errorf("statuses %v, want 200 and 429", statuses)
	}
}

func TestStreamCount(t *testing.T) {
	t.Parallel()
	s := streamCount{limit: 2}
	one, other := caller{1}, caller{2}
	enter := func(who caller) func() {
		t.Helper()
		leave, err := s.enter(who)
		if err != nil {
			t.Fatal(err)
		}
		return leave
	}
	first, second := enter(one), enter(one)
	if _, err := s.enter(one); err == nil || problemOf(err).status != 429 || problemOf(err).retryAfter == 0 {
		t.Errorf("a third stream: %v", err)
	}
	enter(other)()
	first()
	first() // counts once
	third := enter(one)
	if _, err := s.enter(one); err == nil {
		t.Error("a stream that was left twice counts twice")
	}
	second()
	third()
	if len(s.open) != 0 {
		t.Errorf("callers without streams are remembered: %v", s.open)
	}
}

// A second stream of one key is refused while the first one runs, and taken after it.
func TestStreamsOverHTTP(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, &Options{MaxStreams: 1})
	f.ingest(f.ann, f.elemental(f.ann, "All about boats", ""))
	gate := enginetest.NewGate()
	f.llm.Hold(gate)
	stream := func() int {
		r := httptest.NewRequest("POST", "/v1/kb/chat/stream", strings.NewReader(chatBody))
		r.Header.Set("X-Api-Key", f.ann.key)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		f.h.ServeHTTP(w, r)
		return w.Code
	}
	first := make(chan int, 1)
	go func() { first <- stream() }()
	<-gate.Arrived()
	a := f.do(f.ann.key, "POST", "/v1/kb/chat/stream", chatBody).want(429)
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	f.do(f.ann.key, "POST", "/v1/kb/search", chatBody).want(200) // no stream
	gate.Open()
	if status := <-first; status != 200 {
		t.Errorf("the first stream: %d", status)
	}
	if status := stream(); status != 200 {
		t.Errorf("after the first one: %d", status)
	}
}

func TestRateOptions(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	for _, o := range []Options{{Rate: Rate{PerMinute: -1}}, {Rate: Rate{PerMinute: 1, Burst: -1}}, {Rate: Rate{Burst: 1}}, {MaxStreams: -1}} {
		if _, err := o.withDefaults(f.lib); err == nil {
			t.Errorf("%+v, %d streams: accepted", o.Rate, o.MaxStreams)
		}
	}
}
