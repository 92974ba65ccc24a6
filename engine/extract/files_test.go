package extract

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// The files of these tests are made here, so that every byte of them is known.

const wordNamespace = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`

// makeZip makes an archive of parts, name and content in turn.
func makeZip(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(parts[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// makeDOCX makes a file with that body.
func makeDOCX(t testing.TB, body string, parts ...string) []byte {
	t.Helper()
	return makeZip(t, append([]string{
		"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
		"word/document.xml", `<?xml version="1.0"?><w:document ` + wordNamespace + `><w:body>` + body + `</w:body></w:document>`,
	}, parts...)...)
}

// para is a paragraph with properties.
func para(properties, text string) string {
	return `<w:p><w:pPr>` + properties + `</w:pPr><w:r><w:t xml:space="preserve">` + text + `</w:t></w:r></w:p>`
}

// makePDF makes a file with a page for each text, whose lines are lines of the page.
func makePDF(pages ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n")
	kids := ""
	for i, page := range pages {
		text := strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`, "\n", ") Tj T* (").Replace(page)
		content := "BT /F 12 Tf 14 TL 72 720 Td (" + text + ") Tj ET"
		fmt.Fprintf(&b, "%d 0 obj<</Type/Page/Parent 2 0 R/Contents %d 0 R>>endobj\n", 10+2*i, 11+2*i)
		fmt.Fprintf(&b, "%d 0 obj<</Length %d>>stream\n%s\nendstream endobj\n", 11+2*i, len(content), content)
		kids += fmt.Sprintf("%d 0 R ", 10+2*i)
	}
	fmt.Fprintf(&b, "2 0 obj<</Type/Pages/Count %d/Kids[%s]/Resources<</Font<</F 3 0 R>>>>>>endobj\n", len(pages), kids)
	b.WriteString("3 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>endobj\n")
	b.WriteString("trailer<</Root 1 0 R>>\n%%EOF\n")
	return b.Bytes()
}
