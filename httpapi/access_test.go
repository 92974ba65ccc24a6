package httpapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

// subject says whose the objects are that Ann's request names.
type subject int

const (
	own      subject = iota // Ann's, Public
	public                  // Bob's, Public
	unlisted                // Bob's, Unlisted
	unknown                 // nobody's
)

var subjects = map[subject]string{own: "own", public: "foreign Public", unlisted: "foreign Unlisted", unknown: "unknown"}

// world is a fixture with objects of everybody, for one request. Texts name them by
// words that begin with a dollar sign.
type world struct {
	*fixture
	names map[string]string
}

// newWorld makes fresh objects. The ones that are named without my have the given
// subject; those with my are always Ann's.
func newWorld(t *testing.T, s subject) *world {
	t.Helper()
	w := &world{newEngineFixture(t, &Options{HeartbeatInterval: time.Hour}), map[string]string{
		"elemental": "nobody-has-this", "list": "123456789", "tag": "123456788", "image": "123456787", "file": "123456786",
		"listfile": "123456785", "job": "nobody-has-this", "tenant": "nobody", "table": "nobody-has-this", "column": "123456784", "row": "123456783", "cell": "nobody-has-this",
	}}
	pic := upload("a.png", picturesOf(t)["image/png"])
	w.objects(w.ann, "my", "Mine is this one", pic, `,"visibility":1`)
	switch s {
	case own:
		w.objects(w.ann, "", "Zebras in the snow", pic, `,"visibility":1`)
	case public:
		w.objects(w.bob, "", "Zebras in the snow", pic, `,"visibility":1`)
	case unlisted:
		w.objects(w.bob, "", "Zebras in the snow", pic, `,"visibility":2`)
	}
	if s != unknown {
		w.ingest(map[bool]account{true: w.ann, false: w.bob}[s == own], w.names["elemental"])
		w.names["job"] = w.do(map[bool]string{true: w.ann.key, false: w.bob.key}[s == own], "GET", "/v1/kb/jobs", "").str("jobs.0.job_id")
	}
	return w
}

// objects creates one of each kind.
func (w *world) objects(by account, prefix, title, pic, more string) {
	w.t.Helper()
	const file = `,"files":[{"file_buffer":[104,105]}]`
	tag := w.tag(by, title)
	e := w.do(by.key, "POST", "/v1/user/elemental", `{"title":"`+title+`","type_id":3,"category_id":18,"template":"body of #[name]","tagIds":[`+tag+`],"images":[`+pic+`]`+file+more+`}`).want(201)
	id := e.str("response.id")
	l := w.do(by.key, "POST", "/v1/user/list", `{"title":"`+title+`","item_ids":[{"prompt_id":"`+id+`"}]`+file+more+`}`).want(201)
	table := w.do(by.key, "POST", "/v1/user/table", `{"title":"Giraffes by height","columns":["c"],"rows":["r"],"cells":[["x"]]`+more+`}`).want(201)
	for name, value := range map[string]any{
		"table": table.str("response.id"), "column": table.str("response.columns.0.id"), "row": table.str("response.rows.0.id"), "cell": table.str("response.rows.0.items.0.id"),
		"elemental": id, "tag": tag, "tenant": by.TenantID, "image": e.at("response.images.0.id"), "file": e.at("response.files.0.id"),
		"list": l.str("response.id"), "listfile": l.at("response.files.0.id"),
	} {
		w.names[prefix+name] = fmt.Sprint(value)
	}
}

// named replaces the names in a text.
func (w *world) named(text string) string {
	names := make([]string, 0, len(w.names))
	for name := range w.names {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) }) // $listfile before $list
	for _, name := range names {
		text = strings.ReplaceAll(text, "$"+name, w.names[name])
	}
	return text
}

