package extract

import (
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

func TestConformance(t *testing.T) {
	file := func(name, declared string) quire.File { return quire.File{Name: name, ContentType: declared} }
	enginetest.RunExtractor(t, []enginetest.FileSample{
		{File: file("a.txt", "text/plain; charset=utf-8"), Data: []byte("plain\r\nwords"), Want: "plain\nwords"},
		{File: file("a.md", ""), Data: []byte("# Marked\n\nwords"), Want: "# Marked"},
		{File: file("a.html", "text/html"), Data: []byte("<title>t</title><p>paged <b>words</b>"), Want: "paged **words**"},
		{File: file("a.csv", "text/csv"), Data: []byte("Name,Price\r\nRope,1\r\n"), Want: "Name: Rope\nPrice: 1"},
		{File: file("a.tsv", ""), Data: []byte("Name\tPrice\nRope\t1\n"), Want: "Name: Rope"},
		{File: file("a.pdf", "application/pdf"), Data: makePDF("Harbour dues\nare paid", "second"), Want: "Harbour dues"},
		{File: file("a.docx", ""), Data: makeDOCX(t, para(`<w:pStyle w:val="Heading1"/>`, "Rules")+para("", "of ropes")), Want: "# Rules"},
	}, func(testing.TB) quire.Extractor { return New(nil) })
}
