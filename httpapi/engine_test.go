package httpapi

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/bm25"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/engine/extract"
)

// TestIngestOfFiles: files are found as sources of their own, and the job says which could
// not be read.
func TestIngestOfFiles(t *testing.T) {
	t.Parallel()
	f := newFileFixture(t, nil, &quire.EngineOptions{Extractor: extract.New(nil)})
	id := f.elemental(f.ann, "How to sail a boat", "")
	media := f.do(f.ann.key, "POST", "/v1/user/elemental/"+id+"/files",
		`{"files":[{"file_name":"table.csv","file_buffer":"`+base64.StdEncoding.EncodeToString([]byte("Knot,Use\nbowline,mooring\n"))+`"},{"file_name":"empty.pdf","file_buffer":"JVBERi0xLjQK"}]}`).want(201)
	f.ingest(f.ann, id)
	table, broken := fmt.Sprint(media.at("response.files.0.id")), fmt.Sprint(media.at("response.files.1.id"))
	f.do(f.ann.key, "GET", "/v1/kb/jobs", "").want(200).has("jobs.0.status", `"succeeded"`, "jobs.0.error", "null",
		"jobs.0.problems", `[{"item_id":"`+broken+`","name":"empty.pdf","reason":"is a damaged PDF: no page can be found in it"}]`)
	f.do(f.ann.key, "POST", "/v1/kb/search", `{"query":"bowline","filters":{"tenant_id":"ann","source":"file"}}`).want(200).
		has("total_found", "1", "items.0.payload.snack_item_id", `"`+table+`"`, "items.0.payload.snack_elemental_id", `"`+id+`"`,
			"items.0.payload.file_id", `"`+table+`"`, "items.0.payload.file_name", `"table.csv"`)
	chat := f.do(f.ann.key, "POST", "/v1/kb/chat", `{"query":"bowline","filters":{"tenant_id":"ann","source":"file"}}`).want(200)
	chat.has("sources.0.file_id", `"`+table+`"`, "sources.0.file_name", `"table.csv"`)
	// What is from no file says nothing of files.
	own := f.do(f.ann.key, "POST", "/v1/kb/search", `{"query":"sail","filters":{"tenant_id":"ann","source":"document"}}`).want(200)
	if own.has("total_found", "1"); strings.Contains(own.body, "file_") {
		t.Errorf("a passage of no file: %s", own.body)
	}
	f.do(f.ann.key, "DELETE", "/v1/user/elemental/"+id+"/files", `{"files":["`+table+`"]}`).want(200)
	f.do(f.ann.key, "POST", "/v1/kb/search", `{"query":"bowline","filters":{"tenant_id":"ann","source":"file"}}`).want(200).has("total_found", "0")
}

