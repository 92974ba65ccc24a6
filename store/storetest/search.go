package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

var searchCases = []testCase{
	{"phrases", searchPhrases},
	{"prefix", searchPrefix},
	{"nothing to find", searchNothing},
	{"words as they are", searchWords},
	{"text, not record", searchText},
	{"text replaced", searchReplaced},
	{"text alone", searchTextAlone},
	{"field weights", searchWeights},
	{"whole words first", searchWhole},
	{"more is better", searchFrequency},
	{"ties by id", searchTies},
	{"visibility", searchVisibility},
	{"types", searchTypes},
	{"pages", searchPages},
	{"inside an update", searchInUpdate},
	{"random against the plain way", searchRandom},
}

// words is a query of phrases.
func words(phrases ...string) quire.TextQuery {
	var q quire.TextQuery
	for _, p := range phrases {
		q.Phrases = append(q.Phrases, strings.Fields(p))
	}
	return q
}

// begins is a query of phrases whose last word may go on.
func begins(phrases ...string) quire.TextQuery {
	q := words(phrases...)
	q.Prefix = true
	return q
}

// anyone is a viewer who owns nothing.
var anyone = quire.Viewer{OwnerID: "anyone", OthersToo: true}

func putText(s *store, e quire.ElementalRecord, text quire.IndexedText) {
	s.tb.Helper()
	s.update(func(ctx context.Context, tx quire.Tx) error { return tx.PutElemental(ctx, e, text) })
}

// putTexts writes one public elemental for each text.
func putTexts(s *store, texts map[string]quire.IndexedText) {
	s.tb.Helper()
	s.update(func(ctx context.Context, tx quire.Tx) error {
		for id, text := range texts {
			if err := tx.PutElemental(ctx, bareElemental(id, "u1"), text); err != nil {
				return err
			}
		}
		return nil
	})
}

func idsOf(es []quire.ElementalRecord) []string {
	var ids []string
	for _, e := range es {
		ids = append(ids, e.ID)
	}
	return ids
}

// search returns the ids of all matches that anyone sees, in their order.
func search(s *store, q quire.TextQuery) []string {
	s.tb.Helper()
	es, total := find(s, quire.ReadTx.SearchElementals, quire.ElementalSearch{Text: q, Viewer: anyone, Limit: math.MaxInt32})
	if total != len(es) {
		s.tb.Errorf("query %v: total %d, but %d on one page of all", q, total, len(es))
	}
	return idsOf(es)
}

// checkSearch checks which elementals a query finds, in whatever order.
func checkSearch(t *testing.T, s *store, q quire.TextQuery, want ...string) {
	t.Helper()
	got := search(s, q)
	slices.Sort(got)
	slices.Sort(want)
	equal(t, fmt.Sprintf("query %v", q), got, want)
}

func searchPhrases(t *testing.T, s *store) {
	putTexts(s, map[string]quire.IndexedText{
		"a": {Title: "new york city", Description: "a big apple", Body: "the subway of new york", Tags: "travel"},
		"b": {Title: "york", Description: "new", Body: "an old city in the north", Tags: "travel england"},
		"c": {Title: "city of york new walls", Body: "city city city"},
		"d": {Title: "new", Body: "york"},
		"e": {Description: "new new york", Tags: "big"},
	})
	for _, c := range []struct {
		q    quire.TextQuery
		want []string
	}{
		{words("york"), []string{"a", "b", "c", "d", "e"}},
		{words("new", "york"), []string{"a", "b", "c", "d", "e"}},
		{words("york", "new"), []string{"a", "b", "c", "d", "e"}},
		{words("new york"), []string{"a", "e"}},
		{words("york new"), []string{"c"}},
		{words("new york city"), []string{"a"}},
		{words("new york", "apple"), []string{"a"}},
		{words("new york", "big"), []string{"a", "e"}},
		{words("city city"), []string{"c"}},
		{words("city city city city"), nil},
		{words("new new"), []string{"e"}},
		{words("travel", "city"), []string{"a", "b"}},
		{words("york city"), []string{"a"}},
		{words("city a"), nil},      // across two fields of a
		{words("new york an"), nil}, // across three fields of b
		{words("york", "york", "york"), []string{"a", "b", "c", "d", "e"}},
		{words("york", "nowhere"), nil},
		{words("yor"), nil},
		{words("yorks"), nil},
	} {
		checkSearch(t, s, c.q, c.want...)
	}
}

