package quire

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// A layout writes compiled knowledge as text. Whatever a title or body holds, it
// cannot be taken for a label, a heading or an item of the layout.
type layout interface {
	// title, description lay out the head of a list, "" if there is nothing to say.
	title(s string) string
	description(s string) string
	// item lays out the n-th item of a list, n from 1.
	item(n int, o KnowledgeObject) string
}

// writeList writes a list: by its template if it has one, else the head and then
// the items.
func writeList(w io.Writer, lay layout, k Knowledge, template string) error {
	b := bufio.NewWriter(w)
	title, description := lay.title(k.Title), lay.description(k.Description)
	if template == "" {
		b.WriteString(title)
		b.WriteString(description)
		if err := writeItems(b, lay, k, "\n"); err != nil {
			return err
		}
		return b.Flush()
	}
	for _, part := range splitTemplate(template) {
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
		if _, err := b.WriteString(lay.item(n, item.Fields)); err != nil {
			return err
		}
	}
	return nil
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
	b := bufio.NewWriter(w)
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
		raw, err := json.Marshal(item.Fields)
		if err != nil {
			return err
		}
		if _, err := b.Write(raw); err != nil {
			return err
		}
	}
	b.WriteString("]}")
	return b.Flush()
}

// textLayout writes "Label: value" lines. The further lines of a value are
// indented deeper than its label, so that none of them is a label.
type textLayout struct{}

func (textLayout) title(s string) string       { return labelled("Title", s, "") }
func (textLayout) description(s string) string { return labelled("Description", s, "") }

func (t textLayout) item(n int, o KnowledgeObject) string {
	number := strconv.Itoa(n) + ". "
	indent := strings.Repeat(" ", len(number))
	body := t.object(o, indent)
	return number + strings.TrimPrefix(body, indent)
}

// object writes the entries that are not empty, each line behind indent.
func (textLayout) object(o KnowledgeObject, indent string) string {
	var b strings.Builder
	for _, e := range o {
		b.WriteString(labelled(e.Key, plainValue(e.Value), indent))
	}
	if b.Len() == 0 {
		return indent + "\n"
	}
	return b.String()
}

// labelled writes one labelled value, "" for an empty one.
func labelled(label, value, indent string) string {
	if value == "" {
		return ""
	}
	return indent + label + ": " + indentRest(value, indent+"  ") + "\n"
}

// indentRest puts indent in front of all lines but the first; every line break of
// Unicode counts, because a reader may count it.
func indentRest(s, indent string) string {
	return breaksTo(func(br string) string { return br + indent }).Replace(s)
}

// lineBreaks are the line breaks of Unicode (UAX #14: LF, CR, CR LF, VT, FF, NEL, LS,
// PS).
var lineBreaks = []string{"\r\n", "\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029"}

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
			parts[i] = strings.TrimSuffix(textLayout{}.item(i+1, o), "\n")
		}
		return strings.Join(parts, "\n")
	}
	return ""
}
