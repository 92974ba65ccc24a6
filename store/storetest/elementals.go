package storetest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

var elementalCases = []testCase{
	{"missing", elementalsMissing},
	{"round trip", elementalRoundTrip},
	{"without bodies", elementalsWithoutBody},
	{"sizes", elementalSizes},
	{"sizes of what is said of it", elementalSizesEngaged},
	{"each setting", elementalSettings},
	{"awkward text", elementalText},
	{"long text", elementalLong},
	{"naughty strings", elementalNaughty},
	{"extreme numbers", elementalNumbers},
	{"times", elementalTimes},
	{"copied in", elementalCopiedIn},
	{"copied out", elementalCopiedOut},
	{"replace", elementalReplace},
	{"replace keeps the list items", elementalReplaceKeepsItems},
	{"delete", elementalDelete},
	{"delete keeps jobs and chunks", elementalDeleteKeeps},
	{"many ids", elementalMany},
	{"by title", elementalByTitle},
	{"by title follows changes", elementalByTitleChanges},
	{"of an owner", elementalsOf},
	{"of an owner, stopped and nested", elementalsOfNested},
}

// bareElemental has only what no elemental is without.
func bareElemental(id, ownerID string) quire.ElementalRecord {
	return quire.ElementalRecord{
		ID: id, OwnerID: ownerID, TenantID: ownerID, TypeID: quire.TypePrompt, Title: "Title of " + id,
		Visibility: quire.Public, Version: 1, CreatedAt: epoch,
	}
}

func elementalsMissing(t *testing.T, s *store) {
	missing(s, quire.ReadTx.Elemental, "nothing")
	missing(s, quire.ReadTx.Elemental, "")
	missing(s, elementalTitled, titled{"nobody", quire.TypePrompt, "nothing"})
	equal(t, "no ids", get(s, quire.ReadTx.Elementals, nil), nil)
	equal(t, "unknown ids", get(s, quire.ReadTx.Elementals, []string{"nothing"}), nil)
	equal(t, "of nobody", get(s, ownedElementals, "nobody"), nil)
	put(s, quire.Tx.DeleteElemental, "nothing")
}

// ownedElementals collects ElementalsOf.
func ownedElementals(tx quire.ReadTx, ctx context.Context, ownerID string) ([]quire.ElementalRecord, error) {
	var es []quire.ElementalRecord
	for e, err := range tx.ElementalsOf(ctx, ownerID) {
		if err != nil {
			return nil, err
		}
		es = append(es, e)
	}
	return es, nil
}

func elementalRoundTrip(t *testing.T, s *store) {
	full, bare := sampleElemental("full", "u1"), bareElemental("bare", "u1")
	empty := sampleElemental("empty", "u2")
	empty.TopicIDs, empty.TagIDs, empty.TutorialSteps = []int{}, []int64{}, []quire.TutorialStep{}
	putElementals(s, full, bare, empty)
	for _, want := range []quire.ElementalRecord{full, bare, empty} {
		equal(t, want.ID, get(s, quire.ReadTx.Elemental, want.ID), want)
	}
	equal(t, "Elementals", get(s, quire.ReadTx.Elementals, []string{"bare", "nothing", "full", "bare"}),
		map[string]quire.ElementalRecord{"full": full, "bare": bare})
}

func elementalSettings(t *testing.T, s *store) {
	for i, settings := range []quire.Settings{{}, {KnowledgeBase: true}, {Template: true}, {System: true}} {
		e := bareElemental(fmt.Sprint("e", i), "u1")
		e.Settings = settings
		e.IsPremium, e.IsFixedPrice = i == 1, i == 2
		e.Visibility = quire.Visibility(1 + i%2)
		putElementals(s, e)
		equal(t, e.ID, get(s, quire.ReadTx.Elemental, e.ID), e)
	}
}

// withText returns an elemental that has a text everywhere.
func withText(id, text string) quire.ElementalRecord {
	e := bareElemental(id, text)
	e.TenantID, e.Title, e.Description, e.Body, e.Command, e.VideoURL, e.TableID = text, text, text, text, text, text, text
	e.TutorialSteps = []quire.TutorialStep{{Title: text, Description: text, VideoURL: text}}
	return e
}

