package engine

import (
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
	text   string   // as it is in the source, without markup unless it is code
	words  []string // the matching words of text, see matchWords
	set    map[string]bool

	above map[string]bool // the matching words of title and headings
	near  map[string]bool // words of the question in the neighbours
	score float64
}

// newCandidate returns a candidate for a piece of a source.
func newCandidate(source int, kind candidateKind, text string) candidate {
	if kind == codeLine {
		text = strings.TrimSpace(text)
	} else {
		text = segment.Plain(text)
	}
	text = withoutMarkers(text)
	c := candidate{source: source, kind: kind, text: text, words: matchWords(text)}
	c.set = setOf(c.words)
	return c
}

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

// matchWords returns what of a text is compared: the stems of its content words in
// order, and pairs of neighbouring characters in scripts written without spaces.
func matchWords(text string) []string {
	var words []string
	before, paired := "", false // the word before, if it is a character, and whether it is in a pair
	end := func() {
		if before != "" && !paired {
			words = append(words, before)
		}
		before, paired = "", false
	}
	for _, w := range segment.Words(text) {
		if segment.IsSpaceless(w) {
			if before != "" {
				words = append(words, before+w)
			}
			before, paired = w, before != ""
			continue
		}
		end()
		if !segment.IsStopWord(w) {
			words = append(words, segment.Stem(w))
		}
	}
	end()
	return words
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
		return []candidate{newCandidate(source, prose, label+": "+value)}, label
	}
	for i, b := range blocks {
		block := text[b.Start:b.End]
		if labelled && i == 0 {
			out = append(out, newCandidate(source, heading, block))
			continue
		}
		switch b.Kind {
		case segment.Paragraph, segment.Item, segment.Table:
			for _, s := range segment.Sentences(block) {
				out = append(out, newCandidate(source, prose, block[s[0]:s[1]]))
			}
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

// candidates returns what may be quoted of a source and holds a word, with the words
// around it.
func (q *question) candidates(source int, s quire.LLMSource) []candidate {
	all, label := split(source, s.Text)
	above := setOf(matchWords(s.Title + "\n" + label + "\n" + strings.Join(s.Heading, "\n")))
	out := all[:0:0]
	for i, c := range all {
		if !strings.ContainsFunc(c.text, isWordChar) {
			continue
		}
		c.above = above
		c.near = make(map[string]bool)
		for _, word := range q.words {
			c.near[word] = i > 0 && all[i-1].set[word] || i+1 < len(all) && all[i+1].set[word]
		}
		c.order = len(out)
		out = append(out, c)
	}
	return out
}

// isWordChar reports whether r can be part of a word.
func isWordChar(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
