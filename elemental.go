package quire

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/quirelib/quire/internal/id"
)

// Elemental is a content item as the Library returns it: the record with its
// references resolved.
type Elemental struct {
	ElementalRecord
	Owner    User
	Type     ElementalType
	Category Category
	Topics   []Topic
	Tags     []Tag
	URL      string
	Details  *Details // nil where only the records of a list's items were asked for
}

// ElementalInput is what a new elemental is made of.
type ElementalInput struct {
	// ID is optional: 1..64 letters, digits, '-', '_' or '.', ErrConflict if it is
	// taken. Default: a time-ordered UUID.
	ID string
	// Title has 10..100 characters (code points, trimmed) and at least one letter.
	Title       string
	TypeID      int        // TypePrompt, TypeSnippet, TypeDocument, or one that the catalogue marks as creatable
	CategoryID  int        // in the catalogue; required except in CreateElementals, where 0 means CategoryText
	TopicIDs    []int      // in the catalogue; a prompt needs one (in CreateElementals: if not nil)
	Body        string     // Markdown, at most LibraryOptions.MaxBodyBytes; required and not blank except in CreateElementals
	Description string     // at most 20,000 characters
	Command     string     // at most 1,000 characters
	Visibility  Visibility // 0 means Public
	// Lists are lists of the actor to put the elemental into, at the end of each.
	Lists         []int64
	TagIDs        []int64 // tags of the actor, at most MaxTags
	VideoURL      string  // http or https; "" for none
	TutorialSteps []TutorialStep
	IsPremium     bool
	IsFixedPrice  bool
	Price         *int64 // >= 0; nil for none
	PriceOriginal *int64
	Settings      Settings // System is ignored
	Media         MediaInput
}

// ElementalPatch changes an elemental: nil fields stay as they are.
type ElementalPatch struct {
	Title           *string
	TypeID          *int
	CategoryID      *int
	TopicIDs        *[]int
	Body            *string
	KeepBody        bool // Body applies only if the present body is empty
	Description     *string
	Command         *string
	Visibility      *Visibility
	Lists           []int64  // put into these as well
	TagIDs          *[]int64 // replaces all tags; at most MaxTags
	VideoURL        *string
	TutorialSteps   *[]TutorialStep
	IsPremium       *bool
	IsFixedPrice    *bool
	Price           *int64
	NoPrice         bool // removes the price; wins over Price
	PriceOriginal   *int64
	NoPriceOriginal bool
	KnowledgeBase   *bool // Settings.KnowledgeBase
	Template        *bool // Settings.Template
	Media           MediaPatch
}

// BatchItem is the outcome of one input of CreateElementals: an Elemental or an
// error, never both.
type BatchItem struct {
	Elemental *Elemental
	Err       error
}

// SearchInput is a search for elementals or lists.
type SearchInput struct {
	Text string
	Page Page
	// WithoutBody leaves Body, TutorialSteps and Details of elementals empty, as in ListItems
	// without details: Elementals reads them whole, one by one, as large as tables may be.
	WithoutBody bool
	WithoutTags bool // leaves Tags of elementals empty: see [Library.WithTags]
}

// UserElementalsInput selects a page of the actor's own elementals.
type UserElementalsInput struct {
	TypeID int   // only this type; 0: all but TypeCell
	TagID  int64 // only those with this tag; 0: whatever tags they have
	Page   Page

	WithoutTags bool // leaves Tags empty: see [Library.WithTags]
}

// CreateElemental adds an elemental that the actor owns, and returns it as its owner reads it.
// The actor need not be a user that CreateUser made. With Settings.KnowledgeBase its ingest is
// queued in the same transaction.
//
// ErrUnauthenticated if the actor is nobody. ErrInvalid, with the fields, for whatever breaks
// a rule of ElementalInput, such as a tag or list that is not the actor's, or a picture that
// cannot be decoded or is too large; sizes are among these, so it is never ErrTooLarge.
// ErrConflict if the id is taken, by anybody's elemental, or if the actor has a snippet with
// that title already. ErrClosed after Close. When it fails, nothing was created.
func (l *Library) CreateElemental(ctx context.Context, a Actor, in ElementalInput) (Elemental, error) {
	if err := a.Check(); err != nil {
		return Elemental{}, err
	}
	rec, err := l.draftElemental(a, in, true)
	if err != nil {
		return Elemental{}, err
	}
	media, err := l.draftMedia(ctx, a, in.Media)
	if err != nil {
		return Elemental{}, err
	}
	ctx = l.indexAhead(ctx, rec.Body, rec.Description)
	return l.changeElemental(ctx, a, func(tx Tx, ch *changes) (ElementalRecord, error) {
		return rec, l.addElemental(ctx, tx, ch, rec, media, in.Lists, newTargets())
	})
}

