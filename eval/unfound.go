package eval

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/quirelib/quire"
)

// sightings are what searches have found, by the names that judgements may use.
type sightings struct {
	documents map[string]bool
	sections  map[Section]bool // with headings as they are compared
}

func newSightings() sightings {
	return sightings{documents: make(map[string]bool), sections: make(map[Section]bool)}
}

// add takes the names of a hit and the heading right above it.
func (s sightings) add(names []string, heading string) {
	for _, name := range names {
		s.documents[name] = true
		s.sections[Section{name, unmarked(heading)}] = true
	}
}

// unfound returns what is judged in a set and not among the sightings, sorted, each once.
// Documents that the set has are right, found or not.
func (s sightings) unfound(set *Dataset) (missing []string) {
	known := maps.Clone(s.documents)
	for _, doc := range set.Documents {
		known[doc.ID] = true
	}
	for _, q := range set.Queries {
		for id := range q.Relevant {
			if !known[id] {
				missing = append(missing, fmt.Sprintf("%q", id))
			}
		}
		for _, section := range q.Sections {
			switch {
			case !known[section.Document]:
				missing = append(missing, fmt.Sprintf("%q", section.Document))
			case !s.sections[Section{section.Document, unmarked(section.Heading)}]:
				missing = append(missing, fmt.Sprintf("%q under the heading %q", section.Document, section.Heading))
			}
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

// checkFilled returns an error if a search could find nothing whatever is asked, as with a
// wrong tenant: it would look like the worst of settings.
func (o *Options) checkFilled(ctx context.Context, engine *quire.Engine, set *Dataset) error {
	if len(set.Queries) == 0 {
		return nil
	}
	hits, err := engine.Search(ctx, quire.SearchRequest{Query: set.Queries[0].Text, Filters: o.Filters, Limit: 1, Mode: quire.SearchVector})
	if err == nil && len(hits) == 0 {
		err = quire.Errorf(quire.CodeNotFound, "there is nothing to search in: the tenant %q has no passages, or none that the filters let through", o.Filters.TenantID)
	}
	return err
}
