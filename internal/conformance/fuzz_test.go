package conformance

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/quirelib/quire/store/sqlite"
)

// fuzzer sends requests that are made of the document: as it describes them, and with something
// changed. Whatever comes back has to be as the document says.
type fuzzer struct {
	*site
	contract *contract
	random   *rand.Rand
	ops      []operation
	known    map[string][]string // ids by the name of their path parameter
	kinds    map[string]int      // answers by the first digit of their status
}

type operation struct {
	method, pattern string
	*openapi3.Operation
}

// TestFuzz asks every operation of the document in thousands of ways. A seed that was
// printed makes the same requests again: QUIRE_FUZZ_SEED=1 go test -run Fuzz ./internal/conformance
func TestFuzz(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("QUIRE_FUZZ_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	count := fuzzRequests
	if testing.Short() {
		count = 2_000
	}
	fuzzers := make([]*fuzzer, fuzzSites)
	t.Run("sites", func(t *testing.T) {
		for i := range fuzzers {
			fuzzers[i] = newFuzzer(t, seed+uint64(i))
			t.Run("", func(t *testing.T) {
				t.Parallel()
				fuzzers[i].run(t, count)
			})
		}
	})
	kinds := map[string]int{}
	for _, f := range fuzzers {
		for kind, n := range f.kinds {
			kinds[kind] += n
		}
		for _, op := range f.ops {
			if !testing.Short() && !slices.ContainsFunc(slices.Collect(maps.Keys(f.contract.seen)), func(kind string) bool { return strings.HasPrefix(kind, op.OperationID+" 2") }) {
				t.Errorf("%s was never asked with success", op.OperationID)
			}
		}
	}
	if t.Failed() {
		return
	}
	t.Logf("B14: %d requests made of the document with seed %d: %d successes, %d refusals, %d faults, 0 findings",
		count*len(fuzzers), seed, kinds["2xx"], kinds["4xx"], kinds["5xx"])
}

// newFuzzer returns a fuzzer with a site of its own.
func newFuzzer(t *testing.T, seed uint64) *fuzzer {
	t.Helper()
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "quire.db"), &sqlite.Options{Synchronous: sqlite.Normal})
	if err != nil {
		t.Fatal(err)
	}
	f := &fuzzer{site: newSiteOn(t, st), contract: readContract(t), random: rand.New(rand.NewPCG(seed, 0)),
		known: map[string][]string{"id": {"of-bob"}}, kinds: map[string]int{}}
	for _, pattern := range slices.Sorted(maps.Keys(f.contract.doc.Paths.Map())) {
		ops := f.contract.doc.Paths.Value(pattern).Operations()
		for _, method := range slices.Sorted(maps.Keys(ops)) {
			f.ops = append(f.ops, operation{method, pattern, ops[method]})
		}
	}
	return f
}

// run sends requests and checks what comes back, until five are not as described.
func (f *fuzzer) run(t *testing.T, count int) {
	findings := 0
	for i := range count {
		x := f.ask(f.ops[f.random.IntN(len(f.ops))])
		err := f.check(x)
		if x.Status >= http.StatusInternalServerError {
			err = fmt.Errorf("a fault of the service: %v", err)
		}
		if err != nil {
			t.Errorf("request %d: %s %s %q: %d %s\n%v", i, x.Method, x.Target, shorten(string(x.Body)), x.Status, shorten(string(x.Answer)), err)
			if findings++; findings == 5 {
				return
			}
			continue
		}
		f.kinds[strconv.Itoa(x.Status)[:1]+"xx"]++
		if x.Status < http.StatusBadRequest {
			f.learn(x)
		}
	}
}

// check checks an exchange.
func (f *fuzzer) check(x exchange) error {
	if x.Status >= http.StatusBadRequest && x.Answered.Get("X-Request-Id") == "" {
		return errors.New("no X-Request-Id")
	}
	return f.contract.check(x)
}

// ask makes and sends a request of an operation.
func (f *fuzzer) ask(op operation) exchange {
	segments := strings.Split(op.pattern, "/")
	for i, s := range segments {
		if name, ok := strings.CutPrefix(s, "{"); ok {
			segments[i] = url.PathEscape(f.pathID(strings.TrimSuffix(name, "}"), op.pattern))
		}
	}
	target := strings.Join(segments, "/")
	if before, ok := strings.CutSuffix(op.pattern, "}/file/{file_id}"); ok && f.oneIn(4, false) {
		if files := f.known[before[:strings.Index(before, "{")]]; len(files) > 0 {
			target = pick(f, files)
		}
	}
	query := url.Values{}
	for _, p := range op.Parameters {
		if p := p.Value; p.In == "query" && (p.Required && f.oneIn(20, false) || f.oneIn(3, true)) {
			name := p.Name
			if f.oneIn(8, true) {
				name = "" // nothing but what the schema says
			}
			v := f.value(name, p.Schema.Value, 0)
			if f.oneIn(8, true) {
				v = f.strange()
			}
			query.Add(p.Name, strings.Trim(encode(v), `"`))
		}
	}
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	body := ""
	if op.RequestBody != nil {
		body = f.body(op.RequestBody.Value.Content.Get("application/json").Schema.Value)
	}
	key := f.key
	if f.oneIn(30, true) {
		key = []string{"", "wrong"}[f.random.IntN(2)]
	}
	return f.do(key, step{op.method, target, body, 0, ""})
}

