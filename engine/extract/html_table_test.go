package extract

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestPagesThatGrow converts small pages that would become large ones: what is too much
// is laid out without a table or an address, and the words stay.
func TestPagesThatGrow(t *testing.T) {
	for name, page := range map[string]string{
		"a wide row and a long column": "<table><tr>" + strings.Repeat("<td>x", 10_000) + strings.Repeat("<tr><td>last", 20_000) + "</table>",
		"spans to the side":            "<table>" + strings.Repeat("<tr><td>last", 50_000) + "<tr><td colspan=5000>x</table>",
		"spans down":                   "<table><tr>" + strings.Repeat("<td rowspan=900 colspan=10>x", 1) + strings.Repeat("<tr><td>last", 100_000) + "</table>",
		"a link that is opened again":  `<div><a href="http://x.y/` + strings.Repeat("a", 1<<20) + `"></div>` + strings.Repeat("<p>last</p>", 4000),
		"a title that is opened again": `<div><a href="http://x.y/" title="` + strings.Repeat("a", 1<<20) + `"></div>` + strings.Repeat("<p>last</p>", 4000),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		_, text, err := fromHTML(t.Context(), page)
		runtime.ReadMemStats(&after)
		if err != nil || !strings.Contains(text, "last") {
			t.Errorf("%s: %v, %d bytes", name, err, len(text))
		}
		allocated := (after.TotalAlloc - before.TotalAlloc) >> 20
		t.Logf("%s: %d bytes became %d, %d MiB allocated in all, in %v", name, len(page), len(text), allocated, time.Since(began).Round(time.Millisecond))
		if len(text) > 32<<20 || allocated > 2000 {
			t.Errorf("%s: %d bytes became %d, %d MiB were allocated", name, len(page), len(text), allocated)
		}
	}
}

func TestTableSize(t *testing.T) {
	t.Parallel()
	_, text, err := fromHTML(t.Context(), "<table><tr><th>a<th>b<tr><td rowspan=2>c<td>d<tr><td>e</table>")
	if err != nil || !strings.Contains(text, "| a") {
		t.Errorf("%q, %v: want a table", text, err)
	}
}
