package markup

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// inlines converts the text of a block.
func (c converter) inlines(block ast.Node) []*node {
	w := inlineWriter{converter: c}
	w.children(block, nil)
	w.flush()
	// A break at the end of a block shows nothing.
	for n := len(w.nodes); n > 0 && w.nodes[n-1].Type == "hardBreak"; n-- {
		w.nodes = w.nodes[:n-1]
	}
	return w.nodes
}

// inlineWriter collects inline nodes.
type inlineWriter struct {
	converter
	nodes   []*node
	pending []byte // text that is not yet a node: neighbours with the same marks are one
	marks   []mark // of pending
	skip    string // the script or style element that is open, if any
}

func (w *inlineWriter) children(parent ast.Node, marks []mark) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		w.inline(n, marks)
	}
}

func (w *inlineWriter) inline(n ast.Node, marks []mark) {
	switch n := n.(type) {
	case *ast.Text:
		w.text(w.value(n), marks)
		switch {
		case n.HardLineBreak():
			w.add(&node{Type: "hardBreak"})
		case n.SoftLineBreak():
			w.text("\n", marks)
		}
	case *ast.String:
		w.text(string(n.Value), marks)
	case *ast.CodeSpan:
		w.text(w.code(n), with(marks, mark{Type: "code"}))
	case *ast.Emphasis:
		kind := "em"
		if n.Level == 2 {
			kind = "strong"
		}
		w.children(n, with(marks, mark{Type: kind}))
	case *east.Strikethrough:
		w.children(n, with(marks, mark{Type: "strike"}))
	case *ast.Link:
		w.children(n, linked(marks, util.URLEscape(n.Destination, true), n.Title))
	case *ast.AutoLink:
		w.text(string(n.Label(w.source)), linked(marks, autoURL(n, w.source), nil))
	case *ast.Image:
		w.image(n, marks)
	case *ast.RawHTML:
		w.raw(n)
	}
}

// value returns what a text stands for.
func (w *inlineWriter) value(n *ast.Text) string {
	if n.IsRaw() {
		return string(n.Value(w.source))
	}
	return decode(n.Value(w.source))
}

// code returns the text of a code span; its line breaks are spaces.
func (w *inlineWriter) code(n *ast.CodeSpan) string {
	var b strings.Builder
	for t := n.FirstChild(); t != nil; t = t.NextSibling() {
		b.Write(t.(*ast.Text).Value(w.source))
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

// text adds text.
func (w *inlineWriter) text(s string, marks []mark) {
	if w.skip != "" {
		return
	}
	if len(w.pending) > 0 && !sameMarks(w.marks, marks) {
		w.flush()
	}
	w.marks = marks
	w.pending = append(w.pending, s...)
}

// flush makes a node of the text collected so far.
func (w *inlineWriter) flush() {
	if len(w.pending) > 0 {
		w.nodes = append(w.nodes, &node{Type: "text", Text: string(w.pending), Marks: w.marks})
		w.pending = w.pending[:0]
	}
}

// add adds a node that is not text.
func (w *inlineWriter) add(n *node) {
	if w.skip == "" {
		w.flush()
		w.nodes = append(w.nodes, n)
	}
}

func sameMarks(a, b []mark) bool {
	return slices.EqualFunc(a, b, func(x, y mark) bool {
		return x.Type == y.Type && x.Attrs["href"] == y.Attrs["href"] && x.Attrs["title"] == y.Attrs["title"]
	})
}

// with returns marks and one more. A text carries no mark twice.
func with(marks []mark, m mark) []mark {
	if slices.ContainsFunc(marks, func(have mark) bool { return have.Type == m.Type }) {
		return marks
	}
	return append(slices.Clip(marks), m)
}

// linked returns marks with a link, if its URL is allowed.
func linked(marks []mark, escaped, title []byte) []mark {
	href := string(escaped)
	if u, err := url.Parse(href); err != nil || *u == (url.URL{}) || !linkURL.MatchString(href) {
		return marks
	}
	return with(marks, mark{Type: "link", Attrs: map[string]any{"href": href, "title": orNull(decode(title))}})
}

func (w *inlineWriter) image(n *ast.Image, marks []mark) {
	alt := inlineWriter{converter: w.converter}
	alt.children(n, nil)
	alt.flush()
	var text strings.Builder
	for _, n := range alt.nodes {
		text.WriteString(n.Text)
		if n.Type == "image" {
			text.WriteString(n.Attrs["alt"].(string))
		}
	}
	src := string(util.URLEscape(n.Destination, true))
	if u, err := url.Parse(src); err != nil || src == "" || !linkURL.MatchString(src) && !(u.Scheme == "data" && isImageData(u)) {
		w.text(text.String(), marks)
		return
	}
	w.add(&node{Type: "image", Marks: marks, Attrs: map[string]any{
		"src": src, "alt": text.String(), "title": orNull(decode(n.Title))}})
}

// raw handles a tag: a line break is one, the content of scripts and styles is
// left out, and of any other tag nothing is left.
func (w *inlineWriter) raw(n *ast.RawHTML) {
	tag := n.Segments.Value(w.source)
	switch name, opens := tagName(tag); {
	case w.skip != "":
		if !opens && name == w.skip {
			w.skip = ""
		}
	case opens && (name == "script" || name == "style"):
		w.skip = name
	case name == "br":
		w.add(&node{Type: "hardBreak"})
	}
}

// autoURL returns the URL of a bare link or autolink.
func autoURL(n *ast.AutoLink, source []byte) []byte {
	u := util.URLEscape(n.URL(source), false)
	if n.AutoLinkType == ast.AutoLinkEmail && !bytes.HasPrefix(bytes.ToLower(u), []byte("mailto:")) {
		u = append([]byte("mailto:"), u...)
	}
	return u
}
