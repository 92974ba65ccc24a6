package httpapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store/sqlite"
)

// sent are the parts of an answer that a repetition must have too.
type sent struct {
	Status                          int
	Body, Type, Length, Loc, ListAt string
}

func (a answer) sent() sent {
	return sent{a.status, a.body, a.header.Get("Content-Type"), a.header.Get("Content-Length"), a.header.Get("Location"), strings.Join(a.header[listURLHeader], ",")}
}

// replayed checks whether an answer says that it is a repetition.
func (a answer) replayed(want bool) answer {
	a.t.Helper()
	if got := a.header.Values("Idempotent-Replayed"); (len(got) == 1 && got[0] == "true") != want || len(got) > 1 {
		a.t.Errorf("Idempotent-Replayed is %q, want %t", got, want)
	}
	return a
}

// total is how many elementals, lists and tags Ann has.
func (f *fixture) total() int {
	f.t.Helper()
	n := 0
	err := f.store.View(f.t.Context(), func(tx quire.ReadTx) error {
		for _, err := range tx.ElementalsOf(f.t.Context(), "ann") {
			if err != nil {
				return err
			}
			n++
		}
		_, lists, err := tx.SearchLists(f.t.Context(), quire.ListSearch{Viewer: quire.Viewer{OwnerID: "ann"}, Limit: 1})
		if err != nil {
			return err
		}
		tags, err := tx.TagsOf(f.t.Context(), "ann")
		n += lists + len(tags)
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

// TestOnceRoutes sends to every route that takes a key: the same again, something else
// with the same key, and the same with keys that are none.
func TestOnceRoutes(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, rt := range contentRoutes {
		if !rt.once {
			continue
		}
		checked++
		t.Run(rt.pattern, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, nil)
			path, good := fill(rt.pattern, f.elemental(f.ann, "A document to add to", "")), goodBodies[rt.method+" "+rt.pattern]
			before := f.total()
			first := f.do(f.ann.key, rt.method, path, good, "Idempotency-Key", "k").want(201).replayed(false)
			created := f.total() - before
			for range 2 {
				again := f.do(f.ann.key, rt.method, path, good, "Idempotency-Key", "k").replayed(true)
				if diff := cmp.Diff(first.sent(), again.sent()); diff != "" {
					t.Errorf("the answer again (-first +again):\n%s", diff)
				}
			}
			f.do(f.ann.key, rt.method, path, good+" ", "Idempotency-Key", "k").
				failed(409, "this idempotency key was used for another request in the last 24 hours: send a new key for a new request, or the same method, address and body for the answer of the first").replayed(false)
			f.do(f.ann.key, rt.method, path+"?x=1", good, "Idempotency-Key", "k").want(409)
			f.do(f.bob.key, rt.method, path+"?x=1", "{", "Idempotency-Key", "k").want(400)
			for _, headers := range [][]string{
				{"Idempotency-Key", ""}, {"Idempotency-Key", strings.Repeat("x", 256)}, {"Idempotency-Key", "a b"}, {"Idempotency-Key", "\u00e4"},
				{"Idempotency-Key", "k", "Idempotency-Key", "k"}, {"Idempotency-Key", "", "Idempotency-Key", "k"},
			} {
				f.do(f.ann.key, rt.method, path, good, headers...).want(400).replayed(false)
			}
			if n := f.total() - before; n != created {
				t.Errorf("%d things were created, want %d", n, created)
			}
			f.do(f.ann.key, rt.method, path, good).want(201).replayed(false)
			f.do(f.ann.key, rt.method, path, good, "idempotency-key", strings.Repeat("~", 255)).want(201).replayed(false)
			if n := f.total() - before; n != 3*created {
				t.Errorf("%d things were created without the key and with another one, want %d", n, 2*created)
			}
		})
	}
	if checked < 4 {
		t.Errorf("only %d routes take a key", checked)
	}
}

// Keys of different users and routes have nothing to do with each other.
func TestOnceIsPerUserAndRoute(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	const one, tag = `{"title":"An elemental of its own","type_id":3,"template":"x","category_id":18}`, `{"title":"A tag","color":"#fff","elementalTypeId":1}`
	ids := map[string]bool{}
	for _, r := range []struct{ key, path, body string }{
		{f.ann.key, "/v1/user/elemental", one}, {f.bob.key, "/v1/user/elemental", one}, {f.ann.key, "/v1/user/tag", tag}, {f.bob.key, "/v1/user/tag", tag},
	} {
		ids[f.do(r.key, "POST", r.path, r.body, "Idempotency-Key", "k").want(201).replayed(false).str("response.id")] = true
	}
	if len(ids) != 4 {
		t.Errorf("created were %v", ids)
	}
	// Routes that create nothing know no key.
	for range 2 {
		f.do(f.ann.key, "GET", "/v1/user/tags", "", "Idempotency-Key", "k").want(200).replayed(false)
	}
}

// What was refused is not remembered: once the reason is gone, the same request works.
func TestOnceRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	key := []string{"Idempotency-Key", "k"}
	const one = `{"id":"wanted","title":"An elemental with an id","type_id":3,"template":"x","category_id":18}`
	f.do(f.bob.key, "POST", "/v1/user/elemental", one).want(201)
	f.do(f.ann.key, "POST", "/v1/user/elemental", one, key...).want(409).replayed(false)
	f.do(f.ann.key, "POST", "/v1/user/elemental", one, key...).want(409).replayed(false)
	f.do(f.bob.key, "DELETE", "/v1/elemental/wanted", "").want(204)
	f.do(f.ann.key, "POST", "/v1/user/elemental", one, key...).want(201).replayed(false)
	f.do(f.ann.key, "POST", "/v1/user/elemental", one, key...).want(201).replayed(true)

	const many = `[{"title":"A snippet by its title","type_id":2}]`
	other := f.do(f.ann.key, "POST", "/v1/user/elementals", many).want(201).str("response.0.id")
	refused := f.do(f.ann.key, "POST", "/v1/user/elementals", many, key...).want(400).replayed(false)
	if got := refused.at("errors.0.code"); fmt.Sprint(got) != "409" {
		t.Errorf("the error is %v", got)
	}
	f.do(f.ann.key, "DELETE", "/v1/elemental/"+other, "").want(204)
	f.do(f.ann.key, "POST", "/v1/user/elementals", many, key...).want(201).replayed(false)
	f.do(f.ann.key, "POST", "/v1/user/elementals", many, key...).want(201).replayed(true)
}

