package httpapi

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/quirelib/quire"
)

// The engine tells three kinds of mistakes apart: JSON of the wrong type is 422 with
// the place of each; a tenant the user may not act for is 403; everything else is
// 400 with one message.

// engineBody is the body of an engine request.
type engineBody struct {
	object
	invalid error // the first broken rule
}

// readEngineBody reads the body and refuses a key that differs from a known one only
// by letter case: ignored, it would change what the request means.
func readEngineBody(c *call, known ...string) *engineBody {
	b := &engineBody{object: asObject(c.place("body"), firstValue(c.body))}
	for key := range b.fields {
		for _, k := range known {
			if key != k && strings.EqualFold(key, k) {
				b.refuse("unknown key %q; did you mean %q?", shorten(key), k)
			}
		}
	}
	return b
}

// refuse notes a broken rule.
func (b *engineBody) refuse(format string, args ...any) {
	if b.invalid == nil {
		b.invalid = quire.Errorf(quire.CodeInvalid, format, args...)
	}
}

// err is what is wrong with the body: wrong types first.
func (b *engineBody) err() error {
	b.check.end(0)
	if len(*b.problems) == 0 {
		return b.invalid
	}
	p := &problem{status: http.StatusUnprocessableEntity, message: "the body has values of the wrong type"}
	for _, wrong := range *b.problems {
		p.detail = append(p.detail, detail{Loc: wrong.path, Msg: wrong.msg, Type: wrong.kind})
	}
	return p
}

// text reads a string that must not be blank.
func (b *engineBody) text(key string, parse parser[string]) string {
	before := len(*b.problems)
	s := read(b.object, key, parse).val
	if strings.TrimSpace(s) == "" && len(*b.problems) == before {
		b.refuse("%s is required and must not be blank", key)
	}
	return s
}

// limit reads the number of results: 10.0 is whole. 0 means that it is absent.
func (b *engineBody) limit() int {
	const limit = 100
	f := read(b.object, "limit", func(p place, raw json.RawMessage) int {
		if !isNumber(raw) {
			p.wrong("number_type", "must be a number%s", unquoted(raw))
			return 0
		}
		n, err := strconv.ParseFloat(string(raw), 64)
		if err != nil || n < 1 || n > limit || n != float64(int(n)) {
			b.refuse("limit must be a whole number between 1 and %d", limit)
			return 0
		}
		return int(n)
	})
	return f.val
}

// mode reads how to search; "" means that it is absent. Which modes there are, the Engine
// says.
func (b *engineBody) mode() quire.SearchMode {
	f := read(b.object, "mode", asString)
	if f.ptr() != nil && f.val == "" {
		b.refuse("mode must be vector, text or hybrid")
	}
	return quire.SearchMode(f.val)
}

// history reads the turns before a question; null is none. What is wrong with a turn's
// values, the Engine says.
func (b *engineBody) history() []quire.Message {
	return read(b.object, "history", arrayOf(func(p place, raw json.RawMessage) quire.Message {
		o := asObject(p, raw)
		return quire.Message{Role: quire.Role(read(o, "role", asString).val), Content: read(o, "content", asString).val}
	})).val
}

// filterReaders are the keys of filters and what reads them.
var filterReaders = map[string]func(b *engineBody, o object, key string, f *quire.Filters){
	"tenant_id":    func(b *engineBody, o object, key string, f *quire.Filters) { f.TenantID = read(o, key, asID).val },
	"elemental_id": func(b *engineBody, o object, key string, f *quire.Filters) { f.ElementalID = b.filter(o, key, asID) },
	"user_id":      func(b *engineBody, o object, key string, f *quire.Filters) { f.UserID = b.filter(o, key, asID) },
	"tag_ids":      func(b *engineBody, o object, key string, f *quire.Filters) { f.TagIDs = b.filterAll(o, key, asID) },
	"tag_names": func(b *engineBody, o object, key string, f *quire.Filters) {
		f.TagNames = b.filterAll(o, key, asString)
	},
	"source":    func(b *engineBody, o object, key string, f *quire.Filters) { f.Source = b.filter(o, key, asString) },
	"type_name": func(b *engineBody, o object, key string, f *quire.Filters) { f.TypeName = b.filter(o, key, asString) },
	"category_name": func(b *engineBody, o object, key string, f *quire.Filters) {
		f.CategoryName = b.filter(o, key, asString)
	},
}

// filters reads the filters. An unknown key is refused, because a filter that is
// ignored widens the result.
func (b *engineBody) filters() (f quire.Filters) {
	before := len(*b.problems)
	o := read(b.object, "filters", asObject).val
	o.knows(slices.Collect(maps.Keys(filterReaders))...)
	for _, key := range slices.Sorted(maps.Keys(o.fields)) {
		set, known := filterReaders[key]
		if !known {
			b.refuse("unknown filter %q; allowed are %s", shorten(key), strings.Join(slices.Sorted(maps.Keys(filterReaders)), ", "))
			continue
		}
		set(b, o, key, &f)
	}
	if strings.TrimSpace(f.TenantID) == "" && len(*b.problems) == before {
		b.invalid = quire.Errorf(quire.CodeInvalid, "tenant_id is required in filters")
	}
	return f
}

// filter reads a filter; null is no filter, "" is refused.
func (b *engineBody) filter(o object, key string, parse parser[string]) string {
	before := len(*b.problems)
	s := read(o, key, parse).ptr()
	if s == nil {
		return ""
	}
	if *s == "" && len(*b.problems) == before {
		b.refuse("the filter %s must not be an empty string; leave it out for no filter", key)
	}
	return *s
}

// filterAll reads a filter of several values; an empty array is no filter.
func (b *engineBody) filterAll(o object, key string, parse parser[string]) []string {
	before := len(*b.problems)
	values := read(o, key, arrayOf(parse)).val
	if slices.Contains(values, "") && len(*b.problems) == before {
		b.refuse("the filter %s must not hold an empty string", key)
	}
	return values
}

// mayActFor refuses a tenant that the user does not act for.
func (s *server) mayActFor(c *call, f quire.Filters) error {
	if !s.opts.MayActFor(c.r.Context(), c.user, f.TenantID) {
		return quire.Errorf(quire.CodeForbidden, "whoever asks may not act for the tenant in filters.tenant_id")
	}
	return nil
}
