package httpapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// scripting are the elements that run, load, frame or restyle something.
var scripting = strings.Fields("script style iframe object embed applet frame frameset link meta base form button textarea select svg math template noscript xmp plaintext audio video source portal title")

// shown are the attributes whose values are text for the reader, and never addresses.
var shown = map[string]bool{"title": true, "alt": true}

// dangers parses HTML as a browser does, whole or as the content of a body, and
// returns what could run a script, or send the reader somewhere by itself.
func dangers(t *testing.T, text string, whole bool) []string {
	t.Helper()
	var roots []*html.Node
	var err error
	if whole {
		var doc *html.Node
		doc, err = html.Parse(strings.NewReader(text))
		roots = append(roots, doc)
	} else {
		roots, err = html.ParseFragment(strings.NewReader(text), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	}
	if err != nil {
		t.Fatalf("%.80q does not parse: %v", text, err)
	}
	var found []string
	for _, root := range roots {
		found = append(found, dangersOf(root, whole)...)
		for n := range root.Descendants() {
			found = append(found, dangersOf(n, whole)...)
		}
	}
	return found
}

func dangersOf(n *html.Node, whole bool) []string {
	if n.Type != html.ElementNode {
		return nil
	}
	var found []string
	page := whole && slices.Contains([]string{"style", "title", "meta"}, n.Data) // a page of ours has these
	if slices.Contains(scripting, n.Data) && !page {
		found = append(found, "<"+n.Data+">")
	}
	for _, a := range n.Attr {
		switch {
		case strings.HasPrefix(a.Key, "on"), a.Key == "srcdoc", a.Key == "http-equiv", a.Key == "style" && !whole, !shown[a.Key] && runs(a.Val):
			found = append(found, fmt.Sprintf("<%s %s=%q>", n.Data, a.Key, a.Val))
		}
	}
	return found
}

// runs reports whether the value of any attribute, taken as an address, runs
// something. White space and control characters do not keep a browser from it.
func runs(value string) bool {
	u := strings.ToLower(strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f || r == 0xa0 {
			return -1
		}
		return r
	}, value))
	image := slices.ContainsFunc([]string{"png", "jpeg", "gif", "webp"}, func(kind string) bool {
		return strings.HasPrefix(u, "data:image/"+kind+";") || strings.HasPrefix(u, "data:image/"+kind+",")
	})
	return strings.HasPrefix(u, "javascript:") || strings.HasPrefix(u, "vbscript:") || strings.HasPrefix(u, "data:") && !image
}

// htmlIn calls fn with every text of an answer whose key says that it is HTML.
func htmlIn(v any, fn func(text string)) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if text, ok := value.(string); ok && strings.HasSuffix(key, "_html") {
				fn(text)
			}
			htmlIn(value, fn)
		}
	case []any:
		for _, value := range v {
			htmlIn(value, fn)
		}
	}
}

func TestDangers(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"<script>x</script>", "<p onclick=x>", "<a href=javascript:x>", "<a href=' java&#10;script:x'>", "<img src=data:image/svg+xml,x>", "<svg></svg>",
		"<a unknown='data:text/html,x'>", "<iframe></iframe>", "<p style=x>", "<meta http-equiv=refresh>",
	} {
		if len(dangers(t, bad, false)) == 0 {
			t.Errorf("nothing in %q", bad)
		}
	}
	for _, good := range []string{"<p>javascript:</p>", "<a href='https://example.org/?javascript:'>x</a>", "<img src='data:image/png;base64,AA=='>", "&lt;script&gt;", "<b title='javascript:x'>x</b>"} {
		if found := dangers(t, good, false); len(found) > 0 {
			t.Errorf("%q in %q", found, good)
		}
	}
}
