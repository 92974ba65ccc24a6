package httpapi

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store/sqlite"
)

// What may stand beside a body and a description: 50 steps, 100 tags, 100 comments and 100 that
// they answer, 100 rates, each as long as it may be.
var (
	longNote    = strings.Repeat("\U0001F600", 20_000)
	longMessage = strings.Repeat("\U0001F600", 10_000)
)

func longSteps() []quire.TutorialStep {
	steps := make([]quire.TutorialStep, 50)
	for i := range steps {
		steps[i] = quire.TutorialStep{Title: "A step", Description: longNote}
	}
	return steps
}

// withLongNotes makes elementals that have n steps, tags or comments.
func (f *fixture) withLongNotes(n int, in quire.ElementalInput) (ids []string) {
	f.t.Helper()
	in.TypeID, in.CategoryID, in.Body, in.Visibility = quire.TypeDocument, quire.CategoryText, "x", quire.Unlisted
	for i := range n {
		in.Title = fmt.Sprint("With long notes ", i)
		e, err := f.lib.CreateElemental(f.t.Context(), f.ann.Actor(), in)
		if err != nil {
			f.t.Fatal(err)
		}
		ids = append(ids, e.ID)
	}
	return ids
}

func (f *fixture) longTags(n int) (ids []int64) {
	f.t.Helper()
	for i := range n {
		tag, err := f.lib.CreateTag(f.t.Context(), f.ann.Actor(), quire.TagInput{Title: fmt.Sprint("tag ", i), Color: "#aabbcc", ElementalTypeID: quire.TypeDocument, Description: longNote})
		if err != nil {
			f.t.Fatal(err)
		}
		ids = append(ids, tag.ID)
	}
	return ids
}

// talk writes comments of the longest kind, each with a reply.
func (f *fixture) talk(elementalID string, n int) {
	f.t.Helper()
	var parents []int64
	for range n {
		comment, err := f.lib.Comment(f.t.Context(), f.bob.Actor(), elementalID, longMessage)
		if err != nil {
			f.t.Fatal(err)
		}
		parents = append(parents, comment.ID)
	}
	for _, parent := range parents {
		if _, err := f.lib.Reply(f.t.Context(), f.bob.Actor(), elementalID, parent, longMessage); err != nil {
			f.t.Fatal(err)
		}
	}
}

// TestManyLongNotes: what hangs on elementals and lists beside their bodies counts. TestLongNotesAreHeld
// has all places where it is shown.
func TestManyLongNotes(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "quire.db"), &sqlite.Options{Synchronous: sqlite.Normal})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	f := newFixtureOn(t, s, nil)
	f.withLongNotes(20, quire.ElementalInput{TutorialSteps: longSteps()})
	for i := range 12 {
		_, err := f.lib.CreateList(t.Context(), f.ann.Actor(), quire.ListInput{Title: fmt.Sprint("A list ", i), TutorialSteps: longSteps(), Visibility: quire.Unlisted})
		if err != nil {
			t.Fatal(err)
		}
	}
	tagged := f.withLongNotes(20, quire.ElementalInput{TagIDs: f.longTags(100)})
	talked := f.withLongNotes(8, quire.ElementalInput{})
	items := make([]quire.ItemInput, len(talked))
	for i, id := range talked {
		items[i].ElementalID = id
		f.talk(id, 100)
	}
	expanded, err := f.lib.CreateList(t.Context(), f.ann.Actor(), quire.ListInput{Title: "A list of what is talked about", Items: items, Visibility: quire.Unlisted})
	if err != nil {
		t.Fatal(err)
	}
	get := func(name string, n int, path string) crowd {
		return crowd{name, n, f.head("GET", path, "Accept: */*"), nil}
	}
	f.meet(t,
		get("pages of elementals with steps", 48, "/v1/user/elementals?size=100"),
		get("pages of lists with steps", 48, "/v1/user/lists?size=100"),
		get("an elemental with tags", 200, "/v1/elemental/"+tagged[0]),
		get("an elemental with comments", 200, "/v1/elemental/"+talked[0]),
		get("a list of elementals with comments", 48, fmt.Sprint("/v1/list/", expanded.ID, "?expand_items=true")),
	)
}