func elementalText(t *testing.T, s *store) {
	for name, text := range awkward {
		e := withText(name, text)
		putElementals(s, e)
		equal(t, name, get(s, quire.ReadTx.Elemental, name), e)
		equal(t, name+" by title", get(s, elementalTitled, titled{text, e.TypeID, text}), name)
		equal(t, name+" by owner", get(s, ownedElementals, text), []quire.ElementalRecord{e})
	}
}

func elementalLong(t *testing.T, s *store) {
	e := bareElemental("long", "u1")
	e.Body = strings.Repeat("Zeile mit Umläuten äöü\r\n\t👩‍👩‍👧‍👦 e\u0301 ", 1<<20/50)
	e.Description = strings.Repeat("x", 1<<20)
	putElementals(s, e)
	got := get(s, quire.ReadTx.Elemental, "long")
	if got.Body != e.Body || got.Description != e.Description {
		t.Errorf("texts of %d and %d bytes came back changed, as %d and %d", len(e.Body), len(e.Description), len(got.Body), len(got.Description))
	}
}

// elementalNaughty stores the Big List of Naughty Strings where it is at hand.
func elementalNaughty(t *testing.T, s *store) {
	texts := naughtyStrings(t)
	want := map[string]quire.ElementalRecord{}
	var ids []string
	for i, text := range texts {
		e := withText(fmt.Sprint("e", i), text)
		want[e.ID] = e
		ids = append(ids, e.ID)
	}
	s.update(func(ctx context.Context, tx quire.Tx) error {
		for _, e := range want {
			if err := tx.PutElemental(ctx, e, indexed(e.Title, e.Description, e.Body)); err != nil {
				return fmt.Errorf("text %q: %w", e.Title, err)
			}
		}
		return nil
	})
	equal(t, "Elementals", get(s, quire.ReadTx.Elementals, ids), want)
	t.Logf("%d strings stored and read", len(texts))
}

func elementalNumbers(t *testing.T, s *store) {
	for i, n := range []int64{0, 1, -1, math.MaxInt64, math.MinInt64, 1<<53 + 1} {
		e := bareElemental(fmt.Sprint("e", i), "u1")
		e.ColumnID, e.RowID = n, -n
		e.Price, e.PriceOriginal, e.Version = new(n), new(n), n
		e.TagIDs = []int64{n, 1}
		e.TypeID, e.CategoryID, e.TopicIDs = i*1_000_000, i*1_000_001, []int{i, math.MaxInt32, 0}
		putElementals(s, e)
		equal(t, e.ID, get(s, quire.ReadTx.Elemental, e.ID), e)
	}
}

func elementalTimes(t *testing.T, s *store) {
	e := bareElemental("e", "u1")
	e.CreatedAt = time.Date(2025, 7, 1, 0, 30, 0, 1999, time.FixedZone("west", -7*3600))
	e.UpdatedAt = new(e.CreatedAt.Add(1234567))
	putElementals(s, e)
	got := get(s, quire.ReadTx.Elemental, "e")
	checkTime(t, "CreatedAt", got.CreatedAt, e.CreatedAt)
	checkTime(t, "UpdatedAt", *got.UpdatedAt, *e.UpdatedAt)
}

// spoilElemental changes everything that a record points to.
func spoilElemental(e quire.ElementalRecord) {
	e.TopicIDs[0], e.TagIDs[0] = -1, -1
	if len(e.TutorialSteps) > 0 {
		e.TutorialSteps[0].Title = "spoilt"
	}
	*e.Price, *e.PriceOriginal, *e.UpdatedAt = -1, -1, at(1000)
}

func elementalCopiedIn(t *testing.T, s *store) {
	e := sampleElemental("e", "u1")
	s.update(func(ctx context.Context, tx quire.Tx) error {
		err := tx.PutElemental(ctx, e, indexed(e.Title, "", ""))
		spoilElemental(e) // before the commit
		return err
	})
	equal(t, "after a change by the caller", get(s, quire.ReadTx.Elemental, "e"), sampleElemental("e", "u1"))
}

