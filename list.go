package quire

import (
	"context"
	"iter"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/quirelib/quire/internal/id"
)

// List is a list as the Library returns it, without its items.
type List struct {
	ListRecord
	Owner      User
	Type       ListType
	Tags       []Tag
	TotalItems int // how many the actor may see
	URL        string
	Media      []Media    // by kind, then order
	Rates      []UserRate // the latest MaxShown, oldest first
	LastSaves  []User     // who saved it last, newest first
	Saved      bool       // by the actor, as the next two
	Favorite   bool
	Voted      bool
}

// ItemInput puts an elemental into a list.
type ItemInput struct {
	ElementalID string
	// OrderIndex is its place; equal places are ordered by id. nil: after all others
	// (a new member), unchanged (a present one).
	OrderIndex *int64
}

// ListInput is what a new list is made of.
type ListInput struct {
	Title         string // 1..100 characters, not blank
	Description   string
	Template      string      // lays out the compiled text: {{title}}, {{description}} up to ten times, {{items}} once
	TypeID        int         // in the catalogue; 0 for the first list type
	Visibility    Visibility  // 0 means Public
	Items         []ItemInput // elementals that the actor owns or that are Public; named twice, the last one counts
	TagIDs        []int64     // tags of the actor, at most MaxTags
	VideoURL      string
	TutorialSteps []TutorialStep
	IsPremium     bool
	IsFixedPrice  bool
	Price         *int64
	PriceOriginal *int64
	Settings      Settings // System is ignored
	Media         MediaInput
}

// ListPatch changes a list: nil fields stay as they are.
type ListPatch struct {
	Title           *string
	Description     *string
	Template        *string
	KeepTemplate    bool // Template applies only if the present one is empty
	TypeID          *int
	Visibility      *Visibility
	Items           *[]ItemInput // added and re-ordered
	ReplaceItems    bool         // Items become the exact membership
	TagIDs          *[]int64
	VideoURL        *string
	TutorialSteps   *[]TutorialStep
	IsPremium       *bool
	IsFixedPrice    *bool
	Price           *int64
	NoPrice         bool
	PriceOriginal   *int64
	NoPriceOriginal bool
	KnowledgeBase   *bool
	IsTemplate      *bool
	Media           MediaPatch
	// Cells are texts for a column or row of a table, by the ids of the rows or columns
	// that it crosses; "" empties the place. Such a list takes no Items, and has the
	// visibility of its table. What is not named stays.
	Cells map[int64]string
}

// ItemsInput selects a page of a list's items.
type ItemsInput struct {
	Page  Page
	Order ItemOrder // "" means OrderIndex
	Desc  bool
	// Details are read as well, and the bodies and tutorial steps: without it Body and
	// TutorialSteps are empty.
	Details bool
	// WithoutTags leaves Tags empty, if there are no Details: see [Library.WithTags].
	WithoutTags bool
}

// CreateList adds a list that the actor owns.
func (l *Library) CreateList(ctx context.Context, a Actor, in ListInput) (List, error) {
	rec := ListRecord{
		ID: id.Int53(), OwnerID: a.UserID, TenantID: a.TenantID, TypeID: in.TypeID,
		Title: strings.TrimSpace(in.Title), Description: in.Description, Template: in.Template,
		Visibility: in.Visibility, VideoURL: in.VideoURL, TutorialSteps: slices.Clone(in.TutorialSteps),
		IsPremium: in.IsPremium, IsFixedPrice: in.IsFixedPrice, TagIDs: unique(in.TagIDs), Version: 1, CreatedAt: now(),
		Settings: Settings{KnowledgeBase: in.Settings.KnowledgeBase, Template: in.Settings.Template},
	}
	setPrice(&rec.Price, in.Price, false)
	setPrice(&rec.PriceOriginal, in.PriceOriginal, false)
	if rec.Visibility == 0 {
		rec.Visibility = Public
	}
	if rec.TypeID == 0 {
		rec.TypeID = l.catalogue.Load().ListTypes[0].ID
	}
	if err := l.checkList(rec, in.Items); err != nil {
		return List{}, err
	}
	media, err := l.draftNew(ctx, a, in.Media)
	if err != nil {
		return List{}, err
	}
	return l.changeList(ctx, a, func(tx Tx, _ *changes) (ListRecord, error) {
		if err := absent(tx.List(ctx, rec.ID)); err != nil {
			return ListRecord{}, err
		}
		tags, err := ownTags(ctx, tx, a.UserID, rec.TagIDs)
		if err != nil {
			return ListRecord{}, err
		}
		if err := checkItems(ctx, tx, a, nil, in.Items); err != nil {
			return ListRecord{}, err
		}
		if err := tx.PutList(ctx, rec, indexList(rec, tags)); err != nil {
			return ListRecord{}, err
		}
		if err := putItems(ctx, tx, rec.ID, nil, in.Items); err != nil {
			return ListRecord{}, err
		}
		return rec, attach(ctx, tx, MediaOwner{ListID: rec.ID}, nil, media)
	})
}