func TestIngest(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	id := f.elemental(f.ann, "How to sail a boat", "")
	a := f.do(f.ann.key, "POST", "/v1/kb/elemental", `{"elemental_id":"`+id+`","trace_id":"trace/1 ü"}`).want(202)
	a.has("status", `"accepted"`, "message", `"Ingestion started for `+id+`"`, "data", `{"elemental_id":"`+id+`","job_id":"trace/1 ü"}`)
	if _, err := f.eng.Wait(t.Context(), "ann", "trace/1 ü"); err != nil {
		t.Fatal(err)
	}
	// The same trace id again is the same job; for another elemental it is taken.
	f.do(f.ann.key, "POST", "/v1/kb/elemental", `{"elemental_id":"`+id+`","trace_id":"trace/1 ü"}`).want(202).has("data.job_id", `"trace/1 ü"`)
	other := f.elemental(f.ann, "How to row a boat", `,"id":"12"`)
	f.do(f.ann.key, "POST", "/v1/kb/elemental", `{"elemental_id":`+other+`,"trace_id":"trace/1 ü"}`).want(409)
	f.do(f.ann.key, "POST", "/v1/kb/elemental", `{"elemental_id":`+other+`,"trace_id":7}`).want(202).has("data.job_id", `"7"`)

	job := f.do(f.ann.key, "GET", "/v1/kb/jobs/trace%2F1%20%C3%BC", "").want(200)
	job.has("job_id", `"trace/1 ü"`, "elemental_id", `"`+id+`"`, "status", `"succeeded"`, "stage", `"done"`, "done", "1", "total", "1", "attempts", "1", "error", "null", "problems", "[]")
	for _, field := range []string{"created_at", "started_at", "finished_at"} {
		if !strings.HasSuffix(job.str(field), "Z") {
			t.Errorf("%s is %q", field, job.str(field))
		}
	}
	f.do(f.ann.key, "GET", "/v1/kb/jobs", "").want(200).has("total", "2", "jobs.0.job_id", `"7"`, "jobs.1.job_id", `"trace/1 ü"`)
	f.do(f.ann.key, "GET", "/v1/kb/jobs?size=1&page=2", "").want(200).has("total", "2", "jobs.0.job_id", `"trace/1 ü"`)
	f.do(f.ann.key, "GET", "/v1/kb/jobs?elemental_id="+id, "").want(200).has("total", "1", "jobs.0.job_id", `"trace/1 ü"`)
	f.do(f.ann.key, "GET", "/v1/kb/jobs?elemental_id="+id+"&page=2", "").want(200).has("total", "1", "jobs", "[]")
	f.do(f.ann.key, "GET", "/v1/kb/jobs?elemental_id=unknown", "").want(200).has("total", "0", "jobs", "[]")
	f.do(f.ann.key, "GET", "/v1/kb/jobs?elemental_id=", "").detail(400, "elemental_id: must not be empty; leave it out for the jobs of all elementals")
	f.do(f.ann.key, "GET", "/v1/kb/jobs?elemental_id=a&elemental_id=b", "").detail(400, "elemental_id: must be given once")
	f.do(f.bob.key, "GET", "/v1/kb/jobs?elemental_id="+id, "").want(200).has("total", "0", "jobs", "[]")
	f.do(f.ann.key, "GET", "/v1/kb/jobs?page=x", "").detail(400, "page: must be a whole number between 1 and 21474836")
	f.do(f.bob.key, "GET", "/v1/kb/jobs", "").want(200).has("total", "0", "jobs", "[]")
	unknown := f.do(f.bob.key, "GET", "/v1/kb/jobs/none", "").detail(404, problem404.message)
	if foreign := f.do(f.bob.key, "GET", "/v1/kb/jobs/7", ""); foreign.body != unknown.body {
		t.Errorf("a foreign job is not answered as an unknown one: %s", foreign.body)
	}
}

func TestIngestRefused(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	id := f.elemental(f.ann, "How to sail a boat", "")
	tests := []struct {
		body   string
		status int
		want   string // detail: a message, or loc/type of its first entry
	}{
		{`{"elemental_id":"nobody"}`, 404, problem404.message},
		{`{}`, 400, "elemental_id is required and must not be blank"},
		{`{"elemental_id":null}`, 400, "elemental_id is required and must not be blank"},
		{`{"elemental_id":" "}`, 400, "elemental_id is required and must not be blank"},
		{`{"Elemental_ID":"x","elemental_id":"y"}`, 400, `unknown key "Elemental_ID"; did you mean "elemental_id"?`},
		{`{"elemental_id":"` + id + `","trace_id":""}`, 400, "trace_id must have 1 to 200 characters; leave it out for a new one"},
		{`{"elemental_id":"` + id + `","trace_id":"` + strings.Repeat("x", 201) + `"}`, 400, "trace_id: must be text of at most 200 characters"},
		{`{"elemental_id":"` + id + `","trace_id":"a\nb"}`, 400, "trace_id: must not hold control characters"},
		{`{"elemental_id":[]}`, 422, "body/elemental_id string_type"},
		{`{"elemental_id":1.5}`, 422, "body/elemental_id string_type"},
		{`{"elemental_id":"x","trace_id":{}}`, 422, "body/trace_id string_type"},
		{`[]`, 422, "body dict_type"},
		{`null`, 422, "body dict_type"},
	}
	before := f.snapshot()
	for _, tt := range tests {
		f.do(f.ann.key, "POST", "/v1/kb/elemental", tt.body).engineError(tt.status, tt.want)
	}
	// Another tenant's elemental is answered as an unknown one.
	f.do(f.bob.key, "POST", "/v1/kb/elemental", `{"elemental_id":"`+id+`"}`).detail(404, problem404.message)
	if f.snapshot() != before {
		t.Error("something was stored")
	}
}

