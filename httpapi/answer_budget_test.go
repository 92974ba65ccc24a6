package httpapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirelib/quire"
)

// TestBudgetIsShared lets several users come and go: the figures are costs.
func TestBudgetIsShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &budget{size: 12, wait: 10 * time.Second}
		var mu sync.Mutex
		var entered []string
		enter := func(ctx context.Context, user string, cost, limit int64) func() {
			release := func() {}
			go func() {
				leave, err := b.acquire(ctx, user, cost, limit)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					release = leave
				case errors.Is(err, errBusy):
					user += " was refused"
				default:
					user += " gave up"
				}
				entered = append(entered, user)
			}()
			synctest.Wait()
			return func() {
				mu.Lock()
				leave := release
				mu.Unlock()
				leave()
				leave()
				synctest.Wait()
			}
		}
		check := func(want ...string) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if diff := cmp.Diff(want, entered); diff != "" {
				t.Error(diff)
			}
			entered = nil
		}
		ann := enter(t.Context(), "ann", 4, 12)
		again := enter(t.Context(), "ann", 3, 12) // would be more than half
		bob := enter(t.Context(), "bob", 7, 12)   // more than half, but alone
		check("ann", "bob")
		cat := enter(t.Context(), "cat", 1, 9) // the last is not for her
		check()
		dan := enter(t.Context(), "dan", 1, 12) // waits behind nobody who does not fit
		check("dan")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		enter(ctx, "eve", 1000, 12)
		time.Sleep(5 * time.Second)
		check("eve gave up")
		ann()
		check("ann")
		enter(t.Context(), "fay", 1000, 12)
		time.Sleep(9 * time.Second)
		check("cat was refused")
		time.Sleep(2 * time.Second)
		check("fay was refused")
		whole := enter(t.Context(), "fay", 1000, 12)
		for _, leave := range []func(){again, bob, cat, dan} {
			leave()
		}
		check("fay")
		whole()
		enter(t.Context(), "cat", 1, 9)()
		check("cat")
		// Who has some already waits for others, not for that.
		first, err := b.acquire(t.Context(), "ann", 5, 12)
		more, errMore := b.acquireMore(t.Context(), "ann", 5, 1000, 12)
		_, errOther := b.acquire(t.Context(), "ann", 1, 12)
		all, errAll := b.acquireMore(t.Context(), "ann", 12, 1000, 12)
		if err != nil || errMore != nil || !errors.Is(errOther, errBusy) || errAll != nil {
			t.Errorf("errors %v, %v, %v, %v", err, errMore, errOther, errAll)
		}
		if b.used != 12 {
			t.Errorf("%d are used, want all 12", b.used)
		}
		for _, leave := range []func(){more, first, all} {
			leave()
		}
		if b.used != 0 || len(b.waiting) != 0 || len(b.held) != 0 {
			t.Errorf("%d are used, %d wait, %v hold some after all", b.used, len(b.waiting), b.held)
		}
	})
}

// words is a body of n bytes and little more.
func words(n int) string { return strings.Repeat("word ", n/5) }

// TestNoRequestWaitsForItself sends files to lists with large items: the body and the answer
// take more than the half of the budget that a user has, and nobody else takes any of it.
func TestNoRequestWaitsForItself(t *testing.T) {
	t.Parallel()
	f := newFixture(t, &Options{MaxAnswerMemory: 64 << 20})
	memory := &f.h.(*server).largeAnswers
	memory.wait = 20 * time.Millisecond
	id := f.do(f.ann.key, "POST", "/v1/user/elemental", `{"title":"A text of some length","type_id":3,"category_id":18,"template":"`+words(5<<20)+`"}`).want(201).str("response.id")
	file := `"files":[{"file_name":"a.bin","file_buffer":"` + base64.StdEncoding.EncodeToString(make([]byte, 4<<20)) + `"}]`
	list := f.do(f.ann.key, "POST", "/v1/user/list", `{"title":"A list","item_ids":[{"prompt_id":"`+id+`"}],`+file+`}`).want(201).str("response.id")
	f.do(f.ann.key, "PUT", "/v1/user/list/"+list, `{`+file+`}`).want(200)
	if memory.used != 0 {
		t.Errorf("%d bytes are still taken", memory.used)
	}
}

