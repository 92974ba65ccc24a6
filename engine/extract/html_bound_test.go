package extract

import (
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

func TestBoundHTML(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]string{
		"open":    "<p>" + strings.Repeat("<b>", 400) + strings.Repeat("</p><p>x", 10_000),
		"foreign": "<svg><style>" + strings.Repeat("<g/>", 600_000),
		"heading": strings.Repeat("<h1>x", 600_000),
		"cells":   strings.Repeat("<b>", 400) + "<table><td>" + strings.Repeat("</b>", 400) + strings.Repeat("<p>x", 10_000),
	} {
		if err := boundHTML(t.Context(), page); quire.CodeOf(err) != quire.CodeTooLarge {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, page := range map[string]string{
		"words":   "<p>a < b, <b>and</b> " + strings.Repeat("word ", 2_000_000),
		"script":  "<script>for(i=0;i<n;i++){} rows=[" + strings.Repeat(`{"a": 1, "b": 2},`, 300_000) + "]</script>",
		"styles":  "<style>/* a<b */" + strings.Repeat("p { color: red }\n", 250_000) + "</style>",
		"comment": "<!-- the <img tag " + strings.Repeat("a word ", 700_000) + "-->",
		"path":    `<svg><path d="` + strings.Repeat("L 1.5 2.5 ", 600_000) + `"/></svg>`,
		"json":    `<p data-rows='[` + strings.Repeat(`{"a": 1, "b": 2},`, 300_000) + `]'>`,
		"picture": `<img src="data:image/png;base64,` + strings.Repeat("iVBOR/", 900_000) + `">`,
	} {
		if err := boundHTML(t.Context(), page); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := boundHTML(t.Context(), strings.Repeat("<p><b>x</b> <a href=y>z</a></p>", 50_000)); err != nil {
		t.Errorf("closed: %v", err)
	}
}
