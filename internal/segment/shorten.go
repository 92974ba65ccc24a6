package segment

import (
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Shorten returns the longest beginning of s that has at most limit code points and
// ends at a boundary of grapheme clusters (UAX #29); a first cluster that is longer
// than that is cut.
func Shorten(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	end, count := 0, 0
	for rest, state := s, -1; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if count += utf8.RuneCountInString(cluster); count > limit {
			break
		}
		end += len(cluster)
	}
	if end > 0 {
		return s[:end]
	}
	return string([]rune(s)[:limit])
}
