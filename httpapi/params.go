package httpapi

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quirelib/quire"
)

// params reads query parameters and collects what is wrong with them. Parameters
// that a route does not have are ignored, unless it is noted which were asked for: then the
// others are wrong.
type params struct {
	values   url.Values
	asked    map[string]bool // nil without Options.StrictFields
	problems []quire.FieldError
}

// query parses the query string.
func (c *call) query() *params {
	values, err := url.ParseQuery(c.r.URL.RawQuery)
	p := &params{values: values}
	if c.s.opts.StrictFields {
		p.asked = make(map[string]bool)
	}
	if err != nil {
		p.wrong("query", "the query string is malformed")
	}
	return p
}

func (p *params) wrong(name, format string, args ...any) {
	p.problems = append(p.problems, quire.FieldError{Field: name, Message: fmt.Sprintf(format, args...)})
}

// err returns what was collected, nil if nothing was. All parameters of the route have been
// read.
func (p *params) err() error {
	if p.asked != nil {
		p.refuseUnknown()
	}
	if len(p.problems) == 0 {
		return nil
	}
	first := p.problems[0]
	return &quire.Error{Code: quire.CodeInvalid, Message: first.Field + ": " + first.Message, Fields: p.problems}
}

// refuseUnknown notes a problem at each parameter that was not asked for.
func (p *params) refuseUnknown() {
	eachUnknown(p.values, p.asked, "parameter", func(name, message string) (more bool) {
		p.wrong(strings.ToValidUTF8(name, "\uFFFD"), "%s", message)
		return len(p.problems) < maxProblems
	})
}

// text returns a parameter; false if it is absent or wrong.
func (p *params) text(name string) (string, bool) {
	if p.asked != nil {
		p.asked[name] = true
	}
	values, ok := p.values[name]
	switch {
	case !ok:
		return "", false
	case len(values) > 1:
		p.wrong(name, "must be given once")
	case !utf8.ValidString(values[0]) || strings.ContainsRune(values[0], 0):
		p.wrong(name, "must be valid UTF-8 without NUL")
	default:
		return values[0], true
	}
	return "", false
}

// number returns a whole number written in digits between 1 and limit; 0 if the
// parameter is absent.
func (p *params) number(name string, limit int) int {
	s, ok := p.text(name)
	if !ok {
		return 0
	}
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil || n < 1 || int(n) > limit {
		p.wrong(name, "must be a whole number between 1 and %d", limit)
		return 0
	}
	return int(n)
}

// id returns the id of a tag; 0 if the parameter is absent.
func (p *params) id(name string) int64 {
	s, ok := p.text(name)
	if !ok {
		return 0
	}
	id, ok := parseNumericID(s)
	if !ok {
		p.wrong(name, "must be an id: a positive whole number")
	}
	return id
}

// maxPage is the Library's limit: page*size stays inside 32 bits.
const maxPage = math.MaxInt32 / quire.MaxPageSize

// page returns the page that size and page select, with the defaults filled in.
func (p *params) page() quire.Page {
	page := quire.Page{Number: p.number("page", maxPage), Size: p.number("size", quire.MaxPageSize)}
	if page.Number == 0 {
		page.Number = 1
	}
	if page.Size == 0 {
		page.Size = quire.DefaultPageSize
	}
	return page
}

// has reports whether a parameter was given at all.
func (p *params) has(name string) bool { return p.values.Has(name) }

// flag returns a boolean; false if it is absent.
func (p *params) flag(name string) bool {
	switch s, ok := p.text(name); {
	case !ok, s == "false", s == "0":
		return false
	case s == "true", s == "1":
		return true
	}
	p.wrong(name, "must be true, false, 1 or 0")
	return false
}

// oneOf returns a parameter that is one of a few words, "" if it is absent.
func oneOf[T ~string](p *params, name string, allowed ...T) T {
	s, ok := p.text(name)
	if ok && !slices.Contains(allowed, T(s)) {
		p.wrong(name, "%s", mustBeOneOf(allowed))
	}
	return T(s)
}

func mustBeOneOf[T ~string](allowed []T) string { return "must be one of " + join(allowed) }

func join[T ~string](words []T) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(w))
	}
	return b.String()
}

// require notes that a parameter is missing, and what it has to be.
func (p *params) require(name, what string) {
	if !p.has(name) {
		p.wrong(name, "is required; %s", what)
	}
}

var (
	knowledgeFormats = []quire.KnowledgeFormat{quire.FormatText, quire.FormatMarkdown, quire.FormatJSON}
	knowledgeGroups  = []quire.GroupBy{quire.GroupByRow, quire.GroupByColumn}
)

// knowledge returns the parameters of knowledge text. A Format of "" means that the
// request named none.
func (p *params) knowledge() quire.KnowledgeOptions {
	return quire.KnowledgeOptions{
		Format:  oneOf(p, "format", knowledgeFormats...),
		GroupBy: oneOf(p, "group_by", knowledgeGroups...),
		Fields:  p.knowledgeFields(),
	}
}

// wholeKnowledge is knowledge where no parameter may be missing.
func (p *params) wholeKnowledge() quire.KnowledgeOptions {
	opts := p.knowledge()
	p.require("format", mustBeOneOf(knowledgeFormats))
	p.require("group_by", mustBeOneOf(knowledgeGroups))
	p.require("fields", mustBeFields())
	return opts
}

func (p *params) knowledgeFields() []string {
	s, ok := p.text("fields")
	if !ok {
		return nil
	}
	var fields []string // each once, however often it is named
	known := quire.KnowledgeFields()
	for f := range strings.SplitSeq(s, ",") {
		f = strings.TrimSpace(f)
		if !slices.Contains(known, f) {
			p.wrong("fields", "%s", mustBeFields())
			return nil
		}
		if !slices.Contains(fields, f) {
			fields = append(fields, f)
		}
	}
	return fields
}

func mustBeFields() string {
	return "must be a comma-separated subset of " + join(quire.KnowledgeFields())
}
