package extract

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"
)

// growing are pages of any length by which reading once took quadratic time or memory, or a
// multiple of how deep something is nested.
var growing = map[string]func(n int) string{
	"breaks in a table":     func(n int) string { return "<table><tr><td>" + repeated("A line of text.<br>\n", n) },
	"breaks in cells":       func(n int) string { return "<table>" + repeated("<tr><td>x<br>y<br>z<td>w", n) },
	"links between texts":   func(n int) string { return repeated("word word word <link>", n) },
	"metas between texts":   func(n int) string { return repeated("a<meta>b<base>c<title></title>d<noembed></noembed>", n) },
	"bold texts":            func(n int) string { return repeated("<b>word word</b><i>word word</i>", n) },
	"spans between texts":   func(n int) string { return repeated("<span>word word</span>", n) },
	"open brackets":         func(n int) string { return "<p>" + repeated("a [ b ", n) },
	"brackets to one":       func(n int) string { return "<p>" + repeated("[", n) + "]" },
	"brackets in a list":    func(n int) string { return "<ul><li>" + repeated("[", n) },
	"rows that are spanned": func(n int) string { return "<table><tr>" + repeated("<td>", n) + "<td rowspan=9999>x</table>" },
	"columns are spanned":   func(n int) string { return "<table><tr>" + repeated("<td colspan=2>", n/9) + repeated("<td>x", n/9) },
	"rows are spanned":      func(n int) string { return "<table>" + repeated("<tr><td rowspan=9>x<td>y<td rowspan=2>z", n) },
	"nested headings":       func(n int) string { return strings.Repeat("<h1><div>", 200) + repeated("x<br>", n) },
	"headings of formulas":  func(n int) string { return strings.Repeat("<h2><mtext>", 200) + repeated("x<br>", n) },
	"headings in bold":      func(n int) string { return strings.Repeat("<b><h2><div>", 150) + repeated("x<br>", n) },
	"struck headings":       func(n int) string { return strings.Repeat("<s><h2><i>", 150) + repeated("x<br>", n) },
	"nested lists":          func(n int) string { return strings.Repeat("<ul><li>", 16) + "<pre>" + repeated("x\n", n) },
	"numbered lists": func(n int) string {
		return strings.Repeat("<ol start=99999999><li>", 16) + "<pre>" + repeated("x\n", n)
	},
	"nested spans":     func(n int) string { return strings.Repeat("<span>", 400) + repeated("x<wbr>", n) },
	"nested places":    func(n int) string { return strings.Repeat("<a href=#x><div>", 200) + repeated("x<wbr>", n) },
	"nested links":     func(n int) string { return strings.Repeat("<a href=http://x><div>", 200) + repeated("x<wbr>", n) },
	"nested code":      func(n int) string { return strings.Repeat("<code><div>", 200) + repeated("x<wbr>", n) },
	"nested exponents": func(n int) string { return strings.Repeat("<sup>", 400) + repeated(" <wbr>", n) + "x" },
	"buttons":          func(n int) string { return "<h1>" + repeated("<button>x</button>", n) },
	"nested buttons": func(n int) string {
		return strings.Repeat("<dl><dt><button><object>", 80) + repeated("x<wbr>", n)
	},
	"nested fractions": func(n int) string { return "<math>" + repeated("<mfrac>", n) + "<mi>" + repeated("x ", n) },
	"nested exponents of nothing": func(n int) string {
		return "<math>" + repeated("<msup><mrow/><mrow>", n) + "<mi>x</mi>" + strings.Repeat("x", n) + "<mi>x</mi>"
	},
	"nested tables": func(n int) string { return strings.Repeat("<table><tr><td>", 120) + repeated("x<wbr>", n) },
}

// long skips a test where only short ones run.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes up to a minute")
	}
}

// repeated is a piece of a page as often as it has room in n bytes.
func repeated(piece string, n int) string { return strings.Repeat(piece, n/len(piece)) }