// ask sends a request and describes its answer.
func (w *world) ask(key string, rt route, path, body string) (reply string, a answer) {
	w.t.Helper()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(w.named(body))
	}
	req := httptest.NewRequest(rt.method, w.named(path), r)
	if key != "" {
		req.Header.Set("x-api-key", key)
	}
	rec := exchanged(w.t, w.h, req)
	a = answer{w.t, rec.Code, rec.Result().Header, rec.Body.String()}
	return fmt.Sprintf("%d %s", a.status, a.kind(rt)), a
}

// kind says what an answer is made of, and how many there are of what it counts.
func (a answer) kind(rt route) string {
	switch kind := a.header.Get("Content-Type"); {
	case a.body == "":
		return "empty"
	case kind == "text/event-stream":
		return fmt.Sprintf("stream %d", strings.Count(a.body, `"snack_elemental_id":`))
	case strings.HasPrefix(kind, "text/html"):
		return "page of HTML"
	case !strings.HasPrefix(kind, "application/json"):
		return "bytes"
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal([]byte(a.body), &body); err != nil {
		return "no JSON: " + a.body
	}
	if _, ok := body["meta"]; ok {
		return a.contentKind(body)
	}
	counted := map[string]string{"items": "hits", "sources": "chat", "jobs": "jobs"}
	for key, name := range counted {
		if raw, ok := body[key]; ok {
			var all []json.RawMessage
			_ = json.Unmarshal(raw, &all) // where it is no array, the count says so
			return fmt.Sprintf("%s %d", name, len(all))
		}
	}
	if _, ok := body["detail"]; ok && len(body) == 1 && isEnginePath(rt.pattern) {
		return "error"
	}
	if strings.Contains(string(body["data"]), `"deleted_elementals"`) {
		return fmt.Sprintf("deleted %v", a.at("data.deleted_elementals"))
	}
	return "plain"
}

// contentKind is kind for the envelope and the errors of the content interface.
func (a answer) contentKind(body map[string]json.RawMessage) string {
	if string(body["code"]) != fmt.Sprint(a.status) {
		return "another code: " + a.body
	}
	if _, ok := body["error_message"]; ok {
		return "error"
	}
	response := string(body["response"])
	switch _, paged := a.at("meta").(map[string]any)["page"]; {
	case paged:
		return fmt.Sprintf("page %v", a.at("meta.total"))
	case strings.HasPrefix(response, "["):
		return fmt.Sprintf("array %v", a.at("meta.total"))
	case strings.HasPrefix(response, "{"):
		return "object"
	}
	return "another response: " + a.body
}

// accessMatrix counts what was checked.
type accessMatrix struct {
	cells, statuses, unchanged, changed, same int
}

// TestAccess asks every route with every kind of key, and with a valid one about
// objects of everybody. accessRows has the answers.
func TestAccess(t *testing.T) {
	t.Parallel()
	routes := slices.Concat(contentRoutes, engineRoutes, docRoutes)
	rows := map[string][]accessRow{}
	for _, r := range accessRows {
		rows[r.route] = append(rows[r.route], r)
	}
	var m accessMatrix
	for _, rt := range routes {
		name := rt.method + " " + rt.pattern
		if len(rows[name]) == 0 {
			t.Errorf("accessRows has no row for %s. Add one for each object that its path, query or body names: "+
				"{%q, path, body, answer for an object of one's own, for another user's Public one, for an Unlisted one, for an unknown one}", name, name)
		}
		for i, r := range rows[name] {
			t.Run(rt.method+" "+r.path, func(t *testing.T) { // its worlds end with it
				m.row(t, rt, r)
				if i == 0 {
					m.keys(t, rt, r)
				}
			})
		}
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("accessRows has rows for %s, which is no route", name)
	}
	if t.Failed() {
		return
	}
	t.Logf("E1: %d routes, %d rows, %d cells of keys and of whose the objects are, 0 deviations; %d statuses and kinds of bodies, %d times nothing changed, %d times something did, %d equal answers",
		len(routes), len(accessRows), m.cells, m.statuses, m.unchanged, m.changed, m.same)
}

// row asks one row about objects of everybody, each time in a new world.
func (m *accessMatrix) row(t *testing.T, rt route, r accessRow) {
	t.Helper()
	var answers [4]answer
	for s, want := range []string{r.own, r.public, r.unlisted, r.unknown} {
		w := newWorld(t, subject(s))
		before := w.snapshot()
		what := fmt.Sprintf("%s %s %s, %s object", rt.method, r.path, r.body, subjects[subject(s)])
		want, changes := strings.CutSuffix(want, "!")
		var reply string
		reply, answers[s] = w.ask(w.ann.key, rt, r.path, r.body)
		if reply != want {
			t.Errorf("%s: %q, want %q: %s", what, reply, want, answers[s].body)
		}
		if changed := w.snapshot() != before; changed != changes {
			t.Errorf("%s: something changed: %t, want %t", what, changed, changes)
		}
		m.cells, m.statuses = m.cells+1, m.statuses+1
		if changes {
			m.changed++
		} else {
			m.unchanged++
		}
	}
	// Where one's own object is answered otherwise, an equal answer means that the
	// difference to an unknown one is none of the caller's business.
	for s, want := range []string{public: r.public, unlisted: r.unlisted} {
		holdsMine := strings.HasPrefix(want, "2") && !strings.HasSuffix(want, " 0") // with ids and times of its world
		if want == "" || want != r.unknown || want == r.own || holdsMine {
			continue
		}
		m.same++
		if got, want := answers[s].seen(), answers[unknown].seen(); got != want {
			t.Errorf("%s %s: a %s object is told apart from an unknown one:\n%s\n%s", rt.method, r.path, subjects[subject(s)], got, want)
		}
	}
}

// seen is all that a client sees of an answer but for the request's own id.
func (a answer) seen() string {
	h := a.header.Clone()
	h.Del("X-Request-Id")
	return fmt.Sprint(a.status, h, a.body)
}

// keys asks without a valid key about Ann's own object: the answers are byte for byte
// the same, and nothing happens.
func (m *accessMatrix) keys(t *testing.T, rt route, r accessRow) {
	t.Helper()
	w := newWorld(t, own)
	revoked, expired := w.revokedKey("ann"), w.expiredKey("ann")
	before := w.snapshot()
	var first string
	for i, key := range []struct{ name, secret string }{{"no", ""}, {"a wrong", w.ann.key + "x"}, {"a revoked", revoked}, {"an expired", expired}} {
		want := "401 error"
		if rt.open {
			want = r.own
		}
		reply, a := w.ask(key.secret, rt, r.path, r.body)
		if reply != want {
			t.Errorf("%s %s with %s key: %q, want %q: %s", rt.method, r.path, key.name, reply, want, a.body)
		}
		if i == 0 {
			first = a.seen()
		} else if m.same++; a.seen() != first {
			t.Errorf("%s %s with %s key is told apart:\n%s\n%s", rt.method, r.path, key.name, a.seen(), first)
		}
		m.cells, m.statuses, m.unchanged = m.cells+1, m.statuses+1, m.unchanged+1
		if w.snapshot() != before {
			t.Errorf("%s %s with %s key: something changed", rt.method, r.path, key.name)
		}
	}
}

// revokedKey is a key of a user that was valid once.
func (f *fixture) revokedKey(user string) string {
	f.t.Helper()
	k, secret, err := f.lib.CreateKey(f.t.Context(), user, quire.KeyInput{})
	if err != nil {
		f.t.Fatal(err)
	}
	f.do(secret, "GET", "/v1/auth/token/validate", "").want(200)
	if err := f.lib.RevokeKey(f.t.Context(), user, k.ID); err != nil {
		f.t.Fatal(err)
	}
	return secret
}

// expiredKey is a key of a user whose time is over.
func (f *fixture) expiredKey(user string) string {
	f.t.Helper()
	expires := time.Now().Add(10 * time.Millisecond)
	_, secret, err := f.lib.CreateKey(f.t.Context(), user, quire.KeyInput{ExpiresAt: &expires})
	if err != nil {
		f.t.Fatal(err)
	}
	time.Sleep(time.Until(expires))
	return secret
}
