package markup

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// outline writes a document in one line, p for paragraph, after checking it.
func outline(t *testing.T, doc json.RawMessage) string {
	t.Helper()
	root := check(t, doc)
	parts := make([]string, len(root.Content))
	for i, n := range root.Content {
		parts[i] = sketch(n)
	}
	return strings.Join(parts, " ")
}

func sketch(n *node) string {
	escape := strings.NewReplacer("\n", `\n`, "\t", `\t`)
	name := n.Type
	switch name {
	case "text":
		marks := make([]string, len(n.Marks))
		for i, m := range n.Marks {
			marks[i] = m.Type
			if m.Type == "link" {
				marks[i] += fmt.Sprintf("[%v %v]", m.Attrs["href"], m.Attrs["title"])
			}
		}
		if len(marks) > 0 {
			return strings.Join(marks, ",") + ":" + escape.Replace(n.Text)
		}
		return escape.Replace(n.Text)
	case "paragraph":
		name = "p"
	}
	if n.Attrs != nil {
		name += "{" + strings.TrimSuffix(strings.TrimPrefix(fmt.Sprint(n.Attrs), "map["), "]") + "}"
	}
	if !hasContent(n.Type) {
		return name
	}
	parts, between := make([]string, len(n.Content)), " "
	for i, c := range n.Content {
		if parts[i] = sketch(c); isInline(c.Type) {
			between = "|"
		}
	}
	return name + "(" + strings.Join(parts, between) + ")"
}

func hasContent(kind string) bool {
	return !slices.Contains([]string{"text", "image", "hardBreak", "horizontalRule"}, kind)
}

func isInline(kind string) bool { return slices.Contains([]string{"text", "image", "hardBreak"}, kind) }

// content is what ProseMirror's schema lets a node hold, with the least number.
var content = map[string]struct {
	kinds string
	least int
}{
	"doc": {"block", 0}, "blockquote": {"block", 1}, "listItem": {"block", 1}, "tableHeader": {"block", 1}, "tableCell": {"block", 1},
	"paragraph": {"inline", 0}, "heading": {"inline", 0}, "codeBlock": {"text", 0},
	"bulletList": {"listItem", 1}, "orderedList": {"listItem", 1}, "table": {"tableRow", 1}, "tableRow": {"tableHeader tableCell", 1},
	"text": {"", 0}, "image": {"", 0}, "hardBreak": {"", 0}, "horizontalRule": {"", 0},
}

var blockKinds = []string{"paragraph", "heading", "codeBlock", "blockquote", "bulletList", "orderedList", "horizontalRule", "table"}

// check parses a document and reports what breaks the schema.
func check(t testing.TB, doc json.RawMessage) *node {
	t.Helper()
	var root node
	if err := json.Unmarshal(doc, &root); err != nil {
		t.Fatalf("not JSON: %v", err)
	}
	if root.Type != "doc" || !strings.Contains(string(doc), `"content":[`) {
		t.Fatalf("not a document: %.60s", doc)
	}
	checkNode(t, &root)
	return &root
}

func checkNode(t testing.TB, n *node) {
	t.Helper()
	rule, known := content[n.Type]
	if !known {
		t.Fatalf("unknown type %q", n.Type)
	}
	if len(n.Content) < rule.least {
		t.Errorf("%s holds %d nodes, want at least %d", n.Type, len(n.Content), rule.least)
	}
	if (n.Type == "text") != (n.Text != "") || !utf8.ValidString(n.Text) || strings.Contains(n.Text, "\x00") {
		t.Errorf("%s has the text %q", n.Type, n.Text)
	}
	if n.Type == "listItem" && len(n.Content) > 0 && n.Content[0].Type != "paragraph" {
		t.Errorf("a list item begins with %s", n.Content[0].Type)
	}
	if src, ok := n.Attrs["src"].(string); ok && isDangerousURL(src, true) {
		t.Errorf("an image of %q", src)
	}
	for i, m := range n.Marks {
		if href, ok := m.Attrs["href"].(string); (m.Type == "link") != ok || isDangerousURL(href, false) {
			t.Errorf("the mark %v", m)
		}
		if slices.ContainsFunc(n.Marks[:i], func(o mark) bool { return o.Type == m.Type }) {
			t.Errorf("%s twice on %q", m.Type, n.Text)
		}
	}
	for i, c := range n.Content {
		fits := strings.Contains(" "+rule.kinds+" ", " "+c.Type+" ") ||
			rule.kinds == "block" && slices.Contains(blockKinds, c.Type) || rule.kinds == "inline" && isInline(c.Type)
		if !fits {
			t.Errorf("%s in %s", c.Type, n.Type)
		}
		if i > 0 && c.Type == "text" && n.Content[i-1].Type == "text" && sameMarks(c.Marks, n.Content[i-1].Marks) {
			t.Errorf("two texts that are one: %q, %q", n.Content[i-1].Text, c.Text)
		}
		checkNode(t, c)
	}
}
