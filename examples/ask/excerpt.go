package main

import (
	"regexp"
	"strconv"
	"strings"
)

const (
	excerptChars = 240 // about as many characters of a source are shown
	beforeCited  = 60  // of them at most so many before what is cited
	knownByChars = 40  // what is cited is looked for by its first characters
)

var marker = regexp.MustCompile(`\[(\d{1,3})\]`)

// citations returns, for the number of each source that an answer cites, the words in
// front of its first marker: back to the marker before or the beginning of the line.
func citations(answer string) map[int]string {
	cited := map[int]string{}
	for line := range strings.Lines(answer) {
		from := 0
		words := ""
		for _, m := range marker.FindAllStringSubmatchIndex(line, -1) {
			if between := strings.TrimSpace(line[from:m[0]]); between != "" {
				words = between // else markers follow one another, for the same words
			}
			from = m[1]
			n, err := strconv.Atoi(line[m[2]:m[3]])
			if _, known := cited[n]; err == nil && !known {
				cited[n] = words
			}
		}
	}
	return cited
}

// excerpt is a part of a text on one line, cut between words: that where a sentence
// stands which was cited from it, or else the beginning.
func excerpt(text, cited string) string {
	line := []rune(strings.Join(strings.Fields(printable(text)), " "))
	if len(line) <= excerptChars {
		return string(line)
	}
	start := wordStart(line, place(line, cited)-beforeCited)
	end := wordEnd(line, start, start+excerptChars)
	shown := strings.TrimSpace(string(line[start:end]))
	if start > 0 {
		shown = "… " + shown
	}
	if end < len(line) {
		shown += " …"
	}
	return shown
}

// place is where a cited sentence stands in a line, 0 if that is not known: a model may
// have put it into words of its own.
func place(line []rune, cited string) int {
	known := []rune(strings.Trim(strings.Join(strings.Fields(printable(cited)), " "), ".…-*# "))
	if len(known) == 0 {
		return 0
	}
	before, _, found := strings.Cut(string(line), string(known[:min(len(known), knownByChars)]))
	if !found {
		return 0
	}
	return len([]rune(before))
}

// wordStart is the beginning of the word that a place is in or before, so that no more is
// shown than a whole excerpt.
func wordStart(line []rune, at int) int {
	at = min(at, len(line)-excerptChars)
	if at <= 0 {
		return 0
	}
	for i := at; i < at+excerptChars/4; i++ {
		if line[i-1] == ' ' {
			return i
		}
	}
	return at
}

// wordEnd is the end of the last word that ends at a place or before it; the place itself
// inside of a word that is long.
func wordEnd(line []rune, start, at int) int {
	if at >= len(line) {
		return len(line)
	}
	for i := at; i > start+excerptChars/2; i-- {
		if line[i] == ' ' {
			return i
		}
	}
	return at
}
