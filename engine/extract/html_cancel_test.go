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
			begin := time.Now()
			if _, err := New(nil).Extract(t.Context(), quire.File{Name: "a.html"}, []byte(page)); err != nil {
				t.Fatal(err)
			}
			whole := time.Since(begin)
			limit := max(time.Second, whole/2)
			var slowest time.Duration
			for part := range 5 {
				var took time.Duration
				for range 3 { // the machine may have been busy elsewhere
					if took = cancelled(t, page, whole*time.Duration(part)/6); took <= limit {
						break
					}
				}
				if slowest = max(slowest, took); took > limit {
					t.Errorf("cancelled after %d sixths: ended after %v; the limit is %v", part, took, limit)
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

// cancelled cancels the reading of a page after some time and returns how long it went on.
func cancelled(t *testing.T, page string, after time.Duration) time.Duration {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	at := make(chan time.Time, 1)
	time.AfterFunc(after, func() {
		at <- time.Now()
		cancel()
	})
	text, err := New(nil).Extract(ctx, quire.File{Name: "a.html"}, []byte(page))
	took := time.Since(<-at)
	if err != nil && (text != "" || !errors.Is(err, context.Canceled)) {
		t.Errorf("cancelled after %v: %d bytes, %v", after, len(text), err)
	}
	return took
}
