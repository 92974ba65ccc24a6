package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/internal/markup"
)

// largeBody is the length of a body, in bytes, from which its renderings are made,
// written and let go one after the other.
const largeBody = 64 << 10

// largeElemental is an elemental whose renderings are many times its size: one with a long
// body, or a table with its columns and rows. With ten thousand cells it is a hundred
// megabytes of JSON.
type largeElemental struct {
	s         *server
	e         quire.Elemental
	knowledge *quire.KnowledgeOptions // nil: without knowledge text
	ahead     renderings              // of it and its cells, as far as they were made ahead
}

// whole is an elemental as an answer has it, ready to be encoded.
func (s *server) whole(e quire.Elemental, knowledge *quire.KnowledgeOptions, ahead renderings) (any, error) {
	switch {
	case isWholeTable(e), len(e.Body) >= largeBody, len(ahead) > 0:
		return largeElemental{s, e, knowledge, ahead}, nil
	case knowledge == nil:
		return s.fullElemental(e), nil
	}
	return s.elementalWithKnowledge(e, *knowledge)
}

// isWholeTable reports whether an elemental is a table that was read with its columns and
// rows.
func isWholeTable(e quire.Elemental) bool { return e.TypeID == quire.TypeTable && e.Details != nil }

// filling is what stands in the JSON of an object in the place of an empty value. Places
// are found in the order of the object's fields; quotes inside of texts are escaped, so
// that a place is found only where it is meant.
type filling struct {
	field, empty string
	write        func(w io.Writer) error
}

func (l largeElemental) encodeTo(w io.Writer) error {
	places := []filling{{"body_content", emptyTexts, l.ahead.or(textsOf(l.e), l.writeTexts)}}
	if isWholeTable(l.e) {
		places = append(places, filling{"columns", `[]`, l.lists(l.e.Details.Columns, l.s.columnOf)},
			filling{"rows", `[]`, l.lists(l.e.Details.Rows, l.s.rowOf)})
	}
	if l.knowledge != nil {
		write := l.writeKnowledge
		if len(l.ahead) > 0 {
			write = l.ahead.or(knowledgeOf(l.e), write)
		}
		places = append(places, filling{"knowledge_base", emptyKnowledge, write})
	}
	return encodeFilled(w, l.s.withoutTexts(l.e), places)
}

// What stands in an elemental without texts behind the first key, up to and with the
// value of the last one.
const (
	emptyTexts = `"","body_content_html":"","body_content_plaintext":"","body_content_json":{"type":"doc","content":[]},` +
		`"body_content_placeholders":{"list":[],"plaintext":""},"description_plaintext":""`
	emptyKnowledge = `null,"knowledge_base_json":null`
)

// renders tells tests that something is about to be rendered.
func (s *server) renders() {
	if s.rendering != nil {
		s.rendering()
	}
}

// writeTexts fills emptyTexts.
func (l largeElemental) writeTexts(w io.Writer) error {
	l.s.renders()
	separator := ""
	for _, p := range []filling{
		{"body_content", ``, stringOf(func() string { return l.e.Body })},
		{"body_content_html", ``, func(w io.Writer) error { return writeHTML(w, l.e.Body) }},
		{"body_content_plaintext", ``, stringOf(func() string { return markup.Plain(l.e.Body) })},
		{"body_content_json", ``, func(w io.Writer) error { return markup.WriteDocument(w, l.e.Body) }},
		{"body_content_placeholders", ``, func(w io.Writer) error { return encodeTo(w, placeholdersOf(l.e.Body)) }},
		{"description_plaintext", ``, stringOf(func() string { return markup.Plain(l.e.Description) })},
	} {
		if separator != "" {
			if _, err := io.WriteString(w, separator+`"`+p.field+`":`); err != nil {
				return err
			}
		}
		separator = ","
		if err := p.write(w); err != nil {
			return err
		}
	}
	return nil
}

// writeKnowledge fills emptyKnowledge with those forms that are asked for.
func (l largeElemental) writeKnowledge(w io.Writer) error {
	l.s.renders()
	opts := *l.knowledge
	var withText, withJSON bool
	opts.Format, withText, withJSON = knowledgeForms(opts.Format)
	if err := l.writeKnowledgeText(w, opts, withText); err != nil {
		return err
	}
	if _, err := io.WriteString(w, `,"knowledge_base_json":`); err != nil {
		return err
	}
	if !withJSON {
		_, err := io.WriteString(w, `null`)
		return err
	}
	object, err := l.s.lib.KnowledgeObject(l.e, opts)
	if err != nil {
		return err
	}
	return knowledgeObject(object).encodeTo(w)
}