// maxListings times MaxIDs is how many lists the elementals of one call are put into together:
// each is a row, which others wait for.
const maxListings = 5

// CreateElementals adds many elementals in one transaction, each on its own: one
// that breaks a rule does not stop the rest. The result has one item for each
// input, in order. The error is for the call as a whole (no input, too many, the
// Store failed), and then nothing was created.
func (l *Library) CreateElementals(ctx context.Context, a Actor, ins []ElementalInput) ([]BatchItem, error) {
	switch {
	case len(ins) == 0:
		return nil, Errorf(CodeInvalid, "at least one elemental is needed")
	case len(ins) > l.opts.MaxBatch:
		return nil, Errorf(CodeInvalid, "at most %d elementals are allowed in one call", l.opts.MaxBatch)
	}
	if err := a.Check(); err != nil {
		return nil, err
	}
	uploaded := make([]MediaInput, len(ins))
	for i, in := range ins {
		uploaded[i] = in.Media
	}
	tooMany := l.checkPixels(uploaded...)
	items := make([]BatchItem, len(ins))
	recs := make([]ElementalRecord, len(ins))
	media := make([][]draft, len(ins))
	var texts []string
	listings := 0 // how many lists they go into, all together
	for i, in := range ins {
		var err error
		if recs[i], err = l.draftElemental(a, in, false); err == nil {
			err = tooMany[i]
		}
		if listings += len(in.Lists); err == nil && listings > maxListings*l.opts.MaxIDs {
			var probs problems
			probs.add("lists_to_save", "must have at most %d entries in all elementals of a call together", maxListings*l.opts.MaxIDs)
			err = probs.err()
		}
		if err == nil {
			media[i], err = l.draftFiles(ctx, a, in.Media)
		}
		if err != nil && !ruleBroken(err) {
			return nil, err
		}
		items[i].Err = err
		if err == nil {
			texts = append(texts, recs[i].Body, recs[i].Description)
		}
	}
	ctx = l.indexAhead(ctx, texts...)
	err := l.changeAs(ctx, a, func(tx Tx, ch *changes) error {
		into := newTargets()
		var created []ElementalRecord
		for i := range ins {
			if items[i].Err != nil {
				continue
			}
			err := l.addElemental(ctx, tx, ch, recs[i], media[i], ins[i].Lists, into)
			if err != nil && !ruleBroken(err) {
				return err
			}
			if items[i].Err = err; err == nil {
				created = append(created, recs[i])
			}
		}
		out, err := l.wholeElementals(ctx, tx, a, created, true)
		if err != nil {
			return err
		}
		for i := range items {
			if items[i].Err == nil {
				items[i].Elemental, out = &out[0], out[1:]
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return items, nil
}

// MaxBatch is how many elementals one CreateElementals takes.
func (l *Library) MaxBatch() int { return l.opts.MaxBatch }

// ruleBroken tells a fault of one input from a fault of the Store. addElemental
// checks all rules before it writes, so that a broken rule has written nothing.
func ruleBroken(err error) bool {
	switch CodeOf(err) {
	case CodeInvalid, CodeConflict, CodeTooLarge:
		return true
	}
	return false
}

// draftElemental makes the record of an input and checks all rules that need no
// Store. strict is false in CreateElementals, which takes an input of only title,
// type and description.
func (l *Library) draftElemental(a Actor, in ElementalInput, strict bool) (ElementalRecord, error) {
	rec := ElementalRecord{
		ID: in.ID, OwnerID: a.UserID, TenantID: a.TenantID,
		TypeID: in.TypeID, CategoryID: in.CategoryID, TopicIDs: unique(in.TopicIDs),
		Title: strings.TrimSpace(in.Title), Description: in.Description, Body: in.Body, Command: in.Command,
		Visibility: in.Visibility, VideoURL: in.VideoURL, TutorialSteps: slices.Clone(in.TutorialSteps),
		IsPremium: in.IsPremium, IsFixedPrice: in.IsFixedPrice,
		TagIDs: unique(in.TagIDs), Version: 1, CreatedAt: now(),
		Settings: Settings{KnowledgeBase: in.Settings.KnowledgeBase, Template: in.Settings.Template},
	}
	setPrice(&rec.Price, in.Price, false)
	setPrice(&rec.PriceOriginal, in.PriceOriginal, false)
	if rec.Visibility == 0 {
		rec.Visibility = Public
	}
	var probs problems
	switch {
	case rec.ID == "":
		rec.ID = id.New()
	case slices.Contains(reservedIDs, rec.ID):
		probs.add("id", "is reserved; choose another one")
	default:
		checkID(&probs, "id", rec.ID)
	}
	if strict && strings.TrimSpace(rec.Body) == "" {
		probs.add("template", "is required and must not be blank; it is the text of the elemental")
	}
	if rec.CategoryID == 0 {
		if strict {
			probs.add("category_id", "is required; it must be one of %s", l.catalogue.Load().categoryChoices())
		}
		rec.CategoryID = CategoryText
	}
	l.checkElemental(&probs, 0, rec)
	l.checkIDs(&probs, "lists_to_save", len(in.Lists))
	if strict || in.TopicIDs != nil {
		l.checkPromptTopics(&probs, rec)
	}
	l.checkUploads(&probs, in.Media, maxUploads)
	return rec, probs.err()
}

// reservedIDs stand for something else where paths hold the id of an elemental.
var reservedIDs = []string{"type", "types"}

// checkElemental checks the fields of a record by themselves. oldType is the type that
// it had before, 0 if it is new.
func (l *Library) checkElemental(p *problems, oldType int, rec ElementalRecord) {
	cat := l.catalogue.Load()
	if rec.TypeID != TypeCell { // which is named by the Library
		checkTitle(p, rec.Title)
	}
	l.checkType(p, oldType, rec.TypeID)
	if _, ok := cat.category(rec.CategoryID); !ok {
		p.add("category_id", "must be a category of the catalogue: one of %s", cat.categoryChoices())
	}
	l.checkIDs(p, "topic_ids", len(rec.TopicIDs))
	listed := false // once: an answer must not be many times longer than its request
	for i, t := range rec.TopicIDs {
		switch _, ok := cat.topic(t); {
		case ok:
		case listed:
			p.add("topic_ids/"+itoa(i), "must be a topic of the catalogue")
		default:
			listed = true
			p.add("topic_ids/"+itoa(i), "must be a topic of the catalogue, such as %s", cat.topicChoices(rec.CategoryID))
		}
	}
	l.checkBody(p, "template", rec.Body)
	checkText(p, "description", rec.Description, maxDescription)
	checkText(p, "command", rec.Command, maxCommand)
	checkVisibility(p, rec.Visibility)
	checkURL(p, "video_url", rec.VideoURL)
	checkSteps(p, rec.TutorialSteps)
	checkTags(p, rec.TagIDs)
	checkPrice(p, "price", rec.Price)
	checkPrice(p, "price_original", rec.PriceOriginal)
}

// checkPromptTopics refuses a prompt without a topic.
func (l *Library) checkPromptTopics(p *problems, rec ElementalRecord) {
	if rec.TypeID == TypePrompt && len(rec.TopicIDs) == 0 {
		p.add("topic_ids", "a prompt needs at least one topic, such as %s", l.catalogue.Load().topicChoices(rec.CategoryID))
	}
}

// freeID returns ErrConflict if there is an elemental of that id, which may be a large one: it
// is not read.
func freeID(ctx context.Context, tx ReadTx, id string) error {
	sizes, err := tx.ElementalSizes(ctx, []string{id})
	if _, taken := sizes[id]; taken && err == nil {
		err = ErrConflict
	}
	return err
}

// addElemental checks the rules that need the Store, then adds a record, its media, its
// list items and its ingest.
func (l *Library) addElemental(ctx context.Context, tx Tx, ch *changes, rec ElementalRecord, media []draft, lists []int64, into targets) error {
	if err := freeID(ctx, tx, rec.ID); err != nil {
		return conflict(err, "an elemental with this id exists")
	}
	if err := checkSnippetTitle(ctx, tx, rec); err != nil {
		return err
	}
	tags, err := ownTags(ctx, tx, rec.OwnerID, rec.TagIDs)
	if err != nil {
		return err
	}
	if err := into.check(ctx, tx, rec.OwnerID, lists); err != nil {
		return err
	}
	if err := tx.PutElemental(ctx, rec, indexElemental(ctx, rec, tags)); err != nil {
		return err
	}
	if err := attach(ctx, tx, MediaOwner{ElementalID: rec.ID}, nil, media); err != nil {
		return err
	}
	if err := into.append(ctx, tx, lists, rec.ID); err != nil {
		return err
	}
	return ch.ingestIfAsked(ctx, tx, rec)
}

// checkSnippetTitle keeps the titles of an owner's snippets apart.
func checkSnippetTitle(ctx context.Context, tx ReadTx, rec ElementalRecord) error {
	if rec.TypeID != TypeSnippet {
		return nil
	}
	other, err := tx.ElementalByTitle(ctx, rec.OwnerID, TypeSnippet, rec.Title)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return err
	case other == rec.ID:
		return nil
	}
	e := Errorf(CodeConflict, "you have a snippet with this title; choose another one")
	e.Fields = []FieldError{{Field: "title", Message: e.Message}}
	return e
}

// indexElemental is what full-text search sees of an elemental.
func indexElemental(ctx context.Context, rec ElementalRecord, tags []Tag) IndexedText {
	return IndexedText{
		Title: words(rec.Title), Description: wordsIn(ctx, rec.Description), Body: wordsIn(ctx, rec.Body), Tags: words(tagTitles(tags)),
	}
}

// UpdateElemental changes an elemental of the actor. ErrForbidden if it is
// another user's. A patch that changes nothing leaves Version and UpdatedAt as they
// are. The columns, rows and cells of a table follow its visibility. A cell keeps
// title, category, visibility; cells, tables and other elementals never become one
// another.
func (l *Library) UpdateElemental(ctx context.Context, a Actor, id string, p ElementalPatch) (Elemental, error) {
	owner := MediaOwner{ElementalID: id}
	media, err := l.draftFor(ctx, a, owner, p.Media.input(), maxUploads)
	if err != nil {
		return Elemental{}, err
	}
	stored := l.indexStoredAhead
	if p.Body != nil {
		stored = l.indexTableAhead
		if len(*p.Body) <= l.opts.MaxBodyBytes {
			ctx = l.indexAhead(ctx, *p.Body)
		}
	}
	ctx, done, err := stored(ctx, a, id)
	if err != nil {
		return Elemental{}, err
	}
	defer done()
	return l.changeElemental(ctx, a, func(tx Tx, ch *changes) (ElementalRecord, error) {
		old, err := ownElemental(ctx, tx, a, id)
		if err != nil {
			return ElementalRecord{}, err
		}
		rec, err := l.patchElemental(ctx, tx, old, p)
		if err != nil {
			return ElementalRecord{}, err
		}
		if err := newTargets().append(ctx, tx, p.Lists, rec.ID); err != nil {
			return ElementalRecord{}, err
		}
		mediaChanged, err := p.Media.apply(ctx, tx, owner, media)
		if err != nil {
			return ElementalRecord{}, err
		}
		if mediaChanged || !reflect.DeepEqual(old, rec) {
			if rec, err = l.saveContent(ctx, tx, ch, rec); err != nil {
				return ElementalRecord{}, err
			}
			if err := l.followElemental(ctx, tx, ch, old, rec, mediaChanged); err != nil {
				return ElementalRecord{}, err
			}
		}
		return rec, nil
	})
}

// patchElemental returns the record as the patch makes it, after all checks.
func (l *Library) patchElemental(ctx context.Context, tx Tx, old ElementalRecord, p ElementalPatch) (ElementalRecord, error) {
	rec := old
	if p.Title != nil {
		rec.Title = strings.TrimSpace(*p.Title)
	}
	set(&rec.TypeID, p.TypeID)
	set(&rec.CategoryID, p.CategoryID)
	if p.TopicIDs != nil {
		rec.TopicIDs = unique(*p.TopicIDs)
	}
	if p.Body != nil && !(p.KeepBody && old.Body != "") {
		rec.Body = *p.Body
	}
	set(&rec.Description, p.Description)
	set(&rec.Command, p.Command)
	set(&rec.Visibility, p.Visibility)
	set(&rec.VideoURL, p.VideoURL)
	set(&rec.TutorialSteps, p.TutorialSteps)
	set(&rec.IsPremium, p.IsPremium)
	set(&rec.IsFixedPrice, p.IsFixedPrice)
	setPrice(&rec.Price, p.Price, p.NoPrice)
	setPrice(&rec.PriceOriginal, p.PriceOriginal, p.NoPriceOriginal)
	set(&rec.Settings.KnowledgeBase, p.KnowledgeBase)
	set(&rec.Settings.Template, p.Template)
	if p.TagIDs != nil {
		rec.TagIDs = unique(*p.TagIDs)
	}
	var probs problems
	l.checkElemental(&probs, old.TypeID, rec)
	l.checkIDs(&probs, "lists_to_save", len(p.Lists))
	checkTablePatch(&probs, old, rec)
	if p.TopicIDs != nil || p.TypeID != nil {
		l.checkPromptTopics(&probs, rec)
	}
	if err := probs.err(); err != nil {
		return rec, err
	}
	if err := checkSnippetTitle(ctx, tx, rec); err != nil {
		return rec, err
	}
	if p.TagIDs != nil {
		if _, err := ownTags(ctx, tx, rec.OwnerID, rec.TagIDs); err != nil {
			return rec, err
		}
	}
	return rec, newTargets().check(ctx, tx, rec.OwnerID, p.Lists)
}

// saveContent is saveElemental for a change of what is ingested.
func (l *Library) saveContent(ctx context.Context, tx Tx, ch *changes, rec ElementalRecord) (ElementalRecord, error) {
	rec, err := l.saveElemental(ctx, tx, ch, rec)
	if err != nil {
		return rec, err
	}
	return rec, ch.ingestIfAsked(ctx, tx, rec)
}

// countOn is the count after n. The largest that an archive may have, with which content may
// have been imported, has none: what is exported then can be imported again.
func countOn(n int64) int64 { return min(n, maxNumber-1) + 1 }

// saveElemental writes a changed record as its next version; what is stored of it
// for search and citation follows.
func (l *Library) saveElemental(ctx context.Context, tx Tx, ch *changes, rec ElementalRecord) (ElementalRecord, error) {
	rec.Version = NextVersion(rec.Version)
	t := now()
	rec.UpdatedAt = &t
	if err := l.putElemental(ctx, tx, rec); err != nil {
		return rec, err
	}
	return rec, ch.refresh(ctx, tx, rec)
}

// putElemental writes a record with what full-text search sees of it.
func (l *Library) putElemental(ctx context.Context, tx Tx, rec ElementalRecord) error {
	text, err := indexStored(ctx, tx, rec)
	if err != nil {
		return err
	}
	return tx.PutElemental(ctx, rec, text)
}

// indexStored is what full-text search sees of an elemental whose tags and cells are in
// tx. A table is found by the texts in it, a cell is not found by itself.
func indexStored(ctx context.Context, tx ReadTx, rec ElementalRecord) (IndexedText, error) {
	if rec.TypeID == TypeCell {
		return IndexedText{}, nil
	}
	tags, err := tagsInOrder(ctx, tx, rec.TagIDs)
	if err != nil {
		return IndexedText{}, err
	}
	text := indexElemental(ctx, rec, tags)
	if rec.TypeID == TypeTable {
		t, err := readTexts(ctx, tx, rec)
		if err != nil {
			return IndexedText{}, err
		}
		text.Body = wordsOfAll(ctx, t.texts())
	}
	return text, nil
}

// DeleteElemental deletes an elemental of the actor, its list items and its
// chunks, and cancels its jobs; those that had ended go too. With a table go its columns, rows and cells; a cell
// leaves its place empty. ErrForbidden if it is another user's.
func (l *Library) DeleteElemental(ctx context.Context, a Actor, id string) error {
	ctx, done, err := l.indexTableAhead(ctx, a, id)
	if err != nil {
		return err
	}
	defer done()
	return l.changeAs(ctx, a, func(tx Tx, ch *changes) error {
		rec, err := ownElemental(ctx, tx, a, id)
		if err != nil {
			return err
		}
		if rec.TypeID == TypeTable {
			// The chunks and jobs of cells are the table's.
			if err := tx.ClearTable(ctx, rec.ID); err != nil {
				return err
			}
		}
		if err := dropEndedJobs(ctx, tx, rec); err != nil {
			return err
		}
		if _, err := ch.drop(ctx, tx, rec.TenantID, rec.ID); err != nil {
			return err
		}
		if err := tx.DeleteElemental(ctx, rec.ID); err != nil || rec.TypeID != TypeCell {
			return err
		}
		return l.saveTable(ctx, tx, ch, rec.TableID)
	})
}

// ownElemental reads an elemental that the actor may change.
func ownElemental(ctx context.Context, tx ReadTx, a Actor, id string) (ElementalRecord, error) {
	rec, err := tx.Elemental(ctx, id)
	if err == nil && rec.OwnerID != a.UserID {
		err = Errorf(CodeForbidden, "only the owner may change this elemental")
	}
	return rec, err
}
