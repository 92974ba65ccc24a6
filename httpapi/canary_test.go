package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/bm25"
)

// canaries serves Ann and Cat beside a Bob of another tenant, who has nothing or only what
// is Unlisted. All of Bob's texts hold the word CANARY; a wrapper of the handler looks at
// everything that is answered.
type canaries struct {
	*world
	cat     account
	own     map[string]bool // canaries that Bob was shown
	scanned int
	leaks   []string
}

// words are the canaries of an answer; whatever was upper case may have become lower case.
var canaryWord = regexp.MustCompile(`(?i)canary[a-z]+|bob@example\.org`)

// newCanaries makes the content of Ann, and of Bob if he is to have any.
func newCanaries(t *testing.T, bob bool) *canaries {
	t.Helper()
	f := newFileFixture(t, &Options{HeartbeatInterval: time.Hour}, &quire.EngineOptions{Text: bm25.New(nil), Mode: quire.SearchHybrid})
	c := &canaries{world: &world{f, map[string]string{
		"elemental": "nobody-has-this", "list": "123456789", "tag": "123456788", "image": "123456787", "file": "123456786", "listfile": "123456785",
		"job": "nobody-has-this", "tenant": "nobody", "table": "nobody-has-this", "column": "123456784", "row": "123456783", "cell": "nobody-has-this",
	}}, cat: f.account("cat"), own: map[string]bool{}}
	c.objects(f.ann, "my", "Zebras in the snow", upload("a.png", picturesOf(t)["image/png"]), `,"visibility":1`)
	c.ingest(f.ann, c.names["myelemental"])
	if bob {
		c.hide()
	}
	inner := f.h
	f.h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		inner.ServeHTTP(rec, r)
		c.look(r, rec)
		for name, values := range rec.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(rec.Code)
		_, _ = w.Write(rec.Body.Bytes())
	})
	return c
}

// look notes the canaries of an answer.
func (c *canaries) look(r *http.Request, rec *httptest.ResponseRecorder) {
	c.scanned++
	seen := canaryWord.FindAllString(fmt.Sprintln(rec.Body, rec.Header()), -1)
	for _, word := range seen {
		if r.Header.Get("X-Api-Key") == c.bob.key {
			c.own[strings.ToLower(word)] = true
			continue
		}
		c.leaks = append(c.leaks, fmt.Sprintf("%s %s shows %s: %s", r.Method, r.URL, word, rec.Body))
	}
}

// hide gives Bob something of everything, with a canary in every text, and asks about it.
func (c *canaries) hide() {
	c.t.Helper()
	post := func(path, body string, status int) answer { return c.do(c.bob.key, "POST", path, body).want(status) }
	tag := post("/v1/user/tag", `{"title":"CANARYtag zebras","description":"CANARYtagabout","color":"#fff","elementalTypeId":3}`, 201).str("response.id")
	const file = `,"files":[{"file_name":"CANARYfile.txt","file_buffer":[67,65,78,65,82,89,98,121,116,101,115]}]`
	e := post("/v1/user/elemental", `{"id":"CANARYid","title":"CANARYtitle zebras in the snow","description":"CANARYabout zebras","template":"CANARYbody zebras in the snow #[CANARYplace]",
		"type_id":3,"category_id":18,"visibility":2,"video_url":"https://example.org/CANARYvideo","tutorial_steps":[{"title":"CANARYstep","description":"CANARYhow"}],"tagIds":[`+tag+`]`+file+`}`, 201)
	id := e.str("response.id")
	list := post("/v1/user/list", `{"title":"CANARYlist zebras","description":"CANARYlistabout","template":"CANARYlisttemplate","visibility":2,"item_ids":[{"prompt_id":"`+id+`"}],"tagIds":[`+tag+`]`+file+`}`, 201).str("response.id")
	table := post("/v1/user/table", `{"title":"CANARYtable zebras","columns":["CANARYcolumn"],"rows":["CANARYrow"],"cells":[["CANARYcell zebras"]],"visibility":2}`, 201)
	ctx, bob := c.t.Context(), c.bob.Actor()
	if _, err := c.lib.Comment(ctx, bob, id, "CANARYcomment"); err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.lib.Rate(ctx, bob, quire.Subject{ElementalID: id}, 5, "CANARYrate"); err != nil {
		c.t.Fatal(err)
	}
	job := post("/v1/kb/elemental", `{"elemental_id":"`+id+`","trace_id":"CANARYtrace"}`, 202).str("data.job_id")
	if _, err := c.eng.Wait(ctx, c.bob.TenantID, job); err != nil {
		c.t.Fatal(err)
	}
	post("/v1/kb/chat", `{"query":"zebras in the snow","filters":{"tenant_id":"bob"}}`, 200)
	c.do(c.bob.key, "POST", "/v1/user/tag", `{"title":"CANARYonce","color":"#fff","elementalTypeId":3}`, "Idempotency-Key", "k").want(201)
	for name, value := range map[string]any{
		"elemental": id, "list": list, "tag": tag, "tenant": "bob", "file": e.at("response.files.0.id"), "table": table.str("response.id"), "job": job,
		"column": table.str("response.columns.0.id"), "row": table.str("response.rows.0.id"), "cell": table.str("response.rows.0.items.0.id"),
	} {
		c.names["bob"+name] = fmt.Sprint(value)
	}
}

