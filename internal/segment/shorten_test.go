package segment_test

import (
	"strings"
	"testing"

	"github.com/quirelib/quire/internal/segment"
)

func TestShorten(t *testing.T) {
	t.Parallel()
	const family = "👨\u200d👩\u200d👧"
	for _, tt := range []struct {
		in    string
		limit int
		want  string
	}{
		{"", 3, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "abc"},
		{"äöüß", 3, "äöü"},
		{"ab" + family, 3, "ab"},
		{"ab" + family, 7, "ab" + family},
		{"abe\u0301", 3, "ab"},
		{"e" + strings.Repeat("\u0301", 5), 3, "e\u0301\u0301"},
	} {
		if got := segment.Shorten(tt.in, tt.limit); got != tt.want {
			t.Errorf("Shorten(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
}
