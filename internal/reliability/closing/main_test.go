package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// events encodes what tests did as go test -json does.
func events(t *testing.T, all ...event) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	for _, e := range all {
		if err := json.NewEncoder(&b).Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	return &b
}

// logs are the events of a test that logs some lines, and what becomes of it.
func logs(end event, lines ...string) []event {
	var all []event
	for _, line := range lines {
		all = append(all, event{Action: "output", Package: end.Package, Test: end.Test, Output: "    b_test.go:7: " + line + "\n"})
	}
	return append(all, end)
}

// TestReport: all lines are printed by id, output only of what failed, and what proved nothing
// is no success.
func TestReport(t *testing.T) {
	t.Parallel()
	const (
		quiet = module + "/none"
		ids   = module + "/internal/id" // a package with one row
		test  = "TestPointsAreApart"    // its test
	)
	for _, test := range []struct {
		name   string
		events []event
		ok     bool
		want   []string // in this order
		not    string
	}{
		{
			name: "closing lines",
			events: slices.Concat(
				logs(event{Action: "pass", Package: quiet, Test: "TestB", Elapsed: 2}, "B10: 16 at once", "something else"),
				logs(event{Action: "pass", Package: quiet, Test: "TestA", Elapsed: 1}, "B2: 7 of 7"),
				[]event{{Action: "pass", Package: quiet, Elapsed: 3}}),
			ok: true, not: "something else",
			want: []string{"ok   " + quiet, "B2 TestA: 7 of 7", "B10 TestB: 16 at once", "2 closing lines, from tests of 3 s"},
		},
		{
			name: "several lines of one test",
			events: slices.Concat(
				logs(event{Action: "pass", Package: quiet, Test: "TestB", Elapsed: 2}, "B10: 32 with values", "B10: 16 with keys", "B10: 32 with values"),
				logs(event{Action: "pass", Package: quiet, Test: "TestA", Elapsed: 1}, "B10: 1 alone", "B9: 2 bytes")),
			ok: true,
			want: []string{"B9 TestA: 2 bytes", "B10 TestA: 1 alone", "B10 TestB: 32 with values", "B10 TestB: 16 with keys", "B10 TestB: 32 with values",
				"5 closing lines, from tests of 3 s"},
		},
		{
			name:   "failure",
			events: append(logs(event{Action: "fail", Package: quiet, Test: "TestB"}, "why"), event{Action: "fail", Package: quiet}),
			want:   []string{"why", "FAIL " + quiet},
		},
		{
			name:   "skipped",
			events: append(logs(event{Action: "skip", Package: quiet, Test: "TestB"}, "no disk"), event{Action: "pass", Package: quiet}),
			ok:     true, want: []string{"no disk", "ok   " + quiet},
		},
		{
			name:   "the row of a package",
			events: append(logs(event{Action: "pass", Package: ids, Test: test}, "G9: 10 places, 0 twice"), event{Action: "pass", Package: ids}),
			ok:     true, want: []string{"G9 TestPointsAreApart: 10 places, 0 twice", "1 closing lines"},
		},
		{
			name:   "a row skipped",
			events: append(logs(event{Action: "skip", Package: ids, Test: test}, "G9: no disk of 8 MB"), event{Action: "pass", Package: ids}),
			ok:     true,
			want:   []string{"ok   " + ids, "NOT PROVED HERE G9: TestPointsAreApart of internal/id was skipped: G9: no disk of 8 MB", "0 closing lines"},
		},
		{
			name:   "a row skipped without a word",
			events: []event{{Action: "skip", Package: ids, Test: test}, {Action: "pass", Package: ids}},
			want:   []string{"FAIL G9: TestPointsAreApart of internal/id was skipped: it does not say why"},
		},
		{
			name:   "a row without its line",
			events: append(logs(event{Action: "pass", Package: ids, Test: test}, "G8: 7 of 7"), event{Action: "pass", Package: ids}),
			want:   []string{"FAIL G9: TestPointsAreApart of internal/id passed without its closing line"},
		},
		{
			name:   "a row of nothing",
			events: append(logs(event{Action: "pass", Package: ids, Test: test}, "G9: 0 places, 0 twice"), event{Action: "pass", Package: ids}),
			want:   []string{"G9 TestPointsAreApart: 0 places", "FAIL G9: TestPointsAreApart did nothing"},
		},
		{
			name:   "a row without a number",
			events: append(logs(event{Action: "pass", Package: ids, Test: test}, "G9: no place twice"), event{Action: "pass", Package: ids}),
			want:   []string{"FAIL G9: TestPointsAreApart does not say how much it did"},
		},
		{name: "build", events: []event{{Action: "build-output", Output: "x.go:1: no\n"}, {Action: "build-fail"}}, want: []string{"x.go:1: no"}},
		{name: "nothing", want: []string{"FAIL nothing ran"}},
		{name: "no events", events: []event{{}}, want: []string{"FAIL nothing ran"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var printed strings.Builder
			r := newReport(false)
			if err := r.read(events(t, test.events...), &printed); err != nil {
				t.Fatal(err)
			}
			if ok := r.print(&printed); ok != test.ok {
				t.Errorf("success is %t, want %t:\n%s", ok, test.ok, &printed)
			}
			rest := printed.String()
			for _, want := range test.want {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Errorf("%q is not in what is left of:\n%s", want, &printed)
				}
				rest = after
			}
			if test.not != "" && strings.Contains(printed.String(), test.not) {
				t.Errorf("%q is printed:\n%s", test.not, &printed)
			}
		})
	}
}
