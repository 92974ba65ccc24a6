package markup

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"

	"github.com/microcosm-cc/bluemonday"
)

// policy lists what HTML may hold; everything else goes. It allows no id and no
// name, because those can shadow variables of the page that shows the HTML.
var policy = newPolicy()

// linkURL matches what may stand in a link: http, https and mailto URLs, and
// relative ones. The policy itself cannot tell links from images, and only images
// may be data: URLs.
var linkURL = regexp.MustCompile(`(?i)^\s*(?:(?:https?|mailto):|[^:/?#]*(?:[/?#]|$))`)

func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "wbr", "div", "span", "pre", "blockquote",
		"article", "aside", "section", "figure", "figcaption", "details", "summary", "dl", "dt", "dd", "ruby", "rb", "rp", "rt",
		"abbr", "b", "bdi", "bdo", "cite", "code", "del", "dfn", "em", "i", "ins", "kbd", "mark", "q", "s", "samp", "small",
		"strike", "strong", "sub", "sup", "time", "tt", "u", "var")
	p.AllowLists()
	p.AllowTables()
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("open").Matching(regexp.MustCompile(`^(?:open)?$`)).OnElements("details")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^language-[\w+#.-]+$`)).OnElements("code")
	p.AllowAttrs("dir").Matching(bluemonday.Direction).Globally()
	p.AllowAttrs("lang").Matching(regexp.MustCompile(`^[a-zA-Z]{2,8}(?:-[a-zA-Z0-9]{1,8})*$`)).Globally()
	p.AllowAttrs("title").Globally()

	// The boxes of task lists.
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").Matching(regexp.MustCompile(`^$`)).OnElements("input")

	p.AllowAttrs("href").Matching(linkURL).OnElements("a")
	p.AllowAttrs("src").OnElements("img")
	p.AllowAttrs("alt").OnElements("img")
	p.AllowAttrs("width", "height").Matching(bluemonday.NumberOrPercent).OnElements("img")
	p.AllowStandardURLs() // http, https, mailto and relative ones, rel="nofollow" on links
	p.AllowURLSchemeWithCustomPolicy("data", isImageData)

	// Text in elements that are not allowed stays. Of script and style it does not.
	p.AllowElementsContent("frame", "frameset", "iframe", "noembed", "noframes", "noscript", "nostyle", "object")
	return p
}

var imageData = regexp.MustCompile(`(?i)^image/(?:png|jpeg|gif|webp);base64,`)

// isImageData reports whether a data: URL is an image in a format that can hold no
// script, which SVG can.
func isImageData(u *url.URL) bool {
	prefix := imageData.FindString(u.Opaque)
	if prefix == "" || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	_, err := base64.StdEncoding.DecodeString(u.Opaque[len(prefix):])
	return err == nil
}

// Sanitize returns the safe part of an HTML fragment, by the rules of [HTML]. Its
// tags are balanced: it cannot close or leave open an element of the page that it
// is put into.
func Sanitize(fragment string) string {
	return balance(follow(policy.Sanitize(fragment)))
}

// follow completes the rel attribute of links. The policy escapes every quote in
// text and values and lets no other rel pass, so this finds nothing else.
func follow(clean string) string {
	return strings.ReplaceAll(clean, ` rel="nofollow"`, ` rel="nofollow noopener"`)
}
