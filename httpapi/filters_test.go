package httpapi

import (
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

// TestFilters checks the refusals of everything that could widen or bend a filter, on
// each route that takes filters.
func TestFilters(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	for _, of := range []account{f.ann, f.bob} {
		f.ingest(of, f.elemental(of, "CANARY of "+of.ID+" in a boat", ""))
	}
	swap := strings.NewReplacer("ann", "bob", "bob", "ann")
	const required = "tenant_id is required in filters"
	tests := []struct {
		filters string // the value of filters; "" for none
		status  int
		want    string
	}{
		{"", 400, required},
		{`null`, 400, required},
		{`{}`, 400, required},
		{`{"tenant_id":null}`, 400, required},
		{`{"tenant_id":""}`, 400, required},
		{`{"tenant_id":" "}`, 400, required},
		{`{"tenant_id":"*"}`, 403, "whoever asks may not act for the tenant in filters.tenant_id"},
		{`{"tenant_id":"bob"}`, 403, "whoever asks may not act for the tenant in filters.tenant_id"},
		{`{"tenant_id":1}`, 403, "whoever asks may not act for the tenant in filters.tenant_id"},
		{`{"tenant_id":"ANN"}`, 403, "whoever asks may not act for the tenant in filters.tenant_id"},
		{`{"tenant_id":["ann"]}`, 422, "body/filters/tenant_id string_type"},
		{`{"tenant_id":{"$ne":""}}`, 422, "body/filters/tenant_id string_type"},
		{`{"tenant_id":true}`, 422, "body/filters/tenant_id string_type"},
		{`[]`, 422, "body/filters dict_type"},
		{`"ann"`, 422, "body/filters dict_type"},
		{`{"tenant_id":"ann","TENANT_ID":"bob"}`, 400, `unknown filter "TENANT_ID"; allowed are category_name, elemental_id, source, tag_ids, tag_names, tenant_id, type_name, user_id`},
		{`{"tenant_id":"ann","$or":[]}`, 400, `unknown filter "$or"; allowed are category_name, elemental_id, source, tag_ids, tag_names, tenant_id, type_name, user_id`},
		{`{"tenant_id":"ann","ſource":"x"}`, 400, `unknown filter "ſource"; allowed are category_name, elemental_id, source, tag_ids, tag_names, tenant_id, type_name, user_id`},
		{`{"tenant_id":"ann","tenant_id":"bob"}`, 400, `the key "tenant_id" occurs twice in one object`},
		{`{"tenant_id":"ann","elemental_id":""}`, 400, "the filter elemental_id must not be an empty string; leave it out for no filter"},
		{`{"tenant_id":"ann","source":""}`, 400, "the filter source must not be an empty string; leave it out for no filter"},
		{`{"tenant_id":"ann","tag_ids":[""]}`, 400, "the filter tag_ids must not hold an empty string"},
		{`{"tenant_id":"ann","tag_names":["a",""]}`, 400, "the filter tag_names must not hold an empty string"},
		{`{"tenant_id":"ann","tag_ids":[null]}`, 422, "body/filters/tag_ids/0 null_type"},
		{`{"tenant_id":"ann","tag_ids":"5"}`, 422, "body/filters/tag_ids list_type"},
		{`{"tenant_id":"ann","tag_names":[5]}`, 422, "body/filters/tag_names/0 string_type"},
		{`{"tenant_id":"ann","tag_ids":[[]]}`, 422, "body/filters/tag_ids/0 string_type"},
		{`{"tenant_id":"ann","user_id":false}`, 422, "body/filters/user_id string_type"},
		{`{"tenant_id":"ann","type_name":3}`, 422, "body/filters/type_name string_type"},
		{`{"tenant_id":"ann","source":{"a":1},"type_name":""}`, 422, "body/filters/source string_type"},
	}
	before := f.snapshot()
	requests := 0
	paths := []string{"/v1/kb/search", "/v1/kb/chat", "/v1/kb/chat/stream", "/v1/kb/delete"}
	for _, path := range paths {
		for _, tt := range tests {
			body := `{"query":"canary boat"}`
			if tt.filters != "" {
				body = `{"query":"canary boat","filters":` + tt.filters + `}`
			}
			for _, a := range []answer{f.do(f.ann.key, "POST", path, body), f.do(f.bob.key, "POST", path, swap.Replace(body))} {
				a.engineError(tt.status, tt.want)
				if strings.Contains(a.body, "CANARY") {
					t.Errorf("%s %s shows a tenant's text", path, body)
				}
				requests++
			}
		}
		f.do(f.ann.key, "POST", path, `{"query":"q","filterſ":{"tenant_id":"bob"},"filters":{"tenant_id":"ann"}}`).
			engineError(400, `unknown key "filterſ"; did you mean "filters"?`)
	}
	for _, path := range paths[:2] { // the texts are there to be found
		for _, of := range []account{f.ann, f.bob} {
			a := f.do(of.key, "POST", path, `{"query":"canary boat","filters":{"tenant_id":"`+of.ID+`"}}`).want(200)
			if !strings.Contains(a.body, "CANARY of "+of.ID) || strings.Contains(a.body, "CANARY of "+swap.Replace(of.ID)) {
				t.Errorf("%s finds for %s: %s", path, of.ID, a.body)
			}
		}
	}
	if f.snapshot() != before {
		t.Error("something was deleted")
	}
	if t.Failed() {
		return
	}
	t.Logf("E2: 2 tenants, %d filters that bend or widen, %d routes: %d requests refused, 0 with a text of a tenant, 0 deletions", len(tests), len(paths), requests)
}

func TestQueryAndLimit(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	const blank, limit = "query is required and must not be blank", "limit must be a whole number between 1 and 100"
	for _, tt := range []struct {
		fields string
		status int
		want   string
	}{
		{``, 400, blank}, {`"query":null,`, 400, blank}, {`"query":"",`, 400, blank}, {`"query":" \n",`, 400, blank},
		{`"query":5,`, 422, "body/query string_type"}, {`"query":["q"],`, 422, "body/query string_type"},
		{`"query":"q","Query":"r",`, 400, `unknown key "Query"; did you mean "query"?`},
		{`"query":"q","Limit":1,`, 400, `unknown key "Limit"; did you mean "limit"?`},
		{`"query":"q","limit":0,`, 400, limit}, {`"query":"q","limit":-1,`, 400, limit}, {`"query":"q","limit":101,`, 400, limit},
		{`"query":"q","limit":2.5,`, 400, limit}, {`"query":"q","limit":1e9,`, 400, limit}, {`"query":"q","limit":1e400,`, 400, limit},
		{`"query":"q","limit":"10",`, 422, "body/limit number_type"}, {`"query":"q","limit":true,`, 422, "body/limit number_type"},
		{`"query":"a\u0000b",`, 400, "the JSON holds a NUL character; text must not"},
		{`"query":"a\ud800b",`, 400, "the JSON holds half of a surrogate pair, which is no character"},
	} {
		for _, path := range []string{"/v1/kb/search", "/v1/kb/chat", "/v1/kb/chat/stream"} {
			f.do(f.ann.key, "POST", path, `{`+tt.fields+`"filters":{"tenant_id":"ann"}}`).engineError(tt.status, tt.want)
		}
	}
}

// TestEngineCases runs the written cases of engine bodies against the search route.
func TestEngineCases(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	f.ingest(f.bob, f.elemental(f.bob, "CANARY of the other tenant", ""))
	bobs := f.countChunks("bob")
	ran := 0
	for _, tc := range apiCases(t) {
		if strings.HasPrefix(tc.Body, "[{") {
			continue // create-many, see TestCreateManyCases
		}
		ran++
		body := strings.ReplaceAll(tc.Body, `"tenant_id":"a"`, `"tenant_id":"ann"`)
		path := "/v1/kb/search"
		switch tc.Name {
		case "tag_ids_40000":
			body = `{"query":"q","filters":{"tenant_id":"ann","tag_ids":[` + strings.Repeat("1,", 39_999) + `1]}}`
		case "delete_tenant_only":
			path = "/v1/kb/delete"
		}
		a := f.do(f.ann.key, "POST", path, body)
		ok := a.status >= 400 && a.status < 500
		if strings.HasPrefix(tc.Want, "200") || strings.HasPrefix(tc.Want, "documented") {
			ok = a.status == 200
		}
		if tc.Name == "tenant_star" {
			ok = a.status == 403
		}
		if !ok || strings.Contains(a.body, "CANARY") {
			t.Errorf("%s: status %d, want %s: %s", tc.Name, a.status, tc.Want, a.body)
		}
	}
	if left := f.countChunks("bob"); left != bobs || left == 0 {
		t.Errorf("of Bob's %d passages %d are left", bobs, left)
	}
	if t.Failed() {
		return
	}
	t.Logf("E2: %d of %d written cases of tenants and filters answered as they say, 0 with a text of the other tenant", ran, ran)
}

// countChunks returns how many passages a tenant has.
func (f *fixture) countChunks(tenant string) int {
	f.t.Helper()
	var ids []quire.ChunkRef
	err := f.store.View(f.t.Context(), func(tx quire.ReadTx) (err error) {
		ids, err = tx.MatchChunks(f.t.Context(), quire.Filters{TenantID: tenant})
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return len(ids)
}