// TestLongNotesAreHeld fills the budget for large answers by hand: who shows long notes waits
// for it, who shows short ones does not.
func TestLongNotesAreHeld(t *testing.T) {
	t.Parallel()
	f := newFixture(t, &Options{MaxAnswerMemory: 16 << 20})
	s := f.h.(*server)
	s.impatient()
	plain := f.withLongNotes(1, quire.ElementalInput{})[0]
	stepped := f.withLongNotes(1, quire.ElementalInput{TutorialSteps: longSteps()})[0]
	tags := f.longTags(20)
	tagged := f.withLongNotes(1, quire.ElementalInput{TagIDs: tags})[0]
	talked := f.withLongNotes(1, quire.ElementalInput{})[0]
	f.talk(talked, 20)
	listOf := func(in quire.ListInput, id string) string {
		in.Title, in.Items = "A list", []quire.ItemInput{{ElementalID: id}}
		l, err := f.lib.CreateList(t.Context(), f.ann.Actor(), in)
		if err != nil {
			t.Fatal(err)
		}
		return formatID(l.ID)
	}
	short := []string{ // of the first elemental and the first list that were made
		"/v1/elemental/" + plain, "/v1/list/" + listOf(quire.ListInput{}, plain), "/v1/user/elementals?size=1&page=4", "/v1/user/lists?size=1&page=5",
	}
	long := []string{
		"/v1/elemental/" + stepped, "/v1/elemental/" + tagged, "/v1/elemental/" + talked, "/v1/elemental/" + talked + "/knowledge-base?format=text&group_by=row&fields=content",
		"/v1/list/" + listOf(quire.ListInput{}, stepped), "/v1/list/" + listOf(quire.ListInput{}, talked) + "?expand_items=true",
		"/v1/list/" + listOf(quire.ListInput{TagIDs: tags}, plain), "/v1/list/" + listOf(quire.ListInput{TutorialSteps: longSteps()}, plain) + "/knowledge-base?format=text&group_by=row&fields=content",
		"/v1/user/lists", "/v1/user/lists?size=100", "/v1/user/elementals?size=100", "/v1/lists?size=100",
	}
	tag := mapAll(tags, formatID)
	create := `{"title":"Created with tags","type_id":3,"category_id":18,"template":"x","tagIds":[` + strings.Join(tag, ",") + `]}`
	createList := `{"title":"Created with tags","tagIds":[` + strings.Join(tag, ",") + `]}`
	release, err := s.largeAnswers.acquire(t.Context(), "eve", s.largeAnswers.size, s.largeAnswers.size)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range short {
		f.do(f.ann.key, "GET", path, "").want(200)
	}
	for _, path := range long {
		f.do(f.ann.key, "GET", path, "").want(503)
	}
	f.do(f.ann.key, "POST", "/v1/user/elemental", create).want(503)
	f.do(f.ann.key, "POST", "/v1/user/list", createList).want(503)
	release()
	for _, path := range long {
		f.do(f.ann.key, "GET", path, "").want(200)
	}
	f.do(f.ann.key, "POST", "/v1/user/elemental", create).want(201)
	f.do(f.ann.key, "POST", "/v1/user/list", createList).want(201)
	s.allGivenBack(t)
}

// noise is a text of about n bytes that does not become much shorter by compression.
func noise(n int) string {
	r := rand.NewChaCha8([32]byte{1})
	b := make([]byte, n*3/4)
	_, _ = r.Read(b) // never fails
	return base64.StdEncoding.EncodeToString(b)
}

