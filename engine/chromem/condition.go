package chromem

import (
	"maps"
	"slices"

	"github.com/quirelib/quire"
)

// condition is what Filters ask of the metadata of a document: all of the scalars
// and, of each list of tag keys, one.
type condition struct {
	scalars map[string]string
	anyOf   [][]string
	sets    []map[string]bool // of anyOf
}

func newCondition(f quire.Filters) condition {
	c := condition{scalars: scalars(f.ElementalID, f.UserID, f.Source, f.TypeName, f.CategoryName)}
	for _, keys := range [][]string{tagKeys(byTagID, f.TagIDs), tagKeys(byTagName, f.TagNames)} {
		if len(keys) > 0 {
			slices.Sort(keys)
			c.anyOf = append(c.anyOf, slices.Compact(keys))
			c.sets = append(c.sets, setOf(keys))
		}
	}
	return c
}

func setOf(keys []string) map[string]bool {
	set := make(map[string]bool, len(keys))
	for _, key := range keys {
		set[key] = true
	}
	return set
}

// combinations returns how many queries without an OR find together what the
// condition asks for.
func (c condition) combinations() int {
	n := 1
	for _, keys := range c.anyOf {
		n *= len(keys)
	}
	return n
}

// queries returns these queries: the scalars with one key of each list.
func (c condition) queries() []map[string]string {
	queries := []map[string]string{c.scalars}
	for _, keys := range c.anyOf {
		var longer []map[string]string
		for _, q := range queries {
			for _, key := range keys {
				next := maps.Clone(q)
				next[key] = present
				longer = append(longer, next)
			}
		}
		queries = longer
	}
	return queries
}

// hasTags reports whether a document has one key of each list.
func (c condition) hasTags(metadata map[string]string) bool {
	for _, set := range c.sets {
		if !hasOne(set, metadata) {
			return false
		}
	}
	return true
}

// hasOne reports whether metadata has one of the keys: there may be thousands of these.
func hasOne(set map[string]bool, metadata map[string]string) bool {
	for key, value := range metadata {
		if value == present && set[key] {
			return true
		}
	}
	return false
}
