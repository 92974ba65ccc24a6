package httpapi

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/quirelib/quire"
)

// knowledgeLimit is the size from which lists and searches carry no knowledge text.
const knowledgeLimit = 10

// knowledgeForms says which of knowledge_base and knowledge_base_json a format fills,
// and the format of the text. Without a format both are filled, the text as Markdown.
func knowledgeForms(f quire.KnowledgeFormat) (text quire.KnowledgeFormat, withText, withJSON bool) {
	switch f {
	case "":
		return quire.FormatMarkdown, true, true
	case quire.FormatJSON:
		return "", false, true
	default:
		return f, true, false
	}
}

// elementalWithKnowledge is a full elemental with its knowledge text.
func (s *server) elementalWithKnowledge(e quire.Elemental, opts quire.KnowledgeOptions) (elementalJSON, error) {
	out := s.fullElemental(e)
	var withText, withJSON bool
	opts.Format, withText, withJSON = knowledgeForms(opts.Format)
	text, object, err := s.lib.KnowledgeText(e, opts)
	if err != nil {
		return out, err
	}
	if withText {
		out.KnowledgeBase = &text
	}
	if withJSON {
		out.KnowledgeBaseJSON, err = json.Marshal(object)
	}
	return out, err
}

// listKnowledge is the knowledge text of a list that is small, which is written as it is
// compiled.
func (c *call) listKnowledge(l quire.WholeList, opts quire.KnowledgeOptions) (places []filling) {
	textFormat, withText, withJSON := knowledgeForms(opts.Format)
	compile := func(format quire.KnowledgeFormat, w io.Writer) error {
		opts.Format = format
		return l.WriteKnowledge(c.r.Context(), opts, w)
	}
	if withText {
		places = append(places, filling{"knowledge_base", `null`, func(w io.Writer) error {
			return writeText(w, func(w io.Writer) error { return compile(textFormat, w) })
		}})
	}
	if withJSON {
		places = append(places, filling{"knowledge_base_json", `null`, func(w io.Writer) error { return compile(quire.FormatJSON, w) }})
	}
	return places
}

// compiledItem is an entry of the compile routes: title, description and type, then
// the other selected fields under the names that the parameter fields has for them.
func compiledItem(title, description, typeName string, fields quire.KnowledgeObject) quire.KnowledgeObject {
	out := quire.KnowledgeObject{{Key: "title", Value: title}, {Key: "description", Value: description}, {Key: "type", Value: typeName}}
	for _, f := range fields {
		key := strings.ToLower(f.Key)
		switch key {
		case "title", "description", "type":
			continue
		case "body":
			key = "content"
		}
		out = append(out, quire.KnowledgeEntry{Key: key, Value: f.Value})
	}
	return out
}

// compiledElemental is one elemental compiled. In text and Markdown content is the
// compiled text, in JSON the selected fields stand beside it.
func (s *server) compiledElemental(e quire.Elemental, opts quire.KnowledgeOptions) (quire.KnowledgeObject, error) {
	if opts.Format == quire.FormatJSON {
		object, err := s.lib.KnowledgeObject(e, opts)
		return compiledItem(e.Title, e.Description, e.Type.Name, object), err
	}
	content := quire.KnowledgeObject{{Key: "content", Value: knowledgeText{s.lib, e, opts}}}
	return compiledItem(e.Title, e.Description, e.Type.Name, content), nil
}

// getListKnowledge compiles a list of any length: items go out one by one.
func (s *server) getListKnowledge(c *call) error {
	q := c.query()
	opts := q.wholeKnowledge()
	if err := q.err(); err != nil {
		return err
	}
	id := c.numericID("list_id")
	sizes, err := c.itemsOf(id)
	if err != nil {
		return err
	}
	if err := c.holdCompiled(sizes); err != nil {
		return err
	}
	l, err := s.lib.WholeList(c.r.Context(), c.actor(), id, true)
	if err != nil {
		return err
	}
	k, err := l.Knowledge(c.r.Context(), opts)
	if err != nil {
		return err
	}
	out := newLongAnswer(c, http.StatusOK)
	defer out.release()
	if err := writeListHead(out, c.meta(1), k); err != nil {
		return err
	}
	if err := writeListItems(out, k); err != nil {
		return err
	}
	if opts.Format != quire.FormatJSON {
		if err := writeListContent(c, out, l, opts); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(out, "}}}\n"); err != nil {
		return err
	}
	return out.end()
}

func writeListHead(w io.Writer, meta metaJSON, k quire.Knowledge) error {
	head, err := json.Marshal(envelope{Code: http.StatusOK, Meta: meta, Response: map[string]any{
		"knowledge_base": compiledItem(k.Title, k.Description, k.Type, nil),
	}})
	if err != nil {
		return err
	}
	// The three objects stay open for what follows.
	_, err = w.Write(bytes.TrimSuffix(head, []byte("}}}")))
	return err
}

func writeListItems(w io.Writer, k quire.Knowledge) error {
	separator := `,"items":[`
	for item, err := range k.Items {
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, separator); err != nil {
			return err
		}
		if err := knowledgeObject(compiledItem(item.Title, item.Description, item.Type, item.Fields)).encodeTo(w); err != nil {
			return err
		}
		separator = ","
	}
	if separator == "," {
		separator = ""
	}
	_, err := io.WriteString(w, separator+"]")
	return err
}

func writeListContent(c *call, w io.Writer, l quire.WholeList, opts quire.KnowledgeOptions) error {
	if _, err := io.WriteString(w, `,"content":`); err != nil {
		return err
	}
	return writeText(w, func(w io.Writer) error {
		return l.WriteKnowledge(c.r.Context(), opts, w)
	})
}

// prepareTemplate fills the placeholders of an elemental's body. One without a value
// stays.
func (s *server) prepareTemplate(c *call) error {
	o := c.object()
	values := make(map[string]string)
	for _, key := range slices.Sorted(maps.Keys(o.fields)) {
		if v := read(o, key, asString).ptr(); v != nil {
			values[key] = *v
		}
	}
	if err := o.err(); err != nil {
		return err
	}
	const at = `"result":""`
	head := envelope{Code: http.StatusOK, Meta: c.meta(1), Response: map[string]string{"result": ""}}
	return c.writeInstead(head, at, func(w io.Writer) error {
		if _, err := io.WriteString(w, strings.TrimSuffix(at, `"`)); err != nil {
			return err
		}
		text := &jsonText{w: w}
		parts := bufio.NewWriterSize(text, 32<<10)
		if err := s.lib.WriteTemplate(c.r.Context(), c.actor(), c.params["id"], values, parts); err != nil {
			return err
		}
		if err := parts.Flush(); err != nil {
			return err
		}
		if err := text.end(); err != nil {
			return err
		}
		_, err := io.WriteString(w, `"`)
		return err
	})
}