func (l *Library) checkList(rec ListRecord, items []ItemInput) error {
	var probs problems
	l.checkIDs(&probs, "item_ids", len(items))
	checkLabel(&probs, "title", rec.Title)
	checkText(&probs, "description", rec.Description, maxDescription)
	checkText(&probs, "template", rec.Template, maxDescription)
	checkTemplate(&probs, "template", rec.Template)
	cat := l.catalogue.Load()
	if _, ok := cat.listType(rec.TypeID); !ok {
		probs.add("content_type", "must be a list type of the catalogue: one of %s", cat.listTypeChoices())
	}
	checkVisibility(&probs, rec.Visibility)
	checkURL(&probs, "video_url", rec.VideoURL)
	checkSteps(&probs, rec.TutorialSteps)
	checkTags(&probs, rec.TagIDs)
	checkPrice(&probs, "price", rec.Price)
	checkPrice(&probs, "price_original", rec.PriceOriginal)
	return probs.err()
}

// List reads a list by id: any user may, whatever its visibility.
func (l *Library) List(ctx context.Context, a Actor, id int64) (List, error) {
	var out List
	err := l.viewAs(ctx, a, func(tx ReadTx) error {
		rec, err := tx.List(ctx, id)
		if err != nil {
			return err
		}
		out, err = l.resolveList(ctx, tx, a, rec)
		return err
	})
	return out, err
}

// UpdateList changes a list of the actor. ErrForbidden if it is another user's.
func (l *Library) UpdateList(ctx context.Context, a Actor, id int64, p ListPatch) (List, error) {
	owner := MediaOwner{ListID: id}
	media, err := l.draftFor(ctx, a, owner, p.Media.input(), maxUploads)
	if err != nil {
		return List{}, err
	}
	ctx, done, err := l.indexTableOfListAhead(ctx, a, id)
	if err != nil {
		return List{}, err
	}
	defer done()
	return l.changeList(ctx, a, func(tx Tx, ch *changes) (ListRecord, error) {
		old, err := ownList(ctx, tx, a, id)
		if err != nil {
			return ListRecord{}, err
		}
		rec := patchList(old, p)
		var items []ItemInput
		set(&items, p.Items)
		if err := l.checkList(rec, items); err != nil {
			return ListRecord{}, err
		}
		if err := checkTableList(old, rec, p); err != nil {
			return ListRecord{}, err
		}
		if p.TagIDs != nil {
			if _, err := ownTags(ctx, tx, a.UserID, rec.TagIDs); err != nil {
				return ListRecord{}, err
			}
		}
		changed, err := p.Media.apply(ctx, tx, owner, media)
		if err != nil {
			return ListRecord{}, err
		}
		changed = changed || !reflect.DeepEqual(old, rec)
		if p.Items != nil {
			moved, err := updateItems(ctx, tx, a, id, *p.Items, p.ReplaceItems)
			if err != nil {
				return ListRecord{}, err
			}
			changed = changed || moved
		}
		cellsSet, err := l.setCells(ctx, tx, ch, rec, p.Cells)
		if err != nil {
			return ListRecord{}, err
		}
		if changed || cellsSet {
			if rec, err = saveList(ctx, tx, rec); err != nil {
				return ListRecord{}, err
			}
			ch.refreshList(rec)
		}
		return rec, l.followList(ctx, tx, ch, old, rec, cellsSet)
	})
}

