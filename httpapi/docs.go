package httpapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"
)

// The page at /docs is made of the document by a template: plain HTML, no script,
// nothing from another address, links that work under any prefix.

//go:embed docs.html
var docsHTML string

var docsPage = template.Must(template.New("docs").Funcs(template.FuncMap{
	"has":    slices.Contains[[]string],
	"indent": indentJSON,
	"upper":  strings.ToUpper,
}).Parse(docsHTML))

// docs answers with the page.
func (s *server) docs(c *call) error {
	page, err := s.page()
	if err != nil {
		return err
	}
	c.w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	return c.send("text/html; charset=utf-8", page)
}

// pageOf renders a document.
func pageOf(document []byte) ([]byte, error) {
	var doc docs
	if err := json.Unmarshal(document, &doc); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err := docsPage.Execute(&b, &doc)
	return b.Bytes(), err
}

// docs is what the page shows of the document.
type docs struct {
	Info struct {
		Title, Version, Description string
	}
	Tags []struct {
		Name, Description string
	}
	Paths      ordered[ordered[docsOperation]]
	Components struct {
		SecuritySchemes ordered[struct{ In, Name, Description string }]
		Headers         map[string]docsHeader
		Parameters      map[string]docsParameter
		Responses       ordered[docsResponse]
		Schemas         ordered[docsSchema]
	}
}

type docsOperation struct {
	Method, Path string `json:"-"`

	Tags        []string
	OperationID string `json:"operationId"`
	Summary     string
	Description string
	Security    *[]any // empty: no key
	Parameters  []docsParameter
	RequestBody *struct {
		Content ordered[docsContent]
	} `json:"requestBody"`
	Responses ordered[docsResponse]
}

type docsParameter struct {
	Ref         string `json:"$ref"`
	Name, In    string
	Description string
	Required    bool
	Schema      docsSchema
}

type docsResponse struct {
	Ref         string `json:"$ref"`
	Description string
	Headers     ordered[docsHeader]
	Content     ordered[docsContent]
}

type docsHeader struct {
	Ref         string `json:"$ref"`
	Description string
}

type docsContent struct {
	Schema  docsSchema
	Example json.RawMessage
}

// Operations are the operations of a group, in the order of the document.
func (d *docs) Operations(tag string) []docsOperation {
	var out []docsOperation
	for _, path := range d.Paths {
		for _, op := range path.Value {
			if slices.Contains(op.Value.Tags, tag) {
				op.Value.Method, op.Value.Path = op.Key, path.Key
				out = append(out, op.Value)
			}
		}
	}
	return out
}

// Parameter follows a reference, if there is one.
func (d *docs) Parameter(p docsParameter) docsParameter {
	if p.Ref != "" {
		return d.Components.Parameters[lastSegment(p.Ref)]
	}
	return p
}

// Response follows a reference, if there is one.
func (d *docs) Response(r docsResponse) docsResponse {
	for _, m := range d.Components.Responses {
		if r.Ref != "" && m.Key == r.Name() {
			return m.Value
		}
	}
	return r
}

// Answer is a response with its headers followed to where they are described.
func (d *docs) Answer(r docsResponse) docsResponse {
	r.Headers = slices.Clone(r.Headers)
	for i, h := range r.Headers {
		if h.Value.Ref != "" {
			r.Headers[i].Value = d.Components.Headers[lastSegment(h.Value.Ref)]
		}
	}
	return r
}

// Open reports whether an operation needs no key.
func (op docsOperation) Open() bool { return op.Security != nil && len(*op.Security) == 0 }

func lastSegment(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// indentJSON lays out an example. One that is a string is shown as its text.
func indentJSON(raw json.RawMessage) (string, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var b bytes.Buffer
	err := json.Indent(&b, raw, "", "  ")
	return b.String(), err
}

// docsSchema is a schema with the keywords that the document uses.
type docsSchema struct {
	Ref         string `json:"$ref"`
	Type        docsTypes
	Description string
	Format      string
	Pattern     string
	Const       any
	Enum        []any
	Default     any
	Minimum     json.Number
	Maximum     json.Number
	MinLength   json.Number
	MaxLength   json.Number
	MinItems    json.Number
	MaxItems    json.Number
	Required    []string
	Properties  ordered[docsSchema]
	Items       *docsSchema
	AnyOf       []docsSchema
	OneOf       []docsSchema
	Examples    []json.RawMessage
}

// docsTypes is the keyword type: one name or several.
type docsTypes []string

// UnmarshalJSON reads either form.
func (t *docsTypes) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = docsTypes{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(t))
}

// Name is the name of the response that a reference leads to.
func (r docsResponse) Name() string { return lastSegment(r.Ref) }

// Name is the name of the schema that a reference leads to.
func (s docsSchema) Name() string { return lastSegment(s.Ref) }

// Any are the schemas of which one has to fit.
func (s docsSchema) Any() []docsSchema {
	// Of an item, alternatives only say which of its keys have to be there.
	if len(s.Properties) > 0 {
		return nil
	}
	return append(s.AnyOf, s.OneOf...)
}

// Types are the names of the types; for an array with items, those beside it.
func (s docsSchema) Types() []string {
	if s.Items == nil {
		return s.Type
	}
	return slices.DeleteFunc(slices.Clone(s.Type), func(t string) bool { return t == "array" })
}

// Limits are the rules about a value, in words.
func (s docsSchema) Limits() string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	switch {
	case s.Const != nil:
		say("always %s", valueText(s.Const))
	case s.Enum != nil:
		words := make([]string, len(s.Enum))
		for i, v := range s.Enum {
			words[i] = valueText(v)
		}
		say("one of %s", strings.Join(words, ", "))
	}
	if s.Format != "" {
		say("%s", s.Format)
	}
	if s.Pattern != "" {
		say("pattern %s", s.Pattern)
	}
	out = append(out, bounds(s.Minimum, s.Maximum, ""), bounds(s.MinLength, s.MaxLength, " characters"), bounds(s.MinItems, s.MaxItems, " entries"))
	if s.Default != nil {
		say("default %s", valueText(s.Default))
	}
	return strings.Join(slices.DeleteFunc(out, func(s string) bool { return s == "" }), "; ")
}

// bounds says between which numbers something has to be, "" if anywhere.
func bounds(low, high json.Number, unit string) string {
	switch {
	case low != "" && high != "":
		return fmt.Sprintf("%s to %s%s", low, high, unit)
	case low != "":
		return fmt.Sprintf("at least %s%s", low, unit)
	case high != "":
		return fmt.Sprintf("at most %s%s", high, unit)
	}
	return ""
}

// valueText is a JSON value as its text.
func valueText(v any) string {
	if v == nil {
		return "null"
	}
	return fmt.Sprint(v)
}
