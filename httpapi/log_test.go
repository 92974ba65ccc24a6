package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store"
)

// logged keeps the records of a log: a handler writes each at once.
type logged struct {
	mu      sync.Mutex
	records []string
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = append(l.records, string(p))
	return len(p), nil
}

func (l *logged) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.records[:len(l.records):len(l.records)]
}

// forget drops the records so far.
func (l *logged) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = nil
}

// wait waits until there are n records.
func (l *logged) wait(t *testing.T, n int) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); len(l.all()) < n; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d records, want %d; the last is %.500s", len(l.all()), n, l.all()[len(l.all())-1])
		}
	}
}

// forgers are texts that make of one record two, or take over a terminal or a disk.
func forgers(t *testing.T) []string {
	texts := []string{
		"a\nb", "a\r\n{\"level\":\"INFO\",\"msg\":\"forged\"}", "a\rb", "a\ntime=2026-01-01 level=INFO msg=forged", "\x1b[2J\x1b[31mred\x07", "a\x00b", "a\xffb\xc3", "\u2028line\u2029",
		`"} {"msg":"forged`, "\\\" level=INFO", "\u202egnirts", "\u0085next", "\x7f\x9b", strings.Repeat("x", 1<<20), strings.Repeat("\n", 1<<20), strings.Repeat("\xff", 1<<18),
	}
	return append(texts, extraStrings(t)...)
}

// TestLogLines puts hostile texts into everything that is logged: each event is one record
// of one line that can be read, shows no control character, and is not long.
func TestLogLines(t *testing.T) {
	t.Parallel()
	lines, longest, texts := 0, 0, forgers(t)
	if testing.Short() {
		texts = texts[:min(40, len(texts))]
	}
	for name, handler := range map[string]func(io.Writer) slog.Handler{
		"JSON": func(w io.Writer) slog.Handler {
			return slog.NewJSONHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug})
		},
		"text": func(w io.Writer) slog.Handler {
			return slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug})
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newForged(t, handler)
			for i, text := range texts {
				f.happen(text)
				if i < 20 || i%10 == 0 {
					f.ingestFails(text)
				}
			}
			f.log.wait(t, f.events)
			if n := len(f.log.all()); n != f.events {
				t.Errorf("%d records of %d events", n, f.events)
			}
			for _, record := range f.log.all() {
				if err := readable(name, record); err != nil {
					t.Errorf("%v: %.300q", err, record)
				}
				lines, longest = lines+1, max(longest, len(record))
			}
		})
	}
	if longest > 128<<10 {
		t.Errorf("the longest record has %d bytes", longest)
	}
	if t.Failed() {
		return
	}
	t.Logf("H1: %d hostile texts in 9 kinds of events, as JSON and as text: %d records, 0 that cannot be read or are more than a line, the longest of %d KiB", len(texts), lines, longest>>10)
}

// readable says what is wrong with a record.
func readable(form, record string) error {
	line, ok := strings.CutSuffix(record, "\n")
	hidden := func(r rune) bool { return !unicode.IsGraphic(r) }
	switch {
	case !ok || strings.ContainsAny(line, "\n\r"):
		return errors.New("not one line")
	case !utf8.ValidString(line):
		return errors.New("not UTF-8")
	case strings.ContainsFunc(line, hidden):
		return errors.New("a control character")
	case form == "text" && !strings.HasPrefix(line, "time="):
		return errors.New("no time")
	case form == "text":
		return nil
	}
	var entry struct{ Time, Level, Msg string }
	if err := json.Unmarshal([]byte(line), &entry); err != nil {
		return err
	}
	if entry.Msg == "" || strings.Contains(entry.Msg, "forged") {
		return fmt.Errorf("the message is %q", entry.Msg)
	}
	return nil
}

// forged is a fixture whose parts fail with a text that a client or a service chose.
type forged struct {
	*fixture
	log      *logged
	embedder *enginetest.Embedder
	events   int
	text     string // of the next event
	event    string // what happens with it
}

// Extract fails with the text of the event.
func (f *forged) Extract(context.Context, quire.File, []byte) (string, error) {
	return "", quire.ErrInvalid.WithCause(errors.New(f.text))
}

func newForged(t *testing.T, handler func(io.Writer) slog.Handler) *forged {
	f := &forged{log: &logged{}, embedder: enginetest.NewEmbedder()}
	logger := slog.New(handler(f.log))
	f.fixture = newFixtureWith(t, store.NewMemory(), nil, quire.LibraryOptions{Logger: logger})
	f.llm = enginetest.NewLLM()
	eng, err := quire.NewEngine(t.Context(), f.lib, enginetest.NewIndex(), f.embedder, f.llm, &quire.EngineOptions{Logger: logger, MaxAttempts: 1, Extractor: f})
	if err != nil {
		t.Fatal(err)
	}
	f.eng = eng
	t.Cleanup(func() {
		if err := eng.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	keys := keyAuth(f.lib)
	f.h = New(f.lib, eng, &Options{Logger: logger, Authenticate: func(r *http.Request) (quire.User, error) {
		switch f.event {
		case "fails":
			return quire.User{}, errors.New(f.text)
		case "panics":
			panic(f.text)
		case "is nobody":
			return quire.User{}, quire.ErrNotFound.WithCause(errors.New(f.text))
		}
		return keys(r)
	}})
	f.ingest(f.ann, f.elemental(f.ann, "How to sail a boat", ""))
	return f
}

// happen makes one event of each kind with a text in it.
func (f *forged) happen(text string) {
	f.t.Helper()
	f.text = text
	for _, f.event = range []string{"fails", "panics", "is nobody"} {
		f.send("x-request-id", text)
	}
	f.event = ""
	// A key that is refused, from an address that is said by a header.
	inner := f.h
	f.h = New(f.lib, f.eng, &Options{Logger: f.h.(*server).opts.Logger, ClientAddress: func(*http.Request) string { return text }})
	f.send("x-api-key", "a key "+text)
	f.h = inner
	const ask = `{"query":"sail a boat","filters":{"tenant_id":"ann"}}`
	failure := errors.New("the service said: " + text)
	f.embedder.Fail(1, failure)
	f.do(f.ann.key, "POST", "/v1/kb/search", ask).want(503)
	f.llm.Fail(1, 0, failure)
	f.do(f.ann.key, "POST", "/v1/kb/chat", ask).want(503)
	f.llm.Fail(1, 1, failure) // in the middle of a stream
	f.do(f.ann.key, "POST", "/v1/kb/chat/stream", ask).want(200)
	f.events += 7
	f.log.wait(f.t, f.events)
}

// ingestFails makes an ingest fail with a text, after a file of it has.
func (f *forged) ingestFails(text string) {
	f.t.Helper()
	f.text = text
	id := f.elemental(f.ann, fmt.Sprintf("Text of event number %d", f.events), `,"files":[{"file_name":"a.txt","file_buffer":[1]}]`)
	f.embedder.Fail(1, errors.New("the service said: "+text))
	job := f.do(f.ann.key, "POST", "/v1/kb/elemental", `{"elemental_id":"`+id+`"}`).want(202).str("data.job_id")
	if _, err := f.eng.Wait(f.t.Context(), "ann", job); err != nil {
		f.t.Fatal(err)
	}
	f.events += 2 // the file and the ingest
	f.log.wait(f.t, f.events)
}

// send sends a request with a header of any bytes, whatever is answered.
func (f *forged) send(header, value string) {
	f.t.Helper()
	f.do("", "GET", "/v1/lists", "", header, value)
}
