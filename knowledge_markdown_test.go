package quire_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"github.com/quirelib/quire"
)

// TestListMarkdownIsUnambiguous takes the Markdown of lists apart again, whatever titles
// and texts hold, whichever fields are selected, and whatever a reader takes for the end
// of a line.
func TestListMarkdownIsUnambiguous(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stores[0].open(t), nil)
	texts, title := hostileText(8), hostileText(5)
	lists, items := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		fields := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"id", "title", "type", "description", "content", "url"}), rapid.ID[string]).Draw(t, "fields")
		shown := func(name, value string) string {
			if value == "" || len(fields) > 0 && !slices.Contains(fields, name) {
				return ""
			}
			return value
		}
		in := quire.ListInput{Title: "L" + title.Draw(t, "title of the list"), Description: texts.Draw(t, "description of the list")}
		var want []map[string]string
		for i := range rapid.IntRange(0, 4).Draw(t, "items") {
			doc := document("An elemental "+title.Draw(t, "title"), texts.Filter(notBlank).Draw(t, "body"))
			doc.Description = texts.Draw(t, "description")
			e, err := f.CreateElemental(f.t.Context(), f.ann, doc)
			if err != nil {
				t.Fatal(err)
			}
			item := map[string]string{
				"Title": shown("title", e.Title), "Description": shown("description", e.Description), "Body": shown("content", e.Body),
			}
			if item["Title"] == "" {
				item["Title"] = fmt.Sprintf("Item %d", i+1)
			}
			for _, key := range []string{"id", "type", "url"} {
				if slices.Contains(fields, key) {
					item[strings.ToUpper(key[:1])+key[1:]] = map[string]string{"id": e.ID, "type": e.Type.Name, "url": e.URL}[key]
				}
			}
			for key, value := range item {
				if value == "" {
					delete(item, key)
				}
			}
			want = append(want, item)
			in.Items = append(in.Items, quire.ItemInput{ElementalID: e.ID, OrderIndex: new(int64(i))})
		}
		list, err := f.CreateList(f.t.Context(), f.ann, in)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		opts := quire.KnowledgeOptions{Format: quire.FormatMarkdown, Fields: fields}
		if err := f.WriteListKnowledge(f.t.Context(), f.ann, list.ID, opts, &b); err != nil {
			t.Fatal(err)
		}
		head := map[string]string{"Title": list.Title}
		if list.Description != "" {
			head["Description"] = list.Description
		}
		for name, breaks := range map[string]*regexp.Regexp{"CommonMark": regexp.MustCompile("\r\n|\n|\r"), "Unicode": anyBreak} {
			got := parseMarkdown(b.String(), breaks)
			if diff := cmp.Diff(append([]map[string]string{head}, want...), got); diff != "" {
				t.Fatalf("with the breaks of %s, from\n%s\n%q\n%s", name, b.String(), b.String(), diff)
			}
		}
		if got := outline(b.String()); !slices.Equal(got, append([]int{1}, slices.Repeat([]int{2}, len(want))...)) {
			t.Fatalf("a reader of Markdown sees headings of the levels %v above those of fields, and there are %d items:\n%s\n%q", got, len(want), b.String(), b.String())
		}
		lists++
		items += len(want)
	})
	if t.Failed() {
		return
	}
	t.Logf("G6: %d lists of %d items that hold headings, fences and line breaks, read back from Markdown in two ways of counting lines, with the headings that goldmark sees: 0 forged, 0 lost", lists, items)
}

// outline returns the levels of the headings that goldmark sees, but for those of fields
// and of texts.
func outline(s string) (levels []int) {
	doc := goldmark.DefaultParser().Parse(text.NewReader([]byte(s)))
	ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if h, ok := n.(*ast.Heading); ok && entering && h.Level < 3 {
			levels = append(levels, h.Level)
		}
		return ast.WalkContinue, nil
	})
	return levels
}

// A mark behind a space ends no fence, so that what follows is in it still.
func TestListMarkdownOfFences(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stores[0].open(t), nil)
	for _, mark := range []string{"```", "~~~"} {
		first := f.create(f.ann, document("The first of two", mark+"\n"+mark+" "+mark+"\n"+mark+"\n# Not yours\n"+mark))
		second := f.create(f.ann, document("The second of two", "text"))
		list, err := f.CreateList(t.Context(), f.ann, quire.ListInput{Title: "Both", Items: []quire.ItemInput{{ElementalID: first.ID}, {ElementalID: second.ID}}})
		var b strings.Builder
		if err == nil {
			err = f.WriteListKnowledge(t.Context(), f.ann, list.ID, quire.KnowledgeOptions{Format: quire.FormatMarkdown}, &b)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := outline(b.String()); !slices.Equal(got, []int{1, 2, 2}) {
			t.Errorf("levels %v in\n%s", got, b.String())
		}
	}
}

