package httpapi

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

func paramsOf(query string) *params {
	r := httptest.NewRequest("GET", "/", nil)
	r.URL.RawQuery = query
	return (&call{s: &server{}, r: r}).query()
}

func TestParams(t *testing.T) {
	t.Parallel()
	page := func(p *params) any { return p.page() }
	flag := func(p *params) any { return p.flag("expand_items") }
	knowledge := func(p *params) any { return p.knowledge() }
	tag := func(p *params) any { return p.id("tag_id") }
	search := func(p *params) any { s, _ := p.text("search"); return s }
	tests := []struct {
		query string
		read  func(*params) any
		want  any
		wrong string // the message of the error; "" for none
	}{
		{"", page, quire.Page{Number: 1, Size: 4}, ""},
		{"size=100&page=21474836", page, quire.Page{Number: 21474836, Size: 100}, ""},
		{"size=007", page, quire.Page{Number: 1, Size: 7}, ""},
		{"size=0", page, nil, "size: must be a whole number between 1 and 100"},
		{"size=101", page, nil, "size: must be a whole number between 1 and 100"},
		{"size=-1", page, nil, "size: must be a whole number between 1 and 100"},
		{"size=%2B1", page, nil, "size: must be a whole number between 1 and 100"},
		{"size=1.0", page, nil, "size: must be a whole number between 1 and 100"},
		{"size=1e1", page, nil, "size: must be a whole number between 1 and 100"},
		{"size=", page, nil, "size: must be a whole number between 1 and 100"},
		{"size=%D9%A1", page, nil, "size: must be a whole number between 1 and 100"}, // ARABIC-INDIC DIGIT ONE
		{"size=99999999999999999999", page, nil, "size: must be a whole number between 1 and 100"},
		{"size=1&size=2", page, nil, "size: must be given once"},
		{"page=0", page, nil, "page: must be a whole number between 1 and 21474836"},
		{"page=21474837", page, nil, "page: must be a whole number between 1 and 21474836"},
		{"page=9223372036854775808", page, nil, "page: must be a whole number between 1 and 21474836"},

		{"", flag, false, ""},
		{"expand_items=true", flag, true, ""},
		{"expand_items=1", flag, true, ""},
		{"expand_items=false", flag, false, ""},
		{"expand_items=0", flag, false, ""},
		{"expand_items=TRUE", flag, nil, "expand_items: must be true, false, 1 or 0"},
		{"expand_items=", flag, nil, "expand_items: must be true, false, 1 or 0"},
		{"expand_items", flag, nil, "expand_items: must be true, false, 1 or 0"},
		{"expand_items=yes", flag, nil, "expand_items: must be true, false, 1 or 0"},

		{"", knowledge, quire.KnowledgeOptions{}, ""},
		{"fields=id,title,id," + strings.Repeat("title,", 1000) + "id", knowledge, quire.KnowledgeOptions{Fields: []string{"id", "title"}}, ""},
		{"format=json&group_by=column&fields=id,%20content", knowledge,
			quire.KnowledgeOptions{Format: "json", GroupBy: "column", Fields: []string{"id", "content"}}, ""},
		{"format=xml", knowledge, nil, "format: must be one of text, markdown, json"},
		{"format=", knowledge, nil, "format: must be one of text, markdown, json"},
		{"format=TEXT", knowledge, nil, "format: must be one of text, markdown, json"},
		{"group_by=table", knowledge, nil, "group_by: must be one of row, column"},
		{"fields=title,body", knowledge, nil, "fields: must be a comma-separated subset of id, title, type, description, content, url, images, video, tutorial, files"},
		{"fields=", knowledge, nil, "fields: must be a comma-separated subset of id, title, type, description, content, url, images, video, tutorial, files"},
		{"fields=title,", knowledge, nil, "fields: must be a comma-separated subset of id, title, type, description, content, url, images, video, tutorial, files"},

		{"", tag, int64(0), ""},
		{"tag_id=9007199254740991", tag, int64(1<<53 - 1), ""},
		{"tag_id=9007199254740992", tag, nil, "tag_id: must be an id: a positive whole number"},
		{"tag_id=007", tag, nil, "tag_id: must be an id: a positive whole number"},
		{"tag_id=%2B7", tag, nil, "tag_id: must be an id: a positive whole number"},
		{"tag_id=", tag, nil, "tag_id: must be an id: a positive whole number"},
		{"tag_id=7&tag_id=7", tag, nil, "tag_id: must be given once"},

		{"search=a+b%26c", search, "a b&c", ""},
		{"search=%00", search, nil, "search: must be valid UTF-8 without NUL"},
		{"search=%FF", search, nil, "search: must be valid UTF-8 without NUL"},
		{"search=%ZZ", search, nil, "query: the query string is malformed"},
		{"search=a;b", search, nil, "query: the query string is malformed"},
		{"utm_source=x&search=a", search, "a", ""},
	}
	for _, tt := range tests {
		p := paramsOf(tt.query)
		got := tt.read(p)
		err := p.err()
		switch {
		case tt.wrong != "":
			if err == nil || problemOf(err).message != tt.wrong || quire.CodeOf(err) != quire.CodeInvalid {
				t.Errorf("%q: error %v, want %q", tt.query, err, tt.wrong)
			}
		case err != nil:
			t.Errorf("%q: %v", tt.query, err)
		default:
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tt.query, diff)
			}
		}
	}
	p := paramsOf("group_by=row")
	p.wholeKnowledge()
	want := []quire.FieldError{
		{Field: "format", Message: "is required; must be one of text, markdown, json"},
		{Field: "fields", Message: "is required; must be a comma-separated subset of id, title, type, description, content, url, images, video, tutorial, files"},
	}
	if diff := cmp.Diff(want, p.problems); diff != "" {
		t.Errorf("wholeKnowledge (-want +got):\n%s", diff)
	}
}
