package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is in a quote stays in it, whatever it is.
func TestQuotes(t *testing.T) {
	t.Parallel()
	wantPages(t, []pageTest{
		{"code", "<blockquote>a<pre>b\n\nc</pre>d</blockquote>e", "> a\n> \n> ```\n> b\n> \n> c\n> ```\n> \n> d\n\ne"},
		{"only code", "<blockquote><pre>\n\na\n  b\n</pre></blockquote>", "> ```\n> \n> a\n>   b\n> ```"},
		{"code in a quote in a quote", "<blockquote>a<blockquote><pre>b\nc</pre></blockquote></blockquote>", "> a\n> \n> > ```\n> > b\n> > c\n> > ```"},
		{"code in a list in a quote", "<blockquote><ol><li>a<pre>b\nc</pre><li>d</ol></blockquote>", "> 1. a\n> \n>    ```\n>    b\n>    c\n>    ```\n> 2. d"},
		{"code in a quote in a list", "<ul><li>a<blockquote><pre>b\nc</pre></blockquote></ul>", "- a\n  \n  > ```\n  > b\n  > c\n  > ```"},
		{"code in all of them", "<ul><li><blockquote><ul><li><blockquote><pre>a\nb</pre></blockquote></ul></blockquote></ul>", "- > - > ```\n  >   > a\n  >   > b\n  >   > ```"},
		{"table", "<blockquote><table><tr><th>a<tr><td>- b</table></blockquote>", "> | a |\n> |---|\n> | \\- b |"},
		{"heading", "<blockquote><h2># a #</h2>b</blockquote>", "> ## # a \\#\n> \n> b"},
		{"nothing", "a<blockquote> <p></p></blockquote>b", "a\n\nb"},
		{"breaks", "<blockquote>a<br><br><br>b<br></blockquote>", "> a\n> \n> b"},
		{"beginnings of lines", "<blockquote>- a<br>1. b<p># c<p>+ d<p>1) e<p>---<p>&gt; f<p>g<br>===<p>~~~<p>* h</blockquote>",
			"> \\- a  \n> 1\\. b\n> \n> \\# c\n> \n> \\+ d\n> \n> 1\\) e\n> \n> \\---\n> \n> &gt; f\n> \n> g  \n> \\===\n> \n> \\~~~\n> \n> \\* h"},
		{"of a quote in a quote", "<blockquote><blockquote># a</blockquote>- b</blockquote>", "> > \\# a\n> \n> \\- b"},
		{"of a list in a quote", "<blockquote><ul><li># a<br>- b<li>1. c</ul></blockquote>", "> - \\# a  \n>   \\- b\n> - 1\\. c"},
		{"of a quote in a list", "<ul><li>1. a<blockquote># b<br>- c</blockquote>- d</ul>", "- 1\\. a\n  \n  > \\# b  \n  > \\- c\n  \n  \\- d"},
		{"within lines", "<blockquote>a - b # c 1. d [e](f) `g` *h*</blockquote>", "> a - b # c 1. d \\[e](f) \\`g\\` \\*h*"},
	})
}

// The code of a page is the code of its Markdown, however it is nested.
func TestNestedCode(t *testing.T) {
	t.Parallel()
	code := []string{"a\n\n  b\n> c\n- d\n\n\n# e"}
	for _, open := range []string{"<blockquote>", "<ul><li>", "<ol start=9><li>a<li>b", "<blockquote><p>a</p>", "<div>"} {
		for _, in := range []string{"", "<blockquote>", "<ul><li>", "<ul><li>a<blockquote>b", "<blockquote><blockquote><ol><li>"} {
			_, text, err := fromHTML(t.Context(), open+in+"<pre>"+strings.ReplaceAll(code[0], ">", "&gt;")+"</pre>last")
			if err != nil {
				t.Fatal(err)
			}
			if _, got, _ := inMarkdown(text); !cmp.Equal(got, code) {
				t.Errorf("%s%s: %s", open, in, cmp.Diff(code, got))
			}
		}
	}
}
