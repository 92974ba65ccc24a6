package quire

import (
	"bufio"
	"encoding/json"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A layout writes compiled knowledge as text. Whatever a title or body holds, it
// cannot be taken for a label, a heading or an item of the layout.
type layout interface {
	// title, description lay out the head of a list, "" if there is nothing to say.
	title(s string) string
	description(s string) string
	// item writes the n-th item of a list, n from 1.
	item(w textSink, n int, o KnowledgeObject)
}

// textSink is what layouts write to: texts are long, and their layouts many times longer
// where there are many lines, so that they are not held. It keeps its errors.
type textSink interface {
	io.Writer
	io.StringWriter
}

// asText is what write writes, as a string.
func asText(write func(w textSink)) string {
	var b strings.Builder
	write(&b)
	return b.String()
}

// writeList writes a list: by its template if it has one, else the head and then
// the items.
func writeList(w io.Writer, lay layout, k Knowledge, template string) error {
	b := bufio.NewWriterSize(w, 32<<10)
	title, description := lay.title(k.Title), lay.description(k.Description)
	if template == "" {
		b.WriteString(title)
		b.WriteString(description)
		if err := writeItems(b, lay, k, "\n"); err != nil {
			return err
		}
		return b.Flush()
	}
	filled := map[string]int{}
	for _, part := range splitTemplate(template) {
		if most := mostTimes[part]; most > 0 && filled[part] == most { // which was stored before there were limits
			continue
		}
		filled[part]++
		var err error
		switch part {
		case "{{title}}":
			b.WriteString(k.Title)
		case "{{description}}":
			b.WriteString(k.Description)
		case "{{items}}":
			err = writeItems(b, lay, k, "")
		default:
			b.WriteString(part)
		}
		if err != nil {
			return err
		}
	}
	return b.Flush()
}

// writeItems writes the items with an empty line between them; first goes in front
// of the first one.
func writeItems(b *bufio.Writer, lay layout, k Knowledge, first string) error {
	n := 0
	for item, err := range k.Items {
		if err != nil {
			return err
		}
		if n++; n == 1 {
			b.WriteString(first)
		} else {
			b.WriteByte('\n')
		}
		lay.item(b, n, item.Fields)
		if _, err := b.WriteString(""); err != nil { // of what was written before
			return err
		}
	}
	return nil
}

// mostTimes is how often each placeholder may be in the template of a list: what it stands
// for may be a thousand times as long as it is.
var mostTimes = map[string]int{"{{title}}": 100, "{{description}}": 10, "{{items}}": 1}

// checkTemplate checks how often the placeholders of a list's template are in it.
func checkTemplate(probs *problems, field, template string) {
	for _, p := range []string{"{{title}}", "{{description}}", "{{items}}"} {
		if n := strings.Count(template, p); n > mostTimes[p] {
			probs.add(field, "%s may be in it at most %s; it is %d times", p, times(mostTimes[p]), n)
		}
	}
}

// times is how often, in words.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

// splitTemplate cuts a template into its placeholders and the texts between them.
// It is filled in one pass: a title that holds "{{items}}" is not a placeholder.
func splitTemplate(t string) []string {
	var parts []string
	for t != "" {
		at, found := len(t), ""
		for _, p := range []string{"{{title}}", "{{description}}", "{{items}}"} {
			if i := strings.Index(t, p); i >= 0 && i < at {
				at, found = i, p
			}
		}
		parts = append(parts, t[:at])
		if found != "" {
			parts = append(parts, found)
		}
		t = t[at+len(found):]
	}
	return parts
}

// writeListJSON writes a list as an object with the keys Title, Description, Items.
func writeListJSON(w io.Writer, k Knowledge) error {
	b := bufio.NewWriterSize(w, 32<<10)
	head, err := KnowledgeObject{{"Title", k.Title}, {"Description", k.Description}}.MarshalJSON()
	if err != nil {
		return err
	}
	b.Write(head[:len(head)-1]) // without the closing brace
	b.WriteString(`,"Items":[`)
	n := 0
	for item, err := range k.Items {
		if err != nil {
			return err
		}
		if n++; n > 1 {
			b.WriteByte(',')
		}
		if err := writeObject(b, item.Fields); err != nil {
			return err
		}
	}
	b.WriteString("]}")
	return b.Flush()
}

// writeObject writes what MarshalJSON returns; long texts a part at a time.
func writeObject(w textSink, o KnowledgeObject) error {
	separator := "{"
	for _, e := range o {
		w.WriteString(separator)
		separator = ","
		if err := writeJSON(w, e.Key); err != nil {
			return err
		}
		w.WriteString(":")
		if err := writeJSON(w, e.Value); err != nil {
			return err
		}
	}
	if separator == "{" {
		w.WriteString("{")
	}
	_, err := w.WriteString("}")
	return err
}

// writeJSON writes a value of an object.
func writeJSON(w textSink, v any) error {
	text, ok := v.(string)
	if !ok {
		raw, err := json.Marshal(v)
		if err != nil {
			return err
		}
		_, err = w.Write(raw)
		return err
	}
	w.WriteString(`"`)
	for len(text) > 0 {
		n := min(len(text), 32<<10)
		for cut := n; cut < len(text) && cut > n-utf8.UTFMax; cut-- {
			if utf8.RuneStart(text[cut]) {
				n = cut
				break
			}
		}
		quoted, err := json.Marshal(text[:n])
		if err != nil {
			return err
		}
		w.Write(quoted[1 : len(quoted)-1])
		text = text[n:]
	}
	_, err := w.WriteString(`"`)
	return err
}

// textLayout writes "Label: value" lines. The further lines of a value are
// indented deeper than its label, so that none of them is a label.
type textLayout struct{}

func (textLayout) title(s string) string       { return labelled("Title", s, "") }
func (textLayout) description(s string) string { return labelled("Description", s, "") }

func (t textLayout) item(w textSink, n int, o KnowledgeObject) {
	number := strconv.Itoa(n) + ". "
	t.object(w, o, number, strings.Repeat(" ", len(number)))
}

// object writes the entries that are not empty, each line behind indent, the first one
// behind first.
func (textLayout) object(w textSink, o KnowledgeObject, first, indent string) {
	indented := false
	for _, e := range o {
		if writeLabelled(w, e.Key, plainValue(e.Value), first, indent) {
			first = indent
			indented = true
		}
	}
	if !indented {
		w.WriteString(first + "\n")
	}
}

// labelled is one labelled value, "" for an empty one.
func labelled(label, value, indent string) string {
	return asText(func(w textSink) { writeLabelled(w, label, value, indent, indent) })
}

// writeLabelled writes one labelled value that is not empty, its first line behind first,
// and reports whether it did.
func writeLabelled(w textSink, label, value, first, indent string) bool {
	if value == "" {
		return false
	}
	w.WriteString(first + label + ": ")
	_, _ = indenter(indent+"  ").WriteString(w, value) // the sink keeps the error
	w.WriteString("\n")
	return true
}

// indentRest puts indent in front of all lines but the first; every one of lineBreaks
// counts, because a reader may count it.
func indentRest(s, indent string) string { return indenter(indent).Replace(s) }

func indenter(indent string) *strings.Replacer {
	return breaksTo(func(br string) string { return br + indent })
}

// lineBreaks are the line breaks of Unicode (UAX #14: LF, CR, CR LF, VT, FF, NEL, LS,
// PS), and the separators of ASCII, which some readers take for such (Python's splitlines).
var lineBreaks = []string{"\r\n", "\n", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\u0085", "\u2028", "\u2029"}

// rareBreaks finds breaks that only some readers take for the end of a line.
var rareBreaks = regexp.MustCompile(`\r(?:[^\n]|$)|[\v\f\x1c-\x1e\x{85}\x{2028}\x{2029}]`)

// breaksTo puts what to makes of it in the place of each line break.
func breaksTo(to func(br string) string) *strings.Replacer {
	pairs := make([]string, 0, 2*len(lineBreaks))
	for _, br := range lineBreaks {
		pairs = append(pairs, br, to(br))
	}
	return strings.NewReplacer(pairs...)
}

// plainValue is the value of an entry as lines of text.
func plainValue(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []string:
		return strings.Join(v, "\n")
	case []KnowledgeObject:
		parts := make([]string, len(v))
		for i, o := range v {
			parts[i] = strings.TrimSuffix(asText(func(w textSink) { textLayout{}.item(w, i+1, o) }), "\n")
		}
		return strings.Join(parts, "\n")
	}
	return ""
}
