package markup

import (
	"bufio"
	"bytes"
	"encoding/json"
	"html"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	renderer "github.com/yuin/goldmark/renderer/html"
)

// node is a node of a ProseMirror document. Its JSON form is what ProseMirror's
// Node.toJSON gives and Node.fromJSON takes.
type node struct {
	Type    string         `json:"type"`
	Attrs   map[string]any `json:"attrs,omitempty"`
	Content []*node        `json:"content,omitempty"`
	Marks   []mark         `json:"marks,omitempty"`
	Text    string         `json:"text,omitempty"`
}

// mark is what a text or image carries.
type mark struct {
	Type  string         `json:"type"`
	Attrs map[string]any `json:"attrs,omitempty"`
}

// Document renders Markdown as a ProseMirror-style document object,
// {"type":"doc","content":[..]}. An empty body has an empty content array.
//
// The node types are paragraph, heading {level}, bulletList, orderedList {start},
// listItem (in a task list {checked}), blockquote, codeBlock {language, null for
// none}, horizontalRule, table, tableRow, tableHeader and tableCell {align, where
// the column has one}, and inline text, image {src, alt, title} and hardBreak. The
// marks are strong, em, strike, code and link {href, title}; a title that is not
// there is null. A text is never empty. List items, quotes and cells hold at least
// one paragraph, and list items begin with one.
//
// URLs are held to the rules of [HTML]: a link with another URL is just its text,
// such an image its alternative text. Raw HTML becomes its text.
func Document(markdown string) json.RawMessage {
	var b bytes.Buffer
	if err := WriteDocument(&b, markdown); err != nil {
		// A bytes.Buffer takes every write.
		panic("markup: " + err.Error())
	}
	return b.Bytes()
}

// WriteDocument writes what [Document] returns, block by block. It returns the error of
// the writer.
func WriteDocument(w io.Writer, markdown string) error {
	if _, err := io.WriteString(w, `{"type":"doc","content":[`); err != nil {
		return err
	}
	var err error
	if len(markdown) > maxInput {
		err = writePreformatted(w, strings.TrimSuffix(validUTF8(markdown), "\n"))
	} else {
		err = writeBlocks(w, markdown)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, "]}")
	return err
}

// writeBlocks writes the blocks of a document, each made when it is its turn.
func writeBlocks(w io.Writer, markdown string) error {
	tree, source := parse(markdown)
	c := converter{source}
	separator := ""
	for b := tree.FirstChild(); b != nil; b = b.NextSibling() {
		for _, n := range c.block(b) {
			data, err := json.Marshal(n)
			if err != nil {
				// Strings, numbers, booleans and nil: there is nothing that cannot be marshalled.
				panic("markup: " + err.Error())
			}
			if _, err := w.Write(append([]byte(separator), data...)); err != nil {
				return err
			}
			separator = ","
		}
	}
	return nil
}

// writePreformatted writes a code block of a text of any length, which is not empty, a
// part at a time.
func writePreformatted(w io.Writer, text string) error {
	if _, err := io.WriteString(w, `{"type":"codeBlock","attrs":{"language":null},"content":[{"type":"text","text":"`); err != nil {
		return err
	}
	const part = 32 << 10
	for len(text) > 0 {
		end := min(part, len(text))
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end--
		}
		quoted, err := json.Marshal(text[:end])
		if err != nil {
			return err
		}
		if _, err := w.Write(quoted[1 : len(quoted)-1]); err != nil {
			return err
		}
		text = text[end:]
	}
	_, err := io.WriteString(w, `"}]}`)
	return err
}

// converter turns syntax trees into nodes. Its recursion is as deep as the trees,
// which the limits of the parser bound.
type converter struct{ source []byte }

// blocks converts the children of a container block.
func (c converter) blocks(parent ast.Node) []*node {
	var nodes []*node
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		nodes = append(nodes, c.block(n)...)
	}
	return nodes
}

