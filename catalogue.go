package quire

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// ElementalType is a kind of elemental.
type ElementalType struct {
	ID        int
	Name      string
	Creatable bool // users may create it directly
}

// Category is what an elemental is filed under.
type Category struct {
	ID      int
	Name    string
	TypeIDs []int // the types it is offered for
}

// Topic is a subject that elementals of some categories can have.
type Topic struct {
	ID          int
	Name        string
	CategoryIDs []int // the categories it is offered for
}

// ListType is a kind of list.
type ListType struct {
	ID   int
	Name string
}

// Catalogue holds the values that elementals and lists choose from. It is data:
// seeded with a default, extensible by the application.
type Catalogue struct {
	Types      []ElementalType
	Categories []Category
	Topics     []Topic
	ListTypes  []ListType
}

// catalogueName is the name under which a Store keeps the catalogue.
const catalogueName = "catalogue"

// loadCatalogue reads the catalogue at start, and writes the default one into a
// Store that has none.
func (l *Library) loadCatalogue(ctx context.Context) error {
	var raw []byte
	err := l.store.View(ctx, func(tx ReadTx) (err error) {
		raw, err = tx.Meta(ctx, catalogueName)
		return err
	})
	if errors.Is(err, ErrNotFound) {
		return l.SetCatalogue(ctx, defaultCatalogue())
	}
	if err != nil {
		return err
	}
	var c Catalogue
	if err := json.Unmarshal(raw, &c); err != nil {
		return ErrCorrupt.WithCause(err)
	}
	l.catalogue.Store(&c)
	return nil
}

// Catalogue returns the present catalogue, which the caller may keep and change.
func (l *Library) Catalogue(context.Context) (Catalogue, error) {
	if l.closed.Load() {
		return Catalogue{}, ErrClosed
	}
	return l.catalogue.Load().clone(), nil
}

// SetCatalogue replaces the catalogue. Ids must be positive and unique, names not
// blank, references known, and the built-in types and CategoryText must stay. It
// is for the application.
func (l *Library) SetCatalogue(ctx context.Context, c Catalogue) error {
	c = c.clone()
	if err := c.check(); err != nil {
		return err
	}
	raw, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := l.apart(ctx); err != nil { // the catalogue in memory could not be rolled back
		return err
	}
	l.catalogueMu.Lock() // what is stored last is in memory last
	defer l.catalogueMu.Unlock()
	err = l.change(ctx, func(tx Tx, _ *changes) error { return tx.PutMeta(ctx, catalogueName, raw) })
	if err == nil {
		l.catalogue.Store(&c)
	}
	return err
}

func (c Catalogue) clone() Catalogue {
	c.Types = slices.Clone(c.Types)
	c.Categories = slices.Clone(c.Categories)
	for i := range c.Categories {
		c.Categories[i].TypeIDs = slices.Clone(c.Categories[i].TypeIDs)
	}
	c.Topics = slices.Clone(c.Topics)
	for i := range c.Topics {
		c.Topics[i].CategoryIDs = slices.Clone(c.Topics[i].CategoryIDs)
	}
	c.ListTypes = slices.Clone(c.ListTypes)
	return c
}

func (c Catalogue) check() error {
	var probs problems
	// group checks the ids and names of one kind of entry and returns the ids.
	group := func(kind string, n int, entry func(i int) (int, string)) map[int]bool {
		ids := map[int]bool{}
		for i := range n {
			id, name := entry(i)
			at := kind + "/" + itoa(i)
			if id <= 0 || ids[id] {
				probs.add(at+"/id", "must be positive and unique")
			}
			checkLabel(&probs, at+"/name", strings.TrimSpace(name))
			ids[id] = true
		}
		return ids
	}
	known := func(field string, ids map[int]bool, refs []int) {
		for _, r := range refs {
			if !ids[r] {
				probs.add(field, "names %d, which does not exist", r)
			}
		}
	}
	types := group("types", len(c.Types), func(i int) (int, string) { return c.Types[i].ID, c.Types[i].Name })
	categories := group("categories", len(c.Categories), func(i int) (int, string) { return c.Categories[i].ID, c.Categories[i].Name })
	group("topics", len(c.Topics), func(i int) (int, string) { return c.Topics[i].ID, c.Topics[i].Name })
	group("list_types", len(c.ListTypes), func(i int) (int, string) { return c.ListTypes[i].ID, c.ListTypes[i].Name })
	for i, cat := range c.Categories {
		known("categories/"+itoa(i)+"/type_ids", types, cat.TypeIDs)
	}
	for i, t := range c.Topics {
		known("topics/"+itoa(i)+"/category_ids", categories, t.CategoryIDs)
	}
	known("types", types, []int{TypePrompt, TypeSnippet, TypeDocument, TypeCell, TypeTable})
	known("categories", categories, []int{CategoryText})
	if len(c.ListTypes) == 0 {
		probs.add("list_types", "needs at least one")
	}
	return probs.err()
}