// TestLargeAnswersWait fills the budget by hand: what is large waits and is refused, what
// is small is not, and neither what does not exist; what writes has a part of its own.
func TestLargeAnswersWait(t *testing.T) {
	t.Parallel()
	f := newFixture(t, &Options{MaxAnswerMemory: 64 << 20})
	memory := &f.h.(*server).largeAnswers
	memory.wait = 20 * time.Millisecond
	create := func(size int) string {
		return f.do(f.ann.key, "POST", "/v1/user/elemental", `{"title":"A text of some length","type_id":3,"category_id":18,"template":"`+words(size)+`"}`).want(201).str("response.id")
	}
	large, ordinary := create(200_000), create(80<<10)
	release, err := memory.acquire(t.Context(), "eve", 48<<20, 48<<20) // all that there is for reading
	if err != nil {
		t.Fatal(err)
	}
	f.do(f.ann.key, "GET", "/v1/elemental/"+ordinary, "").want(200)
	f.do(f.ann.key, "PUT", "/v1/user/elemental/"+ordinary, `{"template":"`+words(80<<10)+`"}`).want(200)
	f.do(f.ann.key, "GET", "/v1/elemental/unknown", "").want(404)
	for _, path := range []string{"", "/knowledge-base"} {
		a := f.do(f.ann.key, "GET", "/v1/elemental/"+large+path, "").want(503)
		if a.header.Get("Retry-After") != "5" || !strings.Contains(a.str("error_message"), "send it again") {
			t.Errorf("%q is refused with %q, Retry-After %q", path, a.str("error_message"), a.header.Get("Retry-After"))
		}
	}
	f.do(f.ann.key, "PUT", "/v1/user/elemental/"+large, `{"title":"A text that was renamed"}`).want(200)
	create(200_000)
	other, err := memory.acquire(t.Context(), "dan", 16<<20, 64<<20) // and all for writing
	if err != nil {
		t.Fatal(err)
	}
	f.do(f.ann.key, "PUT", "/v1/user/elemental/"+large, `{"title":"A text that was renamed twice"}`).want(503)
	other()
	release()
	if got := f.do(f.ann.key, "GET", "/v1/elemental/"+large, "").want(200).str("response.title"); got != "A text that was renamed" {
		t.Errorf("after 503 the title is %q", got)
	}
	if memory.used != 0 {
		t.Errorf("%d bytes are still taken", memory.used)
	}
}

// TestSlowReaders is four connections of a user that read a long answer slowly: others
// are served meanwhile.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	big := f.elementalOf(f.bob, words(15<<20))
	middle := f.elementalOf(f.ann, words(1<<20))
	srv := httptest.NewServer(f.h)
	t.Cleanup(srv.Close)
	for range 4 {
		conn, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "GET /v1/elemental/%s HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\n\r\n", big, f.bob.key)
	}
	memory := &f.h.(*server).largeAnswers
	for waiting := 0; waiting < 3; {
		time.Sleep(10 * time.Millisecond)
		memory.mu.Lock()
		waiting = len(memory.waiting)
		memory.mu.Unlock()
	}
	f.do(f.ann.key, "GET", "/v1/elemental/"+middle, "").want(200)
	f.do(f.ann.key, "PUT", "/v1/user/elemental/"+middle, `{"title":"A document with a new title"}`).want(200)
}

// TestMemoryIsGivenBackBeforeTheEnd stops where the last part of an answer is written: what is
// still to be sent is all that is held.
func TestMemoryIsGivenBackBeforeTheEnd(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	id := f.elementalOf(f.ann, words(200_000))
	memory := &f.h.(*server).largeAnswers
	for _, header := range []string{"", "a key"} {
		req := httptest.NewRequest("POST", "/v1/user/elemental", strings.NewReader(`{"title":"A text of some length","type_id":3,"category_id":18,"template":"`+words(200_000)+`"}`))
		if header == "" {
			req = httptest.NewRequest("GET", "/v1/elemental/"+id, nil)
		} else {
			req.Header.Set(idempotencyKey, "a-key")
		}
		req.Header.Set("x-api-key", f.ann.key)
		var parts []int64
		f.h.ServeHTTP(&watched{httptest.NewRecorder(), func() { parts = append(parts, memory.used) }}, req)
		if len(parts) == 0 || parts[len(parts)-1] > 2*longAnswerLimit || parts[0] <= 2*longAnswerLimit {
			t.Errorf("with %q: %v bytes are held as the parts are written, want a buffer's for the last", header, parts)
		}
	}
}