// block converts one block. A block of raw HTML can give any number of nodes.
func (c converter) block(n ast.Node) []*node {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		return one(&node{Type: "paragraph", Content: c.inlines(n)})
	case *ast.Heading:
		return one(&node{Type: "heading", Attrs: map[string]any{"level": n.Level}, Content: c.inlines(n)})
	case *ast.ThematicBreak:
		return one(&node{Type: "horizontalRule"})
	case *ast.CodeBlock:
		return one(codeBlock("", string(n.Lines().Value(c.source))))
	case *ast.FencedCodeBlock:
		return one(codeBlock(decode(n.Language(c.source)), string(n.Lines().Value(c.source))))
	case *ast.Blockquote:
		return one(&node{Type: "blockquote", Content: orParagraph(c.blocks(n))})
	case *ast.List:
		return one(c.list(n))
	case *ast.HTMLBlock:
		return paragraphs(textOf(policy.Sanitize(string(rawBlock(c.source, n)))))
	case *east.Table:
		return one(c.table(n))
	}
	return nil // a link definition
}

func one(n *node) []*node { return []*node{n} }

// codeBlock makes a code block, without the line break at its end.
func codeBlock(language, code string) *node {
	n := &node{Type: "codeBlock", Attrs: map[string]any{"language": orNull(language)}}
	if code = strings.TrimSuffix(code, "\n"); code != "" {
		n.Content = one(&node{Type: "text", Text: code})
	}
	return n
}

// orNull is the value of an optional attribute.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// orParagraph makes sure that a container holds a block.
func orParagraph(nodes []*node) []*node {
	if len(nodes) == 0 {
		return one(&node{Type: "paragraph"})
	}
	return nodes
}

func paragraphs(text string) []*node {
	var nodes []*node
	for p := range strings.SplitSeq(text, "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			nodes = append(nodes, &node{Type: "paragraph", Content: one(&node{Type: "text", Text: p})})
		}
	}
	return nodes
}

func (c converter) list(n *ast.List) *node {
	list := &node{Type: "bulletList"}
	if n.IsOrdered() {
		list.Type, list.Attrs = "orderedList", map[string]any{"start": n.Start}
	}
	for i := n.FirstChild(); i != nil; i = i.NextSibling() {
		item := &node{Type: "listItem", Content: c.blocks(i)}
		if len(item.Content) == 0 || item.Content[0].Type != "paragraph" {
			item.Content = append(one(&node{Type: "paragraph"}), item.Content...)
		}
		if box := taskBox(i); box != nil {
			item.Attrs = map[string]any{"checked": box.IsChecked}
		}
		list.Content = append(list.Content, item)
	}
	return list
}

// taskBox returns the check box of a list item, nil if it has none.
func taskBox(item ast.Node) *east.TaskCheckBox {
	if first := item.FirstChild(); first != nil {
		box, _ := first.FirstChild().(*east.TaskCheckBox)
		return box
	}
	return nil
}

func (c converter) table(n *east.Table) *node {
	table := &node{Type: "table"}
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		kind := "tableCell"
		if r.Kind() == east.KindTableHeader {
			kind = "tableHeader"
		}
		row := &node{Type: "tableRow"}
		for i := r.FirstChild(); i != nil; i = i.NextSibling() {
			cell := &node{Type: kind, Content: one(&node{Type: "paragraph", Content: c.inlines(i)})}
			if a := i.(*east.TableCell).Alignment; a == east.AlignLeft || a == east.AlignCenter || a == east.AlignRight {
				cell.Attrs = map[string]any{"align": a.String()}
			}
			row.Content = append(row.Content, cell)
		}
		table.Content = append(table.Content, row)
	}
	return table
}

// decode resolves the escapes and character references of Markdown text. It takes
// the way over HTML, so that both renderings agree.
func decode(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 && bytes.IndexByte(raw, '&') < 0 {
		return string(raw)
	}
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	renderer.DefaultWriter.Write(w, raw)
	_ = w.Flush() // to memory
	return html.UnescapeString(b.String())
}
