package quire

// SearchMode is how a search finds chunks.
type SearchMode string

// The modes of searches.
const (
	SearchVector SearchMode = "vector" // by vectors alone
	SearchText   SearchMode = "text"   // by words alone; the Embedder is not asked
	SearchHybrid SearchMode = "hybrid" // by both
)

// check reports a mode that there is not, or not without a TextIndex.
func (m SearchMode) check(probs *problems, name string, hasText bool) {
	switch m {
	case SearchVector:
	case SearchText, SearchHybrid:
		if !hasText {
			probs.add(name, "must be vector: this engine has no full text")
		}
	default:
		probs.add(name, "must be vector, text or hybrid")
	}
}

// defaultTextWeight is the value of EngineOptions.TextWeight.
const defaultTextWeight = 0.7

// checkMode fills in Mode and TextWeight and reports what is wrong with them.
func (o *EngineOptions) checkMode(probs *problems) {
	switch {
	case o.Mode != "":
		o.Mode.check(probs, "EngineOptions.Mode", o.Text != nil)
	case o.Text != nil:
		o.Mode = SearchHybrid
	default:
		o.Mode = SearchVector
	}
	if o.TextWeight == 0 {
		o.TextWeight = defaultTextWeight
	}
	if !(o.TextWeight > 0 && o.TextWeight < 1) {
		probs.add("EngineOptions.TextWeight", "must be above 0 and below 1, or 0 for the default of %v", defaultTextWeight)
	}
}
