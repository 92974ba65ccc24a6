package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wholeSeconds is a Retry-After that one can wait for.
var wholeSeconds = regexp.MustCompile(`^[1-9][0-9]*$`)

// answer is a response that was read to its end.
type answer struct {
	t      *testing.T
	status int
	header http.Header
	body   string
}

func (a answer) check(what string) {
	a.t.Helper()
	for name, want := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"} {
		if got := a.header.Get(name); got != want {
			a.t.Errorf("%s: header %s is %q, want %q", what, name, got, want)
		}
	}
	if a.header.Get("X-Request-Id") == "" {
		a.t.Errorf("%s: no X-Request-Id", what)
	}
	if got := a.header.Get("Retry-After"); a.status == http.StatusServiceUnavailable && !wholeSeconds.MatchString(got) {
		a.t.Errorf("%s: Retry-After of a 503 is %q", what, got)
	}
	if a.status == http.StatusNoContent {
		if a.body != "" {
			a.t.Errorf("%s: a 204 with the body %q", what, a.body)
		}
		return
	}
	if got := a.header.Get("Content-Type"); got != "application/json; charset=utf-8" && got != "text/event-stream" {
		a.t.Errorf("%s: Content-Type is %q", what, got)
	}
	if !json.Valid([]byte(a.body)) && a.header.Get("Content-Type") != "text/event-stream" {
		a.t.Errorf("%s: the body is no JSON: %q", what, a.body)
	}
	var envelope struct {
		Code *int      `json:"code"`
		Meta *metaJSON `json:"meta"`
	}
	if json.Unmarshal([]byte(a.body), &envelope) == nil && envelope.Meta != nil {
		if envelope.Code == nil || *envelope.Code != a.status {
			a.t.Errorf("%s: status %d, body %s", what, a.status, a.body)
		}
	}
}

// want checks the status and returns the answer, so that it can be read on.
func (a answer) want(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("status %d, want %d; body: %s", a.status, status, a.body)
	}
	return a
}

// at returns a part of the body: keys and indices, separated by dots.
func (a answer) at(path string) any {
	a.t.Helper()
	v := parse(a.t, a.body)
	for key := range strings.SplitSeq(path, ".") {
		switch c := v.(type) {
		case map[string]any:
			var ok bool
			if v, ok = c[key]; !ok {
				a.t.Fatalf("no %q at %s in %s", key, path, a.body)
			}
		case []any:
			var i int
			if _, err := fmt.Sscan(key, &i); err != nil || i >= len(c) {
				a.t.Fatalf("no %q at %s in %s", key, path, a.body)
			}
			v = c[i]
		default:
			a.t.Fatalf("no %q at %s in %s", key, path, a.body)
		}
	}
	return v
}

// parse reads JSON without rounding numbers.
func parse(t *testing.T, text string) (v any) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	return v
}

// str is at for a string.
func (a answer) str(path string) string {
	a.t.Helper()
	s, ok := a.at(path).(string)
	if !ok {
		a.t.Fatalf("%s is %v, want a string", path, a.at(path))
	}
	return s
}

// has checks parts of the body, given as paths and JSON values.
func (a answer) has(pairs ...string) answer {
	a.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if diff := cmp.Diff(parse(a.t, pairs[i+1]), a.at(pairs[i])); diff != "" {
			a.t.Errorf("%s (-want +got):\n%s", pairs[i], diff)
		}
	}
	return a
}

// failed checks a content error: its status, its message, its fields.
func (a answer) failed(status int, message string, fields ...string) answer {
	a.t.Helper()
	a.want(status)
	if got := a.str("error_message"); got != message {
		a.t.Errorf("error_message is %q, want %q", got, message)
	}
	var body errorJSON
	if err := json.Unmarshal([]byte(a.body), &body); err != nil {
		a.t.Fatal(err)
	}
	var got []string
	for _, e := range body.Errors {
		got = append(got, e.Field)
	}
	if diff := cmp.Diff(fields, got); diff != "" {
		a.t.Errorf("fields of the error (-want +got):\n%s", diff)
	}
	return a
}

// detail checks an engine error.
func (a answer) detail(status int, want string) answer {
	a.t.Helper()
	a.want(status)
	if got := a.str("detail"); got != want {
		a.t.Errorf("detail is %q, want %q", got, want)
	}
	return a
}
