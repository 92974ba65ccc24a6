package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/quirelib/quire/internal/reliability"
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

// TestReport: lines are printed by id, output only of what failed, and a package without
// its closing lines is no success.
func TestReport(t *testing.T) {
	t.Parallel()
	const quiet = module + "/none"
	var rows []reliability.Row
	for row := range reliability.Rows() {
		if row.Package == "." && !row.LongOnly {
			rows = append(rows, row)
		}
	}
	for _, test := range []struct {
		name   string
		events []event
		ok     bool
		want   []string // in this order
		not    string
	}{
		{
			name: "closing lines",
			events: []event{
				{Action: "output", Package: quiet, Test: "TestB", Output: "    b_test.go:7: B10: 16 at once\n"},
				{Action: "output", Package: quiet, Test: "TestB", Output: "    b_test.go:7: something else\n"},
				{Action: "pass", Package: quiet, Test: "TestB", Elapsed: 2},
				{Action: "output", Package: quiet, Test: "TestA", Output: "    a_test.go:7: B2: none\n"},
				{Action: "pass", Package: quiet, Test: "TestA", Elapsed: 1},
				{Action: "pass", Package: quiet, Elapsed: 3},
			},
			ok: true, want: []string{"ok   " + quiet, "B2: none", "B10: 16 at once", "2 closing lines, from tests of 3 s"}, not: "something else",
		},
		{
			name: "failure",
			events: []event{
				{Action: "output", Package: quiet, Test: "TestB", Output: "    b_test.go:7: why\n"},
				{Action: "fail", Package: quiet, Test: "TestB"},
				{Action: "fail", Package: quiet},
			},
			want: []string{"why", "FAIL " + quiet},
		},
		{
			name: "skipped",
			events: []event{
				{Action: "output", Package: quiet, Test: "TestB", Output: "    b_test.go:7: no disk\n"},
				{Action: "skip", Package: quiet, Test: "TestB"},
				{Action: "pass", Package: quiet},
			},
			ok: true, want: []string{"no disk", "ok   " + quiet},
		},
		{name: "build", events: []event{{Action: "build-output", Output: "x.go:1: no\n"}, {Action: "build-fail"}}, want: []string{"x.go:1: no"}},
		{name: "lines missing", events: []event{{Action: "pass", Package: module}}, ok: len(rows) == 0},
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
