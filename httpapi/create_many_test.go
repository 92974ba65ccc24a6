package httpapi

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
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
			{"code":400,"error_message":"topic_ids: a prompt needs at least one topic","errors":[{"field":"topic_ids","message":"a prompt needs at least one topic"}],"index":6,"title":"A prompt title"}]`)
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
	f.do(f.ann.key, "POST", "/v1/user/elementals", `{"title":"x"}`).failed(400, "must be an array", "")
	many := "[" + strings.TrimSuffix(strings.Repeat(`{"title":"one of too many","type_id":3},`, 1001), ",") + "]"
	f.do(f.ann.key, "POST", "/v1/user/elementals", many).failed(400, "at most 1000 elementals are allowed in one call")
	f.do(f.ann.key, "GET", "/v1/elementals?search=one", "").has("meta.total", "0")
}

// TestCreateManyAtEachPlace puts one bad payload at every place of a batch: exactly
// it is missing, and it is named.
func TestCreateManyAtEachPlace(t *testing.T) {
	t.Parallel()
	const size = 20
	bad := []string{`{"title":"no","type_id":3}`, `{"title":7}`, `null`}
	requests := 0
	for _, payload := range bad {
		for place := range size {
			f := newFixture(t, nil)
			parts := make([]string, size)
			for i := range parts {
				parts[i] = fmt.Sprintf(`{"title":"Payload number %d","type_id":3}`, i)
			}
			parts[place] = payload
			f.do(f.ann.key, "POST", "/v1/user/elementals", "["+strings.Join(parts, ",")+"]").want(206).
				has("response.errors.0.index", fmt.Sprint(place), "response.created.0.elemental.knowledge_base", "null")
			f.do(f.ann.key, "GET", "/v1/elementals?search=payload&size=100", "").has("meta.total", fmt.Sprint(size-1))
			requests++
		}
	}
	t.Logf("%d batches with one bad payload of %d", requests, size)
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