// oneIn is true one time in n, or with yes false, all times but that.
func (f *fuzzer) oneIn(n int, yes bool) bool { return (f.random.IntN(n) == 0) == yes }

func (f *fuzzer) pathID(name, pattern string) string {
	ids := f.known[name]
	switch {
	case strings.Contains(pattern, "/image/"):
		ids = f.known["image_id"]
	case name == "type_id":
		ids = []string{"1", "2", "3", "4"}
	case name == "category_id":
		ids = []string{"1", "18"}
	}
	if len(ids) == 0 || f.oneIn(15, true) {
		return strings.Trim(encode(f.strange()), `"`) + "x"
	}
	return pick(f, ids)
}

func pick[T any](f *fuzzer, of []T) T { return of[f.random.IntN(len(of))] }

// learn keeps the ids of what an answer shows.
func (f *fuzzer) learn(x exchange) {
	for name, pattern := range idsIn {
		for _, m := range pattern.FindAllStringSubmatch(string(x.Answer), 20) {
			if ids := f.known[name]; !slices.Contains(ids, m[1]) {
				f.known[name] = append(ids[max(0, len(ids)-20):], m[1])
			}
		}
	}
}

// idsIn finds ids in answers, by the name of their path parameter.
var idsIn = map[string]*regexp.Regexp{
	"id":      regexp.MustCompile(`/v1/elemental/([A-Za-z0-9._-]+)"`),
	"list_id": regexp.MustCompile(`/v1/list/([0-9]+)"`),
	"tag_id":  regexp.MustCompile(`\{"id":"([0-9]+)","title":"[^"]*","color"`),
	"file_id": regexp.MustCompile(`/file/([0-9]+)"`),
	// Whole paths, by what they begin with.
	"/v1/list/":      regexp.MustCompile(`(/v1/list/[0-9]+/file/[0-9]+)"`),
	"/v1/elemental/": regexp.MustCompile(`(/v1/elemental/[A-Za-z0-9._-]+/file/[0-9]+)"`),
	"image_id":       regexp.MustCompile(`/v1/image/([0-9]+)"`),
	"job_id":         regexp.MustCompile(`"(?:job_id|id)":"([^"]+)","(?:elemental_id|status)"`),
}

// body makes a body: good, with one thing changed, or no JSON.
func (f *fuzzer) body(schema *openapi3.Schema) string {
	v := f.value("", schema, 0)
	if f.oneIn(2, true) {
		v = f.changed(v)
	}
	text := encode(v)
	switch f.random.IntN(40) {
	case 0:
		return text[:f.random.IntN(len(text)+1)]
	case 1:
		return text + text
	case 2:
		return strings.Replace(text, "{", `{"title":"twice","title":"twice",`, 1)
	}
	return text
}

// encode writes a value as JSON.
func encode(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // it is made of what can be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// strange is a value that is hardly ever wanted.
func (f *fuzzer) strange() any {
	return pick(f, []any{
		nil, true, false, "", " ", "x", "null", "0", "-1", "1.5", "a\x00b", "half \U0001f600", "日本語のテキストです", "' OR 1=1 --", `"*" AND NEAR(`, "<script>alert(1)</script>", "../../etc/passwd", "javascript:alert(1)",
		strings.Repeat("x", 101), strings.Repeat("é", 25_000), 0, -1, 1, 5, 1.5, 1e9, json.Number("1e400"), json.Number("-0"), json.Number("9223372036854775808"), json.Number("9007199254740993"),
		[]any{}, []any{nil}, []any{[]any{[]any{}}}, []any{1, "1", nil}, map[string]any{}, map[string]any{"": nil}, map[string]any{"id": map[string]any{}}, slices.Repeat([]any{1}, 2_000),
	})
}

// changed changes a value in one place.
func (f *fuzzer) changed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 || f.oneIn(10, true) {
			v[pick(f, []string{"surplus", "Title", "tenant_id", "TENANT_ID", "user_id", "id", "ſource", ""})] = f.strange()
			return v
		}
		key := pick(f, slices.Sorted(maps.Keys(v)))
		if f.oneIn(4, true) {
			delete(v, key)
		} else {
			v[key] = f.changed(v[key])
		}
		return v
	case []any:
		if len(v) > 0 && f.oneIn(4, false) {
			i := f.random.IntN(len(v))
			v[i] = f.changed(v[i])
			return v
		}
	case float64:
		if f.oneIn(2, true) {
			return v + pick(f, []float64{-1, 1, 100})
		}
	}
	return f.strange()
}

