package quire

import "slices"

// Chunk is one passage of an ingested text, with what is needed to filter, show
// and cite it.
type Chunk struct {
	ID           string // UUID made from elemental, item, source and ordinal
	TenantID     string
	UserID       string // owner of the elemental
	ElementalID  string
	ColumnID     string // the column list of a table cell; else ""
	ItemID       string // the cell or file it comes from; else the elemental's own id
	Source       string // "document", "elemental" or "file"
	TypeName     string
	CategoryName string
	TagIDs       []string // decimal; TagNames[i] is the title of TagIDs[i]
	TagNames     []string

	Title string // of the elemental
	// Heading are the headings above the end of the passage, outermost first. They may stand
	// in it: a title and a few words in front of the first heading are no passage of their
	// own but the beginning of that of its section.
	Heading []string
	Text    string // exactly the bytes Start..End of the source text
	// Start and End are byte offsets into the source text, inclusive and exclusive. That of a
	// file is its text; else it is title, description and body, a blank line between them, without
	// those that are blank.
	Start, End int
	Ordinal    int // position among the chunks of the same item and source, from 0

	Hash        string    // of the text that was embedded; equal hashes share a vector
	Fingerprint string    // of the Embedder that made Vector
	Vector      []float32 // unit length; nil where a method says so
}

// ChunkRef names a chunk and the elemental it belongs to.
type ChunkRef struct {
	ID          string
	ElementalID string
}

// Filters narrow an Engine call: AND between the fields, OR inside TagIDs and
// inside TagNames. Values are compared as they are, upper and lower case included: the tag
// "Harbour" is not found by "harbour". Empty fields do not filter, but TenantID is always needed.
type Filters struct {
	TenantID     string
	ElementalID  string
	UserID       string
	TagIDs       []string
	TagNames     []string
	Source       string
	TypeName     string
	CategoryName string
}

// Match reports whether a chunk passes the filters: the reference that every
// Store and VectorIndex agrees with. Of many chunks [Filters.Matcher] is the faster.
func (f Filters) Match(c *Chunk) bool { return f.Matcher()(c) }

// Matcher returns Match for many chunks: it looks the tags of each up among those of the
// filters, of which there may be thousands. It may be called concurrently.
func (f Filters) Matcher() func(c *Chunk) bool {
	is := func(want, have string) bool { return want == "" || want == have }
	tagID, tagName := anyOf(f.TagIDs), anyOf(f.TagNames)
	return func(c *Chunk) bool {
		return f.TenantID == c.TenantID &&
			is(f.ElementalID, c.ElementalID) && is(f.UserID, c.UserID) &&
			is(f.Source, c.Source) && is(f.TypeName, c.TypeName) && is(f.CategoryName, c.CategoryName) &&
			tagID(c.TagIDs) && tagName(c.TagNames)
	}
}

// anyOf returns whether a list contains one of want; an empty want is no condition.
func anyOf(want []string) func(have []string) bool {
	const few = 8 // compared one by one
	switch {
	case len(want) == 0:
		return func([]string) bool { return true }
	case len(want) <= few:
		return func(have []string) bool {
			return slices.ContainsFunc(have, func(h string) bool { return slices.Contains(want, h) })
		}
	}
	set := make(map[string]bool, len(want))
	for _, w := range want {
		set[w] = true
	}
	return func(have []string) bool {
		return slices.ContainsFunc(have, func(h string) bool { return set[h] })
	}
}
