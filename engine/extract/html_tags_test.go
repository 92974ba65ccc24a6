package extract

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// manyAttributes reports whether a page has a tag of more attributes than most, where it has svg
// or math with all text as theirs.
func manyAttributes(page string, most int) bool {
	z := pageTokenizer{Tokenizer: html.NewTokenizer(strings.NewReader(page)), text: page, most: most}
	foreign := 0
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		switch name, _ := z.TagName(); {
		case string(name) != "svg" && string(name) != "math":
		case kind == html.EndTagToken:
			foreign--
		default:
			foreign++
		}
		if foreign > 0 {
			z.NextIsNotRawText()
		}
	}
	return z.many
}

// What is looked at before the tokenizer reads a tag sees the attributes that this sees, wherever they are.
func TestManyAttributes(t *testing.T) {
	t.Parallel()
	var names strings.Builder
	for i := range 50 {
		fmt.Fprintf(&names, "a%d ", i)
	}
	for _, page := range []string{
		"<p %s>", "<p\n%s", "</p %s>", "<p/%s>", "<p a=b %s>", `<p a=">" %s>`, "<p a='>' %s>", "<p a = '>'%s>", `<p a"> <b %s>`, "<!-- <p> --><p %s>",
		"<!--><p %s>", "<!---><p %s>", "<!-- --!><p %s>", "<script></script><p %s>", "<title>a</title x><p %s>", "<svg><style><p %s>", "<math><title><p %s>", "<scripts><p %s>", "<a<b %s>", "< p><p %s>", "<p ='\"' %s>",
	} {
		page := fmt.Sprintf(page, names.String())
		if !manyAttributes(page, 40) {
			t.Errorf("the attributes are not seen in %.60s", page)
		}
		z, most := html.NewTokenizer(strings.NewReader(page)), 0
		for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
			z.NextIsNotRawText()
			most = max(most, len(z.Token().Attr))
		}
		if most < 40 && !strings.HasPrefix(page, "</") && strings.HasSuffix(page, ">") {
			t.Errorf("the tokenizer sees %d attributes in %.60s", most, page)
		}
	}
	for _, page := range []string{
		"%s", "<!-- <p %s -->", "<script>a<b %s</script>", "<STYLE>a<b %s", `<p a="%s">`, "<p a = '%s'>", "< p %s>", "<1 %s>", "<title>a<p %s</title >", "<svg></svg><title>a<p %s</title>",
	} {
		if page := fmt.Sprintf(page, names.String()); manyAttributes(page, 40) {
			t.Errorf("attributes are seen in %.60s", page)
		}
	}
}

// Looking ahead takes time linear in the page.
func TestManyAttributesOfAnything(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, piece := range []string{"<!--", "<!-- --!>", "--", "<script>", "<title></", "<a", "<a '", "<a ='", "</", "<", "<svg>", "<p a=\"", "<title></title>"} {
		manyAttributes(strings.Repeat(piece, 8<<20/len(piece)), 1<<30)
		if ctx.Err() != nil {
			t.Fatalf("not linear in %q", piece)
		}
	}
}