// value makes a value as a schema describes it. The names of fields say what the words of the
// document do beyond that.
func (f *fuzzer) value(name string, s *openapi3.Schema, depth int) any {
	if v, ok := f.named(name); ok && f.oneIn(10, false) {
		return v
	}
	switch {
	case len(s.Enum) > 0:
		if f.oneIn(5, true) {
			return f.changed(pick(f, s.Enum))
		}
		return pick(f, s.Enum)
	case len(s.OneOf) > 0:
		return f.value(name, pick(f, s.OneOf).Value, depth)
	case len(s.AnyOf) > 0:
		return f.value(name, pick(f, s.AnyOf).Value, depth)
	case len(s.AllOf) > 0:
		all := map[string]any{}
		for _, part := range s.AllOf {
			if m, ok := f.value("", part.Value, depth).(map[string]any); ok {
				maps.Copy(all, m)
			}
		}
		return all
	case s.Type == nil || len(*s.Type) == 0:
		return f.strange()
	}
	switch pick(f, *s.Type) {
	case "object":
		return f.object(s, depth)
	case "array":
		if depth > 4 || s.Items == nil {
			return []any{}
		}
		items := make([]any, f.random.IntN(3)+int(s.MinItems))
		for i := range items {
			items[i] = f.value(name, s.Items.Value, depth+1)
		}
		return items
	case "string":
		return pick(f, []string{"plain words about ropes", "knots & <b>boats</b>", "日本語のテキストです", "#name and #[two words]", "# A heading\n\n- and *more*", "x"})
	case "integer", "number":
		low, high := 0.0, 50.0
		if s.Min != nil {
			low = *s.Min
		}
		if s.Max != nil {
			if f.oneIn(10, true) {
				return pick(f, []float64{low - 1, low, *s.Max, *s.Max + 1})
			}
			high = min(*s.Max, low+50)
		}
		return low + float64(f.random.IntN(int(high-low)+1))
	case "boolean":
		return f.oneIn(2, true)
	}
	return nil
}

func (f *fuzzer) object(s *openapi3.Schema, depth int) map[string]any {
	o := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) || depth < 4 && f.oneIn(3, true) {
			o[name] = f.value(name, s.Properties[name].Value, depth+1)
		}
	}
	return o
}

// named makes a value by the name of its field.
func (f *fuzzer) named(name string) (any, bool) {
	one := func(kind string) (any, bool) {
		ids := f.known[kind]
		return pick(f, append(slices.Clone(ids), cmp.Or(append(ids, "1")[0], "1"))), len(ids) > 0
	}
	switch name {
	case "title":
		return fmt.Sprintf("A title of number %d", f.random.IntN(1_000)), true
	case "type_id", "elementalTypeId", "content_type":
		return 1 + f.random.IntN(3), true
	case "category_id":
		return 18, true
	case "topic_ids":
		return []any{1}, true
	case "color":
		return "#00aaff", true
	case "video_url", "avatar_url":
		return "https://v.example/1", true
	case "tenant_id":
		return "ann", true
	case "query", "search":
		return pick(f, []string{"ropes", "knots boats", "title number"}), true
	case "limit", "size", "page":
		return 1 + f.random.IntN(5), true
	case "id":
		return fmt.Sprintf("own-%d", f.random.IntN(2_000)), true
	case "elemental_id", "prompt_id":
		return one("id")
	case "list_id":
		return one("list_id")
	case "tagIds", "tag_ids":
		v, ok := one("tag_id")
		return []any{v}, ok
	case "trace_id":
		return fmt.Sprintf("t%d", f.random.IntN(1_000_000)), true
	case "file_buffer":
		return pick(f, []any{dot, []any{104, 105}, map[string]any{"type": "Buffer", "data": []any{0, 255}}}), true
	case "images", "cover_images":
		if f.oneIn(2, true) {
			return []any{map[string]any{"file_name": "dot.gif", "file_buffer": dot}}, true
		}
	case "columns", "rows":
		return []any{"One of them", map[string]any{"title": "The other"}}, true
	case "cells":
		return []any{[]any{"a", "b"}, []any{nil, map[string]any{"text": "c"}}}, true
	case "format":
		return "json", true
	case "group_by":
		return "row", true
	case "fields":
		return "id,title,content", true
	case "table":
		return map[string]any{}, true
	case "mode":
		return nil, false
	}
	return nil, false
}
