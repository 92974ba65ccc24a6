package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseUsers(t *testing.T) {
	t.Parallel()
	const k1, k2 = "0123456789abcdef", "fedcba9876543210"
	for _, c := range []struct {
		name, in string
		want     []credentials
		err      string
	}{
		{name: "unset"},
		{name: "blank", in: "  "},
		{name: "one", in: "ada=" + k1, want: []credentials{{"ada", k1}}},
		{name: "two with blanks", in: " ada = " + k1 + " ,\tgrace=" + k2, want: []credentials{{"ada", k1}, {"grace", k2}}},
		{name: "two keys of one user", in: "ada=" + k1 + ",ada=" + k2, want: []credentials{{"ada", k1}, {"ada", k2}}},
		{name: "equals sign in the key", in: "ada=" + k1 + "==", want: []credentials{{"ada", k1 + "=="}}},
		{name: "no equals sign", in: "ada", err: "entry 1 is not of the form id=key"},
		{name: "no id", in: "ada=" + k1 + ",=" + k2, err: "entry 2 is not of the form id=key"},
		{name: "comma at the end", in: "ada=" + k1 + ",", err: "entry 2 is not of the form id=key"},
		{name: "short key", in: "ada=secret", err: `the key of "ada" has 6 characters; at least 16 are needed`},
		{name: "same key", in: "ada=" + k1 + ",grace=" + k1, err: `"ada" and "grace" have the same key`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseUsers(c.in)
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(credentials{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("got error %v, want %q", err, c.err)
			}
			if err != nil && (strings.Contains(err.Error(), k1) || strings.Contains(err.Error(), "secret")) {
				t.Errorf("the error holds a key: %v", err)
			}
		})
	}
}
