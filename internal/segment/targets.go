package segment

import "strings"

// maxTarget is how long the target of a link may be, in bytes.
const maxTarget = 2048

// WithoutTargets returns Markdown without the addresses and titles of its inline links and
// images, [text](address "title"), which nobody reads. Code stays as it is.
func WithoutTargets(markdown string) string {
	if !strings.Contains(markdown, "](") {
		return markdown
	}
	var out strings.Builder
	at := 0
	for _, b := range Blocks(markdown) {
		if b.Kind == Code || b.Kind == FrontMatter {
			continue
		}
		out.WriteString(markdown[at:b.Start])
		dropTargets(&out, markdown[b.Start:b.End])
		at = b.End
	}
	out.WriteString(markdown[at:])
	return out.String()
}

// dropTargets writes the text of a block without the targets of links.
func dropTargets(out *strings.Builder, text string) {
	for {
		i := strings.IndexAny(text, "`]")
		if i < 0 {
			out.WriteString(text)
			return
		}
		end := i + 1
		if text[i] == '`' {
			end = codeEnd(text, i)
		}
		out.WriteString(text[:end])
		if text[i] == ']' {
			end += targetLen(text[end:])
		}
		text = text[end:]
	}
}

// codeEnd returns where the code span ends that begins with the backticks at i, or where
// these end if it does not.
func codeEnd(text string, i int) int {
	n := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
	fence := text[i : i+n]
	for at := i + n; ; {
		next := strings.Index(text[at:], fence)
		if next < 0 {
			return i + n
		}
		at += next
		run := len(text[at:]) - len(strings.TrimLeft(text[at:], "`"))
		if at += run; run == n {
			return at
		}
	}
}

// targetLen returns how long the target of a link is that text begins with, parentheses
// included; 0 if it begins with none. An address has no space unless a title follows.
func targetLen(text string) int {
	if !strings.HasPrefix(text, "(") {
		return 0
	}
	depth, quote := 0, byte(0)
	for i := 0; i < min(len(text), maxTarget); i++ {
		switch c := text[i]; {
		case c == '\n':
			return 0
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case c == ' ':
			if i+1 >= len(text) || text[i+1] != '"' && text[i+1] != '\'' {
				return 0
			}
			quote = text[i+1]
			i++
		}
	}
	return 0
}
