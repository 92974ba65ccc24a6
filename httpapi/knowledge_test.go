package httpapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestListKnowledgeRoute(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	one := f.elemental(f.ann, "The first item", `,"description":"d","video_url":"https://example.org/v","tutorial_steps":[{"title":"s"}]`)
	id := f.list(f.ann, "A \"list\" ü", one, f.elemental(f.bob, "The second item", ""))
	path := "/v1/list/" + id + "/knowledge-base?group_by=row"
	f.do(f.bob.key, "GET", path+"&format=text&fields=title,content", "").want(200).has("meta.total", "1", "meta.limit", "0",
		"response", `{"knowledge_base":{"title":"A \"list\" ü","description":"","type":"Collection",
			"items":[{"title":"The first item","description":"d","type":"Document","content":"body of The first item"},
				{"title":"The second item","description":"","type":"Document","content":"body of The second item"}],
			"content":"Title: A \"list\" ü\n\n1. Title: The first item\n   Body: body of The first item\n\n2. Title: The second item\n   Body: body of The second item\n"}}`)
	f.do(f.bob.key, "GET", path+"&format=json&fields=id,video,tutorial,images,files", "").want(200).has("response.knowledge_base.items.0",
		`{"title":"The first item","description":"d","type":"Document","id":"`+one+`","images":[],"files":[],"video":"https://example.org/v",
			"tutorial":[{"Title":"s","Description":"","Video":""}]}`)
	if strings.Contains(f.do(f.bob.key, "GET", path+"&format=json&fields=id", "").body, `"content"`) {
		t.Error("content in JSON, although it was not selected")
	}
	if got := f.do(f.bob.key, "GET", path+"&format=markdown&fields=title", "").str("response.knowledge_base.content"); !strings.HasPrefix(got, "# A ") {
		t.Errorf("Markdown: %q", got)
	}
	f.do(f.bob.key, "GET", "/v1/list/"+f.list(f.ann, "Empty")+"/knowledge-base?group_by=column&format=json&fields=title", "").want(200).
		has("response.knowledge_base.items", "[]")
	f.do(f.bob.key, "GET", "/v1/list/"+id+"/knowledge-base", "").failed(400, "format: is required; must be one of text, markdown, json", "format", "group_by", "fields")
	f.do(f.bob.key, "GET", path+"&format=text&fields=body", "").want(400).has("errors.0.field", `"fields"`)
	f.do(f.bob.key, "GET", path+"&format=pdf&fields=id", "").want(400).has("errors.0.field", `"format"`)
	f.do(f.bob.key, "GET", "/v1/list/5/knowledge-base?format=text&group_by=row&fields=id", "").failed(404, problem404.message)
}

func TestElementalKnowledgeRoute(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	path := "/v1/elemental/" + f.elemental(f.ann, "The first item", `,"description":"d"`) + "/knowledge-base"
	f.do(f.bob.key, "GET", path, "").want(200).has("response", `{"knowledge_base":{"title":"The first item","description":"d","type":"Document",
		"content":"Title: The first item\nDescription: d\nBody: body of The first item\n"}}`)
	f.do(f.bob.key, "GET", path+"?format=markdown&fields=title&group_by=column", "").want(200).has("response.knowledge_base.content", `"# The first item\n"`)
	f.do(f.bob.key, "GET", path+"?format=json", "").want(200).has("response.knowledge_base",
		`{"title":"The first item","description":"d","type":"Document","content":"body of The first item"}`)
	f.do(f.bob.key, "GET", path+"?fields=x", "").want(400)
	f.do(f.bob.key, "GET", "/v1/elemental/nobody/knowledge-base", "").want(404)
}

// TestLongList compiles a list that is longer than what is held back: it arrives
// whole, without a Content-Length.
func TestLongList(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	const items, bodySize = 100, 20_000
	l := f.listOf("A long list", slices.Repeat([]string{strings.Repeat("ü", bodySize/2)}, items)...)
	srv := httptest.NewServer(f.h)
	defer srv.Close()
	for format, want := range map[string]int{"json": items * bodySize, "text": 2 * items * bodySize} {
		resp := f.request(srv, fmt.Sprintf("/v1/list/%d/knowledge-base?group_by=row&fields=title,content&format=%s", l.ID, format))
		data, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.ContentLength != -1 {
			t.Fatalf("%s: %v, Content-Length %d", format, err, resp.ContentLength)
		}
		var body struct {
			Response struct {
				KnowledgeBase struct {
					Items   []struct{ Content string }
					Content string
				} `json:"knowledge_base"`
			}
		}
		if err := json.Unmarshal(data, &body); err != nil {
			t.Fatal(err)
		}
		size := len(body.Response.KnowledgeBase.Content)
		for _, it := range body.Response.KnowledgeBase.Items {
			size += len(it.Content)
		}
		if len(body.Response.KnowledgeBase.Items) != items || size < want || strings.Contains(string(data), `\ufffd`) {
			t.Errorf("%s: %d items, %d bytes of text, want %d and %d", format, len(body.Response.KnowledgeBase.Items), size, items, want)
		}
	}
}

func TestWholeRunes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, whole, rest string }{
		{"", "", ""}, {"abc", "abc", ""}, {"é", "é", ""}, {"a\xc3", "a", "\xc3"}, {"a\xe6\x97", "a", "\xe6\x97"}, {"\xf0\x9f\x98", "", "\xf0\x9f\x98"},
		{"😀", "😀", ""}, {"x\xff", "x\xff", ""}, {"\x80\x80", "\x80\x80", ""}, {"\xe6a", "\xe6a", ""}, {"日\xe6", "日", "\xe6"},
	} {
		if whole, rest := wholeRunes(tt.text); whole != tt.whole || rest != tt.rest {
			t.Errorf("wholeRunes(%q) = %q, %q, want %q, %q", tt.text, whole, rest, tt.whole, tt.rest)
		}
	}
}

func TestJSONText(t *testing.T) {
	t.Parallel()
	text := "a \"quote\", \\, \n, 日本 and 😀, cut \xe6\x97"
	for size := 1; size < 8; size++ {
		var b strings.Builder
		w := &jsonText{w: &b}
		for i := 0; i < len(text); i += size {
			if n, err := w.Write([]byte(text[i:min(i+size, len(text))])); err != nil || n == 0 {
				t.Fatal(n, err)
			}
		}
		if err := w.end(); err != nil {
			t.Fatal(err)
		}
		want, _ := json.Marshal(text)
		if got := `"` + b.String() + `"`; got != string(want) {
			t.Errorf("in pieces of %d: %s, want %s", size, got, want)
		}
	}
}