// engineError checks an engine error whose detail is a message, or for 422 the loc
// and type of its first entry.
func (a answer) engineError(status int, want string) {
	a.t.Helper()
	a.want(status)
	if status != 422 {
		a.detail(status, want)
		return
	}
	var loc []string
	for _, part := range a.at("detail.0.loc").([]any) {
		loc = append(loc, fmt.Sprint(part))
	}
	if got := strings.Join(loc, "/") + " " + a.str("detail.0.type"); got != want || a.str("detail.0.msg") == "" {
		a.t.Errorf("detail is %s, want %q", a.body, want)
	}
}

func TestSearchRoute(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	tag := f.tag(f.ann, "Water")
	boat := f.elemental(f.ann, "How to sail a boat", `,"tagIds":["`+tag+`"]`)
	bread := f.elemental(f.ann, "How to bake some bread", "")
	f.ingest(f.ann, boat)
	f.ingest(f.ann, bread)
	search := func(filters, more string) answer {
		return f.do(f.ann.key, "POST", "/v1/kb/search", `{"query":"sail a boat","filters":{"tenant_id":"ann"`+filters+`}`+more+`}`)
	}
	a := search("", "").want(200)
	a.has("total_found", "2", "items.0.payload.snack_elemental_id", `"`+boat+`"`, "items.0.payload", `{
		"tenant_id":"ann","user_id":"ann","snack_elemental_id":"`+boat+`","snack_column_id":"","snack_item_id":"`+boat+`","source":"document",
		"type_name":"Document","category_name":"Text","original_text":"How to sail a boat\n\nbody of How to sail a boat","tag_ids":["`+tag+`"],"tag_names":["Water"],
		"title":"How to sail a boat","heading":[],"start":0,"end":46}`,
		"items.1.payload.tag_ids", "[]", "items.1.payload.tag_names", "[]")
	if id := a.str("items.0.id"); len(id) != 36 {
		t.Errorf("the id %q is no UUID", id)
	}
	for _, tt := range []struct{ filters, more, found string }{
		{`,"elemental_id":"` + bread + `"`, "", "1"},
		{`,"user_id":"ann","source":"document","type_name":"Document","category_name":"Text"`, "", "2"},
		{`,"tag_ids":["` + tag + `","5"]`, "", "1"},
		{`,"tag_ids":[` + tag + `]`, "", "1"},
		{`,"tag_names":["Water"]`, "", "1"},
		{`,"tag_ids":[],"tag_names":null,"source":null`, "", "2"},
		{`,"source":"file"`, "", "0"},
		{"", `,"limit":1`, "1"},
		{"", `,"limit":10.0`, "2"},
		{"", `,"limit":1e1`, "2"},
		{"", `,"limit":null,"later":"hybrid","x":1`, "2"},
	} {
		search(tt.filters, tt.more).want(200).has("total_found", tt.found)
	}
	search(`,"source":"file"`, "").has("items", "[]")
}

