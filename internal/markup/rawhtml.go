package markup

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Prompts are full of tags that are not HTML, such as <topic> or <instructions>, and
// their authors want to see them. So only a tag with the name of an HTML element is
// raw HTML here; any other one is text.

// htmlElements are the elements of the HTML standard, the obsolete ones included,
// and the two that start foreign content.
var htmlElements = set(`a abbr acronym address applet area article aside audio b base basefont bdi bdo
	bgsound big blink blockquote body br button canvas caption center cite code col colgroup command content
	data datalist dd del details dfn dialog dir div dl dt element em embed fieldset figcaption figure font
	footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input ins
	isindex kbd keygen label legend li link listing main map mark marquee math menu menuitem meta meter
	multicol nav nextid nobr noembed noframes noscript object ol optgroup option output p param picture
	plaintext portal pre progress q rb rbc rp rt rtc ruby s samp script search section select shadow slot
	small source spacer span strike strong style sub summary sup svg table tbody td template textarea tfoot
	th thead time title tr track tt u ul var video wbr xmp`)

// rawText are the elements whose content is not parsed: one that is never closed
// would swallow everything up to the end.
var rawText = set("iframe noembed noframes noscript plaintext script style textarea title xmp")

func set(names string) map[string]bool {
	s := map[string]bool{}
	for _, n := range strings.Fields(names) {
		s[n] = true
	}
	return s
}

// knownBlock opens blocks of raw HTML only for HTML elements.
type knownBlock struct{ parser.BlockParser }

func (k knownBlock) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := r.PeekLine()
	name, opens := tagName(bytes.TrimLeft(line, " "))
	if name != "" {
		if !htmlElements[name] {
			return nil, parser.NoChildren
		}
		// Two elements run on over blank lines until they are closed.
		runsOn := name == "script" || name == "style" || name == "textarea"
		if opens && runsOn && effortOf(pc).document.last(r.Source(), name) < segment.Start {
			return nil, parser.NoChildren
		}
	}
	return k.BlockParser.Open(parent, r, pc)
}

// knownTag makes raw HTML only of the tags of HTML elements, and of one that starts
// raw text only if the paragraph has its end.
type knownTag struct{ parser.InlineParser }

func (k knownTag) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, segment := block.PeekLine()
	if name, opens := tagName(line); name != "" {
		if !htmlElements[name] || opens && rawText[name] && !closes(parent, block, pc, name, segment.Start) {
			return nil
		}
	}
	return k.InlineParser.Parse(parent, block, pc)
}

// closes reports whether the paragraph has an end tag of name after the given place.
func closes(parent ast.Node, block text.Reader, pc parser.Context, name string, start int) bool {
	e := effortOf(pc)
	if e.paragraph == nil {
		e.paragraph = closers{}
	}
	first := parent.Lines().At(0).Start
	return first+e.paragraph.last(block.Source()[first:paragraphEnd(parent)], name) > start
}

// closers remembers where the last end tags are, by name, so that many start tags
// do not make for many searches.
type closers map[string]int

func (c closers) last(source []byte, name string) int {
	at, ok := c[name]
	if !ok {
		at = lastCloser(source, name)
		c[name] = at
	}
	return at
}

// tagName returns the name in lower case of the tag that s starts with, "" if it
// starts with something else. opens tells a start tag from an end tag.
func tagName(s []byte) (name string, opens bool) {
	if len(s) < 2 || s[0] != '<' {
		return "", false
	}
	s, opens = s[1:], true
	if s[0] == '/' {
		s, opens = bytes.TrimLeft(s[1:], " "), false
	}
	n := 0
	for n < len(s) && (isLetter(s[n]) || n > 0 && (s[n] == '-' || '0' <= s[n] && s[n] <= '9')) {
		n++
	}
	return strings.ToLower(string(s[:n])), opens
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// lastCloser returns where the last end tag of name in source is, -1 if there is
// none. name is in lower case.
func lastCloser(source []byte, name string) int {
	for end := len(source); ; {
		at := bytes.LastIndex(source[:end], []byte("</"))
		if at < 0 {
			return -1
		}
		if n, _ := tagName(source[at:]); n == name {
			return at
		}
		end = at
	}
}