func searchPrefix(t *testing.T, s *store) {
	putTexts(s, map[string]quire.IndexedText{
		"a": {Title: "new york"},
		"b": {Title: "new yorkshire pudding"},
		"c": {Body: "york newly built"},
		"d": {Tags: "yo", Description: "renew"},
	})
	for _, c := range []struct {
		q    quire.TextQuery
		want []string
	}{
		{begins("yo"), []string{"a", "b", "c", "d"}},
		{begins("york"), []string{"a", "b", "c"}},
		{begins("yorks"), []string{"b"}},
		{begins("new"), []string{"a", "b", "c"}},
		{begins("new yor"), []string{"a", "b"}},
		{begins("ne yor"), nil}, // only the last word
		{begins("new yorkshire pud"), []string{"b"}},
		{begins("york", "new"), []string{"a", "c"}},
		{begins("new", "york"), []string{"a", "b"}}, // only the last phrase
		{begins("ne", "york"), nil},
		{begins("york ne"), []string{"c"}},
		{begins("pudding"), []string{"b"}},
		{begins("puddings"), nil},
	} {
		checkSearch(t, s, c.q, c.want...)
	}
}

func searchNothing(t *testing.T, s *store) {
	checkSearch(t, s, words("empty"))
	checkSearch(t, s, begins("e"))
	putTexts(s, map[string]quire.IndexedText{"a": {Title: "something"}, "blank": {}})
	for _, q := range []quire.TextQuery{{}, {Prefix: true}, words("nothing"), begins("somethings")} {
		checkSearch(t, s, q)
	}
	checkSearch(t, s, words("something"), "a")
}

// searchWords checks that words are neither stemmed, stopped, split, folded nor
// taken for an operator of some query language.
func searchWords(t *testing.T, s *store) {
	long := strings.Repeat("lang", 1000)
	all := []string{
		"running", "the", "and", "or", "not", "near", "title", "body", "null", "select", "c", "x", "20", "04", "007",
		"naïve", "naive", "cafe\u0301", "café", "straße", "i̇", "ı", "ǆ",
		"हिन्दी", "தமிழ்", "ภาษา", "مُحَمَّد", "שָׁלוֹם", "日本", "語", "한국어", "ខ្មែរ",
		"١٢٣", "१२", "𝟘𝟙", "𞤢𞤣𞤤𞤢𞤥", "𐖗𐖘", "𑼄𑼅", "𠀀", "ⰰⰱ", "a\u20dd", long,
	}
	texts := map[string]quire.IndexedText{}
	for i, w := range all {
		texts[fmt.Sprint(i)] = quire.IndexedText{Body: "before " + w + " after"}
	}
	putTexts(s, texts)
	for i, w := range all {
		checkSearch(t, s, words(w), fmt.Sprint(i))
		checkSearch(t, s, words("before "+w+" after"), fmt.Sprint(i)) // one word, not several
	}
	for _, w := range []string{"run", "runs", "हिन", "द", "த", "م", "cafe", "strasse", "i", "1", "٢", "nai", "lang", "日", "e\u0301"} {
		checkSearch(t, s, words(w))
	}
	checkSearch(t, s, begins("हिन"), fmt.Sprint(slices.Index(all, "हिन्दी")))
	checkSearch(t, s, begins("𑼄"), fmt.Sprint(slices.Index(all, "𑼄𑼅")))
	checkSearch(t, s, begins("caf"), fmt.Sprint(slices.Index(all, "café")), fmt.Sprint(slices.Index(all, "cafe\u0301")))
	checkSearch(t, s, begins("lang"), fmt.Sprint(slices.Index(all, long)))
}

// searchText checks that search sees the IndexedText, whatever the record says.
func searchText(t *testing.T, s *store) {
	e := sampleElemental("a", "u1")
	e.Title, e.Body = "alpha", "beta"
	putText(s, e, quire.IndexedText{Title: "gamma", Tags: "delta", Description: "epsilon", Body: "zeta"})
	for _, w := range []string{"gamma", "delta", "epsilon", "zeta"} {
		checkSearch(t, s, words(w), "a")
	}
	for _, w := range []string{"alpha", "beta"} {
		checkSearch(t, s, words(w))
	}
	es, _ := find(s, quire.ReadTx.SearchElementals, quire.ElementalSearch{Text: words("gamma"), Viewer: anyone, Limit: 1})
	equal(t, "the record found", es, []quire.ElementalRecord{e})
}