func TestChatRoute(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	boat := f.elemental(f.ann, "How to sail a boat", "")
	f.ingest(f.ann, boat)
	a := f.do(f.ann.key, "POST", "/v1/kb/chat", `{"query":"boat?","filters":{"tenant_id":"ann"},"history":[{"role":"user","content":"Is there a ship?"}]}`).want(200)
	a.has("answer", `"How to sail a boat\n\nbody of How to sail a boat [1]"`, "sources.0.snack_elemental_id", `"`+boat+`"`, "sources.0.snack_item_id", `"`+boat+`"`,
		"sources.0.text", `"How to sail a boat\n\nbody of How to sail a boat"`, "sources.0.tag_ids", "[]", "sources.0.tag_names", "[]",
		"sources.0.title", `"How to sail a boat"`, "sources.0.heading", "[]", "sources.0.start", "0", "sources.0.end", "46")
	f.do(f.ann.key, "POST", "/v1/kb/chat", `{"query":"nothing known","filters":{"tenant_id":"ann"}}`).want(200).
		has("answer", `"The knowledge base holds no answer to this question."`, "sources", "[]")
	for history, status := range map[string]int{
		`null`: 200, `[]`: 200, `[{"role":"user"}]`: 400, `[{"role":"system","content":"x"}]`: 400, `[{"role":"user","content":" "}]`: 400,
		`"x"`: 422, `["x"]`: 422, `[{"role":1,"content":"x"}]`: 422, `[null]`: 422,
	} {
		a := f.do(f.ann.key, "POST", "/v1/kb/chat", `{"query":"boat?","filters":{"tenant_id":"ann"},"history":`+history+`}`)
		if a.want(status); status != 200 && !strings.Contains(string(a.body), "history") {
			t.Errorf("history %s: %s", history, a.body)
		}
	}
	f.llm.Fail(1, 0, quire.Errorf(quire.CodeUnavailable, "the model is away"))
	f.do(f.ann.key, "POST", "/v1/kb/chat", `{"query":"boat?","filters":{"tenant_id":"ann"}}`).want(503)
	f.llm.Fail(1, 0, quire.Errorf(quire.CodeUnavailable, "the model is busy").WithCause(busyFor(1500*time.Millisecond)))
	busy := f.do(f.ann.key, "POST", "/v1/kb/chat", `{"query":"boat?","filters":{"tenant_id":"ann"}}`).want(503)
	if got := busy.header.Get("Retry-After"); got != "2" {
		t.Errorf("Retry-After is %q, want 2", got)
	}
}

// busyFor is the error of a service that says when to come back.
type busyFor time.Duration

func (b busyFor) Error() string             { return "too many requests" }
func (b busyFor) RetryDelay() time.Duration { return time.Duration(b) }

// TestChatLimit: an answer uses as many passages as the request allows.
func TestChatLimit(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	for _, title := range []string{"How to sail a boat", "Where a boat is painted", "Which boat won last summer"} {
		f.ingest(f.ann, f.elemental(f.ann, title, ""))
	}
	for limit, want := range map[string]int{``: 3, `"limit":null,`: 3, `"limit":1,`: 1, `"limit":2.0,`: 2, `"limit":1e2,`: 3} {
		body := `{"query":"boat?",` + limit + `"filters":{"tenant_id":"ann"}}`
		a := f.do(f.ann.key, "POST", "/v1/kb/chat", body).want(200)
		if sources := a.at("sources").([]any); len(sources) != want {
			t.Errorf("%s: %d sources, want %d: %s", body, len(sources), want, a.body)
		}
		s := readStream(t, f.do(f.ann.key, "POST", "/v1/kb/chat/stream", body).want(200).body)
		if diff := cmp.Diff(a.at("sources"), parse(t, string(s.sources))); diff != "" {
			t.Errorf("%s: sources (-plain +stream):\n%s", body, diff)
		}
	}
}

