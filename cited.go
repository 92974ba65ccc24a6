package quire

import "slices"

// Cited returns the numbers of the sources that the answer cites with its markers, sorted,
// each once: Sources[n-1] is the source of number n. The other sources were shown to the LLM
// and are not cited.
func (r ChatResponse) Cited() []int {
	cited := []int{}
	open := -1 // place of the last bracket that may begin a marker
	for i, c := range r.Answer {
		switch {
		case c == '[':
			open = i + 1
		case c == ']' && open >= 0:
			numbers, _, _ := parseMarker(r.Answer[open:i], len(r.Sources))
			cited = append(cited, numbers...)
			open = -1
		case !inMarker(c):
			open = -1
		}
	}
	slices.Sort(cited)
	return slices.Compact(cited)
}