func searchReplaced(t *testing.T, s *store) {
	e := bareElemental("a", "u1")
	putText(s, e, quire.IndexedText{Title: "first", Tags: "kept", Body: "gone"})
	putText(s, e, quire.IndexedText{Title: "second", Tags: "kept", Description: "come"})
	checkSearch(t, s, words("first"))
	checkSearch(t, s, words("gone"))
	checkSearch(t, s, words("second", "kept", "come"), "a")
	putText(s, e, quire.IndexedText{})
	checkSearch(t, s, words("kept"))
	putText(s, e, quire.IndexedText{Body: "gone"})
	checkSearch(t, s, words("gone"), "a")
	put(s, quire.Tx.DeleteElemental, "a")
	checkSearch(t, s, words("gone"))
}

// searchWeights compares documents that differ only in the field of the match.
// searchTextAlone replaces what is found of an elemental, and nothing else of it.
func searchTextAlone(t *testing.T, s *store) {
	e := sampleElemental("e", "u1")
	e.Visibility = quire.Public
	putText(s, e, quire.IndexedText{Title: "boat", Description: "sail", Body: "wind and water", Tags: "old"})
	putTexts(s, map[string]quire.IndexedText{"other": {Title: "boat", Tags: "old"}})
	s.update(func(ctx context.Context, tx quire.Tx) error {
		return tx.PutElementalText(ctx, "e", quire.IndexedText{Title: "boat", Description: "sail", Body: "wind and water", Tags: "new"})
	})
	checkSearch(t, s, words("old"), "other")
	checkSearch(t, s, words("new"), "e")
	checkSearch(t, s, words("wind and water"), "e")
	checkSearch(t, s, words("boat"), "e", "other")
	equal(t, "the record", get(s, quire.ReadTx.Elemental, "e"), e)
	err := s.Update(t.Context(), func(tx quire.Tx) error {
		return tx.PutElementalText(t.Context(), "nothing", quire.IndexedText{Title: "boat"})
	})
	if !errors.Is(err, quire.ErrNotFound) {
		t.Errorf("text of what is not there: %v, want ErrNotFound", err)
	}
	put(s, quire.Tx.DeleteElemental, "e")
	checkSearch(t, s, words("new"))
}

func searchWeights(t *testing.T, s *store) {
	texts := map[string]quire.IndexedText{
		"4 title":       {Title: "a wanted b", Tags: "a c b", Description: "a c b", Body: "a c b"},
		"3 tags":        {Title: "a c b", Tags: "a wanted b", Description: "a c b", Body: "a c b"},
		"2 description": {Title: "a c b", Tags: "a c b", Description: "a wanted b", Body: "a c b"},
		"1 body":        {Title: "a c b", Tags: "a c b", Description: "a c b", Body: "a wanted b"},
	}
	for i := range 20 {
		texts[fmt.Sprint("other ", i)] = quire.IndexedText{Title: "a c b", Tags: "a c b", Description: "a c b", Body: "a c b"}
	}
	putTexts(s, texts)
	want := []string{"4 title", "3 tags", "2 description", "1 body"}
	equal(t, "order", search(s, words("wanted")), want)
	equal(t, "order with a prefix", search(s, begins("want")), want)
}

// searchWhole checks that what has a word itself is not lost among what has longer
// ones that it begins.
func searchWhole(t *testing.T, s *store) {
	texts := map[string]quire.IndexedText{}
	for i := range 40 {
		texts[fmt.Sprintf("a%02d", i)] = quire.IndexedText{Body: "a layout b"}
	}
	for _, id := range []string{"y", "z"} {
		texts[id] = quire.IndexedText{Body: "a lay b"}
	}
	putTexts(s, texts)
	for _, q := range []quire.TextQuery{begins("lay"), begins("a lay"), begins("a", "lay")} {
		got := search(s, q)
		if len(got) != len(texts) {
			t.Errorf("query %v finds %d, want all %d", q, len(got), len(texts))
		}
		equal(t, fmt.Sprintf("first of %v", q), got[:min(3, len(got))], []string{"y", "z", "a00"})
	}
}