// An answer that says what was created and what was not is kept as a whole.
func TestOnceInPart(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	const many = `[{"title":"A snippet by its title","type_id":2},{"title":"x","type_id":3},{"title":"A snippet by its title","type_id":2}]`
	first := f.do(f.ann.key, "POST", "/v1/user/elementals", many, "Idempotency-Key", "k").want(206).replayed(false).has("response.created.0.index", "0")
	again := f.do(f.ann.key, "POST", "/v1/user/elementals", many, "Idempotency-Key", "k").want(206).replayed(true)
	if diff := cmp.Diff(first.sent(), again.sent()); diff != "" || f.total() != 1 {
		t.Errorf("%d elementals; the answer again:\n%s", f.total(), diff)
	}
}

func TestOnceManyAtOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	var calls sync.WaitGroup
	answers := make([]answer, 20)
	for i := range answers {
		calls.Go(func() {
			answers[i] = f.do(f.ann.key, "POST", "/v1/user/elemental", `{"title":"Wanted by many","type_id":3,"template":"x","category_id":18}`, "Idempotency-Key", "k")
		})
	}
	calls.Wait()
	first := 0
	for _, a := range answers {
		if diff := cmp.Diff(answers[0].sent(), a.sent()); diff != "" || a.status != 201 {
			t.Errorf("status %d, answers differ:\n%s", a.status, diff)
		}
		if a.header.Get("Idempotent-Replayed") == "" {
			first++
		}
	}
	if first != 1 || f.total() != 1 {
		t.Errorf("%d first answers, %d elementals", first, f.total())
	}
}

// The answer is remembered for 24 hours, by a fake clock.
func TestOnceForDay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, nil)
		create := func() answer {
			t.Helper()
			return f.do(f.ann.key, "POST", "/v1/user/tag", `{"title":"A tag","color":"#fff","elementalTypeId":1}`, "Idempotency-Key", "k").want(201)
		}
		first := create()
		time.Sleep(24*time.Hour - time.Second)
		create().replayed(true)
		time.Sleep(time.Second)
		if second := create().replayed(false); second.str("response.id") == first.str("response.id") || f.total() != 2 {
			t.Errorf("there are %d tags", f.total())
		}
	})
}

