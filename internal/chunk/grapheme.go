package chunk

import (
	"strings"
	"unicode/utf8"

	"github.com/quirelib/quire/internal/segment"
	"github.com/rivo/uniseg"
)

// nextCluster returns the length of the first grapheme cluster of text.
func nextCluster(text string) int {
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(text, -1)
	return len(cluster)
}

// clusterStart returns the last cluster boundary of text at or before pos, low
// being one.
func clusterStart(text string, low, pos int) int {
	start, _ := clusterAround(text, low, pos)
	return start
}

// clusterEnd returns the first cluster boundary of text at or behind pos, low being
// one.
func clusterEnd(text string, low, pos int) int {
	_, end := clusterAround(text, low, pos)
	return end
}

// clusterAround returns the boundaries of the cluster that pos is inside of, or pos
// twice if it is a boundary itself. low is a boundary at or before pos.
func clusterAround(text string, low, pos int) (start, end int) {
	at := pos
	for at > low && !isPlainBoundary(text, at) {
		at--
	}
	for at < pos {
		n := nextCluster(text[at:])
		if at+n > pos {
			return at, at + n
		}
		at += n
	}
	return pos, pos
}

// isPlainBoundary reports whether it is obvious that a cluster ends at pos: at the
// ends of the text and between two ASCII characters other than CR LF.
func isPlainBoundary(text string, pos int) bool {
	if pos == 0 || pos == len(text) {
		return true
	}
	before, after := text[pos-1], text[pos]
	return before < utf8.RuneSelf && after < utf8.RuneSelf && !(before == '\r' && after == '\n')
}

// headingText returns the text of a heading for a path: plain, and at most 200
// bytes of it.
func headingText(markdown string) string {
	const longestSource, longest = 2000, 200
	markdown = markdown[:clusterStart(markdown, 0, min(len(markdown), longestSource))]
	title := strings.ToValidUTF8(segment.Plain(markdown), "")
	return strings.TrimSpace(title[:clusterStart(title, 0, min(len(title), longest))])
}
