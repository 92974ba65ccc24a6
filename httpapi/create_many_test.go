package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

func TestCreateManyAll(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	a := f.do(f.ann.key, "POST", "/v1/user/elementals", `[
		{"title":"The first of two","type_id":3,"description":"d"},
		{"title":"The second of two","type_id":2,"template":"x","category_id":18}]`).want(201)
	a.has("meta.total", "2", "meta.limit", "0", "response.0.title", `"The first of two"`, "response.1.title", `"The second of two"`,
		"response.0.category", `{"id":18,"name":"Text"}`, "response.0.body_content", `""`)
	if a.str("response.0.knowledge_base") == "" {
		t.Error("no knowledge text in a small answer")
	}
}

func TestCreateManySome(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	a := f.do(f.ann.key, "POST", "/v1/user/elementals", `[
		{"title":"short","type_id":3},
		{"title":"A good title","type_id":3},
		{"title":["wrong"],"type_id":3},
		"no object",
		{"title":"A snippet title","type_id":2},
		{"title":"A snippet title","type_id":2},
		{"title":"A prompt title","type_id":1,"topic_ids":[]},
		{"title":"A prompt without","type_id":1}]`).want(206)
	a.has("meta.total", "1", "response.created.0.index", "1", "response.created.1.index", "4", "response.created.2.index", "7",
		"response.created.0.elemental.title", `"A good title"`,
		"response.errors", `[
			{"code":400,"error_message":"title: must have between 10 and 100 characters","errors":[{"field":"title","message":"must have between 10 and 100 characters"}],"index":0,"title":"short"},
			{"code":400,"error_message":"title: must be a string","errors":[{"field":"title","message":"must be a string"}],"index":2,"title":""},
			{"code":400,"error_message":"must be an object","errors":[{"field":"","message":"must be an object"}],"index":3,"title":""},
			{"code":409,"error_message":"you have a snippet with this title; choose another one","errors":[{"field":"title","message":"you have a snippet with this title; choose another one"}],"index":5,"title":"A snippet title"},
			{"code":400,"error_message":"topic_ids: a prompt needs at least one topic, such as 59 (General)","errors":[{"field":"topic_ids","message":"a prompt needs at least one topic, such as 59 (General)"}],"index":6,"title":"A prompt title"}]`)
	f.do(f.ann.key, "GET", "/v1/elementals?search=title", "").has("meta.total", "2")
}

func TestCreateManyNone(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	for _, body := range []string{`[{"title":"short","type_id":3}]`, `[5]`, `[null]`} {
		f.do(f.ann.key, "POST", "/v1/user/elementals", body).want(400).
			has("error_message", `"none of the elementals was created; errors says why"`, "errors.0.index", "0", "errors.0.code", "400", "meta.total", "0")
	}
	f.do(f.ann.key, "POST", "/v1/user/elementals", `[]`).failed(400, "the array is empty; send at least one elemental")
	f.do(f.ann.key, "POST", "/v1/user/elementals", `{"title":"x"}`).failed(400, "must be an array of elementals; a single one goes to POST /v1/user/elemental", "")
	many := "[" + strings.TrimSuffix(strings.Repeat(`{"title":"one of too many","type_id":3},`, 1001), ",") + "]"
	f.do(f.ann.key, "POST", "/v1/user/elementals", many).failed(400, "at most 1000 elementals are allowed in one call")
	f.do(f.ann.key, "GET", "/v1/elementals?search=one", "").has("meta.total", "0")
}