// plainly asks, and returns the answer without what is another one in every world: ids,
// addresses and times.
func (c *canaries) plainly(key, method, path, body string, headers ...string) string {
	c.t.Helper()
	rec := c.asked(key, method, path, c.named(body), headers...)
	var value any
	decoder := json.NewDecoder(strings.NewReader(rec.Body.String()))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return fmt.Sprint(rec.Code, " ", varies.ReplaceAllString(rec.Body.String(), "$1"))
	}
	text, err := json.Marshal(withoutVarying(value))
	if err != nil {
		c.t.Fatal(err)
	}
	return fmt.Sprint(rec.Code, " ", varies.ReplaceAllString(string(text), "$1"))
}

// asked sends a request and takes whatever comes back.
func (f *fixture) asked(key, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	f.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if key != "" {
		r.Header.Set("x-api-key", key)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return exchanged(f.t, f.h, r)
}

// varies are addresses, ids and times, wherever they stand.
var varies = regexp.MustCompile(`https://quire\.example/[^" ]*|[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[0-9:.]+Z|([^.\d])\d{9,16}`)

func withoutVarying(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if key == "id" || strings.HasSuffix(key, "_id") || strings.HasSuffix(key, "_at") || strings.HasSuffix(key, "_ids") || strings.HasSuffix(key, "_seconds") {
				delete(v, key)
				continue
			}
			v[key] = withoutVarying(inner)
		}
	case []any:
		for i := range v {
			v[i] = withoutVarying(v[i])
		}
	}
	return value
}

// everything asks for all that Ann and Cat may ask for: first whatever finds or counts,
// then each route.
func (c *canaries) everything() (replies []string) {
	c.t.Helper()
	note := func(who, key, method, path, body string, headers ...string) {
		replies = append(replies, fmt.Sprintf("%s %s %s %s: %s", who, method, path, body, c.plainly(key, method, c.named(path), body, headers...)))
	}
	for _, who := range []account{c.ann, c.cat} {
		note(who.ID, who.key, "POST", "/v1/user/tag", `{"title":"A tag","color":"#fff","elementalTypeId":3}`, "Idempotency-Key", "k") // Bob's too
		for _, words := range []string{"zebras", "canarytitle", "canarytag", "canarybody", "canarylist", "canarycolumn", "snow+zebras", "z"} {
			note(who.ID, who.key, "GET", "/v1/elementals?search="+words, "")
			note(who.ID, who.key, "GET", "/v1/lists?search="+words, "")
		}
		for _, path := range []string{"/v1/lists", "/v1/user/lists", "/v1/user/elementals", "/v1/user/tags", "/v1/kb/jobs", "/v1/elemental/type/8/categories", "/v1/elemental/type/category/18/topics"} {
			note(who.ID, who.key, "GET", path, "")
		}
		for _, mode := range []string{"vector", "text", "hybrid"} {
			for _, query := range []string{"zebras in the snow", "canarybody", "giraffes"} {
				for _, route := range []string{"search", "chat", "chat/stream"} {
					note(who.ID, who.key, "POST", "/v1/kb/"+route, `{"query":"`+query+`","mode":"`+mode+`","filters":{"tenant_id":"`+who.ID+`"}}`)
				}
			}
		}
	}
	for _, r := range accessRows {
		method, _, _ := strings.Cut(r.route, " ")
		if strings.HasPrefix(r.path, "/health/detailed") { // counts passages of all tenants, for whoever runs it
			continue
		}
		for _, who := range []account{c.cat, {}, c.ann} {
			note(who.ID, who.key, method, r.path, r.body)
		}
	}
	return replies
}