func (c *Catalogue) elementalType(id int) (ElementalType, bool) {
	i := slices.IndexFunc(c.Types, func(t ElementalType) bool { return t.ID == id })
	if i < 0 {
		return ElementalType{ID: id}, false
	}
	return c.Types[i], true
}

func (c *Catalogue) category(id int) (Category, bool) {
	i := slices.IndexFunc(c.Categories, func(t Category) bool { return t.ID == id })
	if i < 0 {
		return Category{ID: id}, false
	}
	return c.Categories[i], true
}

func (c *Catalogue) topic(id int) (Topic, bool) {
	i := slices.IndexFunc(c.Topics, func(t Topic) bool { return t.ID == id })
	if i < 0 {
		return Topic{ID: id}, false
	}
	return c.Topics[i], true
}

func (c *Catalogue) listType(id int) (ListType, bool) {
	i := slices.IndexFunc(c.ListTypes, func(t ListType) bool { return t.ID == id })
	if i < 0 {
		return ListType{ID: id}, false
	}
	return c.ListTypes[i], true
}

// Name returns the name of a visibility, "" for an unknown one.
func (v Visibility) Name() string {
	switch v {
	case Public:
		return "Public"
	case Unlisted:
		return "Unlisted"
	}
	return ""
}

func itoa(i int) string { return strconv.Itoa(i) }

// defaultCatalogue is what a new Store is seeded with.
func defaultCatalogue() Catalogue {
	all := []int{TypePrompt, TypeSnippet, TypeDocument}
	c := Catalogue{
		Types: []ElementalType{
			{TypePrompt, "Prompt", true}, {TypeSnippet, "Snippet", true}, {TypeDocument, "Document", true},
			{TypeCell, "Cell", false}, {TypeTable, "Table", false},
		},
		ListTypes: []ListType{{1, "Collection"}, {2, "Knowledge base"}, {3, "Workflow"}, {4, "Table"}},
	}
	subjects := []struct {
		category int
		name     string
		topics   []string
	}{
		{1, "Writing", []string{"Copywriting", "Editing", "Fiction", "Translation", "Summaries"}},
		{2, "Marketing", []string{"Advertising", "Branding", "Email", "Search engines", "Social media"}},
		{3, "Sales", []string{"Outreach", "Proposals", "Negotiation"}},
		{4, "Customer support", []string{"Replies", "Troubleshooting"}},
		{5, "Programming", []string{"Code generation", "Code review", "Debugging", "Testing", "Architecture"}},
		{6, "Data", []string{"Analysis", "SQL", "Visualisation", "Spreadsheets"}},
		{7, "Design", []string{"User interfaces", "Graphics", "Product design"}},
		{8, "Images", []string{"Illustration", "Photography", "Logos"}},
		{9, "Audio and video", []string{"Scripts", "Music", "Podcasts"}},
		{10, "Education", []string{"Lessons", "Exercises", "Tutoring", "Languages"}},
		{11, "Research", []string{"Literature", "Fact checking", "Experiments"}},
		{12, "Business", []string{"Strategy", "Finance", "Operations", "Meetings"}},
		{13, "Human resources", []string{"Hiring", "Onboarding", "Feedback"}},
		{14, "Legal", []string{"Contracts", "Compliance"}},
		{15, "Health", []string{"Fitness", "Nutrition", "Wellbeing"}},
		{16, "Travel and leisure", []string{"Itineraries", "Games", "Cooking"}},
		{17, "Role play", []string{"Experts", "Characters", "Simulations"}},
		{CategoryText, "Text", []string{"General"}},
	}
	for _, s := range subjects {
		types := all
		if s.category == CategoryText {
			types = append(slices.Clone(all), TypeCell, TypeTable)
		}
		c.Categories = append(c.Categories, Category{s.category, s.name, types})
		for _, t := range s.topics {
			c.Topics = append(c.Topics, Topic{len(c.Topics) + 1, t, []int{s.category}})
		}
	}
	return c
}
