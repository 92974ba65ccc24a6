package main

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/httpapi"
	"github.com/quirelib/quire/store"
)

// TestJSON compares the output with the answer of the HTTP interface to the same
// question.
func TestJSON(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	q, err := embedded.Open(ctx, "", &embedded.Options{Store: store.NewMemory()})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close(ctx)
	ada, err := q.Library.CreateUser(ctx, quire.UserInput{ID: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	_, key, err := q.Library.CreateKey(ctx, ada.ID, quire.KeyInput{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = q.Library.CreateElemental(ctx, ada.Actor(), quire.ElementalInput{
		ID: "doc", Title: "A note about <b> and &", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText,
		Body: "# Markup\n\nThe tag <b> makes text bold.\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	job, err := q.Engine.Ingest(ctx, ada.TenantID, quire.IngestRequest{ElementalID: "doc"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Engine.Wait(ctx, ada.TenantID, job.ID); err != nil {
		t.Fatal(err)
	}
	api := httpapi.New(q.Library, q.Engine, nil)
	for _, question := range []string{"What does the tag make bold?", "Zyxwvut?"} {
		req := httptest.NewRequestWithContext(ctx, "POST", "/v1/kb/chat",
			strings.NewReader(`{"query":"`+question+`","filters":{"tenant_id":"ada"}}`))
		req.Header.Set("x-api-key", key)
		rec := httptest.NewRecorder()
		api.ServeHTTP(rec, req)

		r, err := q.Engine.Chat(ctx, quire.ChatRequest{Query: question, Filters: quire.Filters{TenantID: ada.TenantID}})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := printJSON(&out, r, nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(decode(t, rec.Body.Bytes()), decode(t, out.Bytes())); diff != "" {
			t.Errorf("%s: (-httpapi +ask)\n%s", question, diff)
		}
	}
}

func decode(t *testing.T, data []byte) (v map[string]any) {
	t.Helper()
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}