// TestPagesAreLinear: of a page four times as long, reading takes four times as long and allocates
// four times as much, and not the square of it, which is 16 times.
func TestPagesAreLinear(t *testing.T) {
	long(t)
	const most = 9
	for name, page := range growing {
		size := 24 << 10
		short, long := page(size), page(4*size)
		var allocated, took float64
		shortest, longest := time.Hour, time.Hour
		for range 4 { // the machine may have been busy elsewhere
			m, d := reading(t, short)
			m4, d4 := reading(t, long)
			shortest, longest = min(shortest, d), min(longest, d4)
			allocated, took = m4/m, float64(longest)/float64(max(shortest, 20*time.Millisecond))
			if took <= most {
				break
			}
		}
		t.Logf("%s: of %d bytes %.1f times as much is allocated, in %.1f times the time", name, len(long), allocated, took)
		if allocated > most || took > most {
			t.Errorf("%s: of a page 4 times as long %.1f times as much is allocated, in %.1f times the time", name, allocated, took)
		}
	}
}

// reading returns what is allocated to read a page, and the shortest time that it took.
func reading(t *testing.T, page string) (allocated float64, took time.Duration) {
	t.Helper()
	var before, after runtime.MemStats
	for i := range 2 {
		runtime.ReadMemStats(&before)
		begin := time.Now()
		if _, _, err := fromHTML(t.Context(), page); err != nil {
			t.Fatalf("%.40s: %v", page, err)
		}
		if d := time.Since(begin); i == 0 || d < took {
			took = d
		}
		runtime.ReadMemStats(&after)
	}
	return float64(after.TotalAlloc - before.TotalAlloc), took
}

// TestNestingIsLinear: what is nested deep takes about as long as what is not.
func TestNestingIsLinear(t *testing.T) {
	long(t)
	lines := repeated("x<wbr>y<br>", 128<<10)
	_, flat := reading(t, lines)
	for _, nested := range []string{
		"<span>", "<x-a>", "<a href=#x><div>", "<a href=http://x><div>", "<sup>", "<h1><div>", "<h2><mtext>", "<b><h3><div>", "<code><div>", "<kbd><p>", "<del><div>",
		"<b><i><s>", "<div>", "<center>", "<font>", "<dl><dt>", "<dl><dd>", "<table><tr><td>", "<summary>",
	} {
		page := strings.Repeat(nested, 360/strings.Count(nested, "<")) + lines
		var took time.Duration
		for range 4 { // the machine may have been busy elsewhere
			if _, took = reading(t, page); took < 15*flat {
				break
			}
		}
		_, text, _ := fromHTML(t.Context(), page)
		t.Logf("%s: %.1f times the time, %d bytes", nested, float64(took)/float64(flat), len(text))
		if took > 15*flat || len(text) > 4*len(page) {
			t.Errorf("%s nested: %.1f times the time, %d bytes became %d", nested, float64(took)/float64(flat), len(page), len(text))
		}
	}
}

// TestIndentation: lists indent within bounds, and all text stays.
func TestIndentation(t *testing.T) {
	long(t)
	for _, open := range []string{"<ul><li>", "<ol><li>", "<ol start=1000000000000000000><li>", "<ol start=100000000><li>", "<blockquote>"} {
		page := strings.Repeat(open, 16) + "<pre>" + repeated("x\n", 1<<20) + "</pre>last"
		_, text, err := fromHTML(t.Context(), page)
		if err != nil || len(text) > len(page)+maxIndented+1<<10 || strings.Count(text, "x") != 1<<19 || !strings.HasSuffix(text, "last") {
			t.Errorf("%s: %v, %d bytes became %d", open, err, len(page), len(text))
		}
	}
}

// TestNestedCancelled: what is left out of deep nesting is not gone through once the context has ended.
func TestNestedCancelled(t *testing.T) {
	long(t)
	for _, nested := range []string{"<span>", "<x-a>", "<sup>", "<h1><div>", "<a href=#><div>", "<b><h1><div>"} {
		page := strings.Repeat(nested, 360/strings.Count(nested, "<")) + repeated("x<wbr>", 1<<20)
		begin := time.Now()
		if _, _, err := fromHTML(t.Context(), page); err != nil {
			t.Fatal(err)
		}
		whole := time.Since(begin)
		ctx, cancel := context.WithTimeout(t.Context(), whole/4)
		begin = time.Now()
		_, _, err := fromHTML(ctx, page)
		cancel()
		if took := time.Since(begin); err != nil && took > whole/4+max(time.Second, whole/2) {
			t.Errorf("%s: of %v it took %v though it was cancelled after a quarter", nested, whole, took)
		}
	}
}