// elementalCopiedOut spoils what each reader returned, in one View and across
// them.
func elementalCopiedOut(t *testing.T, s *store) {
	want := sampleElemental("e", "u1")
	putElementals(s, want)
	putLists(s, plainList(1, "u1"))
	put(s, quire.Tx.PutItem, sampleItem(1, "e", 0))
	readers := map[string]func(ctx context.Context, tx quire.ReadTx) (quire.ElementalRecord, error){
		"Elemental": func(ctx context.Context, tx quire.ReadTx) (quire.ElementalRecord, error) {
			return tx.Elemental(ctx, "e")
		},
		"Elementals": func(ctx context.Context, tx quire.ReadTx) (quire.ElementalRecord, error) {
			es, err := tx.Elementals(ctx, []string{"e"})
			return es["e"], err
		},
		"ElementalsOf": func(ctx context.Context, tx quire.ReadTx) (quire.ElementalRecord, error) {
			es, err := ownedElementals(tx, ctx, "u1")
			return first(es, err)
		},
		"SearchElementals": func(ctx context.Context, tx quire.ReadTx) (quire.ElementalRecord, error) {
			es, _, err := tx.SearchElementals(ctx, quire.ElementalSearch{Text: words("title"), Viewer: quire.Viewer{OwnerID: "u1"}, Limit: 1})
			return first(es, err)
		},
		"ListItems": func(ctx context.Context, tx quire.ReadTx) (quire.ElementalRecord, error) {
			es, _, err := tx.ListItems(ctx, quire.ItemQuery{ListID: 1, Order: quire.OrderIndex, Viewer: quire.Viewer{OwnerID: "u1"}, Limit: 1})
			return first(es, err)
		},
	}
	for name, read := range readers {
		var before, after quire.ElementalRecord
		s.view(func(ctx context.Context, tx quire.ReadTx) (err error) {
			if before, err = read(ctx, tx); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			spoilElemental(before)
			after, err = read(ctx, tx)
			return err
		})
		equal(t, "after a change of what "+name+" returned", after, want)
	}
	equal(t, "at the end", get(s, quire.ReadTx.Elemental, "e"), want)
}

// first returns the only element of a result.
func first[T any](ts []T, err error) (T, error) {
	var none T
	if err == nil && len(ts) != 1 {
		err = fmt.Errorf("got %d results, want 1", len(ts))
	}
	if err != nil {
		return none, err
	}
	return ts[0], nil
}

func elementalReplace(t *testing.T, s *store) {
	other := sampleElemental("other", "u1")
	putElementals(s, sampleElemental("e", "u1"), other)
	changed := quire.ElementalRecord{ID: "e", OwnerID: "u2", Title: "New", CreatedAt: at(70)}
	putElementals(s, changed)
	equal(t, "the replaced", get(s, quire.ReadTx.Elemental, "e"), changed)
	equal(t, "the other", get(s, quire.ReadTx.Elemental, "other"), other)
	equal(t, "of the old owner", get(s, ownedElementals, "u1"), []quire.ElementalRecord{other})
	equal(t, "of the new owner", get(s, ownedElementals, "u2"), []quire.ElementalRecord{changed})
	putElementals(s, sampleElemental("e", "u1")) // empty fields fill up again
	equal(t, "back again", get(s, quire.ReadTx.Elemental, "e"), sampleElemental("e", "u1"))
}

func elementalReplaceKeepsItems(t *testing.T, s *store) {
	putElementals(s, bareElemental("a", "u1"), bareElemental("b", "u1"))
	putLists(s, plainList(1, "u1"))
	want := []quire.ListItem{sampleItem(1, "b", 3), sampleItem(1, "a", 7)}
	put(s, quire.Tx.PutItem, want...)
	put(s, quire.Tx.PutJob, queuedJob("t", "j", "a", epoch))
	putChunks(s, "a", sampleChunk("a", 0))
	putElementals(s, sampleElemental("a", "u1"))
	equal(t, "items", get(s, quire.ReadTx.Items, 1), want)
	equal(t, "chunks", get(s, quire.ReadTx.ChunksOf, "a"), []quire.Chunk{sampleChunk("a", 0)})
}