// A handler that fails or panics undoes what it did, and its key is free again.
func TestOnceBroken(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	var after func(c *call) error
	f.h.(*server).router = newRouter([]route{{method: "POST", pattern: "/v1/user/tag", body: true, once: true, handle: func(s *server, c *call) error {
		return s.once(c, effect{do: func(c *call) error {
			tag, err := s.lib.CreateTag(c.r.Context(), c.actor(), tagInput(c.object()))
			if err != nil {
				return err
			}
			if err := c.respond(http.StatusCreated, tagOf(tag)); err != nil {
				return err
			}
			return after(c)
		}})
	}}}, "")
	post := func(status int) answer {
		t.Helper()
		return f.do(f.ann.key, "POST", "/v1/user/tag", `{"title":"A tag","color":"#fff","elementalTypeId":1}`, "Idempotency-Key", "k").want(status).replayed(false)
	}
	for _, broken := range []func(*call) error{
		func(*call) error { return errors.New("out of luck") },
		func(*call) error { panic("out of luck") },
	} {
		after = broken
		post(500)
	}
	after = func(c *call) error {
		_, err := f.lib.Tags(c.r.Context(), c.actor())
		return err
	}
	if post(201); f.total() != 1 {
		t.Errorf("%d tags", f.total())
	}
}

// A long answer is held compressed, and sent again byte for byte; its reader may be
// slow, or stop reading.
func TestOnceLongAnswer(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.h.(*server).opts.WriteTimeout = time.Second
	var many strings.Builder
	for i := range 25 {
		fmt.Fprintf(&many, `,{"title":"A long document %d","type_id":3,"template":"%s"}`, i, strings.Repeat("many *words* ", 1<<12))
	}
	body := "[" + many.String()[1:] + "]"
	request := func(url string) *http.Request {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), "POST", url+"/v1/user/elementals", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("x-api-key", f.ann.key)
		req.Header.Set("Idempotency-Key", "k")
		return req
	}
	post := func() answer { // not recorded: it is long
		rec := httptest.NewRecorder()
		f.h.ServeHTTP(rec, request(""))
		return answer{t, rec.Code, rec.Result().Header, rec.Body.String()}
	}
	first := post().want(201).replayed(false)
	if again := post().replayed(true); first.sent() != again.sent() {
		t.Error("the long answer differs")
	}
	if got := first.header.Get("Content-Length"); got != fmt.Sprint(len(first.body)) {
		t.Errorf("Content-Length is %s of %d bytes", got, len(first.body))
	}
	var kept quire.Receipt
	err := f.store.View(t.Context(), func(tx quire.ReadTx) (err error) {
		kept, err = tx.Receipt(t.Context(), "ann", "POST /v1/user/elementals", "k")
		return err
	})
	if err != nil || len(kept.Body) > len(first.body)/10 {
		t.Errorf("%d bytes are kept of %d, %v", len(kept.Body), len(first.body), err)
	}
	if z, err := gzip.NewReader(bytes.NewReader(kept.Body)); err != nil {
		t.Error(err)
	} else if whole, err := io.ReadAll(z); err != nil || string(whole) != first.body {
		t.Errorf("what is kept is another text, %v", err)
	}
	t.Logf("an answer of %d bytes is kept in %d", len(first.body), len(kept.Body))

	ended := make(chan struct{}, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { ended <- struct{}{} }() // also where the handler cuts the connection
		f.h.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	resp, err := srv.Client().Do(request(srv.URL))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	select {
	case <-ended:
	case <-time.After(2 * time.Minute):
		t.Error("the answer waits for a reader that is stuck")
	}
}

// The answer survives the end of the program that gave it.
func TestOnceReopened(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "quire.db")
	var first sent
	for i := range 3 {
		s, err := sqlite.Open(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		lib, err := quire.NewLibrary(t.Context(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		f := &fixture{t: t, store: s, lib: lib, h: New(lib, nil, nil)}
		if i == 0 {
			f.ann = f.account("ann")
		}
		a := f.do("key-of-ann-0123456789", "POST", "/v1/user/list", `{"title":"Kept"}`, "Idempotency-Key", "k").want(201).replayed(i > 0)
		if i == 0 {
			first = a.sent()
		}
		if diff := cmp.Diff(first, a.sent()); diff != "" || first.ListAt == "" || f.total() != 1 {
			t.Errorf("time %d, %d lists:\n%s", i, f.total(), diff)
		}
		if err := errors.Join(lib.Close(context.Background()), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
}