func patchList(old ListRecord, p ListPatch) ListRecord {
	rec := old
	if p.Title != nil {
		rec.Title = strings.TrimSpace(*p.Title)
	}
	set(&rec.Description, p.Description)
	if p.Template != nil && !(p.KeepTemplate && old.Template != "") {
		rec.Template = *p.Template
	}
	set(&rec.TypeID, p.TypeID)
	set(&rec.Visibility, p.Visibility)
	set(&rec.VideoURL, p.VideoURL)
	set(&rec.TutorialSteps, p.TutorialSteps)
	set(&rec.IsPremium, p.IsPremium)
	set(&rec.IsFixedPrice, p.IsFixedPrice)
	setPrice(&rec.Price, p.Price, p.NoPrice)
	setPrice(&rec.PriceOriginal, p.PriceOriginal, p.NoPriceOriginal)
	set(&rec.Settings.KnowledgeBase, p.KnowledgeBase)
	set(&rec.Settings.Template, p.IsTemplate)
	if p.TagIDs != nil {
		rec.TagIDs = unique(*p.TagIDs)
	}
	return rec
}

// saveList writes a changed record as its next version.
func saveList(ctx context.Context, tx Tx, rec ListRecord) (ListRecord, error) {
	rec.Version = NextVersion(rec.Version)
	t := now()
	rec.UpdatedAt = &t
	tags, err := tagsInOrder(ctx, tx, rec.TagIDs)
	if err != nil {
		return rec, err
	}
	return rec, tx.PutList(ctx, rec, indexList(rec, tags))
}

// indexList is what full-text search sees of a list.
func indexList(rec ListRecord, tags []Tag) IndexedText {
	return IndexedText{Title: words(rec.Title), Description: words(rec.Description), Tags: words(tagTitles(tags))}
}

// DeleteList deletes a list of the actor; its elementals stay, but for the cells of a
// column or row.
func (l *Library) DeleteList(ctx context.Context, a Actor, id int64) error {
	ctx, done, err := l.indexTableOfListAhead(ctx, a, id)
	if err != nil {
		return err
	}
	defer done()
	return l.changeAs(ctx, a, func(tx Tx, ch *changes) error {
		rec, err := ownList(ctx, tx, a, id)
		if err != nil {
			return err
		}
		if rec.TableID != "" {
			return l.dropTableList(ctx, tx, ch, rec)
		}
		return tx.DeleteList(ctx, id)
	})
}

// ownList reads a list that the actor may change.
func ownList(ctx context.Context, tx ReadTx, a Actor, id int64) (ListRecord, error) {
	rec, err := tx.List(ctx, id)
	if err == nil && rec.OwnerID != a.UserID {
		err = Errorf(CodeForbidden, "only the owner may change this list")
	}
	return rec, err
}

// SearchLists finds the actor's lists and others' Public ones. A blank Text
// selects all, newest first; one without any letter or digit finds nothing. Columns
// and rows of tables are left out.
func (l *Library) SearchLists(ctx context.Context, a Actor, in SearchInput) (Paged[List], error) {
	page, err := in.Page.normal()
	if err != nil {
		return Paged[List]{}, err
	}
	return l.pageOfLists(ctx, a, searchOfLists(a, in, page), page)
}

func searchOfLists(a Actor, in SearchInput, page Page) ListSearch {
	q := ListSearch{Viewer: viewer(a), Offset: page.offset(), Limit: page.Size}
	q.Viewer.ListsPlain = true
	if strings.TrimSpace(in.Text) != "" {
		text := textQuery(in.Text)
		q.Text = &text
	}
	return q
}

