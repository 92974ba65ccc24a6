package segment

import "strings"

// IsStopWord reports whether a folded word is one of the English function words
// and question words that say nothing about a subject, or what is left of a
// contraction.
func IsStopWord(word string) bool { return stopWords[word] }

// Content returns the [Words] of text that carry meaning, stemmed: without stop
// words, or with all of them if there are no others.
func Content(text string) []string {
	words := Words(text)
	content := make([]string, 0, len(words))
	for _, w := range words {
		if !IsStopWord(w) {
			content = append(content, Stem(w))
		}
	}
	if len(content) > 0 {
		return content
	}
	for _, w := range words {
		content = append(content, Stem(w))
	}
	return content
}

// stopWords is the set behind IsStopWord. It leaves out words that can be what a
// question about a technical text turns on, such as "not", "all", "before" or "same".
var stopWords = func() map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(`
		a an the this that these those
		i me my mine myself we us our ours ourselves you your yours yourself yourselves
		he him his himself she her hers herself it its itself they them their theirs themselves
		am is are was were be been being do does did doing done have has had having
		can could may might must shall should will would ought
		and or but nor if then else so because as than though although while whereas
		of at by for with about into onto to from in on upon via per within
		what which who whom whose when where why how whether
		there here also just only very too such some any each
		please tell explain describe say says said
		s t d ll m re ve don didn doesn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn mustn needn ain
		let lets im ive dont cant
	`) {
		set[w] = true
	}
	return set
}()