// probe asks about Bob's things by their ids. Only where an Unlisted thing may be read by
// its id, Bob's is not asked about.
func (c *canaries) probe() {
	c.t.Helper()
	bobs := regexp.MustCompile(`\$(elemental|list|tag|tenant|file|table|job|column|row|cell)\b`)
	deletes := func(r accessRow) bool { return strings.HasPrefix(r.route, "DELETE") || r.path == "/v1/kb/delete" }
	rows := slices.Clone(accessRows) // those that would delete what others find come last
	slices.SortStableFunc(rows, func(a, b accessRow) int {
		switch {
		case deletes(a) == deletes(b):
			return 0
		case deletes(a):
			return 1
		}
		return -1
	})
	for _, r := range rows {
		method, _, _ := strings.Cut(r.route, " ")
		if !bobs.MatchString(r.path+r.body) || strings.HasPrefix(r.unlisted, "20") && r.unlisted != r.unknown {
			continue
		}
		path, body := bobs.ReplaceAllString(r.path, "$$bob$1"), bobs.ReplaceAllString(r.body, "$$bob$1")
		for _, who := range []account{c.ann, c.cat, {}} {
			c.asked(who.key, method, c.named(path), c.named(body))
		}
	}
}

// TestCanaries: nothing that Ann, Cat or nobody is answered holds a text of Bob's, and all
// of it is the same, counts, scores and errors included, as if Bob had nothing.
func TestCanaries(t *testing.T) {
	t.Parallel()
	without, with := newCanaries(t, false), newCanaries(t, true)
	want, got := without.everything(), with.everything()
	same := 0
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("with Bob's content, and without:\n%s\n%s", got[i], want[i])
			continue
		}
		same++
	}
	with.probe()
	for _, leak := range with.leaks {
		t.Error(leak)
	}
	// Bob himself is shown all of it: the canaries can be seen.
	for _, path := range []string{"/v1/elemental/$bobelemental", "/v1/elemental/$bobtable", "/v1/list/$boblist?format=markdown&group_by=row", "/v1/user/elementals", "/v1/user/lists", "/v1/user/tags", "/v1/kb/jobs",
		"/v1/elemental/$bobelemental/file/$bobfile", "/v1/auth/token/validate", "/v1/lists?search=zebras"} {
		if rec := with.asked(with.bob.key, "GET", with.named(path), ""); rec.Code != 200 {
			t.Errorf("%s for Bob: %d", path, rec.Code)
		}
	}
	var unseen []string
	for _, word := range strings.Fields("tag tagabout file bytes title about body place video step how list listabout listtemplate table column row cell comment rate trace once") {
		if !with.own["canary"+word] {
			unseen = append(unseen, word)
		}
	}
	if slices.Sort(unseen); len(unseen) > 0 {
		t.Errorf("Bob does not see his canaries %v", unseen)
	}
	if t.Failed() {
		return
	}
	t.Logf("E3: %d canaries of another tenant in %d answers: %d; %d of %d answers the same as without that tenant's content, counts and scores included",
		len(with.own), with.scanned, len(with.leaks), same, len(got))
}
