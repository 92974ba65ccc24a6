package quire_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/httpapi"
	"github.com/quirelib/quire/store/sqlite"
)

// cancelFixture is an Engine on a file, and a server before it.
type cancelFixture struct {
	*engineFixture
	server         *httptest.Server
	read           string      // an elemental that nobody changes
	patiences      []*patience // for each kind of call
	posted         sync.Map    // the titles of lists that the server has acknowledged
	partial, wrong atomic.Int64
	faulty         atomic.Int64 // answers of status 500
}

// cancelled is a call that may be cut short.
type cancelled struct {
	do    func(ctx context.Context) error
	parts int        // of its effect
	there func() int // how many of these are there
}

// cancelledKinds are the kinds of calls. Each makes one of a caller whose own elemental nobody else
// changes; name is of this call only.
var cancelledKinds = []struct {
	name   string
	writes bool
	make   func(f *cancelFixture, own, name string) cancelled
}{
	{"create many", true, (*cancelFixture).createMany},
	{"update", true, (*cancelFixture).updateOwn},
	{"ingest", true, (*cancelFixture).ingestOwn},
	{"search passages", false, (*cancelFixture).searchPassages},
	{"search elementals", false, (*cancelFixture).searchTitles},
	{"create a list over the network", true, (*cancelFixture).postList},
	{"read over the network", false, (*cancelFixture).getRead},
}

func newCancelFixture(t *testing.T) *cancelFixture {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "quire.db"), &sqlite.Options{Synchronous: sqlite.Normal})
	if err != nil {
		t.Fatal(err)
	}
	f := &cancelFixture{engineFixture: newEngineFixture(t, s, quire.EngineOptions{Chunker: paragraphs{}})}
	for range cancelledKinds {
		f.patiences = append(f.patiences, &patience{limit: 4 * time.Millisecond})
	}
	f.read = f.add(f.ann, "Read by many callers", "some words").ID
	api := httpapi.New(f.Library, f.eng, &httpapi.Options{Authenticate: func(*http.Request) (quire.User, error) {
		return quire.User{ID: f.ann.UserID, TenantID: f.ann.TenantID}, nil
	}})
	f.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &statusOf{ResponseWriter: w}
		api.ServeHTTP(seen, r)
		if seen.status == http.StatusInternalServerError {
			f.faulty.Add(1)
		}
	}))
	t.Cleanup(f.server.Close)
	return f
}

// noted fails the test, from any goroutine.
func (f *cancelFixture) noted(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Error(err)
	}
}

func (f *cancelFixture) createMany(_, name string) cancelled {
	ids, ins := make([]string, 2), make([]quire.ElementalInput, 2)
	for i := range ids {
		ids[i] = fmt.Sprint(name, "-", i)
		ins[i] = document("A pair of caller and call "+ids[i], "body of "+ids[i])
		ins[i].ID = ids[i]
	}
	return cancelled{parts: len(ids), do: func(ctx context.Context) error {
		_, err := f.CreateElementals(ctx, f.ann, ins)
		return err
	}, there: func() (n int) {
		f.noted(f.store.View(f.t.Context(), func(tx quire.ReadTx) error {
			there, err := tx.Elementals(f.t.Context(), ids)
			n = len(there)
			return err
		}))
		return n
	}}
}

// updateOwn changes what stands in several tables at once.
func (f *cancelFixture) updateOwn(own, name string) cancelled {
	title, body, note := "The title of "+name, "body of "+name, "description of "+name
	patch := quire.ElementalPatch{Title: &title, Body: &body, Description: &note, Media: quire.MediaPatch{Files: &[]quire.Upload{upload(name, []byte(name))}}}
	return cancelled{parts: 4, do: func(ctx context.Context) error {
		_, err := f.UpdateElemental(ctx, f.ann, own, patch)
		return err
	}, there: func() int {
		e, err := f.Elemental(f.t.Context(), f.ann, own)
		f.noted(err)
		return trueOf(e.Title == title, e.Body == body, e.Description == note, len(e.Details.Media) == 1 && e.Details.Media[0].Name == name)
	}}
}

