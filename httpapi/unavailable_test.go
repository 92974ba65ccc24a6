package httpapi

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
)

// delayed is a failure that says when to try again.
type delayed struct{ error }

func (delayed) RetryDelay() time.Duration { return 90 * time.Second }

// TestUnavailable: each 503 says when to try again, and none tells a client to open what only
// the program can.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	stopping := make(chan struct{})
	s := &brokenStore{Store: store.NewMemory()}
	f := newFixtureOn(t, s, nil).withEngine(nil, nil)
	// Without keys, of which a Store that fails says nothing but that it does.
	f.h = New(f.lib, f.eng, &Options{Stopping: stopping, Authenticate: func(*http.Request) (quire.User, error) { return f.ann.User, nil }})
	f.ingest(f.ann, f.elemental(f.ann, "How to sail a boat", ""))
	chat := func() answer { return f.do("", "POST", "/v1/kb/chat", chatBody) }
	create := func() answer { return f.do("", "POST", "/v1/user/list", `{"title":"A list"}`) }
	full := quire.Errorf(quire.CodeUnavailable, "the storage is full")
	tests := []struct {
		name, message, after string
		happen               func() answer
	}{
		{"the storage is full", full.Message, "5", func() answer {
			s.fault.Store(&fault{late: true, err: full})
			defer s.fault.Store(nil)
			return create()
		}},
		{"the Store was closed", errStopping.message, "5", func() answer {
			s.fault.Store(&fault{err: quire.ErrClosed})
			defer s.fault.Store(nil)
			return create()
		}},
		{"the request took too long", "the request took too long", "5", func() answer {
			s.fault.Store(&fault{err: context.DeadlineExceeded})
			defer s.fault.Store(nil)
			return create()
		}},
		{"the LLM says when to come back", "the llm does not answer", "90", func() answer {
			f.llm.Fail(1, 0, delayed{errors.New("busy")})
			return chat()
		}},
		{"the service is about to stop", errStopping.message, "5", func() answer {
			close(stopping)
			return chat()
		}},
		{"the Engine was closed", errStopping.message, "5", func() answer {
			if err := f.eng.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			return f.do("", "POST", "/v1/kb/search", chatBody)
		}},
		{"health of the Engine", "DOWN", "5", func() answer { return f.do("", "GET", "/health", "") }},
		{"the Library was closed", errStopping.message, "5", func() answer {
			if err := f.lib.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			return create()
		}},
		{"health of the Library", "DOWN", "5", func() answer { return f.do("", "GET", "/v1/health", "") }},
	}
	for _, tt := range tests {
		a := tt.happen()
		body := parse(t, a.body).(map[string]any)
		said := body["error_message"]
		for _, key := range []string{"detail", "status"} {
			if said == nil {
				said = body[key]
			}
		}
		if after := a.header.Get("Retry-After"); a.status != 503 || said != tt.message || after != tt.after {
			t.Errorf("%s: %d %v, Retry-After %q, want %q and %q", tt.name, a.status, said, after, tt.message, tt.after)
		}
	}
}
