package quire_test

import (
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
)

func TestFillTemplate(t *testing.T) {
	t.Parallel()
	f := newFixture(t, store.NewMemory(), &quire.LibraryOptions{MaxBodyBytes: 1000})
	e := f.create(f.ann, document("A template to fill", strings.Repeat("#[a] ", 50)+"#b"))
	fill := func(values map[string]string) (string, error) {
		return f.FillTemplate(t.Context(), f.bob, e.ID, values)
	}
	got, err := fill(map[string]string{"#[a]": "#b"})
	if err != nil || got != strings.Repeat("#b ", 50)+"#b" {
		t.Errorf("%q, %v", got, err)
	}
	// 50 values, 50 spaces and 2 bytes: 18 bytes each fit into 1,000, 19 do not.
	if got, err := fill(map[string]string{"#[a]": strings.Repeat("x", 18)}); err != nil || len(got) != 952 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	for _, n := range []int{19, 1 << 20} {
		_, err = fill(map[string]string{"#[a]": strings.Repeat("x", n)})
		wantCode(t, err, quire.CodeTooLarge)
	}
	// A name alone stands for what is written with it, unless that has a value itself.
	for _, tt := range []struct {
		values map[string]string
		want   string
	}{
		{map[string]string{"a": "1", "b": "2"}, strings.Repeat("1 ", 50) + "2"},
		{map[string]string{"a": "1", "#[a]": "3", "#b": "#a"}, strings.Repeat("3 ", 50) + "#a"},
		{map[string]string{"c": "1", "": "2"}, e.Body},
	} {
		if got, err := fill(tt.values); err != nil || got != tt.want {
			t.Errorf("%v: %q, %v", tt.values, got, err)
		}
	}
	_, err = f.FillTemplate(t.Context(), f.bob, "unknown", nil)
	wantCode(t, err, quire.CodeNotFound)
}
