package httpapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

// impatient has nobody wait for long.
func (s *server) impatient() {
	for _, b := range s.budgets() {
		b.wait /= 200
	}
}

// TestPlacesOfTablesAreHeld: the places of a table are shown, with texts or without.
func TestPlacesOfTablesAreHeld(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	s := f.h.(*server)
	s.impatient()
	titles := make([]string, 50)
	for i := range titles {
		titles[i] = fmt.Sprint("title ", i)
	}
	table, err := f.lib.CreateTable(t.Context(), f.ann.Actor(), quire.TableInput{Title: "A table without texts", Columns: titles, Rows: titles})
	if err != nil {
		t.Fatal(err)
	}
	list, err := f.lib.CreateList(t.Context(), f.ann.Actor(), quire.ListInput{Title: "A list of it", Items: []quire.ItemInput{{ElementalID: table.ID}}})
	if err != nil {
		t.Fatal(err)
	}
	quoted := `"` + strings.Join(titles, `","`) + `"`
	create := `{"title":"Another without texts","columns":[` + quoted + `],"rows":[` + quoted + `]}`
	reads := []string{"/v1/elemental/" + table.ID, fmt.Sprint("/v1/list/", list.ID), fmt.Sprint("/v1/list/", list.ID, "?expand_items=true")}
	release := s.largeAnswers.take("eve", s.largeAnswers.size)
	for _, path := range reads {
		f.do(f.ann.key, "GET", path, "").want(503)
	}
	f.do(f.ann.key, "POST", "/v1/user/table", create).want(503)
	release()
	for _, path := range reads {
		f.do(f.ann.key, "GET", path, "").want(200)
	}
	f.do(f.ann.key, "POST", "/v1/user/table", create).want(201)
	s.allGivenBack(t)
}

// TestItemsNamedAgainAreHeld: a list of an elemental that is named ten times has one item, whose
// text is compiled.
func TestItemsNamedAgainAreHeld(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	s := f.h.(*server)
	s.impatient()
	id := f.elementalOf(f.ann, strings.Repeat("word ", 400_000))
	item := fmt.Sprintf(`{"prompt_id":%q}`, id)
	create := `{"title":"A list of one","item_ids":[` + strings.Join(slices.Repeat([]string{item}, 10), ",") + `]}`
	release := s.largeAnswers.take("eve", s.largeAnswers.size)
	f.do(f.ann.key, "POST", "/v1/user/list", create).want(503)
	release()
	if n := f.do(f.ann.key, "POST", "/v1/user/list", create).want(201).at("response.total_items"); fmt.Sprint(n) != "1" {
		t.Errorf("the list has %v items", n)
	}
	s.allGivenBack(t)
}

// TestHitsAreHeld: passages that a search reads count, and so does what it answers with.
func TestHitsAreHeld(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil).withEngine(nil, nil)
	s := f.h.(*server)
	s.impatient()
	body := fmt.Sprintf(`{"query":"word","filters":{"tenant_id":%q},"limit":100}`, f.ann.TenantID)
	f.do(f.ann.key, "POST", "/v1/kb/search", body).want(200)
	for _, b := range []*budget{&s.pages, &s.smallAnswers} {
		release := b.take("eve", b.size)
		f.do(f.ann.key, "POST", "/v1/kb/search", body).want(503)
		release()
	}
	f.do(f.ann.key, "POST", "/v1/kb/search", body).want(200)
	s.allGivenBack(t)

	hit := quire.SearchHit{Chunk: quire.Chunk{Text: strings.Repeat("x", 1<<20), TagNames: slices.Repeat([]string{strings.Repeat("y", 1000)}, 100)}}
	if cost := hitsCost([]quire.SearchHit{hit, hit}); cost < 2*(1<<20+100_000) {
		t.Errorf("two hits of a megabyte count %d bytes", cost)
	}
}

// TestPagesBesideALargeAnswer: long descriptions of a page do not wait until nobody else has any
// large answer, and one user with one cannot have what there is for reading.
func TestPagesBesideALargeAnswer(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	s := f.h.(*server)
	s.impatient()
	for i := range 60 {
		in := quire.ElementalInput{Title: fmt.Sprint("With a long description ", i), TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: "x", Description: longNote}
		if _, err := f.lib.CreateElemental(t.Context(), f.ann.Actor(), in); err != nil {
			t.Fatal(err)
		}
	}
	defer s.largeAnswers.take("eve", 6<<20)() // a document that eve does not read
	f.do(f.ann.key, "GET", "/v1/elementals?search=description&size=100", "").want(200)

	b := budget{size: 256, wait: s.largeAnswers.wait}
	first, err := b.acquire(t.Context(), "ann", 60, 192)
	if err != nil {
		t.Fatal(err)
	}
	defer first()
	if _, err := b.acquire(t.Context(), "ann", 60, 192); err == nil {
		t.Error("one user has more than half of what there is for reading")
	}
	other, err := b.acquire(t.Context(), "bob", 96, 192)
	if err != nil {
		t.Fatal(err)
	}
	other()
}

// TestGoodKeysAreRemembered: when there are more than are remembered, some are forgotten and not
// all, and one that is known takes no room.
func TestGoodKeysAreRemembered(t *testing.T) {
	t.Parallel()
	f := newFailedKeys(Rate{PerMinute: 1, Burst: 1})
	key := func(i int) (k caller) {
		copy(k[:], fmt.Sprint(i))
		return k
	}
	for i := range maxGoodKeys {
		f.note("address", key(i), false, time.Now())
	}
	for i := range maxGoodKeys {
		f.note("address", key(i), false, time.Now())
	}
	if n := len(f.good); n != maxGoodKeys {
		t.Errorf("%d keys are remembered, want %d", n, maxGoodKeys)
	}
	f.note("address", key(maxGoodKeys), false, time.Now())
	if n := len(f.good); n != maxGoodKeys || !f.good[key(maxGoodKeys)] {
		t.Errorf("%d keys are remembered after one more", n)
	}
}