// FindLists is SearchLists for the IDs only: Lists reads the lists, of which a page may have
// hundreds of megabytes.
func (l *Library) FindLists(ctx context.Context, a Actor, in SearchInput) (Paged[int64], error) {
	page, err := in.Page.normal()
	if err != nil {
		return Paged[int64]{}, err
	}
	return l.idsOfLists(ctx, a, searchOfLists(a, in, page), page)
}

// UserLists reads one page of the actor's own lists, newest first; all of them, on
// one page, if page is nil. Columns and rows of tables are left out: they are read with
// their table.
func (l *Library) UserLists(ctx context.Context, a Actor, page *Page) (Paged[List], error) {
	q, p, err := searchOfOwn(a, page)
	if err != nil {
		return Paged[List]{}, err
	}
	out, err := l.pageOfLists(ctx, a, q, p)
	if page == nil {
		out.Page.Size = out.Total
	}
	return out, err
}

// FindUserLists is UserLists for the IDs only, as FindLists.
func (l *Library) FindUserLists(ctx context.Context, a Actor, page *Page) (Paged[int64], error) {
	q, p, err := searchOfOwn(a, page)
	if err != nil {
		return Paged[int64]{}, err
	}
	out, err := l.idsOfLists(ctx, a, q, p)
	if page == nil {
		out.Page.Size = out.Total
	}
	return out, err
}

func searchOfOwn(a Actor, page *Page) (ListSearch, Page, error) {
	q := ListSearch{Viewer: Viewer{OwnerID: a.UserID, ListsPlain: true}, Limit: math.MaxInt32}
	if page == nil {
		return q, Page{Number: 1}, nil
	}
	p, err := page.normal()
	q.Offset, q.Limit = p.offset(), p.Size
	return q, p, err
}

func (l *Library) idsOfLists(ctx context.Context, a Actor, q ListSearch, page Page) (Paged[int64], error) {
	out := Paged[int64]{Page: page}
	err := l.viewAs(ctx, a, func(tx ReadTx) (err error) {
		out.Items, out.Total, err = tx.FindLists(ctx, q)
		return err
	})
	return out, err
}

// ListSizes returns the sizes of those of the lists that exist, cheaply however large they
// are: whoever knows its id may read a list.
func (l *Library) ListSizes(ctx context.Context, a Actor, ids []int64) (map[int64]ListSize, error) {
	var sizes map[int64]ListSize
	err := l.viewAs(ctx, a, func(tx ReadTx) (err error) {
		sizes, err = tx.ListSizes(ctx, ids)
		return err
	})
	return sizes, err
}

// Lists iterates over those of the lists that show up for the actor in searches, in the order
// of ids: in portions, long ones one by one. What was deleted, or is hidden meanwhile, is left
// out. An error is the last thing yielded.
func (l *Library) Lists(ctx context.Context, a Actor, ids []int64) iter.Seq2[List, error] {
	return inTurn(a, ids, func(rest []int64) (out []List, n int, err error) {
		err = l.viewAs(ctx, a, func(tx ReadTx) error {
			rest = rest[:min(lightPortion, len(rest))]
			sizes, err := tx.ListSizes(ctx, rest)
			if err != nil {
				return err
			}
			n = portionOf(rest, func(id int64) int64 { return sizes[id].Notes })
			found, err := tx.Lists(ctx, rest[:n])
			if err != nil {
				return err
			}
			recs := slices.DeleteFunc(pick(found, rest[:n]), func(rec ListRecord) bool {
				return rec.OwnerID != a.UserID && rec.Visibility != Public
			})
			out, err = l.resolveLists(ctx, tx, a, recs)
			return err
		})
		return out, n, err
	})
}

func (l *Library) pageOfLists(ctx context.Context, a Actor, q ListSearch, page Page) (Paged[List], error) {
	out := Paged[List]{Page: page}
	err := l.viewAs(ctx, a, func(tx ReadTx) error {
		recs, total, err := tx.SearchLists(ctx, q)
		if err != nil {
			return err
		}
		out.Total = total
		out.Items, err = l.resolveLists(ctx, tx, a, recs)
		return err
	})
	return out, err
}