func elementalDelete(t *testing.T, s *store) {
	a, b := bareElemental("a", "u1"), bareElemental("b", "u1")
	putElementals(s, a, b)
	putLists(s, plainList(1, "u1"), plainList(2, "u1"))
	put(s, quire.Tx.PutItem, sampleItem(1, "a", 0), sampleItem(1, "b", 1), sampleItem(2, "a", 0))
	put(s, quire.Tx.DeleteElemental, "a")
	put(s, quire.Tx.DeleteElemental, "a") // twice is no error

	missing(s, quire.ReadTx.Elemental, "a")
	missing(s, elementalTitled, titled{"u1", a.TypeID, a.Title})
	equal(t, "Elementals", get(s, quire.ReadTx.Elementals, []string{"a", "b"}), map[string]quire.ElementalRecord{"b": b})
	equal(t, "ElementalsOf", get(s, ownedElementals, "u1"), []quire.ElementalRecord{b})
	equal(t, "items of a list", get(s, quire.ReadTx.Items, 1), []quire.ListItem{sampleItem(1, "b", 1)})
	equal(t, "items of another", get(s, quire.ReadTx.Items, 2), nil)
	checkSearch(t, s, words("title"), "b")

	putElementals(s, a) // a new one of the same id begins afresh
	equal(t, "items after a new one", get(s, quire.ReadTx.Items, 2), nil)
	checkSearch(t, s, words("title"), "a", "b")
}

func elementalDeleteKeeps(t *testing.T, s *store) {
	putElementals(s, bareElemental("a", "u1"))
	put(s, quire.Tx.PutJob, sampleJob("t", "j", "a"))
	putChunks(s, "a", sampleChunk("a", 0))
	put(s, quire.Tx.DeleteElemental, "a")
	equal(t, "chunks", get(s, quire.ReadTx.ChunksOf, "a"), []quire.Chunk{sampleChunk("a", 0)})
	equal(t, "job", get(s, jobByKey, jobKey{"t", "j"}).ElementalID, "a")
}

func elementalMany(t *testing.T, s *store) {
	ids, exist := manyIDs(1_500, "elemental")
	want := map[string]quire.ElementalRecord{}
	var es []quire.ElementalRecord
	for _, id := range exist {
		es = append(es, bareElemental(id, "u1"))
		want[id] = bareElemental(id, "u1")
	}
	putElementals(s, es...)
	equal(t, "Elementals", get(s, quire.ReadTx.Elementals, ids), want)
}

// titled is what ElementalByTitle is asked for.
type titled struct {
	ownerID string
	typeID  int
	title   string
}

func elementalTitled(tx quire.ReadTx, ctx context.Context, q titled) (string, error) {
	return tx.ElementalByTitle(ctx, q.ownerID, q.typeID, q.title)
}

func elementalByTitle(t *testing.T, s *store) {
	for _, e := range []struct{ id, owner, title string }{
		{"c", "u1", "Same title"}, {"a", "u1", "Same title"}, {"b", "u1", "Same title"},
		{"A", "u2", "Same title"}, {"d", "u1", "same title"}, {"e", "u1", "Same title "},
		{"f", "u1", "Café"}, {"g", "u1", "Cafe\u0301"}, {"h", "u1", "Same%title"},
	} {
		r := bareElemental(e.id, e.owner)
		r.Title = e.title
		putElementals(s, r)
	}
	snippet := bareElemental("0", "u1")
	snippet.TypeID, snippet.Title = quire.TypeSnippet, "Same title"
	putElementals(s, snippet)
	for q, want := range map[titled]string{
		{"u1", quire.TypePrompt, "Same title"}:  "a",
		{"u2", quire.TypePrompt, "Same title"}:  "A",
		{"u1", quire.TypePrompt, "same title"}:  "d",
		{"u1", quire.TypePrompt, "Same title "}: "e",
		{"u1", quire.TypePrompt, "Café"}:        "f",
		{"u1", quire.TypePrompt, "Cafe\u0301"}:  "g",
		{"u1", quire.TypePrompt, "Same%title"}:  "h",
		{"u1", quire.TypeSnippet, "Same title"}: "0",
	} {
		equal(t, fmt.Sprintf("%+v", q), get(s, elementalTitled, q), want)
	}
	for _, q := range []titled{
		{"u1", quire.TypePrompt, "Same"}, {"u1", quire.TypePrompt, "SAME TITLE"}, {"u1", quire.TypePrompt, "Cafe"},
		{"U1", quire.TypePrompt, "Same title"}, {"u1", quire.TypeDocument, "Same title"}, {"u1", quire.TypePrompt, ""},
	} {
		missing(s, elementalTitled, q)
	}
}

