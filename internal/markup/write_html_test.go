package markup

import (
	"html"
	"io"
	"strings"
	"testing"
)

// longest is a writer that remembers what it was given and the longest part of it.
type longest struct {
	strings.Builder
	part int
}

func (l *longest) Write(p []byte) (int, error) { return l.WriteString(string(p)) }

func (l *longest) WriteString(s string) (int, error) {
	l.part = max(l.part, len(s))
	return l.Builder.WriteString(s)
}

var _ io.StringWriter = (*longest)(nil)

// What is too long to be parsed is escaped a part at a time, wherever the parts end.
func TestWriteHTML(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"&", "<b>", "é\"", "日本\x00", "\xff ", "a\n"} {
		text := repeat(piece, 3<<20)
		var got longest
		if err := WriteHTML(&got, text); err != nil {
			t.Fatal(err)
		}
		want := "<pre>" + html.EscapeString(validUTF8(text)) + "</pre>\n"
		if got.String() != want || HTML(text) != want {
			t.Errorf("%q repeated is not what it is escaped at once", piece)
		}
		if got.part > 256<<10 {
			t.Errorf("%q repeated: a part of %d bytes", piece, got.part)
		}
	}
	var short longest
	if err := WriteHTML(&short, "*a*"); err != nil || short.String() != HTML("*a*") {
		t.Errorf("a short text: %q, %v", short.String(), err)
	}
}
