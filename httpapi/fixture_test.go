package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a handler over a fresh Library in memory, with two users.
type fixture struct {
	t     *testing.T
	store quire.Store
	lib   *quire.Library
	h     http.Handler
	ann   account
	bob   account

	// Only of newEngineFixture:
	eng *quire.Engine
	llm *enginetest.LLM
}

// account is a user with an API key.
type account struct {
	quire.User
	key string
}

// newFixture serves the content routes.
func newFixture(t *testing.T, opts *Options) *fixture {
	t.Helper()
	return newFixtureOn(t, store.NewMemory(), opts)
}

// newFixtureOn serves the content routes over a Store, which it closes.
func newFixtureOn(t *testing.T, s quire.Store, opts *Options) *fixture {
	t.Helper()
	return newFixtureWith(t, s, opts, quire.LibraryOptions{})
}

// newFixtureWith is newFixtureOn with a Library that has options of its own.
func newFixtureWith(t *testing.T, s quire.Store, opts *Options, library quire.LibraryOptions) *fixture {
	t.Helper()
	f := &fixture{t: t, store: s}
	library.PublicURL = "https://quire.example"
	lib, err := quire.NewLibrary(t.Context(), f.store, &library)
	if err != nil {
		t.Fatal(err)
	}
	f.lib = lib
	t.Cleanup(func() {
		if err := errors.Join(lib.Close(context.Background()), f.store.Close()); err != nil {
			t.Error(err)
		}
	})
	f.ann, f.bob = f.account("ann"), f.account("bob")
	f.h = New(lib, nil, opts)
	return f
}

// newEngineFixture serves all routes, over fakes of the models.
func newEngineFixture(t *testing.T, opts *Options) *fixture {
	t.Helper()
	return newFileFixture(t, opts, nil)
}

// newFileFixture is newEngineFixture with an engine that has options of its own.
func newFileFixture(t *testing.T, opts *Options, engine *quire.EngineOptions) *fixture {
	t.Helper()
	return newFixture(t, nil).withEngine(opts, engine)
}

