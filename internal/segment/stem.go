package segment

// Stem returns the stem of an English word in lower case, so that the forms of a
// word meet: "sends" and "sending" at "send", "iteration" and "iterating" at
// "iter". It is the algorithm of M. F. Porter, "An algorithm for suffix stripping"
// (Program 14, 1980), with the two later departures its author recommends ("bli"
// and "logi" in step 2). A stem need not be a word. Words of one or two letters, and
// words that hold anything but a to z, are returned as they are.
func Stem(word string) string {
	if len(word) <= 2 || len(word) > maxWord {
		return word
	}
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	var buf [maxWord + 1]byte // a step may add a letter before another removes it
	w := stemmer(append(buf[:0], word...))
	w = w.plural()
	w = w.pastAndGerund()
	w = w.finalY()
	w = w.replaceFirst(doubleSuffixes, 0)
	w = w.replaceFirst(nounSuffixes, 0)
	w = w.dropSuffix()
	w = w.finalE()
	return string(w)
}

// stemmer is a word on its way to its stem. Its methods are named after what the
// steps of the paper remove.
type stemmer []byte

// consonant reports whether w[i] is a consonant: no vowel, and no "y" behind a
// consonant.
func (w stemmer) consonant(i int) bool {
	switch w[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		// In a run of y's the kinds alternate; counting back avoids recursion.
		first := i
		for first > 0 && w[first-1] == 'y' {
			first--
		}
		isFirst := first == 0 || !w.consonant(first-1)
		return isFirst == ((i-first)%2 == 0)
	}
	return true
}

// measure counts the vowel-consonant sequences of w, m in the paper.
func (w stemmer) measure() int {
	m, vowel := 0, false
	for i := range w {
		if !w.consonant(i) {
			vowel = true
		} else if vowel {
			vowel = false
			m++
		}
	}
	return m
}

// hasVowel reports *v* of the paper.
func (w stemmer) hasVowel() bool {
	for i := range w {
		if !w.consonant(i) {
			return true
		}
	}
	return false
}

// endsDouble reports *d: the word ends with a double consonant.
func (w stemmer) endsDouble() bool {
	n := len(w)
	return n >= 2 && w[n-1] == w[n-2] && w.consonant(n-1)
}

// endsShort reports *o: the word ends consonant, vowel, consonant, the last one
// not w, x or y.
func (w stemmer) endsShort() bool {
	n := len(w)
	if n < 3 || !w.consonant(n-3) || w.consonant(n-2) || !w.consonant(n-1) {
		return false
	}
	last := w[n-1]
	return last != 'w' && last != 'x' && last != 'y'
}

// cut returns w without the suffix, if it ends with that.
func (w stemmer) cut(suffix string) (stemmer, bool) {
	n := len(w) - len(suffix)
	// Most words differ in the last letter already.
	if n < 0 || w[len(w)-1] != suffix[len(suffix)-1] || string(w[n:]) != suffix {
		return w, false
	}
	return w[:n], true
}

// plural is step 1a.
func (w stemmer) plural() stemmer {
	for _, r := range [...]struct{ from, to string }{{"sses", "ss"}, {"ies", "i"}, {"ss", "ss"}, {"s", ""}} {
		if stem, ok := w.cut(r.from); ok {
			return append(stem, r.to...)
		}
	}
	return w
}

// pastAndGerund is step 1b.
func (w stemmer) pastAndGerund() stemmer {
	if stem, ok := w.cut("eed"); ok {
		if stem.measure() > 0 {
			return append(stem, "ee"...)
		}
		return w
	}
	stem, ok := w.cut("ed")
	if !ok {
		stem, ok = w.cut("ing")
	}
	if !ok || !stem.hasVowel() {
		return w
	}
	for _, ending := range [...]string{"at", "bl", "iz"} {
		if _, ok := stem.cut(ending); ok {
			return append(stem, 'e')
		}
	}
	if stem.endsDouble() {
		if last := stem[len(stem)-1]; last != 'l' && last != 's' && last != 'z' {
			return stem[:len(stem)-1]
		}
	} else if stem.measure() == 1 && stem.endsShort() {
		return append(stem, 'e')
	}
	return stem
}

// finalY is step 1c.
func (w stemmer) finalY() stemmer {
	if stem, ok := w.cut("y"); ok && stem.hasVowel() {
		return append(stem, 'i')
	}
	return w
}

// suffixRule replaces one suffix by another.
type suffixRule struct{ from, to string }

// Step 2. A suffix stands in front of those that it ends with.
var doubleSuffixes = []suffixRule{
	{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"bli", "ble"},
	{"alli", "al"}, {"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"}, {"ization", "ize"}, {"ation", "ate"},
	{"ator", "ate"}, {"alism", "al"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},
	{"iviti", "ive"}, {"biliti", "ble"}, {"logi", "log"},
}

// Step 3.
var nounSuffixes = []suffixRule{
	{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""},
}

// Step 4. "ion" goes only behind s or t.
var droppedSuffixes = []string{
	"al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism",
	"ate", "iti", "ous", "ive", "ize",
}

// replaceFirst applies the first rule whose suffix w ends with, if what is left
// measures more than min.
func (w stemmer) replaceFirst(rules []suffixRule, min int) stemmer {
	for _, r := range rules {
		if stem, ok := w.cut(r.from); ok {
			if stem.measure() > min {
				return append(stem, r.to...)
			}
			return w
		}
	}
	return w
}

// dropSuffix is step 4.
func (w stemmer) dropSuffix() stemmer {
	for _, suffix := range droppedSuffixes {
		stem, ok := w.cut(suffix)
		if !ok {
			continue
		}
		n := len(stem)
		if suffix == "ion" && (n == 0 || stem[n-1] != 's' && stem[n-1] != 't') {
			return w
		}
		if stem.measure() > 1 {
			return stem
		}
		return w
	}
	return w
}

// finalE is step 5.
func (w stemmer) finalE() stemmer {
	if stem, ok := w.cut("e"); ok {
		if m := stem.measure(); m > 1 || m == 1 && !stem.endsShort() {
			w = stem
		}
	}
	if n := len(w); n > 0 && w[n-1] == 'l' && w.endsDouble() && w.measure() > 1 {
		return w[:n-1]
	}
	return w
}