// searchFrequency compares documents of one length that differ in how often the
// word occurs.
func searchFrequency(t *testing.T, s *store) {
	texts := map[string]quire.IndexedText{
		"a": {Body: "x wanted x x x x"},
		"b": {Body: "wanted x wanted x wanted x"},
		"c": {Body: "x x x wanted wanted x"},
	}
	for i := range 20 {
		texts[fmt.Sprint("other ", i)] = quire.IndexedText{Body: "x x x x x x"}
	}
	putTexts(s, texts)
	equal(t, "order", search(s, words("wanted")), []string{"b", "c", "a"})
}

func searchTies(t *testing.T, s *store) {
	texts := map[string]quire.IndexedText{}
	want := []string{"-", ".", "0", "10", "9", "A", "Z", "_", "a", "aa", "z", "é"}
	for _, id := range want {
		texts[id] = quire.IndexedText{Title: "equal text", Body: "for all of them"}
	}
	putTexts(s, texts)
	equal(t, "order", search(s, words("equal")), want)
	equal(t, "order of two phrases", search(s, words("text", "all of")), want)
	put(s, quire.Tx.DeleteElemental, "A")
	putText(s, bareElemental("A", "u1"), texts["A"]) // the order of writing does not matter
	equal(t, "order after a rewrite", search(s, words("equal")), want)
}

func searchVisibility(t *testing.T, s *store) {
	for _, owner := range []string{"u1", "u2"} {
		for _, v := range []quire.Visibility{quire.Public, quire.Unlisted} {
			e := bareElemental(fmt.Sprintf("%s %d", owner, v), owner)
			e.Visibility = v
			putText(s, e, quire.IndexedText{Title: "word"})
		}
	}
	for _, c := range []struct {
		viewer quire.Viewer
		want   []string
	}{
		{quire.Viewer{OwnerID: "u1"}, []string{"u1 1", "u1 2"}},
		{quire.Viewer{OwnerID: "u1", OthersToo: true}, []string{"u1 1", "u1 2", "u2 1"}},
		{quire.Viewer{OwnerID: "u2", OthersToo: true, ListsPlain: true}, []string{"u1 1", "u2 1", "u2 2"}},
		{quire.Viewer{OwnerID: "u3"}, nil},
		{quire.Viewer{OwnerID: "U1"}, nil},
		{quire.Viewer{OwnerID: "u3", OthersToo: true}, []string{"u1 1", "u2 1"}},
		{quire.Viewer{OthersToo: true}, []string{"u1 1", "u2 1"}},
		{quire.Viewer{}, nil},
	} {
		es, total := find(s, quire.ReadTx.SearchElementals, quire.ElementalSearch{Text: words("word"), Viewer: c.viewer, Limit: 10})
		equal(t, fmt.Sprintf("%+v", c.viewer), idsOf(es), c.want)
		equal(t, fmt.Sprintf("total of %+v", c.viewer), total, len(c.want))
	}
}

func searchTypes(t *testing.T, s *store) {
	for id := range 4 {
		e := bareElemental(fmt.Sprint("type ", id), "u1")
		e.TypeID = id
		putText(s, e, quire.IndexedText{Title: "word"})
	}
	for _, c := range []struct {
		types []int
		want  []string
	}{
		{nil, []string{"type 0", "type 1", "type 2", "type 3"}},
		{[]int{}, []string{"type 0", "type 1", "type 2", "type 3"}},
		{[]int{2}, []string{"type 2"}},
		{[]int{3, 1, 3, 99}, []string{"type 1", "type 3"}},
		{[]int{99}, nil},
	} {
		es, total := find(s, quire.ReadTx.SearchElementals, quire.ElementalSearch{Text: words("word"), TypeIDs: c.types, Viewer: anyone, Limit: 10})
		equal(t, fmt.Sprint("types ", c.types), idsOf(es), c.want)
		equal(t, fmt.Sprint("total of types ", c.types), total, len(c.want))
	}
}

// searchPages checks that the pages of any size joined are the whole.
func searchPages(t *testing.T, s *store) {
	rng := rand.New(rand.NewPCG(1, 2))
	texts := map[string]quire.IndexedText{}
	for i := range 97 {
		words := strings.Repeat("word ", rng.IntN(4)) + strings.Repeat("other ", rng.IntN(4))
		texts[fmt.Sprint("e", i)] = quire.IndexedText{Title: "word", Description: strings.TrimSpace(words)}
	}
	putTexts(s, texts)
	checkPages(t, len(texts), func(offset, limit int) ([]string, int) {
		es, total := find(s, quire.ReadTx.SearchElementals, quire.ElementalSearch{Text: words("word"), Viewer: anyone, Offset: offset, Limit: limit})
		return idsOf(es), total
	})
}

