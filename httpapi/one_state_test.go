package httpapi

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
	"github.com/quirelib/quire/store/sqlite"
)

// TestListIsOfOneState reads lists while a writer changes the list and two of its items,
// always together: all that one answer says is of one of these changes.
func TestListIsOfOneState(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() (quire.Store, error){
		"memory": func() (quire.Store, error) { return store.NewMemory(), nil },
		"sqlite": func() (quire.Store, error) {
			return sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "quire.db"), nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := open()
			if err != nil {
				t.Fatal(err)
			}
			f := newFixtureOn(t, s, nil)
			one, two := f.elemental(f.ann, "State 0 of the first", ""), f.elemental(f.ann, "State 0 of the second", "")
			list := f.list(f.ann, "State 0", one, two)
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan int)
			go func() {
				n := 1
				for ; ctx.Err() == nil; n++ {
					if err := f.changeTogether(n, list, one, two); err != nil {
						t.Error(err)
						break
					}
				}
				done <- n
			}()
			answers := 0
			states := map[string]bool{}
			for range 60 {
				for _, path := range []string{"?expand_items=true", "?format=text", "/knowledge-base?format=markdown&group_by=row&fields=title,content"} {
					body := f.do(f.bob.key, "GET", "/v1/list/"+list+path, "").want(200).body
					said := map[string]bool{}
					for _, m := range regexp.MustCompile(`State (\d+)`).FindAllStringSubmatch(body, -1) {
						said[m[1]] = true
					}
					if len(said) != 1 {
						t.Errorf("%s mixes the states %v:\n%s", path, slices.Sorted(maps.Keys(said)), body)
					}
					maps.Copy(states, said)
					answers++
				}
			}
			stop()
			t.Logf("%d answers of %d states, of %d that there were", answers, len(states), <-done)
		})
	}
}

// changeTogether makes state n of a list and its items.
func (f *fixture) changeTogether(n int, list string, items ...string) error {
	key := quire.OnceKey{Route: "test", Key: fmt.Sprint(n), Request: "r"}
	_, _, err := f.lib.Once(f.t.Context(), f.ann.Actor(), key, func(ctx context.Context) (quire.Answer, error) {
		id, _ := parseNumericID(list)
		if _, err := f.lib.UpdateList(ctx, f.ann.Actor(), id, quire.ListPatch{Title: new(fmt.Sprintf("State %d", n))}); err != nil {
			return quire.Answer{}, err
		}
		for i, item := range items {
			patch := quire.ElementalPatch{Title: new(fmt.Sprintf("State %d of item %d", n, i)), Body: new(fmt.Sprintf("State %d", n))}
			if _, err := f.lib.UpdateElemental(ctx, f.ann.Actor(), item, patch); err != nil {
				return quire.Answer{}, err
			}
		}
		return quire.Answer{Status: 200}, nil
	})
	return err
}