func elementalByTitleChanges(t *testing.T, s *store) {
	e := bareElemental("a", "u1")
	putElementals(s, e)
	old := titled{"u1", e.TypeID, e.Title}
	e.Title = "Another title"
	putElementals(s, e)
	missing(s, elementalTitled, old)
	equal(t, "by the new title", get(s, elementalTitled, titled{"u1", e.TypeID, "Another title"}), "a")
	e.TypeID = quire.TypeSnippet
	putElementals(s, e)
	missing(s, elementalTitled, titled{"u1", quire.TypePrompt, "Another title"})
	equal(t, "by the new type", get(s, elementalTitled, titled{"u1", quire.TypeSnippet, "Another title"}), "a")
}

func elementalsOf(t *testing.T, s *store) {
	var want []quire.ElementalRecord
	for i := range scale(600) { // more than a Store may want to read at a time
		want = append(want, bareElemental(fmt.Sprint("e", i), "u1"))
	}
	for _, id := range []string{"E", "_", "-", ".", "é"} {
		want = append(want, sampleElemental(id, "u1"))
	}
	putElementals(s, want...)
	putElementals(s, sampleElemental("e1x", "u2"), sampleElemental("e1y", "U1"))
	slices.SortFunc(want, func(a, b quire.ElementalRecord) int { return strings.Compare(a.ID, b.ID) })
	equal(t, "ElementalsOf", get(s, ownedElementals, "u1"), want)
}

// elementalsOfNested reads inside of an iteration, stops it and goes on reading.
func elementalsOfNested(t *testing.T, s *store) {
	for i := range 50 {
		putElementals(s, bareElemental(fmt.Sprintf("e%02d", i), "u1"))
	}
	var seen []string
	s.view(func(ctx context.Context, tx quire.ReadTx) error {
		for e, err := range tx.ElementalsOf(ctx, "u1") {
			if err != nil {
				return err
			}
			again, err := tx.Elemental(ctx, e.ID)
			if err != nil {
				return err
			}
			if seen = append(seen, again.ID); len(seen) == 3 {
				break
			}
		}
		_, err := tx.Elemental(ctx, "e49")
		return err
	})
	equal(t, "seen", seen, []string{"e00", "e01", "e02"})
}

// elementalsWithoutBody reads elementals without their bodies and steps, and the sizes of
// these, before and after a change.
func elementalsWithoutBody(t *testing.T, s *store) {
	e, bare := sampleElemental("a", "u1"), bareElemental("b", "u2")
	e.Body, bare.Body = "é\x00€ four", ""
	ids := []string{"b", "nothing", "a", "b"}
	write := func(e quire.ElementalRecord) {
		s.update(func(ctx context.Context, tx quire.Tx) error {
			return tx.PutElemental(ctx, e, quire.IndexedText{Title: "findable"})
		})
	}
	check := func() {
		short := e
		short.Body, short.TutorialSteps = "", nil
		equal(t, "ElementalsWithoutBody", get(s, quire.ReadTx.ElementalsWithoutBody, ids), map[string]quire.ElementalRecord{"a": short, "b": bare})
		es, total := find(s, quire.ReadTx.SearchElementals, quire.ElementalSearch{Text: words("findable"), Viewer: anyone, WithoutBody: true, Limit: 5})
		equal(t, "SearchElementals", es, []quire.ElementalRecord{short, bare})
		equal(t, "how many are found", total, 2)
		sizes := get(s, quire.ReadTx.ElementalSizes, ids)
		notes := sizes["a"].Notes
		equal(t, "ElementalSizes", sizes, map[string]quire.ElementalSize{"a": {Body: int64(len(e.Body)), Notes: notes}, "b": {}})
		wantNotes(t, notes, int64(len(e.Description)), e.TutorialSteps)
	}
	write(e)
	write(bare)
	check()
	e.Title, e.Body, e.TagIDs = "Another title of it", "much longer than it was before", nil
	e.TutorialSteps = slices.Repeat(e.TutorialSteps, 2000)
	write(e)
	check()
	equal(t, "no ids", get(s, quire.ReadTx.ElementalsWithoutBody, nil), nil)
	equal(t, "sizes of no ids", get(s, quire.ReadTx.ElementalSizes, nil), nil)
}