// hostileText makes texts of what could be taken for something of the layout.
func hostileText(pieces int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", "\n", "\n", "\n", "\n\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\u0085", "\u2028", "\u2029", " ", "  ", "    ", "\t",
			"# h", "## An elemental", "### Body", "#### deep", "####### text", "#", " ##", `\##`, "\n=====\n", "\n---\n", `\===`, `\\---`, "***",
			"```", "````", "~~~", "``` ```", "~~~ ~~~", "```markdown\n", "> ", "> # quoted", "- ", "1. ", "10) # h", "<!--", "-->", "<pre>", "<h1>x</h1>", "<div>",
			"**Body:** forged", "Title: ", "Body: ", "&#10;", "&amp;", "&", `\`, "[a]: b", "日本",
		}), 0, pieces).Draw(t, "pieces"), "")
	})
}

func notBlank(s string) bool { return strings.TrimSpace(s) != "" }

// parseMarkdown reads compiled Markdown by its headings: first what is in the head, then
// what is in the items.
func parseMarkdown(s string, breaks *regexp.Regexp) (out []map[string]string) {
	fence, key, from := "", "", 0
	finish := func(to int, end string) {
		if len(out) == 0 {
			return
		}
		text := strings.TrimPrefix(s[from:to], "\n")
		if text = strings.TrimSuffix(text, end); text != "" {
			level := 3
			out[len(out)-1][key] = unnested(text, level)
		}
	}
	for start, next := range linesBy(s, breaks) {
		line := breaks.ReplaceAllString(s[start:next], "")
		if fence = fenceAfter(fence, line); fence != "" {
			continue
		}
		m := regexp.MustCompile(`^(#{1,3}) (?s:(.*))$`).FindStringSubmatch(line)
		if m == nil {
			continue
		}
		finish(start, "\n\n")
		if key, from = "Description", next; len(m[1]) < 3 {
			out = append(out, map[string]string{"Title": unheading(m[2])})
		} else {
			key = m[2]
		}
	}
	finish(len(s), "\n")
	return out
}

// linesBy yields where lines begin and where the next one does.
func linesBy(s string, breaks *regexp.Regexp) func(yield func(int, int) bool) {
	return func(yield func(int, int) bool) {
		start := 0
		for _, br := range breaks.FindAllStringIndex(s, -1) {
			if !yield(start, br[1]) {
				return
			}
			start = br[1]
		}
		yield(start, len(s))
	}
}

// fenceAfter is the fence that is open behind a line.
func fenceAfter(open, line string) string {
	marker := regexp.MustCompile("^ {0,3}(`{3,}|~{3,})(.*)$").FindStringSubmatch(line)
	switch {
	case marker == nil:
		return open
	case open == "":
		if marker[1][0] == '`' && strings.Contains(marker[2], "`") {
			return ""
		}
		return marker[1]
	case marker[1][0] == open[0] && len(marker[1]) >= len(open) && strings.Trim(marker[2], " \t") == "":
		return ""
	}
	return open
}

// unheading is the title that a heading stands for.
func unheading(s string) string {
	s = regexp.MustCompile(`(^|[ \t]\\*|^\\*)\\(#+[ \t]*)$`).ReplaceAllString(s, "$1$2")
	s = regexp.MustCompile(`&#\d+;`).ReplaceAllStringFunc(s, func(ref string) string {
		r, _ := strconv.Atoi(ref[2 : len(ref)-1])
		return string(rune(r))
	})
	return regexp.MustCompile(`&amp;(#|[A-Za-z][A-Za-z0-9]*;)`).ReplaceAllString(s, "&$1")
}

// unnested takes back what was done to a text so that it can stand in the layout.
func unnested(s string, level int) string {
	if m := regexp.MustCompile("^(`{3,})markdown\n").FindStringSubmatch(s); m != nil {
		return strings.TrimSuffix(s[len(m[0]):], "\n"+m[1])
	}
	var b strings.Builder
	fence, paragraph := "", false
	for line := range strings.Lines(s) {
		bare := strings.TrimRight(line, "\r\n")
		was := fence
		fence = fenceAfter(fence, bare)
		heading := regexp.MustCompile(`^( {0,3}(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|>[ \t]*)*)(#+)(?:[ \t]|$)`).FindStringSubmatch(bare)
		switch {
		case was != "" || fence != "":
			paragraph = false
		case heading != nil:
			line = heading[1] + line[len(heading[1])+level:]
			paragraph = len(heading[2]) > 6 || strings.Trim(heading[1], " ") != ""
		case paragraph && regexp.MustCompile(`^ {0,3}\\+(?:=+|-+)[ \t]*$`).MatchString(bare):
			line = strings.Replace(line, `\`, "", 1)
		default:
			paragraph = strings.Trim(bare, " \t") != ""
		}
		b.WriteString(line)
	}
	return b.String()
}
