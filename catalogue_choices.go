package quire

import (
	"slices"
	"strings"
)

// maxListed is how many entries of the catalogue a message lists.
const maxListed = 20

// choices lists entries of the catalogue for a message, such as "1 (Prompt), 2 (Snippet)".
func choices[T any](entries []T, entry func(T) (id int, name string)) string {
	var b strings.Builder
	for i, e := range entries[:min(len(entries), maxListed)] {
		if i > 0 {
			b.WriteString(", ")
		}
		id, name := entry(e)
		b.WriteString(itoa(id) + " (" + name + ")")
	}
	if more := len(entries) - maxListed; more > 0 {
		b.WriteString(" and " + itoa(more) + " more")
	}
	return b.String()
}

func typeChoices(types []ElementalType) string {
	return choices(types, func(t ElementalType) (int, string) { return t.ID, t.Name })
}

func (c *Catalogue) creatableChoices() string {
	return typeChoices(slices.DeleteFunc(slices.Clone(c.Types), func(t ElementalType) bool { return !t.Creatable }))
}

func (c *Catalogue) categoryChoices() string {
	return choices(c.Categories, func(t Category) (int, string) { return t.ID, t.Name })
}

func (c *Catalogue) listTypeChoices() string {
	return choices(c.ListTypes, func(t ListType) (int, string) { return t.ID, t.Name })
}

// topicChoices lists the topics that are offered for a category, or all if it has none.
func (c *Catalogue) topicChoices(category int) string {
	topics := slices.DeleteFunc(slices.Clone(c.Topics), func(t Topic) bool { return !slices.Contains(t.CategoryIDs, category) })
	if len(topics) == 0 {
		topics = c.Topics
	}
	return choices(topics, func(t Topic) (int, string) { return t.ID, t.Name })
}
