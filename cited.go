package quire

import (
	"maps"
	"slices"
)

// Cited returns the numbers of the sources that the answer cites with its markers, sorted,
// each once: Sources[n-1] is the source of number n. The other sources were shown to the LLM
// and are not cited.
func (r ChatResponse) Cited() []int {
	cited := map[int]bool{}
	open := -1 // place of the last bracket that may begin a marker
	for i, c := range r.Answer {
		switch {
		case c == '[':
			open = i + 1
		case c == ']' && open >= 0:
			numbers, _, _ := parseMarker(r.Answer[open:i], len(r.Sources))
			for _, n := range numbers {
				cited[n] = true
			}
			open = -1
		case !inMarker(c):
			open = -1
		}
	}
	return slices.AppendSeq([]int{}, slices.Values(slices.Sorted(maps.Keys(cited))))
}
