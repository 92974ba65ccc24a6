package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
)

// insides are words that only the inside of the server has: of its database, its files and
// its program.
var insides = regexp.MustCompile(`(?i)sqlite|pq:|goroutine|/home|/tmp|/var/lib|select \*|\.go:\d+|0xc0|errno|constraint failed`)

const insideText = "sqlite: SELECT * FROM elementals: constraint failed (pq: 23505), errno 5 in /home/app/data/quire.db and /tmp/x\ngoroutine 7 [running]:\nmain.go:12 +0xc000"

// brokenStore fails with what is set, from then on.
type brokenStore struct {
	quire.Store
	fault atomic.Pointer[fault]
}

// fault is a way of a Store to fail: before a transaction or at its end, with an error or
// a panic.
type fault struct {
	name string
	late bool
	err  error // nil: a panic
}

func (f *fault) happen() error {
	if f.err == nil {
		panic(insideText)
	}
	return f.err
}

func (s *brokenStore) View(ctx context.Context, fn func(tx quire.ReadTx) error) error {
	f := s.fault.Load()
	if f != nil && !f.late {
		return f.happen()
	}
	err := s.Store.View(ctx, fn)
	if f != nil && err == nil {
		return f.happen()
	}
	return err
}

func (s *brokenStore) Update(ctx context.Context, fn func(tx quire.Tx) error) error {
	f := s.fault.Load()
	if f == nil {
		return s.Store.Update(ctx, fn)
	}
	if !f.late {
		return f.happen()
	}
	return s.Store.Update(ctx, func(tx quire.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return f.happen()
	})
}

// isHealth reports whether a route answers that something failed, and does not fail by it.
func isHealth(rt route) bool { return strings.Contains(rt.pattern, "health") }

// TestFaultTexts makes the Store fail under every route, in every way: the answer is one of
// a few fixed texts, with the id that the log has too.
func TestFaultTexts(t *testing.T) {
	t.Parallel()
	inside := errors.New(insideText)
	var faults []fault
	for _, late := range []bool{false, true} {
		faults = append(faults, fault{"panic", late, nil}, fault{"plain", late, inside}, fault{"wrapped", late, fmt.Errorf("read: %w", inside)},
			fault{"corrupt", late, quire.ErrCorrupt.WithCause(inside)}, fault{"unavailable", late, quire.ErrUnavailable.WithCause(inside)},
			fault{"closed", late, quire.ErrClosed.WithCause(inside)}, fault{"locked", late, quire.ErrLocked.WithCause(inside)},
			fault{"newer", late, quire.ErrNewerSchema.WithCause(inside)}, fault{"internal", late, quire.Errorf(quire.CodeInternal, "%s", insideText)})
	}
	s := &brokenStore{Store: store.NewMemory()}
	f := newFixtureOn(t, s, nil).withEngine(nil, nil)
	id := f.elemental(f.ann, "How to sail a boat", `,"id":"5"`)
	f.ingest(f.ann, id)
	var log logged
	f.h = New(f.lib, f.eng, &Options{
		Logger:       slog.New(slog.NewJSONHandler(&log, nil)),
		Authenticate: func(*http.Request) (quire.User, error) { return f.ann.User, nil },
	})
	bodies, failed, hits := 0, 0, 0
	texts := map[string]bool{}
	for i := range faults {
		s.fault.Store(&faults[i])
		for _, rt := range slices.Concat(contentRoutes, engineRoutes, docRoutes) {
			rec := f.asked("", rt.method, fill(rt.pattern, "5")+"?format=text&group_by=row&fields=title&search=boat", goodBodies[rt.method+" "+rt.pattern])
			bodies++
			if rec.Code < 500 {
				continue
			}
			failed++
			texts[message.FindString(rec.Body.String())] = true
			if found := insides.FindString(rec.Body.String() + fmt.Sprint(rec.Header())); found != "" {
				hits++
				t.Errorf("%s, %s %s: %q in %s", faults[i].name, rt.method, rt.pattern, found, rec.Body.String())
			}
			if after := rec.Header().Get("Retry-After"); (rec.Code == 503) != wholeSeconds.MatchString(after) {
				t.Errorf("%s, %s %s: %d with Retry-After %q", faults[i].name, rt.method, rt.pattern, rec.Code, after)
			}
			if closed := quire.CodeOf(faults[i].err) == quire.CodeClosed; closed && !isHealth(rt) && !strings.Contains(rec.Body.String(), errStopping.message) {
				t.Errorf("%s, %s %s: %s", faults[i].name, rt.method, rt.pattern, rec.Body.String())
			}
			id := rec.Header().Get("X-Request-Id")
			if !isHealth(rt) && !slices.ContainsFunc(log.all(), func(record string) bool { return strings.Contains(record, id) }) {
				t.Errorf("%s, %s %s: the log does not have the request %s", faults[i].name, rt.method, rt.pattern, id)
			}
			log.forget()
		}
	}
	s.fault.Store(nil)
	if failed < len(faults)*20 {
		t.Errorf("only %d answers say that something failed", failed)
	}
	if rec := f.asked("", "GET", "/v1/elemental/5", ""); rec.Code != http.StatusOK {
		t.Errorf("afterwards: %d %s", rec.Code, rec.Body.String())
	}
	if t.Failed() {
		return
	}
	t.Logf("H4: %d faults of the Store under each route: %d answers of status 500 and 503 with %d different texts, %d of %d bodies hold something of the inside",
		len(faults), failed, len(texts), hits, bodies)
}

// message is what an error says, in both shapes.
var message = regexp.MustCompile(`"(error_message|detail|status)":"[^"]*"`)