// TestMode: a request says how to search, as far as the engine can.
func TestMode(t *testing.T) {
	t.Parallel()
	plain, full := newEngineFixture(t, nil), newFileFixture(t, nil, &quire.EngineOptions{Text: bm25.New(nil)})
	for _, f := range []*fixture{plain, full} {
		for _, title := range []string{"How to sail a boat", "How to bake some bread"} {
			f.ingest(f.ann, f.elemental(f.ann, title, ""))
		}
	}
	const none, unknown = "mode: must be vector: this engine has no full text", "mode: must be vector, text or hybrid"
	for _, tt := range []struct {
		f      *fixture
		mode   string
		status int
		want   string // the error, or how many passages are found
	}{
		{plain, ``, 200, "2"}, {plain, `"mode":null,`, 200, "2"}, {plain, `"mode":"vector",`, 200, "2"},
		{plain, `"mode":"text",`, 400, none}, {plain, `"mode":"hybrid",`, 400, none}, {plain, `"mode":"words",`, 400, unknown},
		{full, ``, 200, "2"}, {full, `"mode":"hybrid",`, 200, "2"}, {full, `"mode":"vector",`, 200, "2"}, {full, `"mode":"text",`, 200, "1"},
		{full, `"mode":"words",`, 400, unknown}, {full, `"mode":"",`, 400, "mode must be vector, text or hybrid"},
		{full, `"mode":1,`, 422, "body/mode string_type"}, {full, `"Mode":"text",`, 400, `unknown key "Mode"; did you mean "mode"?`},
	} {
		for _, path := range []string{"/v1/kb/search", "/v1/kb/chat", "/v1/kb/chat/stream"} {
			a := tt.f.do(tt.f.ann.key, "POST", path, `{"query":"boat",`+tt.mode+`"filters":{"tenant_id":"ann"}}`)
			switch {
			case tt.status != 200:
				a.engineError(tt.status, tt.want)
			case path == "/v1/kb/search":
				a.want(200).has("total_found", tt.want)
			default:
				a.want(200)
			}
		}
	}
}

func TestDeleteRoutes(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	boat, bread := f.elemental(f.ann, "How to sail a boat", ""), f.elemental(f.ann, "How to bake some bread", "")
	foreign := f.elemental(f.bob, "How to fly a plane", "")
	f.ingest(f.ann, boat)
	f.ingest(f.ann, bread)
	f.ingest(f.bob, foreign)
	none := `{"deleted_chunks":0,"deleted_elementals":0}`
	f.do(f.ann.key, "DELETE", "/v1/kb/elemental/"+foreign, "").want(200).has("data", none)
	f.do(f.ann.key, "DELETE", "/v1/kb/elemental/nobody", "").want(200).has("status", `"success"`, "message", `"Deleted 0 chunks of 0 elementals"`, "data", none)
	f.do(f.ann.key, "DELETE", "/v1/kb/elemental/"+boat, "").want(200).has("data", `{"deleted_chunks":1,"deleted_elementals":1}`)
	f.do(f.ann.key, "POST", "/v1/kb/delete", `{"filters":{"tenant_id":"ann","tag_ids":[5]}}`).want(200).has("data", none)
	f.do(f.ann.key, "POST", "/v1/kb/delete", `{"filters":{"tenant_id":"ann"}}`).want(200).has("data", `{"deleted_chunks":1,"deleted_elementals":1}`)
	f.do(f.ann.key, "POST", "/v1/kb/search", `{"query":"how","filters":{"tenant_id":"ann"}}`).has("items", "[]")
	f.do(f.bob.key, "POST", "/v1/kb/search", `{"query":"how","filters":{"tenant_id":"bob"}}`).has("total_found", "1")
	f.do(f.ann.key, "GET", "/v1/elemental/"+boat, "").want(200)
}

func TestHealth(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, &Options{Version: "1.2.3"})
	f.ingest(f.ann, f.elemental(f.ann, "How to sail a boat", ""))
	f.do("", "GET", "/v1/health", "").want(200).has("status", `"UP"`)
	f.do("", "GET", "/health", "").want(200).has("status", `"UP"`)
	f.do("", "GET", "/health/detailed", "").detail(401, "a valid API key is required, in the header x-api-key")
	a := f.do(f.ann.key, "GET", "/health/detailed", "").want(200)
	a.has("status", `"UP"`, "version", `"1.2.3"`, "uptime_seconds", "0", "components.index.chunks", "1", "components.index.vectors", "1",
		"components.index.dimension", "256", "components.embedder.name", `"fake/256"`, "components.llm.name", `"fake"`,
		"components.jobs.queued", "0", "components.jobs.running", "0", "components.jobs.failed", "0", "components.store.status", `"UP"`)
	if _, ok := a.at("components.store.latency_ms").(interface{ String() string }); !ok {
		t.Error("latency_ms is no number")
	}
	if err := f.eng.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.do("", "GET", "/health", "").want(503).has("status", `"DOWN"`)
	f.do(f.ann.key, "GET", "/health/detailed", "").want(503).has("status", `"DOWN"`)
	f.do("", "GET", "/v1/health", "").want(200)
	f.do(f.ann.key, "POST", "/v1/kb/search", `{"query":"q","filters":{"tenant_id":"ann"}}`).want(503)
	if err := f.lib.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.do("", "GET", "/v1/health", "").want(503).has("status", `"DOWN"`)
	f.do(f.ann.key, "GET", "/v1/lists", "").want(503)
}

