package quire

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The headings of compiled Markdown: of a list or single elemental, of the items of a
// list, and of the fields of an item.
const (
	topLevel = iota + 1
	itemLevel
	itemFieldLevel
)

// markdownLayout writes headings instead of labels. The first text below the heading of a
// list or elemental is its description; every other field has a heading of its own, one
// level deeper. Texts are nested, so that no heading of theirs is one of these.
type markdownLayout struct{}

func (markdownLayout) title(s string) string {
	if s == "" {
		return ""
	}
	return heading(topLevel, s) + "\n"
}

func (markdownLayout) description(s string) string {
	if s == "" {
		return ""
	}
	return "\n" + nested(s, itemFieldLevel) + "\n"
}

func (m markdownLayout) item(w textSink, n int, o KnowledgeObject) {
	m.object(w, o, itemLevel, "Item "+strconv.Itoa(n))
}

// object writes an elemental below a heading of the given level: its title, else the
// name that is given; without either there is none.
func (markdownLayout) object(w textSink, o KnowledgeObject, level int, name string) {
	var description string
	for _, e := range o {
		switch {
		case e.Key == "Title" && e.Value != "":
			name, _ = e.Value.(string)
		case e.Key == "Description":
			description, _ = e.Value.(string)
		}
	}
	separator := ""
	block := func(start, text string) {
		w.WriteString(separator + start)
		writeNested(w, text, level+1)
		w.WriteString("\n")
		separator = "\n"
	}
	if name != "" {
		block(heading(level, name), "")
	}
	if description != "" {
		block("", description)
	}
	for _, e := range o {
		if e.Key == "Title" || e.Key == "Description" {
			continue
		}
		label := heading(level+1, e.Key) + "\n\n"
		if content, ok := e.Value.(tableContent); ok {
			if text := content.markdown(level + 1); text != "" {
				block(label+text, "")
			}
		} else if value := plainValue(e.Value); value != "" {
			block(label, value)
		}
	}
}

// heading is an ATX heading with a title as it is, but on one line (CommonMark 0.31,
// section 4.2): line breaks are character references, and what could be taken for one or
// for the end of the heading is escaped.
func heading(level int, title string) string {
	title = characterReference.ReplaceAllString(title, "&amp;$1")
	title = breaksToReferences.Replace(title)
	if at := closingSequence.FindStringIndex(title); at != nil {
		hashes := strings.IndexByte(title[at[0]:], '#')
		title = title[:at[0]+hashes] + `\` + title[at[0]+hashes:]
	}
	return strings.Repeat("#", level) + " " + title
}

var (
	characterReference = regexp.MustCompile(`&(#|[A-Za-z][A-Za-z0-9]*;)`)
	closingSequence    = regexp.MustCompile(`(?:^|[ \t])\\*#+[ \t]*$`)
	breaksToReferences = breaksTo(func(br string) string {
		var b strings.Builder
		for _, r := range br {
			fmt.Fprintf(&b, "&#%d;", r)
		}
		return b.String()
	})
)

// oneLine folds all white space, for what is shown on one line only.
func oneLine(s string) string { return strings.Join(strings.Fields(breaksToLF.Replace(s)), " ") }
