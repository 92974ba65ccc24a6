package extract

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	gfm "github.com/yuin/goldmark/extension"
	"golang.org/x/net/html"
)

// All words of a page that are shown, and no others, are in its Markdown, in their order, and a reader of
// Markdown finds them there.
func TestRandomPages(t *testing.T) {
	t.Parallel()
	pages := uint64(10_000)
	if testing.Short() {
		pages /= 10
	}
	reader := goldmark.New(goldmark.WithExtensions(gfm.GFM))
	for seed := range pages {
		g := &pageWriter{rand: rand.New(rand.NewPCG(seed, 7))}
		g.blocks(1 + int(seed%4))
		page := g.String()
		_, markdown, err := fromHTML(t.Context(), page)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, page)
		}
		var read bytes.Buffer
		if err := reader.Convert([]byte(markdown), &read); err != nil {
			t.Fatal(err)
		}
		doc, err := html.Parse(&read)
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range []string{markdown, textOf(doc)} {
			if diff := cmp.Diff(g.shown, wordOfPage.FindAllString(got, -1)); diff != "" {
				t.Fatalf("seed %d (-want +got):\n%s\n%s\n%s", seed, diff, page, markdown)
			}
		}
	}
}

var wordOfPage = regexp.MustCompile(`w\d+w`)

// pageWriter writes random pages, whose words are w0w, w1w and so on.
type pageWriter struct {
	rand *rand.Rand
	strings.Builder
	words  int
	shown  []string
	hidden int // elements around that are not shown
	links  int // links around: one in another ends that
}

func (g *pageWriter) one(of ...string) string { return of[g.rand.IntN(len(of))] }

// word writes a word beside characters that mean something in Markdown.
func (g *pageWriter) word() {
	w := fmt.Sprintf("w%dw", g.words)
	g.words++
	if g.hidden == 0 {
		g.shown = append(g.shown, w)
	}
	g.WriteString(g.one("", "", "", "- ", "# ", "1. ", "&gt; ", "| ", "* ", "` ", `\ `, "&lt;!-- ", "~~~ ", "~ ", "_", "[", "]( ", "+ ", "=== ", "--- ", "![ ") + w +
		g.one(" ", " ", "\n", "|", "`", "*", `\`, ". "))
}

// element writes an element and what is in it, and hides one in fourteen.
func (g *pageWriter) element(name string, in func()) {
	attributes := ""
	if g.rand.IntN(14) == 0 {
		attributes = g.one(" hidden", " style='display:none'", " style=visibility:hidden")
		g.hidden++
		defer func() { g.hidden-- }()
	}
	if name == "a" {
		attributes += g.one(" href=http://x/y", " href=#z")
		g.links++
		defer func() { g.links-- }()
	}
	g.WriteString("<" + name + attributes + ">")
	in()
	g.WriteString("</" + name + ">")
}

// times calls do one to three times.
func (g *pageWriter) times(do func()) {
	for range 1 + g.rand.IntN(3) {
		do()
	}
}

// line writes what stands within lines.
func (g *pageWriter) line(depth int) {
	g.times(func() {
		switch n := g.rand.IntN(10); {
		case n < 5 || depth == 0:
			g.word()
		case n == 9:
			g.WriteString("<br>")
		case n == 8 && g.links == 0:
			g.element("a", func() { g.line(depth - 1) })
		default:
			name := g.one("b", "i", "code", "span", "kbd", "sup", "sub", "em", "del", "var", "q", "small", "mark", "font", "abbr", "s", "strong", "tt")
			g.element(name, func() { g.line(depth - 1) })
		}
	})
}

// blocks writes what has lines of its own.
func (g *pageWriter) blocks(depth int) {
	if depth == 0 {
		g.line(2)
		return
	}
	line, blocks := func() { g.line(2) }, func() { g.blocks(depth - 1) }
	g.times(func() {
		switch name := g.one("p", "h2", "h3", "pre", "ul", "ol", "menu", "table", "dl", "details", "blockquote", "blockquote", "div", "section", "center", "figure", "fieldset", ""); name {
		case "":
			line()
		case "p", "h2", "h3", "pre":
			g.element(name, line)
		case "ul", "ol", "menu":
			g.element(name, func() { g.times(func() { g.element("li", blocks) }) })
		case "table":
			g.element(name, func() { g.rows(line, blocks) })
		case "dl":
			g.element(name, func() { g.element("dt", line); g.element("dd", blocks) })
		case "details":
			g.element(name, func() { g.element("summary", line); blocks() })
		default:
			g.element(name, blocks)
		}
	})
}

// rows writes the rows of a table. One in six cells has blocks.
func (g *pageWriter) rows(line, blocks func()) {
	cells := 1 + g.rand.IntN(3)
	g.times(func() {
		g.element("tr", func() {
			for range cells {
				in := line
				if g.rand.IntN(6) == 0 {
					in = blocks
				}
				g.element("td", in)
			}
		})
	})
}