func (f *cancelFixture) ingestOwn(own, name string) cancelled {
	return cancelled{parts: 1, do: func(ctx context.Context) error {
		_, err := f.eng.Ingest(ctx, f.ann.TenantID, quire.IngestRequest{ElementalID: own, TraceID: name})
		return err
	}, there: func() int {
		_, err := f.eng.Job(f.t.Context(), f.ann.TenantID, name)
		if quire.CodeOf(err) != quire.CodeNotFound {
			f.noted(err)
		}
		return trueOf(err == nil)
	}}
}

func (f *cancelFixture) searchPassages(own, _ string) cancelled {
	return f.reading(own, func(ctx context.Context) error {
		found, err := f.eng.Search(ctx, quire.SearchRequest{Query: "words", Filters: quire.Filters{TenantID: f.ann.TenantID, ElementalID: f.read}})
		if err == nil && len(found) == 0 {
			return errors.New("no passage was found")
		}
		return err
	})
}

func (f *cancelFixture) searchTitles(own, _ string) cancelled {
	return f.reading(own, func(ctx context.Context) error {
		found, err := f.SearchElementals(ctx, f.ann, quire.SearchInput{Text: "many callers"})
		if err == nil && len(found.Items) != 1 {
			return fmt.Errorf("%d elementals were found", len(found.Items))
		}
		return err
	})
}

func (f *cancelFixture) getRead(own, _ string) cancelled {
	return f.reading(own, func(ctx context.Context) error { return f.over(ctx, "GET", "/v1/elemental/"+f.read, "") })
}

// reading is a call that changes nothing of an elemental.
func (f *cancelFixture) reading(own string, do func(ctx context.Context) error) cancelled {
	state := func() string {
		e, err := f.Elemental(f.t.Context(), f.ann, own)
		text, failed := json.Marshal(e)
		f.noted(errors.Join(err, failed))
		return string(text)
	}
	before := state()
	return cancelled{do: do, there: func() int { return trueOf(state() != before) }}
}

// postList makes a list with an item and a file. What the server does after its client has gone is
// looked at when it has ended: see wholeLists.
func (f *cancelFixture) postList(_, name string) cancelled {
	body := fmt.Sprintf(`{"title": %q, "item_ids": [{"elemental_id": %q}], "files": [{"file_name": "f", "file_buffer": "eA=="}]}`, name, f.read)
	return cancelled{do: func(ctx context.Context) error {
		err := f.over(ctx, "POST", "/v1/user/list", body)
		if err == nil {
			f.posted.Store(name, true)
		}
		return err
	}, there: func() int { return 0 }}
}

// wholeLists wants that each list has all that postList gives it, and that those are there which
// the server has acknowledged.
func (f *cancelFixture) wholeLists() {
	f.t.Helper()
	f.check(f.store.View(f.t.Context(), func(tx quire.ReadTx) error {
		for l, err := range tx.TenantLists(f.t.Context(), f.ann.TenantID) {
			if err != nil {
				return err
			}
			whole, err := f.Library.List(f.t.Context(), f.ann, l.ID)
			if err != nil || whole.TotalItems != 1 || len(whole.Media) != 1 {
				f.partial.Add(1)
				f.t.Errorf("list %q has %d items and %d files, %v", l.Title, whole.TotalItems, len(whole.Media), err)
			}
			f.posted.Delete(l.Title)
		}
		return nil
	}))
	for title := range f.posted.Range {
		f.partial.Add(1)
		f.t.Errorf("list %q was acknowledged and is not there", title)
	}
}

// over makes a request, whose answer has to be whole.
func (f *cancelFixture) over(ctx context.Context, method, path, body string) error {
	req, err := http.NewRequestWithContext(ctx, method, f.server.URL+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := f.server.Client().Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		return err
	case res.StatusCode >= 300, !json.Valid(answer):
		return fmt.Errorf("status %d: %s", res.StatusCode, answer)
	}
	return nil
}

// trueOf returns how many of its arguments are true.
func trueOf(all ...bool) (n int) {
	for _, is := range all {
		if is {
			n++
		}
	}
	return n
}