// batchOf is a batch of good payloads, but for the one at a place.
func batchOf(size, place int, bad string) string {
	parts := make([]string, size)
	for i := range parts {
		parts[i] = fmt.Sprintf(`{"title":"Payload number %d","type_id":3}`, i)
	}
	if place >= 0 {
		parts[place] = bad
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// TestCreateManyAtEachPlace puts one bad payload at every place of a batch: exactly
// it is missing, and it is named. Where the Store fails there, nothing was created.
func TestCreateManyAtEachPlace(t *testing.T) {
	t.Parallel()
	const size = 50
	bad := []string{`{"title":"no","type_id":3}`, `{"title":7}`, `null`}
	batches, faults := 0, 0
	s := &putFails{Store: openSQLite(t)}
	f := newFixtureOn(t, s, nil)
	stored := 0
	search := func() {
		t.Helper()
		f.do(f.ann.key, "GET", "/v1/user/elementals?size=1", "").has("meta.total", fmt.Sprint(stored))
	}
	for place := range size {
		for _, payload := range bad {
			a := f.do(f.ann.key, "POST", "/v1/user/elementals", batchOf(size, place, payload)).want(206)
			a.has("response.errors.0.index", fmt.Sprint(place), "response.errors.0.code", "400", "response.created.0.elemental.knowledge_base", "null")
			created, failed := len(a.at("response.created").([]any)), len(a.at("response.errors").([]any))
			if field := a.at("response.errors.0.errors.0.field"); created != size-1 || failed != 1 || payload != "null" && field != "title" {
				t.Errorf("%s at %d: %d created, %d failed, at %v", payload, place, created, failed, field)
			}
			stored += created
			search()
			batches++
		}
		s.at = place + 1
		a := f.do(f.ann.key, "POST", "/v1/user/elementals", batchOf(size, -1, ""))
		if a.status != 500 || strings.Contains(a.body, errPut.Error()) {
			t.Errorf("a fault of the Store at %d: %d %s", place, a.status, a.body)
		}
		s.at = 0
		search()
		faults++
	}
	if t.Failed() {
		return
	}
	t.Logf("D6: %d of %d batches of %d with one bad payload stored all others and named it; %d faults of the Store left nothing behind", batches, size*len(bad), size, faults)
}

var errPut = errors.New("the disk under /secret is on fire")

// putFails is a Store whose transactions fail at their at-th elemental, unless that is 0.
type putFails struct {
	quire.Store
	at int
}

func (s *putFails) Update(ctx context.Context, fn func(tx quire.Tx) error) error {
	return s.Store.Update(ctx, func(tx quire.Tx) error { return fn(&failingPut{Tx: tx, left: s.at}) })
}

type failingPut struct {
	quire.Tx
	left int
}

func (tx *failingPut) PutElemental(ctx context.Context, e quire.ElementalRecord, text quire.IndexedText) error {
	if tx.left--; tx.left == 0 {
		return errPut
	}
	return tx.Tx.PutElemental(ctx, e, text)
}

// TestCreateManyCases runs the written cases for create-many payloads: all are
// refused, and nothing but the harmless one is stored.
func TestCreateManyCases(t *testing.T) {
	t.Parallel()
	cases := apiCases(t)
	f := newFixture(t, nil)
	f.elemental(f.bob, "Bob's own elemental", `,"id":"ID_OF_ANOTHER_USER"`)
	foreign := f.list(f.bob, "Bob's list")
	before := f.snapshot()
	ran := 0
	for _, tc := range cases {
		if !strings.HasPrefix(tc.Body, "[{") {
			continue
		}
		ran++
		body := strings.ReplaceAll(tc.Body, "LIST_OF_ANOTHER_USER", foreign)
		body = strings.ReplaceAll(body, `"category_id":1,`, `"category_id":18,`)
		a := f.do(f.ann.key, "POST", "/v1/user/elementals", body)
		if tc.Name == "mass_assign" {
			a.want(201).has("response.0.user.id", `"ann"`, "response.0.total_upvotes", "0", "response.0.average_rate", "0", "response.0.settings.is_system", "false")
			f.do(f.ann.key, "DELETE", "/v1/elemental/"+a.str("response.0.id"), "").want(204)
			continue
		}
		if a.status != 400 {
			t.Errorf("%s: status %d, want 400: %s", tc.Name, a.status, a.body)
		}
	}
	t.Logf("create-many cases: %d", ran)
	if ran == 0 || f.snapshot() != before {
		t.Errorf("%d cases; something was stored", ran)
	}
}

type apiCase struct{ Name, Body, Want string }

func apiCases(t *testing.T) []apiCase {
	t.Helper()
	data, err := os.ReadFile("../../shared/data/extra/api_json_cases.json")
	if err != nil {
		t.Skip("skipped: ../shared/data/extra is not there")
	}
	var cases []apiCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}
