package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirelib/quire"
)

// try asks with a key from an address.
func (f *fixture) try(key, address string) *httptest.ResponseRecorder {
	f.t.Helper()
	r := httptest.NewRequest("GET", "/v1/auth/token/validate", nil)
	r.RemoteAddr = address
	r.Header.Set("x-api-key", key)
	return exchanged(f.t, f.h, r)
}

// TestGuessedKeys: of ten thousand guesses none is let in, and but few are looked up;
// whoever has a good key notices nothing.
func TestGuessedKeys(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, nil)
		var log strings.Builder
		looked := 0
		f.h = New(f.lib, nil, &Options{FailedKeys: Rate{PerMinute: 6, Burst: 20}, Logger: slog.New(slog.NewJSONHandler(&log, nil))})
		s := f.h.(*server)
		lookUp := s.opts.Authenticate
		s.opts.Authenticate = func(r *http.Request) (quire.User, error) {
			looked++
			return lookUp(r)
		}
		const guesser, other = "203.0.113.9:4711", "203.0.113.10:4711"
		if f.try(f.ann.key, guesser).Code != 200 { // a good key, at the same address
			t.Fatal("Ann's key is refused")
		}
		looked = 0
		const guesses = 10_000
		counted, unharmed := map[int]int{}, 0
		for i := range guesses {
			time.Sleep(10 * time.Millisecond)
			rec := f.try(fmt.Sprintf("a-guessed-key-%06d", i), guesser)
			counted[rec.Code]++
			if wait := rec.Header().Get("Retry-After"); rec.Code == 429 && (wait == "" || wait == "0") {
				t.Fatalf("Retry-After %q", wait)
			}
			if i%100 == 0 {
				before := looked
				if code := f.try(f.ann.key, guesser).Code; code != 200 {
					t.Fatalf("after %d guesses Ann's key gets %d", i, code)
				}
				if code := f.try(f.bob.key, other).Code; code != 200 {
					t.Fatalf("after %d guesses Bob's key gets %d", i, code)
				}
				looked, unharmed = before, unharmed+2
			}
		}
		// 20 at once, then one each 10 s of the 99.99 s from the first to the last.
		accepted := guesses - counted[401] - counted[429]
		if accepted != 0 || counted[401] != 29 || looked != counted[401] {
			t.Errorf("statuses %v, %d looked up, want 29", counted, looked)
		}
		// A key that was not used yet has to wait like a guess, but no longer than it is told.
		_, fresh, err := f.lib.CreateKey(t.Context(), "ann", quire.KeyInput{})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if code := f.try(fresh, guesser).Code; code != 200 {
			t.Errorf("a new key gets %d after the wait", code)
		}
		lines := keysInLog(t, f, log.String(), "a-guessed-key")
		if t.Failed() {
			return
		}
		t.Logf("E10: %d wrong keys in %d s: %d accepted, %d looked up and logged by a part of their hash (%d lines), %d refused with Retry-After; %d requests with good keys meanwhile, all answered",
			guesses, guesses/100, accepted, counted[401], lines, counted[429], unharmed)
	})
}

// keysInLog counts the refused keys of a log, and checks that they are told apart and
// none can be read.
func keysInLog(t *testing.T, f *fixture, log, guess string) (lines int) {
	t.Helper()
	if strings.Contains(log, guess) || strings.Contains(log, f.ann.key) {
		t.Errorf("the log holds a key: %s", log)
	}
	want := sha256.Sum256([]byte("a-guessed-key-000000"))
	seen := map[string]bool{}
	for line := range strings.Lines(log) {
		var entry struct {
			Msg, Level, Address string
			Key                 string `json:"key_sha256"`
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if lines == 0 && (entry.Level != "WARN" || entry.Address != "203.0.113.9" || entry.Key != hex.EncodeToString(want[:4])) {
			t.Errorf("the first line is %s", line)
		}
		seen[entry.Key] = true
		lines++
	}
	if lines != 29 || len(seen) != lines {
		t.Errorf("%d lines with %d hashes, want 29", lines, len(seen))
	}
	return lines
}

// TestGuessesAtOnce: guesses that are on their way together are paid for afterwards.
func TestGuessesAtOnce(t *testing.T) {
	t.Parallel()
	f := newFailedKeys(Rate{PerMinute: 60, Burst: 5})
	now := time.Unix(1_800_000_000, 0)
	for i := range 50 {
		if wait := f.wait("a", caller{byte(i)}, now); wait != 0 {
			t.Fatalf("guess %d has to wait %v before one has failed", i, wait)
		}
	}
	for i := range 50 {
		f.note("a", caller{byte(i)}, true, now)
	}
	if wait := f.wait("a", caller{99}, now); wait != 46*time.Second {
		t.Errorf("after 50 failures with a burst of 5: wait %v, want 46s", wait)
	}
	if wait := f.wait("b", caller{99}, now); wait != 0 {
		t.Errorf("another address has to wait %v", wait)
	}
	// A key that is revoked is like any wrong one from its next failure on.
	f.note("b", caller{1, 1}, false, now)
	if wait := f.wait("a", caller{1, 1}, now); wait != 0 {
		t.Errorf("a good key has to wait %v", wait)
	}
	f.note("a", caller{1, 1}, true, now)
	if wait := f.wait("a", caller{1, 1}, now); wait == 0 {
		t.Error("a key that is good no more does not have to wait")
	}
	for i := range 3 * maxGoodKeys {
		f.note("c", caller{2, byte(i), byte(i >> 8), byte(i >> 16)}, false, now)
		if len(f.good) > maxGoodKeys {
			t.Fatalf("%d good keys are remembered", len(f.good))
		}
	}
}

func TestClientAddress(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"192.0.2.7:80": "192.0.2.7", "[2001:db8:1:2:3:4:5:6]:80": "2001:db8:1:2::/64", "[fe80::1%eth0]:80": "fe80::/64",
		"[::ffff:192.0.2.7]:80": "::ffff:192.0.2.7", "@": "@", "": "",
	} {
		if got := remoteAddress(&http.Request{RemoteAddr: remote}); got != want {
			t.Errorf("%q: %q, want %q", remote, got, want)
		}
	}
	f := newFixture(t, nil)
	f.h = New(f.lib, nil, &Options{FailedKeys: Rate{PerMinute: 1}, ClientAddress: func(r *http.Request) string { return r.Header.Get("X-Real-Ip") }})
	for _, tt := range []struct {
		address string
		status  int
	}{{"192.0.2.1", 401}, {"192.0.2.1", 429}, {"192.0.2.2", 401}} {
		f.do("not-a-key-0123456789", "GET", "/v1/lists", "", "X-Real-Ip", tt.address).want(tt.status)
	}
	// Without a key nothing is tried.
	f.do("", "GET", "/v1/lists", "", "X-Real-Ip", "192.0.2.1").want(401)
	for _, o := range []Options{{FailedKeys: Rate{PerMinute: -1}}, {FailedKeys: Rate{PerMinute: 1}, Authenticate: f.h.(*server).opts.Authenticate}} {
		if _, err := o.withDefaults(f.lib); err == nil {
			t.Errorf("%+v: accepted", o.FailedKeys)
		}
	}
}