// checkPages checks a paged read that has n results in all.
func checkPages[K comparable](t *testing.T, n int, read func(offset, limit int) (page []K, total int)) {
	t.Helper()
	whole, total := read(0, math.MaxInt)
	if total != n || len(whole) != n {
		t.Fatalf("one page of all: %d results, total %d, want %d", len(whole), total, n)
	}
	for _, size := range []int{1, 7, n, n + 1, math.MaxInt32} {
		var joined []K
		for offset := 0; offset <= n; offset += size {
			page, total := read(offset, size)
			if total != n || len(page) > size {
				t.Errorf("page at %d of size %d: %d results, total %d, want total %d", offset, size, len(page), total, n)
			}
			joined = append(joined, page...)
		}
		equal(t, fmt.Sprint("pages of size ", size), joined, whole)
	}
	for _, offset := range []int{n, n + 1, math.MaxInt32} {
		if page, total := read(offset, 5); len(page) != 0 || total != n {
			t.Errorf("page at %d, past the end: %d results, total %d, want 0 and %d", offset, len(page), total, n)
		}
	}
}

func searchInUpdate(t *testing.T, s *store) {
	putTexts(s, map[string]quire.IndexedText{"a": {Title: "old"}, "b": {Title: "old"}})
	var olds, news int
	s.update(func(ctx context.Context, tx quire.Tx) (err error) {
		if err := tx.PutElemental(ctx, bareElemental("a", "u1"), quire.IndexedText{Title: "new"}); err != nil {
			return err
		}
		if err := tx.DeleteElemental(ctx, "b"); err != nil {
			return err
		}
		if _, olds, err = tx.SearchElementals(ctx, quire.ElementalSearch{Text: words("old"), Viewer: anyone, Limit: 5}); err != nil {
			return err
		}
		_, news, err = tx.SearchElementals(ctx, quire.ElementalSearch{Text: words("new"), Viewer: anyone, Limit: 5})
		return err
	})
	equal(t, "old words seen by the transaction", olds, 0)
	equal(t, "new words seen by the transaction", news, 1)
}

// searchRandom compares random queries over random texts with a plain scan.
func searchRandom(t *testing.T, s *store) {
	rng := rand.New(rand.NewPCG(3, 4))
	vocabulary := []string{"a", "ab", "abc", "b", "ba", "é", "e", "日", "日本"}
	some := func(most int) string {
		var ws []string
		for range rng.IntN(most + 1) {
			ws = append(ws, vocabulary[rng.IntN(len(vocabulary))])
		}
		return strings.Join(ws, " ")
	}
	texts := map[string]quire.IndexedText{}
	for i := range 60 {
		texts[fmt.Sprint("e", i)] = quire.IndexedText{Title: some(3), Tags: some(2), Description: some(4), Body: some(8)}
	}
	putTexts(s, texts)
	queries, found := scale(400), 0
	for range queries {
		var q quire.TextQuery
		for range 1 + rng.IntN(3) {
			q.Phrases = append(q.Phrases, strings.Fields(vocabulary[rng.IntN(len(vocabulary))]+" "+some(2)))
		}
		q.Prefix = rng.IntN(2) == 0
		var want []string
		for id, text := range texts {
			if plainMatch(q, text) {
				want = append(want, id)
			}
		}
		found += len(want)
		checkSearch(t, s, q, want...)
	}
	t.Logf("%d random queries, %d matches", queries, found)
}

// plainMatch reports whether a text matches a query, by looking at every place of
// every field. Words are marked off by blanks on both sides, so that a phrase is a
// substring.
func plainMatch(q quire.TextQuery, text quire.IndexedText) bool {
	for i, p := range q.Phrases {
		wanted := " " + strings.Join(p, " ")
		if !q.Prefix || i < len(q.Phrases)-1 {
			wanted += " "
		}
		if !slices.ContainsFunc([]string{text.Title, text.Tags, text.Description, text.Body}, func(field string) bool {
			return strings.Contains(" "+field+" ", wanted)
		}) {
			return false
		}
	}
	return len(q.Phrases) > 0
}