// watched calls a function before each write.
type watched struct {
	*httptest.ResponseRecorder
	before func()
}

func (w *watched) Write(p []byte) (int, error) {
	w.before()
	return w.ResponseRecorder.Write(p)
}

// elementalOf creates a document with a body.
func (f *fixture) elementalOf(by account, body string) string {
	f.t.Helper()
	e, err := f.lib.CreateElemental(f.t.Context(), by.Actor(), quire.ElementalInput{
		Title: "A document with a body", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: body,
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return e.ID
}

// TestLargeElementalsAreEncodedAlike compares what is written in parts with what is encoded
// at once.
func TestLargeElementalsAreEncodedAlike(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	s := f.h.(*server)
	cases := 0
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"word ", "*em* ", "\n\n", "# Heading\n", "- item\n", "<b>&", `"\`, "#place ", "#[a place]", "日本😀", "\xe6", "\x00", "\u2028", "|a|b|\n|-|-|\n|c|d|\n", strings.Repeat("long é ", 10_000)})
		e := quire.Elemental{URL: "https://quire.example/v1/elemental/e", Details: &quire.Details{}}
		e.ID, e.Title, e.TypeID = "e", `A title with "columns":[] in it`, quire.TypeDocument
		e.Body = strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "body"), "")
		e.Description = rapid.String().Draw(t, "description")
		opts := quire.KnowledgeOptions{
			Format: rapid.SampledFrom([]quire.KnowledgeFormat{"", quire.FormatText, quire.FormatMarkdown, quire.FormatJSON}).Draw(t, "format"),
			Fields: rapid.SampledFrom([][]string{nil, {"content"}, {"id", "tutorial", "images"}, {"title", "content", "url"}}).Draw(t, "fields"),
		}
		atOnce, err := s.elementalWithKnowledge(e, opts)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := (largeElemental{s: s, e: e, knowledge: &opts}).encodeTo(&b); err != nil {
			t.Fatal(err)
		}
		want, _ := json.Marshal(atOnce)
		if diff := cmp.Diff(decoded(t, want), decoded(t, b.Bytes())); diff != "" {
			t.Fatal(diff)
		}
		cases++
	})
	t.Logf("compared %d elementals", cases)
}

func decoded(t *rapid.T, text []byte) (v any) {
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v in %.200q", err, text)
	}
	return v
}

// TestLargeElementalsEndWithTheirWriter makes every write fail in turn.
func TestLargeElementalsEndWithTheirWriter(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	id := f.table(f.ann).str("response.id")
	e, err := f.lib.Elemental(t.Context(), f.ann.Actor(), id)
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("the disk is full")
	large := largeElemental{s: f.h.(*server), e: e, knowledge: &quire.KnowledgeOptions{}}
	whole := &counter{}
	if err := large.encodeTo(whole); err != nil {
		t.Fatal(err)
	}
	for limit := int64(1); limit < whole.size; limit += 97 {
		w := &counter{limit: limit, then: func() error { return full }}
		if err := large.encodeTo(w); !errors.Is(err, full) {
			t.Fatalf("after %d of %d bytes: %v, want %v", limit, whole.size, err, full)
		}
	}
}

// TestPagesWait is TestLargeAnswersWait for answers with several elementals: those that
// show a large one whole wait, those that show it without its body do not.
func TestPagesWait(t *testing.T) {
	t.Parallel()
	f := newFixture(t, &Options{MaxAnswerMemory: 64 << 20})
	memory := &f.h.(*server).largeAnswers
	memory.wait = 20 * time.Millisecond
	large := f.elementalOf(f.ann, words(200_000))
	list := f.list(f.ann, "With it", large)
	items := []string{large}
	for range knowledgeLimit {
		items = append(items, f.elementalOf(f.ann, "short"))
	}
	long := f.list(f.ann, "With it and others", items...)
	release, err := memory.acquire(t.Context(), "eve", 48<<20, 48<<20)
	if err != nil {
		t.Fatal(err)
	}
	whole := []string{"/v1/elementals?search=word", "/v1/list/" + list, "/v1/list/" + long + "?expand_items=true", "/v1/list/" + long + "/items?expand_items=true"}
	for _, path := range whole {
		f.do(f.ann.key, "GET", path, "").want(503)
	}
	for _, path := range []string{"/v1/elementals?search=short", "/v1/list/" + long, "/v1/list/" + long + "/items"} {
		f.do(f.ann.key, "GET", path, "").want(200)
	}
	f.do(f.ann.key, "PUT", "/v1/user/list/"+list, `{"title":"Renamed"}`).want(200)
	release()
	for _, path := range whole {
		f.do(f.ann.key, "GET", path, "").want(200)
	}
	if memory.used != 0 {
		t.Errorf("%d bytes are still taken", memory.used)
	}
}

// TestLargeBodiesWait fills the budget for bodies by hand.
func TestLargeBodiesWait(t *testing.T) {
	t.Parallel()
	f := newFixture(t, &Options{MaxRequestMemory: 8 << 20})
	bodies := &f.h.(*server).largeBodies
	bodies.wait = 20 * time.Millisecond
	create := func(size int, unknown bool) int {
		body := `{"title":"A text of some length","type_id":3,"category_id":18,"template":"` + words(size) + `"}`
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/v1/user/elemental", strings.NewReader(body))
		r.Header.Set("x-api-key", f.ann.key)
		if unknown {
			r.ContentLength = -1
		}
		w := httptest.NewRecorder()
		f.h.ServeHTTP(w, r)
		return w.Code
	}
	release, err := bodies.acquire(t.Context(), "eve", 8<<20, 8<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, unknown := range []bool{false, true} {
		if got := create(500_000, unknown); got != 201 {
			t.Errorf("a short body, length unknown: %v: %d", unknown, got)
		}
		if got := create(1_500_000, unknown); got != 503 {
			t.Errorf("a long body, length unknown: %v: %d", unknown, got)
		}
	}
	release()
	for _, unknown := range []bool{false, true} {
		if got := create(1_500_000, unknown); got != 201 {
			t.Errorf("a long body with room, length unknown: %v: %d", unknown, got)
		}
	}
	if bodies.used != 0 {
		t.Errorf("%d bytes are still taken", bodies.used)
	}
}

// Pages of long descriptions take turns, as one text of their length would; those of
// ordinary ones do not wait.
func TestPagesOfLongDescriptionsWait(t *testing.T) {
	t.Parallel()
	f := newFixture(t, &Options{MaxAnswerMemory: 16 << 20})
	s := f.h.(*server)
	s.largeAnswers.wait = 50 * time.Millisecond
	for i := range 10 {
		if _, err := f.lib.CreateList(t.Context(), f.ann.Actor(), quire.ListInput{Title: fmt.Sprintf("A described list %d", i), Description: strings.Repeat("word ", 4000)}); err != nil {
			t.Fatal(err)
		}
		in := quire.ElementalInput{Title: fmt.Sprintf("A described document %d", i), TypeID: 3, CategoryID: 18, Body: "x", Description: strings.Repeat("word ", 4000)}
		if _, err := f.lib.CreateElemental(t.Context(), f.ann.Actor(), in); err != nil {
			t.Fatal(err)
		}
	}
	release, err := s.largeAnswers.acquire(t.Context(), "ann", s.largeAnswers.size, s.largeAnswers.size)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/v1/lists?search=described", "/v1/elementals?search=described"} {
		f.do(f.bob.key, "GET", path+"&size=10", "").want(503)
		f.do(f.bob.key, "GET", path+"&size=4", "").want(200)
	}
	release()
	for _, path := range []string{"/v1/lists?search=described", "/v1/elementals?search=described"} {
		f.do(f.bob.key, "GET", path+"&size=10", "").want(200)
	}
}