// withEngine adds an engine with fakes of the models, and serves all routes.
func (f *fixture) withEngine(opts *Options, engine *quire.EngineOptions) *fixture {
	t := f.t
	t.Helper()
	f.llm = enginetest.NewLLM()
	eng, err := quire.NewEngine(t.Context(), f.lib, enginetest.NewIndex(), enginetest.NewEmbedder(), f.llm, engine)
	if err != nil {
		t.Fatal(err)
	}
	f.eng = eng
	t.Cleanup(func() {
		if err := eng.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	f.h = New(f.lib, eng, opts)
	return f
}

// listOf stores documents with these bodies, and a list of them.
func (f *fixture) listOf(title string, bodies ...string) quire.List {
	f.t.Helper()
	in := quire.ListInput{Title: title}
	for i, body := range bodies {
		e, err := f.lib.CreateElemental(f.t.Context(), f.ann.Actor(), quire.ElementalInput{
			Title: fmt.Sprintf("Item number %d", i), TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: body,
		})
		if err != nil {
			f.t.Fatal(err)
		}
		in.Items = append(in.Items, quire.ItemInput{ElementalID: e.ID})
	}
	l, err := f.lib.CreateList(f.t.Context(), f.ann.Actor(), in)
	if err != nil {
		f.t.Fatal(err)
	}
	return l
}

// ingest ingests an elemental and waits for it.
func (f *fixture) ingest(by account, id string) {
	f.t.Helper()
	job := f.do(by.key, "POST", "/v1/kb/elemental", `{"elemental_id":"`+id+`"}`).want(202).str("data.job_id")
	j, err := f.eng.Wait(f.t.Context(), by.TenantID, job)
	if err != nil || j.Status != quire.JobSucceeded {
		f.t.Fatalf("ingest of %s: %+v, %v", id, j, err)
	}
}

func (f *fixture) account(name string) account {
	f.t.Helper()
	u, err := f.lib.CreateUser(f.t.Context(), quire.UserInput{
		ID: name, Name: strings.ToUpper(name), Username: name + "1", Email: name + "@example.org", AvatarURL: "https://img.example/" + name,
	})
	if err != nil {
		f.t.Fatal(err)
	}
	_, secret, err := f.lib.CreateKey(f.t.Context(), name, quire.KeyInput{Secret: "key-of-" + name + "-0123456789"})
	if err != nil {
		f.t.Fatal(err)
	}
	return account{u, secret}
}

// do sends a request as a user ("" key: without one) and checks what holds for every
// answer: the shape of the body, the status in it, and the fixed headers.
func (f *fixture) do(key, method, path, body string, headers ...string) answer {
	f.t.Helper()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req := httptest.NewRequest(method, path, r)
	if key != "" {
		req.Header.Set("x-api-key", key)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	rec := exchanged(f.t, f.h, req)
	a := answer{f.t, rec.Code, rec.Result().Header, rec.Body.String()}
	a.check(method + " " + path)
	return a
}

// elemental creates a document and returns its id. extra is added to the payload.
func (f *fixture) elemental(by account, title, extra string) string {
	f.t.Helper()
	payload := `{"title":"` + title + `","type_id":3,"category_id":18,"template":"body of ` + title + `"` + extra + `}`
	return f.do(by.key, "POST", "/v1/user/elemental", payload).want(201).str("response.id")
}

// list creates a list of elementals and returns its id.
func (f *fixture) list(by account, title string, items ...string) string {
	f.t.Helper()
	var ids []string
	for i, id := range items {
		ids = append(ids, fmt.Sprintf(`{"prompt_id":%q,"orderIndex":%d}`, id, i))
	}
	payload := fmt.Sprintf(`{"title":%q,"item_ids":[%s]}`, title, strings.Join(ids, ","))
	return f.do(by.key, "POST", "/v1/user/list", payload).want(201).str("response.id")
}

// tag creates a tag and returns its id.
func (f *fixture) tag(by account, title string) string {
	f.t.Helper()
	return f.do(by.key, "POST", "/v1/user/tag", `{"title":"`+title+`","color":"#aabbcc","elementalTypeId":3}`).want(201).str("response.id")
}

// snapshot is everything that the two users have, to see that nothing changed.
func (f *fixture) snapshot() string {
	f.t.Helper()
	var b strings.Builder
	out := json.NewEncoder(&b) // fmt would print the addresses that pointers have
	ctx := f.t.Context()
	err := f.store.View(ctx, func(tx quire.ReadTx) error {
		var subjects []quire.Subject
		for _, id := range []string{"ann", "bob"} {
			own, err := f.snapshotOf(tx, out, id)
			if err != nil {
				return err
			}
			subjects = append(subjects, own...)
		}
		for _, id := range []string{"ann", "bob"} {
			marks, err := tx.Marks(ctx, id, subjects)
			if err != nil {
				return err
			}
			slices.SortFunc(marks, func(x, y quire.Mark) int { return strings.Compare(fmt.Sprint(x), fmt.Sprint(y)) })
			if err := out.Encode(marks); err != nil {
				return err
			}
		}
		for c, err := range tx.AllChunks(ctx) {
			if err != nil {
				return err
			}
			if err := out.Encode(c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return b.String()
}

// snapshotOf writes what one user owns, and returns what others can engage with.
func (f *fixture) snapshotOf(tx quire.ReadTx, out *json.Encoder, id string) ([]quire.Subject, error) {
	ctx := f.t.Context()
	var all []any
	var subjects []quire.Subject
	for e, err := range tx.ElementalsOf(ctx, id) {
		if err != nil {
			return nil, err
		}
		comments, err := tx.Comments(ctx, e.ID, 0, 1000)
		if err != nil {
			return nil, err
		}
		all, subjects = append(all, e, comments), append(subjects, quire.Subject{ElementalID: e.ID})
	}
	lists, _, err := tx.SearchLists(ctx, quire.ListSearch{Viewer: quire.Viewer{OwnerID: id}, Limit: 1000})
	if err != nil {
		return nil, err
	}
	for _, l := range lists {
		items, err := tx.Items(ctx, l.ID)
		if err != nil {
			return nil, err
		}
		all, subjects = append(all, l, items), append(subjects, quire.Subject{ListID: l.ID})
	}
	for _, s := range subjects {
		owner := quire.MediaOwner(s)
		media, err := tx.MediaOf(ctx, []quire.MediaOwner{owner})
		if err != nil {
			return nil, err
		}
		rates, err := tx.Rates(ctx, s, 0, 1000)
		if err != nil {
			return nil, err
		}
		all = append(all, media[owner], rates)
	}
	tags, err := tx.TagsOf(ctx, id)
	if err != nil {
		return nil, err
	}
	jobs, _, err := tx.Jobs(ctx, quire.JobQuery{TenantID: id, Limit: 1000})
	if err != nil {
		return nil, err
	}
	return subjects, out.Encode(append(all, tags, jobs))
}

// request sends a GET as Ann through a real connection.
func (f *fixture) request(srv *httptest.Server, path string) *http.Response {
	f.t.Helper()
	req, err := http.NewRequestWithContext(f.t.Context(), "GET", srv.URL+path, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	req.Header.Set("x-api-key", f.ann.key)
	resp, err := srv.Client().Do(req)
	if err != nil {
		f.t.Fatal(err)
	}
	return resp
}