// patience is how long calls of a kind may take at most. It follows what becomes of them, so that
// on any machine about half are cut.
type patience struct {
	mu        sync.Mutex
	limit     time.Duration
	came, cut int
}

func (p *patience) draw(rng *rand.Rand) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Duration(rng.Int64N(int64(p.limit)))
}

func (p *patience) note(err error, began bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		p.came++
		p.limit = max(p.limit-p.limit/8, 10*time.Microsecond)
		return
	}
	p.cut += trueOf(began)
	p.limit += p.limit / 8
}

// cancelOne makes a call that ends at some moment, and looks what there is of it.
func (f *cancelFixture) cancelOne(rng *rand.Rand, own, name string, kind int) {
	call := cancelledKinds[kind].make(f, own, name)
	ctx, cancel := context.WithTimeout(f.t.Context(), f.patiences[kind].draw(rng))
	began := ctx.Err() == nil
	err := call.do(ctx)
	cancel()
	if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		f.wrong.Add(1)
		f.t.Errorf("%s: %v", cancelledKinds[kind].name, err)
		return
	}
	f.patiences[kind].note(err, began)
	if there, want := call.there(), map[bool]int{true: call.parts}[err == nil]; there != want {
		f.partial.Add(1)
		f.t.Errorf("%s: after %v, %d of %d parts are there", cancelledKinds[kind].name, err, there, call.parts)
	}
}

// wantCancelled wants that of the calls, and of each kind that writes, enough were cancelled in the
// middle: in the long run it is about half. What only reads may be over before its timer can cut it.
func (f *cancelFixture) wantCancelled(calls int) (came, cut int) {
	f.t.Helper()
	for i, kind := range cancelledKinds {
		p := f.patiences[i]
		if least := calls / len(cancelledKinds) / 20; kind.writes && (p.came < least || p.cut < least) {
			f.t.Errorf("%s: %d came through and %d were cancelled in the middle, want at least %d", kind.name, p.came, p.cut, least)
		}
		came, cut = came+p.came, cut+p.cut
	}
	if cut < calls/10 {
		f.t.Errorf("only %d of %d calls were cancelled in the middle", cut, calls)
	}
	return came, cut
}

// TestCancelAtAnyTime cancels calls of all kinds at moments that nobody chose, in the
// process and from over the network: what they write is there as a whole or not at all,
// and nothing of them stays. That no goroutine does, TestMain looks after.
func TestCancelAtAnyTime(t *testing.T) {
	t.Parallel()
	const callers = 8
	calls := cancelledCalls
	if testing.Short() {
		calls /= 20
	}
	f := newCancelFixture(t)
	var wg sync.WaitGroup
	for caller := range callers {
		rng := rand.New(rand.NewPCG(uint64(caller), 10))
		own := f.create(f.ann, document(fmt.Sprint("The own one of caller ", caller), "nothing yet")).ID
		wg.Go(func() {
			for n := range calls / callers {
				f.cancelOne(rng, own, fmt.Sprintf("c%d-%d", caller, n), n%len(cancelledKinds))
			}
		})
	}
	wg.Wait()
	f.server.Close() // so that what it does has ended
	f.wholeLists()
	f.settleAll(f.ann)
	f.waitStatus(f.ingest(f.ann, f.read, ""), quire.JobSucceeded) // no connection is lost, no lock held
	if f.faulty.Load() > 0 {
		t.Errorf("%d requests were answered with status 500", f.faulty.Load())
	}
	came, cut := f.wantCancelled(calls)
	t.Logf("C10: %d calls of %d kinds, %d cancelled in the middle, %d came through: %d partial, %d with another error, %d answers of status 500",
		calls, len(cancelledKinds), cut, came, f.partial.Load(), f.wrong.Load(), f.faulty.Load())
}

// statusOf notes the status of an answer.
type statusOf struct {
	http.ResponseWriter
	status int
}

func (s *statusOf) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

func (s *statusOf) Unwrap() http.ResponseWriter { return s.ResponseWriter }
