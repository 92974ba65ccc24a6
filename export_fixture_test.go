package quire_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/bm25"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/engine/extract"
)

// instance is a Library with an Engine, on a Store without any users.
type instance struct {
	*quire.Library
	t        testing.TB
	store    quire.Store
	eng      *quire.Engine
	embedder *enginetest.Embedder
	index    *enginetest.Index
	damaged  bool // on purpose
}

// newInstance makes an instance; embedder may be nil.
func newInstance(t testing.TB, s quire.Store, embedder *enginetest.Embedder) *instance {
	t.Helper()
	ctx := context.Background()
	lib, err := quire.NewLibrary(ctx, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if embedder == nil {
		embedder = enginetest.NewEmbedder()
	}
	in := &instance{Library: lib, t: t, store: s, embedder: embedder, index: enginetest.NewIndex()}
	in.eng, err = quire.NewEngine(ctx, lib, in.index, embedder, enginetest.NewLLM(), &quire.EngineOptions{Chunker: paragraphs{}, Text: bm25.New(nil), Extractor: withNUL{extract.New(nil)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(in.close)
	return in
}

// close looks for damage, closes all and lets go of it, which a test that makes many does not
// leave to the end. Closing twice is no error.
func (in *instance) close() {
	in.t.Helper()
	if in.Library == nil {
		return
	}
	if !in.damaged {
		wantSound(in.t, in.eng)
		wantSound(in.t, in.Library)
	}
	ctx := context.Background()
	if err := errors.Join(in.eng.Close(ctx), in.Library.Close(ctx), in.store.Close()); err != nil {
		in.t.Error(err)
	}
	in.Library, in.store, in.eng, in.index = nil, nil, nil, nil
}

func (in *instance) must(err error) {
	in.t.Helper()
	if err != nil {
		in.t.Fatal(quire.Cause(err))
	}
}

// export is the archive of a tenant.
func (in *instance) export(tenantID string) []byte {
	in.t.Helper()
	var b bytes.Buffer
	in.must(in.eng.Export(context.Background(), tenantID, &b))
	return b.Bytes()
}

func (in *instance) importing(archive []byte, opts *quire.ImportOptions) (quire.ImportResult, error) {
	return in.eng.Import(context.Background(), bytes.NewReader(archive), opts)
}

// idle waits until no job of a tenant is active.
func (in *instance) idle(tenantID string) {
	in.t.Helper()
	for {
		jobs := 0
		in.must(in.store.View(context.Background(), func(tx quire.ReadTx) error {
			active, err := tx.ActiveJobs(context.Background(), tenantID, "")
			jobs = len(active)
			return err
		}))
		if jobs == 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	in.indexUp()
}

// indexUp waits until the index has taken over what was committed: a job is over when the
// Store says so, an instant before that.
func (in *instance) indexUp() {
	in.t.Helper()
	if h := in.eng.Health(context.Background()); !h.Components["index"].Up {
		in.t.Fatal("the index is not up")
	}
}

// The tenant of the libraries that are made here, and who wrote about its content
// without belonging to it.
const acme = "acme"

var visitor = quire.User{ID: "visitor", TenantID: "elsewhere", Name: "A visitor", CreatedAt: time.Unix(1_700_000_000, 0).UTC()}

func addVisitor(in *instance) {
	in.t.Helper()
	in.must(in.store.Update(context.Background(), func(tx quire.Tx) error { return tx.PutUser(context.Background(), visitor) }))
}

// builder fills an instance with a library.
type builder struct {
	*instance
	ctx    context.Context
	r      *rand.Rand
	users  []quire.Actor
	tags   map[string][]int64 // by owner
	ids    []string
	tables []string
	lists  []int64
}

var vocabulary = strings.Fields("river mountain lantern copper violin harbour 日本 café ﬁne naïve <b>bold</b> \"quoted\" \\slash 👩‍👩‍👧 orchard granite")

func (b *builder) words(n int) string {
	var w []string
	for range n {
		w = append(w, vocabulary[b.r.IntN(len(vocabulary))])
	}
	return strings.Join(w, " ")
}

// coin is true once in n times.
func (b *builder) coin(n int) bool { return b.r.IntN(n) == 0 }

func (b *builder) someTags(a quire.Actor) []int64 {
	own := b.tags[a.UserID]
	if len(own) == 0 {
		return nil
	}
	return own[:b.r.IntN(len(own)+1)]
}

// fillLibrary makes a library of about n elementals of the tenant acme.
func fillLibrary(in *instance, seed uint64, n int) *builder {
	b := &builder{instance: in, ctx: context.Background(), r: rand.New(rand.NewPCG(seed, 1)), tags: map[string][]int64{}}
	addVisitor(in)
	for i := range 1 + b.r.IntN(3) {

		u, err := in.CreateUser(b.ctx, quire.UserInput{ID: fmt.Sprint("user", i), TenantID: acme, Name: b.words(1), Email: "u@example.org", AvatarURL: "https://example.org/a.png"})
		in.must(err)
		_, _, err = in.CreateKey(b.ctx, u.ID, quire.KeyInput{Name: "key", Secret: fmt.Sprintf("secret-of-nobody-%d-%d", seed, i)})
		in.must(err)
		a := u.Actor()
		b.users = append(b.users, a)
		for range b.r.IntN(4) {
			t, err := in.CreateTag(b.ctx, a, quire.TagInput{Title: b.words(1), Color: "#abc", ElementalTypeID: quire.TypePrompt, SourceTagID: "x"})
			in.must(err)
			b.tags[a.UserID] = append(b.tags[a.UserID], t.ID)
		}
	}
	for i := range n {
		b.elemental(i)
	}
	b.table()
	for i := range 1 + n/4 {
		b.list(i)
	}
	for _, id := range b.ids {
		b.engage(quire.Subject{ElementalID: id})
	}
	for _, id := range b.lists {
		b.engage(quire.Subject{ListID: id})
	}
	b.idle(acme)
	return b
}

func (b *builder) owner() quire.Actor { return b.users[b.r.IntN(len(b.users))] }

func (b *builder) files() quire.MediaInput {
	var in quire.MediaInput
	if b.coin(2) {
		in.Files = []quire.Upload{upload("notes.txt", []byte("plain "+b.words(5))), upload("", bytes.Repeat([]byte{0, 1, 2}, 1+b.r.IntN(100)))}
	}
	if b.coin(2) {
		in.Images = []quire.Upload{upload("wide.png", pixels(b.t, 3, 2)), upload("dot.gif", dot(b.t))}
	}
	if b.coin(3) {
		in.Avatar = &quire.Upload{Name: "me.png", Data: pixels(b.t, 2, 2)}
	}
	return in
}

func (b *builder) elemental(i int) {
	a := b.owner()
	in := quire.ElementalInput{
		Title: fmt.Sprintf("Title number %d %s", i, b.words(2)), TypeID: []int{quire.TypePrompt, quire.TypeSnippet, quire.TypeDocument}[b.r.IntN(3)],
		CategoryID: 1 + b.r.IntN(18), TopicIDs: []int{1 + b.r.IntN(5)}, Description: b.words(b.r.IntN(5)), Command: "/" + b.words(1),
		Body: b.words(1+b.r.IntN(30)) + "\n\n" + b.words(1+b.r.IntN(30)) + "\x01", TagIDs: b.someTags(a),
		Visibility: quire.Visibility(1 + b.r.IntN(2)), IsPremium: b.coin(2), IsFixedPrice: b.coin(2), VideoURL: "https://example.org/v",
		Settings: quire.Settings{KnowledgeBase: b.coin(3), Template: b.coin(3)}, Media: b.files(),
	}
	if b.coin(2) {
		in.Price, in.TutorialSteps = ptr(int64(b.r.IntN(1000))), []quire.TutorialStep{{Title: "One", Description: b.words(2)}, {Title: "Two", VideoURL: "https://example.org/2"}}
	}
	e, err := b.CreateElemental(b.ctx, a, in)
	b.must(err)
	b.ids = append(b.ids, e.ID)
	if b.coin(2) {
		_, err := b.eng.Ingest(b.ctx, acme, quire.IngestRequest{ElementalID: e.ID})
		b.must(err)
	}
	if b.coin(4) {
		b.idle(acme)
		_, err := b.UpdateElemental(b.ctx, a, e.ID, quire.ElementalPatch{Command: ptr("changed"), TagIDs: ptr(b.someTags(a))})
		b.must(err)
	}
}

func (b *builder) table() {
	a := b.owner()
	in := quire.TableInput{Title: "A table of " + b.words(2), Columns: []string{"Left", "Right", "Empty"}, Rows: []string{"Upper", "Lower"}, TagIDs: b.someTags(a)}
	in.Cells = [][]string{{b.words(3), "", ""}, {b.words(2), b.words(4)}}
	in.Settings.KnowledgeBase = b.coin(2)
	e, err := b.CreateTable(b.ctx, a, in)
	b.must(err)
	b.ids, b.tables = append(b.ids, e.ID), append(b.tables, e.ID)
	col := e.Details.Columns[0]
	_, err = b.UpdateList(b.ctx, a, col.ID, quire.ListPatch{TagIDs: ptr(b.someTags(a)), Title: ptr("Renamed")})
	b.must(err)
	_, err = b.eng.Ingest(b.ctx, acme, quire.IngestRequest{ElementalID: e.ID})
	b.must(err)
	for _, cell := range col.Cells {
		b.ids = append(b.ids, cell.ID)
	}
	b.must(b.DeleteList(b.ctx, a, e.Details.Columns[2].ID))
	_, err = b.AddColumn(b.ctx, a, e.ID, "Later")
	b.must(err)
}

func (b *builder) list(i int) {
	a := b.owner()
	in := quire.ListInput{
		Title: fmt.Sprint("List ", i), Description: b.words(3), Template: "{{title}}\n{{items}}", TypeID: 1 + b.r.IntN(4),
		Visibility: quire.Visibility(1 + b.r.IntN(2)), TagIDs: b.someTags(a), Media: b.files(), Settings: quire.Settings{Template: b.coin(2)},
	}
	for _, id := range b.ids {

		e, err := b.Elemental(b.ctx, a, id)
		b.must(err)
		if b.coin(3) && (e.OwnerID == a.UserID || e.Visibility == quire.Public) {
			in.Items = append(in.Items, quire.ItemInput{ElementalID: id, OrderIndex: ptr(int64(b.r.IntN(9)))})
		}
	}
	l, err := b.CreateList(b.ctx, a, in)
	b.must(err)
	b.lists = append(b.lists, l.ID)
}

func (b *builder) engage(s quire.Subject) {
	for _, a := range append(slices.Clone(b.users), visitor.Actor()) {
		var errs []error
		keep := func(_ any, err error) { errs = append(errs, err) }
		if b.coin(2) {
			keep(b.Rate(b.ctx, a, s, 1+b.r.IntN(5), b.words(2)))
			keep(b.Upvote(b.ctx, a, s, true))
			keep(b.Use(b.ctx, a, s))
		}
		if b.coin(2) {
			keep(b.Save(b.ctx, a, s, true))
			keep(nil, b.Favorite(b.ctx, a, s, true))
			keep(b.Sell(b.ctx, a, s))
		}
		if b.coin(3) && s.ElementalID != "" {
			c, err := b.Comment(b.ctx, a, s.ElementalID, "Says "+b.words(3))
			keep(c, err)
			keep(b.Reply(b.ctx, b.owner(), s.ElementalID, c.ID, "answers"))
			if b.coin(3) {
				keep(nil, b.DeleteComment(b.ctx, a, s.ElementalID, c.ID))
			}
		}
		b.must(errors.Join(errs...))
	}
}

// everything is all that the public methods show of a library to each of its users.
type everything struct {
	Users      []quire.User
	Tags       map[string][]quire.Tag
	Elementals map[string][]quire.Elemental // by reader
	Lists      map[string][]quire.List
	Items      map[string][]string
	Comments   map[string][]quire.UserComment
	Rates      map[string][]quire.UserRate
	Files      map[int64][]byte
	Texts      map[string]string
	Found      map[string][]string
	FoundLists map[string][]int64
	Hits       map[string][]quire.SearchHit
	Words      map[string][]quire.SearchHit
	Chats      map[string]quire.ChatResponse
	Chunks     []quire.Chunk
}

// see reads everything of the library that b has built, from an instance.
func (b *builder) see(in *instance) everything {
	in.t.Helper()
	v := everything{
		Tags: map[string][]quire.Tag{}, Elementals: map[string][]quire.Elemental{}, Lists: map[string][]quire.List{},
		Items: map[string][]string{}, Comments: map[string][]quire.UserComment{}, Rates: map[string][]quire.UserRate{},
		Files: map[int64][]byte{}, Texts: map[string]string{}, Found: map[string][]string{}, FoundLists: map[string][]int64{},
		Hits: map[string][]quire.SearchHit{}, Words: map[string][]quire.SearchHit{}, Chats: map[string]quire.ChatResponse{},
	}
	ctx := context.Background()
	for _, a := range b.users {
		u, err := in.User(ctx, a.UserID)
		in.must(err)
		a = u.Actor() // its tenant may have another name here
		v.Users = append(v.Users, u)
		v.Tags[a.UserID], err = in.Tags(ctx, a)
		in.must(err)
		b.seeContent(in, &v, a)
	}
	b.seeKnowledge(in, &v, v.Users[0].TenantID)
	return v
}

func (b *builder) seeContent(in *instance, v *everything, a quire.Actor) {
	in.t.Helper()
	ctx, who := b.ctx, a.UserID
	file := func(_ quire.Media, data []byte, err error) []byte { in.must(err); return data }
	for _, id := range b.ids {
		e, err := in.Elemental(ctx, a, id)
		in.must(err)
		v.Elementals[who] = append(v.Elementals[who], e)
		for _, m := range e.Details.Media {
			if m.Kind == quire.MediaFile {
				v.Files[m.ID] = file(in.ElementalFile(ctx, a, id, m.ID))
			} else {
				v.Files[m.ID] = file(in.Image(ctx, a, m.ID))
			}
		}
		text, _, err := in.ElementalKnowledge(ctx, a, id, quire.KnowledgeOptions{Fields: quire.KnowledgeFields()})
		in.must(err)
		v.Texts[who+id] = text
		v.Comments[who+id], err = collect(in.Comments(ctx, a, id))
		in.must(err)
		v.Rates[who+id], err = collect(in.Rates(ctx, a, quire.Subject{ElementalID: id}))
		in.must(err)
	}
	for _, id := range b.lists {
		l, err := in.List(ctx, a, id)
		in.must(err)
		v.Lists[who] = append(v.Lists[who], l)
		for _, m := range l.Media {
			if m.Kind == quire.MediaFile {
				v.Files[m.ID] = file(in.ListFile(ctx, a, id, m.ID))
			}
		}
		var text bytes.Buffer
		in.must(in.WriteListKnowledge(ctx, a, id, quire.KnowledgeOptions{Format: quire.FormatMarkdown}, &text))
		v.Texts[fmt.Sprint(who, id)] = text.String()
		for _, order := range []quire.ItemOrder{quire.OrderIndex, quire.OrderUpdatedAt} {
			items, err := in.ListItems(ctx, a, id, quire.ItemsInput{Order: order, Page: quire.Page{Size: 100}})
			in.must(err)
			for _, e := range items.Items {
				v.Items[fmt.Sprint(who, id, order)] = append(v.Items[fmt.Sprint(who, id, order)], e.ID)
			}
		}
	}
	// How well something fits depends on what else the Store has, of other tenants too: what
	// is found is the same, its order need not be.
	for _, w := range vocabulary {
		found, err := in.SearchElementals(ctx, a, quire.SearchInput{Text: w, Page: quire.Page{Size: 100}})
		in.must(err)
		for _, e := range found.Items {
			v.Found[who+w] = append(v.Found[who+w], e.ID)
		}
		lists, err := in.SearchLists(ctx, a, quire.SearchInput{Text: w, Page: quire.Page{Size: 100}})
		in.must(err)
		for _, l := range lists.Items {
			v.FoundLists[who+w] = append(v.FoundLists[who+w], l.ID)
		}
		slices.Sort(v.Found[who+w])
		slices.Sort(v.FoundLists[who+w])
	}
	all, err := in.UserLists(ctx, a, nil)
	in.must(err)
	v.Lists[who] = append(v.Lists[who], all.Items...)
}

func (b *builder) seeKnowledge(in *instance, v *everything, tenantID string) {
	in.t.Helper()
	var err error
	for _, w := range vocabulary[:6] {
		f := quire.Filters{TenantID: tenantID}
		v.Hits[w], err = in.eng.Search(b.ctx, quire.SearchRequest{Query: w, Filters: f, Limit: 100})
		in.must(err)
		v.Words[w], err = in.eng.Search(b.ctx, quire.SearchRequest{Query: w, Mode: quire.SearchText, Filters: f, Limit: 100})
		in.must(err)
		v.Chats[w], err = in.eng.Chat(b.ctx, quire.ChatRequest{Query: w, Filters: f})
		in.must(err)
	}
	in.must(in.store.View(b.ctx, func(tx quire.ReadTx) error {
		for c, err := range tx.AllChunks(b.ctx) {
			if err != nil {
				return err
			}
			v.Chunks = append(v.Chunks, c)
		}
		return nil
	}))
	slices.SortFunc(v.Chunks, func(a, b quire.Chunk) int { return cmp.Compare(a.ID, b.ID) })
}

// sameVectors compares vectors as a whole: by reflection each number takes a microsecond.
var sameVectors = gocmp.FilterValues(func(a, b []float32) bool { return len(a) > 0 && len(b) > 0 }, gocmp.Comparer(slices.Equal[[]float32]))

// moved are the differences that an import may make: the ids of comments and rates, of
// which only the order stays. renamed allows another tenant too.
func moved(renamed bool) gocmp.Options {
	opts := gocmp.Options{
		cmpopts.EquateEmpty(), sameVectors,
		cmpopts.IgnoreFields(quire.Comment{}, "ID", "ParentID"),
		cmpopts.IgnoreFields(quire.Rate{}, "ID"),
	}
	if renamed {
		opts = append(opts, cmpopts.IgnoreFields(quire.User{}, "TenantID"), cmpopts.IgnoreFields(quire.ElementalRecord{}, "TenantID"),
			cmpopts.IgnoreFields(quire.ListRecord{}, "TenantID"), cmpopts.IgnoreFields(quire.Chunk{}, "TenantID"))
	}
	return opts
}

// inStep checks that the index holds what the Store holds, as far as an index reads it.
func (in *instance) inStep(t testing.TB) {
	t.Helper()
	in.indexUp()
	var stored []quire.Chunk
	in.must(in.store.View(context.Background(), func(tx quire.ReadTx) error {
		for c, err := range tx.AllChunks(context.Background()) {
			if err != nil {
				return err
			}
			stored = append(stored, c)
		}
		return nil
	}))
	byID := func(a, b quire.Chunk) int { return cmp.Compare(a.ID, b.ID) }
	indexed := in.index.Chunks()
	slices.SortFunc(stored, byID)
	slices.SortFunc(indexed, byID)
	if d := gocmp.Diff(stored, indexed, cmpopts.EquateEmpty(), sameVectors, cmpopts.IgnoreFields(quire.Chunk{}, "Title", "Heading", "Text", "Hash")); d != "" {
		t.Errorf("the index does not hold what the store holds (-store +index):\n%s", d)
	}
}
