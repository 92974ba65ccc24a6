package markup

import (
	"html"
	"strings"

	"github.com/microcosm-cc/bluemonday"
)

var strict = bluemonday.StrictPolicy()

// Plain renders Markdown as plain text: no markup, no tags, entities decoded. Code
// and the text of links and images stay; paragraphs, list items and table rows are
// on lines of their own, table cells are separated by a tab.
func Plain(markdown string) string {
	return strings.TrimSpace(html.UnescapeString(strict.Sanitize(HTML(markdown))))
}