func (l largeElemental) writeKnowledgeText(w io.Writer, opts quire.KnowledgeOptions, wanted bool) error {
	if !wanted {
		_, err := io.WriteString(w, `null`)
		return err
	}
	return knowledgeText{l.s.lib, l.e, opts}.encodeTo(w)
}

// knowledgeText is the compiled text of an elemental, which is written as it is laid out.
type knowledgeText struct {
	lib  *quire.Library
	e    quire.Elemental
	opts quire.KnowledgeOptions
}

func (k knowledgeText) encodeTo(w io.Writer) error {
	return writeText(w, func(w io.Writer) error { return k.lib.WriteKnowledgeText(k.e, k.opts, w) })
}

// lists writes columns or rows, each made by of without its cells, in an array.
func (l largeElemental) lists(lists []quire.TableList, of func(quire.TableList, renderings) largeList) func(io.Writer) error {
	return inArray(func(yield func(any, error) bool) {
		for _, list := range lists {
			if !yield(of(list, l.ahead), nil) {
				return
			}
		}
	})
}

// largeList is a list whose items are made, written and let go one after the other.
type largeList struct {
	listJSON // with no items
	items    iter.Seq2[any, error]
}

func (l largeList) encodeTo(w io.Writer) error {
	return encodeFilled(w, l.listJSON, []filling{{"items", `[]`, inArray(l.items)}})
}

// knowledgeObject is an object with long strings.
type knowledgeObject quire.KnowledgeObject

func (o knowledgeObject) encodeTo(w io.Writer) error {
	separator := "{"
	for _, entry := range o {
		if _, err := io.WriteString(w, separator); err != nil {
			return err
		}
		separator = ","
		if err := writeString(w, entry.Key); err != nil {
			return err
		}
		if _, err := io.WriteString(w, ":"); err != nil {
			return err
		}
		if err := encodeTo(w, entry.Value); err != nil {
			return err
		}
	}
	if separator == "{" {
		separator = "{}"
	} else {
		separator = "}"
	}
	_, err := io.WriteString(w, separator)
	return err
}

// encodeFilled writes the JSON of v with the places filled, which are in it in this order.
func encodeFilled(w io.Writer, v any, places []filling) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	rest := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	for _, p := range places {
		key := `"` + p.field + `":`
		before, after, found := bytes.Cut(rest, []byte(key+p.empty))
		if !found {
			return quire.Errorf(quire.CodeInternal, "an answer has no place for %s", p.field)
		}
		if _, err := w.Write(append(before[:len(before):len(before)], key...)); err != nil {
			return err
		}
		if err := p.write(w); err != nil {
			return err
		}
		rest = after
	}
	_, err := w.Write(rest)
	return err
}

// inArray writes items in an array.
func inArray(items iter.Seq2[any, error]) func(io.Writer) error {
	return func(w io.Writer) error {
		if _, err := io.WriteString(w, "["); err != nil {
			return err
		}
		if err := encodeEach(w, items); err != nil {
			return err
		}
		_, err := io.WriteString(w, "]")
		return err
	}
}

// writeHTML writes a rendering of Markdown as JSON, a part at a time if it is long.
func writeHTML(w io.Writer, markdown string) error {
	return writeText(w, func(w io.Writer) error { return markup.WriteHTML(w, markdown) })
}

// stringOf writes a string that is made when its turn has come.
func stringOf(make func() string) func(io.Writer) error {
	return func(w io.Writer) error { return writeString(w, make()) }
}

// writeString writes a string of any length as JSON, a part at a time.
func writeString(w io.Writer, s string) error {
	if _, err := io.WriteString(w, `"`); err != nil {
		return err
	}
	const part = 32 << 10
	for len(s) > 0 {
		whole := s
		if len(s) > part {
			if whole, _ = wholeRunes(s[:part]); whole == "" {
				whole = s[:part]
			}
		}
		if err := writeInside(w, whole); err != nil {
			return err
		}
		s = s[len(whole):]
	}
	_, err := io.WriteString(w, `"`)
	return err
}

// writeInside writes text as a part of a JSON string.
func writeInside(w io.Writer, text string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // as in sendJSON
	if err := enc.Encode(text); err != nil {
		return err
	}
	quoted := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	_, err := w.Write(quoted[1 : len(quoted)-1])
	return err
}
