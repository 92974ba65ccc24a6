package httpapi

import (
	"testing"

	"github.com/quirelib/quire"
)

// What the Library counts shows in elementals, whole and light, and in lists.
func TestCountersAreShown(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	id := f.do(f.ann.key, "POST", "/v1/user/elemental", `{"title":"A document to like","type_id":3,"category_id":18,"template":"x"}`).want(201).str("response.id")
	listID := f.list(f.ann, "With it", id)
	number, ok := parseNumericID(listID)
	if !ok {
		t.Fatal(listID)
	}
	for _, s := range []quire.Subject{{ElementalID: id}, {ListID: number}} {
		_, e1 := f.lib.Use(t.Context(), f.bob.Actor(), s)
		_, e2 := f.lib.Upvote(t.Context(), f.bob.Actor(), s, true)
		_, e3 := f.lib.Rate(t.Context(), f.bob.Actor(), s, 4, "")
		_, e4 := f.lib.Rate(t.Context(), f.ann.Actor(), s, 3, "")
		for _, err := range []error{e1, e2, e3, e4} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	f.do(f.ann.key, "GET", "/v1/elemental/"+id, "").want(200).has(
		"response.total_uses", "1", "response.total_upvotes", "1", "response.total_rates", "2", "response.average_rate", "3.5", "response.total_saves", "0")
	f.do(f.ann.key, "GET", "/v1/list/"+listID, "").want(200).has(
		"response.total_uses", "1", "response.total_rates", "2", "response.average_rate", "3.5",
		"response.items.0.total_upvotes", "1", "response.items.0.average_rate", "3.5")
}