// wantNotes checks how long texts are said to be: rest and steps, which a Store may keep in
// a longer form.
func wantNotes(t *testing.T, got, rest int64, steps []quire.TutorialStep) {
	t.Helper()
	least, most := rest, rest
	for _, s := range steps {
		n := int64(len(s.Title) + len(s.Description) + len(s.VideoURL))
		least, most = least+n, most+6*n+100
	}
	if got < least || got > most {
		t.Errorf("the notes are said to have %d bytes, want %d to %d", got, least, most)
	}
}

// putTag adds a tag with a description.
func putTag(s *store, id int64, description string) {
	tag := sampleTag(id, "u1")
	tag.Description = description
	put(s, quire.Tx.PutTag, tag)
}

func elementalSizes(t *testing.T, s *store) {
	putTag(s, 1, "é\x00€ four")
	putTag(s, 2, "")
	e, other := bareElemental("a", "u1"), bareElemental("b", "u1")
	e.Description, e.TagIDs, other.TagIDs = "what it is", []int64{1, 2, 77}, []int64{2}
	putElementals(s, e, other)
	sizes := func() map[string]quire.ElementalSize {
		return get(s, quire.ReadTx.ElementalSizes, []string{"a", "b", "nothing"})
	}
	equal(t, "with tags", sizes(), map[string]quire.ElementalSize{"a": {Notes: 10 + 11}, "b": {}})
	equal(t, "tags", get(s, quire.ReadTx.TagSizes, []int64{1, 77, 2, 1}), map[int64]int64{1: 11, 2: 0})
	equal(t, "no tags", get(s, quire.ReadTx.TagSizes, nil), nil)
	putTag(s, 1, "shorter")
	equal(t, "with a tag that has changed", sizes()["a"].Notes, int64(10+7))
	put(s, quire.Tx.DeleteTag, int64(1))
	equal(t, "without the tag", sizes()["a"].Notes, int64(10))
	e.TutorialSteps = []quire.TutorialStep{{Title: "é<>", Description: "Do \"it\"\n", VideoURL: "https://example.org/1"}, {}}
	putElementals(s, e)
	wantNotes(t, sizes()["a"].Notes, 10, e.TutorialSteps)
}

// elementalSizesEngaged counts of comments and rates those that are read with an elemental.
func elementalSizesEngaged(t *testing.T, s *store) {
	putElementals(s, bareElemental("a", "u1"), bareElemental("b", "u1"))
	notes := func(id string, want int64) {
		t.Helper()
		equal(t, "notes of "+id, get(s, quire.ReadTx.ElementalSizes, []string{id})[id], quire.ElementalSize{Notes: want})
	}
	comment := func(id string, parent int64, message string) int64 {
		return putComment(s, quire.Comment{ElementalID: id, ParentID: parent, Message: message, CreatedAt: epoch}).ID
	}
	old := comment("a", 0, "é\x00€ four") // is shown only with a reply
	comment("b", 0, "of the other one")
	notes("a", 11)
	for range quire.MaxShown {
		comment("a", 0, "two")
	}
	notes("a", 3*quire.MaxShown)
	comment("a", old, "re")
	notes("a", 3*(quire.MaxShown-1)+2+11)
	comment("a", old, "re") // the comment that both answer counts once
	notes("a", 3*(quire.MaxShown-2)+2*2+11)
	notes("b", 16)
	for i := range quire.MaxShown + 1 {
		message := "four"
		if i == 0 {
			message = "an older rate that is not shown"
		}
		for _, on := range []quire.Subject{onElemental("b"), onList(7)} {
			if on.ListID != 0 && i == 0 {
				putLists(s, quire.ListRecord{ID: 7, OwnerID: "u1", TypeID: 1, Title: "List", Visibility: quire.Public, Version: 1, CreatedAt: epoch})
			}
			putRate(s, quire.Rate{Subject: on, UserID: fmt.Sprint("u", i), Message: message, CreatedAt: epoch})
		}
	}
	notes("b", 16+4*quire.MaxShown)
	equal(t, "of a list", get(s, quire.ReadTx.ListSizes, []int64{7, 8}), map[int64]quire.ListSize{7: {Notes: 4 * quire.MaxShown}})
}
