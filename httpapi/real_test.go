package httpapi

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// prompt is a real prompt as people publish them.
type prompt struct {
	Title string `json:"title"`
	Text  string `json:"text"`

	id string // of the elemental made of it; "" if it was refused
}

// realPrompts reads the 1,524 prompts, or skips.
func realPrompts(t *testing.T) []*prompt {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped: the real prompts run without -short")
	}
	file, err := os.Open("../../shared/data/prompts/prompts.jsonl")
	if err != nil {
		t.Skip("skipped: ../shared/data/prompts is not there")
	}
	defer file.Close()
	var out []*prompt
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		p := new(prompt)
		if err := json.Unmarshal(lines.Bytes(), p); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRealPrompts takes real content through the whole interface: create-many, lists,
// knowledge text, ingest, search and chat. TestFindPrompts searches it.
func TestRealPrompts(t *testing.T) {
	t.Parallel()
	prompts := realPrompts(t)
	f := newEngineFixture(t, nil)
	f.createPrompts(prompts)
	var stored []*prompt
	for _, p := range prompts {
		if p.id != "" {
			stored = append(stored, p)
		}
	}
	f.readPrompts(stored)
	f.listPrompts(stored)
	f.askPrompts(stored)
}

// createPrompts creates the prompts in batches of 100 and checks that exactly those
// with a bad title come back as errors.
func (f *fixture) createPrompts(prompts []*prompt) {
	var created, short, long, other, partial int
	for start := 0; start < len(prompts); start += 100 {
		batch := prompts[start:min(start+100, len(prompts))]
		payloads := make([]map[string]any, len(batch))
		for i, p := range batch {
			payloads[i] = map[string]any{"title": p.Title, "type_id": 1, "template": p.Text, "topic_ids": []int{1}}
		}
		body, err := json.Marshal(payloads)
		if err != nil {
			f.t.Fatal(err)
		}
		a := f.do(f.ann.key, "POST", "/v1/user/elementals", string(body))
		if a.status == 201 {
			for i := range batch {
				batch[i].id = a.str(fmt.Sprintf("response.%d.id", i))
			}
			created += len(batch)
			continue
		}
		var answer struct {
			Response struct {
				Created []struct {
					Index     int
					Elemental elementalJSON
				}
				Errors []failedJSON
			}
		}
		if err := json.Unmarshal([]byte(a.want(206).body), &answer); err != nil {
			f.t.Fatal(err)
		}
		partial++
		for _, c := range answer.Response.Created {
			batch[c.Index].id = c.Elemental.ID
			created++
		}
		for _, e := range answer.Response.Errors {
			title := strings.TrimSpace(batch[e.Index].Title)
			switch n := utf8.RuneCountInString(title); {
			case e.Code != 400 || e.Title != batch[e.Index].Title || len(e.Errors) != 1 || e.Errors[0].Field != "title":
				f.t.Errorf("%q: %+v", title, e)
				other++
			case n < 10:
				short++
			case n > 100:
				long++
			default:
				f.t.Errorf("%q: %+v", title, e)
				other++
			}
		}
	}
	f.t.Logf("%d prompts: %d created, refused %d with a short title, %d with a long one, %d else; %d batches in part", len(prompts), created, short, long, other, partial)
	if len(prompts) != 1524 || created != 1439 || short != 81 || long != 4 || other != 0 {
		f.t.Fatal("want 1,524 prompts, 1,439 created, 81 short, 4 long, none else")
	}
}

// readPrompts reads them back: text as it was sent.
func (f *fixture) readPrompts(stored []*prompt) {
	read := 0
	for _, p := range stored {
		a := f.do(f.bob.key, "GET", "/v1/elemental/"+p.id, "").want(200)
		if a.str("response.title") != strings.TrimSpace(p.Title) || a.str("response.body_content") != p.Text {
			f.t.Errorf("%q came back changed", p.Title)
		}
		read++
	}
	f.t.Logf("%d prompts read back byte for byte", read)
}

// listPrompts puts all prompts into lists of 100, pages through one, and compiles it.
func (f *fixture) listPrompts(stored []*prompt) {
	lists, items := 0, 0
	for start := 0; start < len(stored); start += 100 {
		part := stored[start:min(start+100, len(stored))]
		ids := make([]string, len(part))
		for i, p := range part {
			ids[i] = p.id
		}
		id := f.list(f.ann, fmt.Sprintf("Prompts from %d", start), ids...)
		f.do(f.bob.key, "GET", "/v1/list/"+id, "").want(200).has("response.total_items", fmt.Sprint(len(part)), "response.knowledge_base", "null")
		var paged []string
		for page := 1; len(paged) < len(ids); page++ {
			a := f.do(f.bob.key, "GET", fmt.Sprintf("/v1/list/%s/items?size=30&page=%d", id, page), "").want(200)
			got := a.at("response").([]any)
			if len(got) == 0 {
				break
			}
			for _, it := range got {
				paged = append(paged, it.(map[string]any)["id"].(string))
			}
		}
		if strings.Join(paged, " ") != strings.Join(ids, " ") {
			f.t.Errorf("list %d: the pages together are not the list", lists)
		}
		a := f.do(f.bob.key, "GET", "/v1/list/"+id+"/knowledge-base?format=text&group_by=row&fields=title,content", "").want(200)
		compiled := a.str("response.knowledge_base.content")
		for i, p := range part {
			if !strings.Contains(compiled, fmt.Sprintf("\n%d. Title: %s\n", i+1, strings.TrimSpace(p.Title))) {
				f.t.Errorf("list %d: item %d is not in the compiled text", lists, i+1)
			}
		}
		lists++
		items += len(paged)
	}
	f.t.Logf("%d lists with %d items, each compiled and paged through", lists, items)
	f.do(f.bob.key, "GET", "/v1/lists?search=prompts", "").want(200).has("meta.total", fmt.Sprint(lists))
}

// askPrompts ingests some prompts, searches them, and asks about one.
func (f *fixture) askPrompts(stored []*prompt) {
	const n = 60
	some := stored[:n]
	for _, p := range some {
		f.ingest(f.ann, p.id)
	}
	hit := 0
	for _, p := range some {
		query, err := json.Marshal(map[string]any{"query": p.Title, "limit": 10, "filters": map[string]string{"tenant_id": "ann", "elemental_id": p.id}})
		if err != nil {
			f.t.Fatal(err)
		}
		a := f.do(f.ann.key, "POST", "/v1/kb/search", string(query)).want(200)
		if items := a.at("items").([]any); len(items) > 0 && strings.Contains(a.str("items.0.payload.original_text"), " ") {
			hit++
		}
	}
	question, err := json.Marshal(map[string]any{"query": some[1].Title, "filters": map[string]string{"tenant_id": "ann"}})
	if err != nil {
		f.t.Fatal(err)
	}
	answer := f.do(f.ann.key, "POST", "/v1/kb/chat", string(question)).want(200)
	s := readStream(f.t, f.do(f.ann.key, "POST", "/v1/kb/chat/stream", string(question)).want(200).body)
	if s.text != answer.str("answer") || len(answer.at("sources").([]any)) == 0 {
		f.t.Errorf("the stream says %q, the plain answer is %s", s.text, answer.body)
	}
	f.t.Logf("%d prompts ingested, %d found by search, one question answered from %d sources", n, hit, len(answer.at("sources").([]any)))
	if hit != n {
		f.t.Error("not all are found")
	}
	f.do(f.bob.key, "POST", "/v1/kb/search", `{"query":"act as a terminal","filters":{"tenant_id":"bob"}}`).want(200).has("total_found", "0")
}