// TestManyRepetitions: the answer that is kept for a key counts as long as it is sent again.
func TestManyRepetitions(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "quire.db"), &sqlite.Options{Synchronous: sqlite.Normal})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	f := newFixtureOn(t, s, nil)
	body := `{"title":"A text of noise","type_id":3,"category_id":18,"template":"` + noise(2<<20) + `"}`
	f.do(f.ann.key, "POST", "/v1/user/elemental", body, idempotencyKey, "k1").want(201)
	f.meet(t, crowd{"repetitions", 48, f.head("POST", "/v1/user/elemental", idempotencyKey+": k1\r\n"+ofLength(len(body))), []byte(body)})
}

// TestRepetitionsAreHeld fills the budget for files by hand.
func TestRepetitionsAreHeld(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	s := f.h.(*server)
	s.files.wait = 20 * time.Millisecond
	body := `{"title":"A text of noise","type_id":3,"category_id":18,"template":"` + noise(100_000) + `"}`
	send := func(key string) answer {
		return f.do(f.ann.key, "POST", "/v1/user/elemental", body, idempotencyKey, key)
	}
	first := send("k1").want(201)
	release := s.files.take("eve", s.files.size)
	send("k1").want(503)
	send("k2").want(201) // nothing is kept for it yet
	release()
	if again := send("k1").want(201); again.header.Get("Idempotent-Replayed") != "true" || again.str("response.id") != first.str("response.id") {
		t.Error("a repetition with room is answered anew")
	}
	s.allGivenBack(t)
}

// TestLongListsWithKey: what keeps all other writers waiting is left out of the answer that is
// kept for a key.
func TestLongListsWithKey(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	var items []string
	for range 3 {
		items = append(items, `{"prompt_id":"`+f.elementalOf(f.ann, words(2<<20))+`"}`)
	}
	create := func(n int, headers ...string) answer {
		return f.do(f.ann.key, "POST", "/v1/user/list", `{"title":"A list of long ones","item_ids":[`+strings.Join(items[:n], ",")+`]}`, headers...).want(201)
	}
	for _, c := range []struct {
		n    int
		key  []string
		want bool // that there is knowledge text
	}{{1, nil, true}, {3, nil, true}, {1, []string{idempotencyKey, "k1"}, true}, {3, []string{idempotencyKey, "k3"}, false}} {
		a := create(c.n, c.key...)
		_, text := a.at("response.knowledge_base").(string)
		object := a.at("response.knowledge_base_json") != nil
		if text != c.want || object != c.want || len(a.at("response.items").([]any)) != c.n {
			t.Errorf("%d items, key %v: knowledge text %v, object %v, want %v", c.n, c.key, text, object, c.want)
		}
		read := f.do(f.ann.key, "GET", "/v1/list/"+a.str("response.id"), "").want(200)
		if _, text := read.at("response.knowledge_base").(string); !text {
			t.Errorf("%d items, key %v: the list is read without knowledge text", c.n, c.key)
		}
	}
	f.h.(*server).allGivenBack(t)
}

// TestTooLongToKeep records more than is compressed in a transaction: nothing is created.
func TestTooLongToKeep(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	rec := newRecording()
	part := make([]byte, 1<<20)
	for n := 0; ; n++ {
		if _, err := rec.Write(part); err != nil {
			if n != mostRecorded>>20 || err != rec.failed {
				t.Errorf("after %d MiB: %v", n, err)
			}
			break
		}
	}
	if _, err := rec.end(); quire.CodeOf(err) != quire.CodeTooLarge {
		t.Errorf("a recording that is too long ends with %v", err)
	}
	tags := strings.Join(mapAll(f.longTags(50), formatID), ",")
	one := `{"title":"One with long tags","type_id":3,"tagIds":[` + tags + `]}`
	a := f.do(f.ann.key, "POST", "/v1/user/elementals", "["+strings.Repeat(one+",", 79)+one+"]", idempotencyKey, "k1").want(413)
	if !strings.Contains(a.str("error_message"), "too long to be kept") {
		t.Error(a.str("error_message"))
	}
	if total := f.do(f.ann.key, "GET", "/v1/user/elementals?size=1", "").at("meta.total"); fmt.Sprint(total) != "0" {
		t.Errorf("%v elementals were created all the same", total)
	}
	f.h.(*server).allGivenBack(t)
}
