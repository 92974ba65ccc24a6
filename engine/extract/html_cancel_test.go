package extract

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

// TestHTMLCancelled cancels the reading of pages that are as large as the bounds allow, at
// several moments: it ends within a second, or on a machine with much else to do within
// half of the time that the whole page takes.
func TestHTMLCancelled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes up to a minute")
	}
	for name, page := range map[string]string{
		"table":      "<table>" + strings.Repeat("<tr><td>cell|x<td>other</tr>", 80_000) + "</table>",
		"text":       "<p>" + strings.Repeat("words * and _ more < things\n", DefaultMaxBytes/28-1),
		"paragraphs": strings.Repeat("<p>"+strings.Repeat("word [x] *y* ", 5)+"</p>\n", 120_000),
	} {
		t.Run(name, func(t *testing.T) {
			file := quire.File{Name: "a.html"}
			begin := time.Now()
			if _, err := New(nil).Extract(t.Context(), file, []byte(page)); err != nil {
				t.Fatal(err)
			}
			whole := time.Since(begin)
			limit := max(time.Second, whole/2)
			var slowest time.Duration
			for part := range 5 {
				ctx, cancel := context.WithCancel(t.Context())
				cancelled := make(chan time.Time, 1)
				time.AfterFunc(whole*time.Duration(part)/6, func() {
					cancelled <- time.Now()
					cancel()
				})
				text, err := New(nil).Extract(ctx, file, []byte(page))
				took := time.Since(<-cancelled)
				if slowest = max(slowest, took); err == nil && took < limit {
					continue // it was quicker this time
				}
				if text != "" || !errors.Is(err, context.Canceled) || took > limit {
					t.Errorf("cancelled after %d sixths: %d bytes, %v after %v; the limit is %v", part, len(text), err, took, limit)
				}
			}
			t.Logf("%d bytes in %v, cancelled within %v", len(page), whole.Round(time.Millisecond), slowest.Round(time.Millisecond))
		})
	}
}

// TestConvertCancelled: nothing is read of a page once the context has ended.
func TestConvertCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, text, err := fromHTML(ctx, "<p>text"); text != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("%q, %v", text, err)
	}
}
