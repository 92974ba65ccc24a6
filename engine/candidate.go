package engine

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/internal/segment"
)

// candidateKind says what a candidate is.
type candidateKind int

const (
	prose    candidateKind = iota // a sentence, list item or table row
	codeLine                      // a line of a block of code or of front matter
	heading                       // a heading
)

// candidate is a piece of a source that may be quoted.
type candidate struct {
	source int // index among the sources
	order  int // index among the candidates of the source
	kind   candidateKind
	item   bool   // an item of a list
	row    bool   // a row, header or cell of a table, which does not go on from the one in front
	text   string // as it is in the source, without markup unless it is code
	words  []word // the matching words of text, see matchWords
	set    map[string]bool
	above  map[string]bool // the matching words of title, headings and header of a table

	near    []bool // which words of the question are in front of it: in the sentence before, or what leads in to its list
	next    []bool // which are in the sentence behind
	cue     float64
	score   float64
	covered float64 // what share of the question it and what is around it cover
}

// word is a word of a text for comparison.
type word struct{ stem, form string }

// newCandidate returns a candidate for a piece of a source.
func newCandidate(source int, kind candidateKind, text string) candidate {
	if kind == codeLine {
		text = strings.TrimSpace(text)
	} else {
		text = segment.Plain(text)
	}
	text = withoutMarkers(text)
	c := candidate{source: source, kind: kind, text: text, words: matchWords(text)}
	c.set = stems(c.words)
	return c
}

// goesOn reports whether what is in front of a candidate and behind it may be about the same.
func (c candidate) goesOn() bool { return c.kind != codeLine && !c.row }

// quote returns the text to put into an answer.
func (c candidate) quote() string {
	if c.kind != codeLine {
		return c.text
	}
	fence := "`"
	for strings.Contains(c.text, fence) {
		fence += "`"
	}
	if strings.HasPrefix(c.text, "`") || strings.HasSuffix(c.text, "`") {
		return fence + " " + c.text + " " + fence
	}
	return fence + c.text + fence
}

// matchWords returns what of a text is compared: its content words in order, and pairs of
// neighbouring characters in scripts written without spaces.
func matchWords(text string) []word {
	all := segment.Words(text)
	words := make([]word, 0, len(all))
	before, paired := "", false // the word before, if it is a character, and whether it is in a pair
	end := func() {
		if before != "" && !paired {
			words = append(words, word{before, before})
		}
		before, paired = "", false
	}
	for _, w := range all {
		if segment.IsSpaceless(w) {
			if before != "" {
				words = append(words, word{before + w, before + w})
			}
			before, paired = w, before != ""
			continue
		}
		end()
		if !segment.IsStopWord(w) {
			words = append(words, word{segment.Stem(w), w})
		}
	}
	end()
	return words
}

// stems returns the set of the stems of words.
func stems(words []word) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w.stem] = true
	}
	return set
}

// setOf returns the set of words.
func setOf(words []string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// split returns the candidates of one source, without the words around them.
// label is its first paragraph if that is one.
func split(source int, text string) (out []candidate, label string) {
	blocks := segment.Blocks(text)
	label, value, labelled := labelOf(text, blocks)
	if value != "" {
		cell := newCandidate(source, prose, label+": "+value)
		cell.row = true
		return []candidate{cell}, label
	}
	for i, b := range blocks {
		block := text[b.Start:b.End]
		if labelled && i == 0 {
			out = append(out, newCandidate(source, heading, block))
			continue
		}
		switch b.Kind {
		case segment.Paragraph, segment.Item:
			for _, s := range segment.Sentences(block) {
				c := newCandidate(source, prose, block[s[0]:s[1]])
				c.item = b.Kind == segment.Item
				out = append(out, c)
			}
		case segment.Table:
			out = append(out, rows(source, block)...)
		case segment.Heading:
			out = append(out, newCandidate(source, heading, block))
		case segment.Code, segment.FrontMatter:
			for line := range strings.Lines(block) {
				out = append(out, newCandidate(source, codeLine, line))
			}
		}
	}
	return out, label
}

const (
	labelWords = 12 // more are no label
	valueWords = 12 // more stand without their label
)

// labelOf returns the first paragraph of a source if it only says what follows: a title,
// or row and column of a cell. If all that follows is a few words that are no sentence,
// which say nothing alone, it returns these too.
func labelOf(text string, blocks []segment.Block) (label, value string, ok bool) {
	if len(blocks) < 2 || blocks[0].Kind != segment.Paragraph {
		return "", "", false
	}
	label = strings.TrimSpace(text[blocks[0].Start:blocks[0].End])
	if strings.Contains(label, "\n") || punctuated(label) || len(segment.Words(label)) > labelWords {
		return "", "", false
	}
	if len(blocks) == 2 && blocks[1].Kind == segment.Paragraph {
		v := strings.TrimSpace(text[blocks[1].Start:blocks[1].End])
		if !punctuated(v) && len(segment.Words(v)) <= valueWords {
			value = v
		}
	}
	return label, value, true
}

// punctuated reports whether a text ends like a sentence or goes on.
func punctuated(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(".!?:;,。！？：", last)
}

// candidates returns what may be quoted of a source and holds a word, with what is around
// it.
func (q *question) candidates(source int, s quire.LLMSource) []candidate {
	all, label := split(source, s.Text)
	above := stems(matchWords(s.Title + "\n" + label + "\n" + strings.Join(s.Heading, "\n")))
	out := all[:0:0]
	has := make([][]bool, len(all)) // which words of the question each one has
	for i, c := range all {
		has[i] = q.wordsIn(c.set)
	}
	var lead []bool // those of what leads in to the list that an item is of
	for i, c := range all {
		if i > 0 && !all[i-1].item {
			lead = has[i-1]
		}
		if !strings.ContainsFunc(c.text, isWordChar) {
			continue
		}
		if c.above == nil {
			c.above = above
		} else {
			maps.Copy(c.above, above)
		}
		if i > 0 && c.goesOn() {
			c.near = has[i-1]
		}
		if c.item && lead != nil {
			c.near = slices.Clone(c.near)
			for k := range c.near {
				c.near[k] = c.near[k] || lead[k]
			}
		}
		if i+1 < len(all) && c.goesOn() {
			c.next = has[i+1]
		}
		c.order = len(out)
		c.cue = q.want.cue(c.text, q.said)
		out = append(out, c)
	}
	return out
}

// isWordChar reports whether r can be part of a word.
func isWordChar(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