// TestHealthOfAChangeOfEmbedder looks at the counts of a change that is under way.
func TestHealthOfAChangeOfEmbedder(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	f.ingest(f.ann, f.elemental(f.ann, "How to sail a boat", ""))
	if err := f.eng.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	gate := enginetest.NewGate()
	given := &enginetest.Embedder{Model: "new"}
	given.Hold(gate)
	eng, err := quire.NewEngine(t.Context(), f.lib, enginetest.NewIndex(), given, f.llm, &quire.EngineOptions{Former: enginetest.NewEmbedder()})
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Close(context.Background())
	f.eng, f.h = eng, New(f.lib, eng, nil)
	<-gate.Arrived()
	f.do(f.ann.key, "GET", "/health/detailed", "").want(200).has("status", `"UP"`, "components.embedder.name", `"fake/256"`,
		"components.embedder.reembed_done", "0", "components.embedder.reembed_total", "1", "components.embedder.reembed_failures", "0")
	gate.Open()
	if err := eng.WaitReembedded(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.do(f.ann.key, "GET", "/health/detailed", "").want(200).has("components.embedder.name", `"new/256"`)
}

// TestMayActFor lets a user act for a second tenant.
func TestMayActFor(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, &Options{MayActFor: mayActForBob})
	f.ingest(f.bob, f.elemental(f.bob, "How to fly a plane", ""))
	f.do(f.ann.key, "POST", "/v1/kb/search", `{"query":"fly","filters":{"tenant_id":"bob"}}`).want(200).has("total_found", "1")
	f.do(f.ann.key, "POST", "/v1/kb/search", `{"query":"fly","filters":{"tenant_id":"ann"}}`).want(403)
}

func mayActForBob(_ context.Context, u quire.User, tenantID string) bool {
	return u.ID == "ann" && tenantID == "bob" || u.ID == tenantID && tenantID == "bob"
}

// stuck is an Extractor that reads until its context ends.
type stuck struct{ begun chan struct{} }

func (s stuck) Extract(ctx context.Context, _ quire.File, _ []byte) (string, error) {
	s.begun <- struct{}{}
	<-ctx.Done()
	return "", ctx.Err()
}

func TestCancelJob(t *testing.T) {
	t.Parallel()
	s := stuck{make(chan struct{})}
	f := newFileFixture(t, nil, &quire.EngineOptions{Extractor: s})
	id := f.elemental(f.ann, "How to sail a boat", "")
	f.do(f.ann.key, "POST", "/v1/user/elemental/"+id+"/files", `{"files":[{"file_name":"a.txt","file_buffer":[104,105]}]}`).want(201)
	f.do(f.ann.key, "POST", "/v1/kb/elemental", `{"elemental_id":"`+id+`","trace_id":"trace/1"}`).want(202)
	<-s.begun
	const path = "/v1/kb/jobs/trace%2F1"
	f.do(f.bob.key, "DELETE", path, "").detail(404, problem404.message)
	f.do(f.ann.key, "GET", path, "").want(200).has("status", `"running"`, "finished_at", "null")
	done := f.do(f.ann.key, "DELETE", path, "").want(200)
	done.has("job_id", `"trace/1"`, "elemental_id", `"`+id+`"`, "status", `"cancelled"`, "stage", `"done"`, "attempts", "1", "error", "null")
	for _, method := range []string{"GET", "DELETE"} {
		if again := f.do(f.ann.key, method, path, "").want(200); again.body != done.body {
			t.Errorf("%s answers %s, DELETE answered %s", method, again.body, done.body)
		}
	}
	f.do(f.ann.key, "DELETE", "/v1/kb/jobs/none", "").detail(404, problem404.message)
}
