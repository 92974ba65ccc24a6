package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

func TestExtract(t *testing.T) {
	t.Parallel()
	list := func(level, num string) string {
		return `<w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="` + num + `"/></w:numPr>`
	}
	styles := `<w:styles ` + wordNamespace + `><w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>
		<w:style w:styleId="Mine"><w:basedOn w:val="berschrift2"/><w:name w:val="My own"/></w:style><w:style w:styleId="Liste"><w:pPr>` + list("0", "1") + `</w:pPr></w:style></w:styles>`
	numbering := `<w:numbering ` + wordNamespace + `><w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl>
		<w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num></w:numbering>`
	cell := func(s string) string { return "<w:tc>" + s + "</w:tc>" }
	row := func(cells ...string) string { return "<w:tr>" + strings.Join(cells, "") + "</w:tr>" }
	table := func(rows ...string) string { return "<w:tbl>" + strings.Join(rows, "") + "</w:tbl>" }
	tests := []struct {
		name, file, declared string
		data                 []byte
		want                 string
	}{
		{"text", "a.txt", "", []byte("a\r\nb"), "a\nb"},
		{"markdown", "a.md", "", []byte("---\ntitle: x\n---\n# A\n"), "# A\n"},
		{"html", "a.html", "", []byte("<h1>A</h1><script>x</script>b"), "# A\n\nb"},
		{"html by its type", "page", "text/html; charset=utf-8", []byte("<!-- a --><b>b"), "**b**"},
		{"html by its bytes", "a.bin", "", []byte("<!doctype html><p>b"), "b"},

		{"csv", "a.csv", "", []byte("Name,Berth,\nAda,\"7, north\",x\n\nBob,\"8\n\"\"south\"\"\",\n"), "Name: Ada\nBerth: 7, north\nColumn 3: x\n\nName: Bob\nBerth: 8 \"south\""},
		{"csv without headers", "a.csv", "", []byte("1,2\n3,4\n"), "Column 1: 1\nColumn 2: 2\n\nColumn 1: 3\nColumn 2: 4"},
		{"csv with semicolons", "a.csv", "", []byte("\ufeffName;Price\nRope;1,50\n"), "Name: Rope\nPrice: 1,50"},
		{"csv of one column", "a.csv", "", []byte("Name\nRope\n"), "Name: Rope"},
		{"only headers", "a.csv", "", []byte("Name,Price\n"), "Name\nPrice"},
		{"csv by its type", "a", "text/csv", []byte("Name,Price\nRope,1\n"), "Name: Rope\nPrice: 1"},
		{"no csv in spite of its type", "a.txt", "text/csv", []byte("Name,Price\nRope,1\n"), "Name,Price\nRope,1\n"},
		{"tsv", "a.tsv", "", []byte("Name\tPrice, net\nRope\t1\tmore\n"), "Name: Rope\nPrice, net: 1\nColumn 3: more"},

		{"pdf", "a.pdf", "", makePDF("Harbour dues\nare paid (by noon)", "# second page\n-"), "Harbour dues\nare paid (by noon)\n\n\\# second page\n\\-"},
		{"pdf with another name", "a.txt", "text/plain", makePDF("Harbour dues"), "Harbour dues"},

		{"docx", "a.docx", "", makeDOCX(t, para(`<w:pStyle w:val="Title"/>`, "Rules")+para("", "A rope &amp; ")+para(`<w:pStyle w:val="Heading3"/>`, " of it ")), "# Rules\n\nA rope &\n\n### of it"},
		{"docx with styles", "a.docx", "", makeDOCX(t, para(`<w:pStyle w:val="Mine"/>`, "Own")+para(`<w:outlineLvl w:val="0"/>`, "One")+para(`<w:pStyle w:val="Liste"/>`, "item"), "word/styles.xml", styles, "word/numbering.xml", numbering), "## Own\n\n# One\n\n1. item"},
		{"docx lists", "a.docx", "", makeDOCX(t, para(list("0", "1"), "a")+para(list("1", "1"), "b")+para(list("5", "1"), "c")+para(list("0", "1"), "d")+para("", "text")+para(list("0", "9"), "e")+para(list("0", "0"), "none"), "word/numbering.xml", numbering), "1. a\n    - b\n        - c\n2. d\n\ntext\n\n- e\n\nnone"},
		{"docx table", "a.docx", "", makeDOCX(t, table(row(cell(para("", "Berth")), cell(para("", "a|b")+para("", "c"))), row(`<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>`+para("", "wide")+"</w:tc>"), row(cell(table(row(cell(para("", "in")), cell(para("", "ner")))))))), "| Berth | a\\|b c |\n| --- | --- |\n| wide |  |\n| in ner |  |"},
		{"docx frame", "a.docx", "", makeDOCX(t, table(row(cell(para("", "a")+para("", "b"))))), "a\n\nb"},
		{"docx odds", "a.docx", "", makeDOCX(t, `<w:p><w:r><w:t>a</w:t><w:br/><w:t>b</w:t><w:tab/><w:t>c</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom></w:p>`+
			`<w:p><mc:AlternateContent><mc:Choice><w:txbxContent>`+para("", "box")+`</w:txbxContent></mc:Choice><mc:Fallback><w:t>twice</w:t></mc:Fallback></mc:AlternateContent><w:r><w:t>around</w:t></w:r></w:p>`+para("", "# not a heading")), "a\nb c\n\nbox\n\naround\n\n\\# not a heading"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := New(nil).Extract(t.Context(), quire.File{Name: tt.file, ContentType: tt.declared}, tt.data)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestExtractErrors(t *testing.T) {
	t.Parallel()
	locked := append([]byte(nil), makePDF("x")...)
	locked = append(locked, "trailer<</Encrypt 9 0 R>>"...)
	tests := []struct {
		name, file string
		data       []byte
		code       quire.Code
		says       string
	}{
		{"empty", "a.txt", nil, quire.CodeInvalid, "is empty"},
		{"empty csv", "a.csv", nil, quire.CodeInvalid, "is empty"},
		{"blank csv", "a.csv", []byte(",,\n,,\n"), quire.CodeInvalid, "holds no text"},
		{"binary csv", "a.csv", []byte("\x89PNG\r\n\x1a\n"), quire.CodeInvalid, "but image/png"},
		{"wide csv", "a.csv", []byte(strings.Repeat("a,", 1001)), quire.CodeInvalid, "has 1002 columns"},
		{"encrypted pdf", "a.pdf", locked, quire.CodeInvalid, "is an encrypted PDF"},
		{"cut pdf", "a.pdf", []byte("%PDF-1.7\n1 0 obj"), quire.CodeInvalid, "is a damaged PDF"},
		{"pictures", "a.pdf", makePDF(" "), quire.CodeInvalid, "may be pictures"},
		{"another archive", "a.docx", makeZip(t, "a", "b"), quire.CodeInvalid, "but application/zip"},
		{"cut archive", "a.docx", makeDOCX(t, "")[:100], quire.CodeInvalid, "damaged archive"},
		{"empty docx", "a.docx", makeDOCX(t, para("", " ")), quire.CodeInvalid, "holds no text"},
		{"broken docx", "a.docx", makeDOCX(t, "<w:p><w:t>a"), quire.CodeInvalid, "its XML cannot be read"},
		{"undefined entity", "a.docx", makeDOCX(t, "<w:p><w:t>&lol9;"), quire.CodeInvalid, "its XML cannot be read"},
		{"old office file", "a.doc", append(append([]byte(nil), office...), 0, 0), quire.CodeInvalid, "from before 2007"},
		{"image", "a.docx", []byte("\x89PNG\r\n\x1a\n"), quire.CodeInvalid, "but image/png"},
		{"much text", "a.csv", []byte("Name\n" + strings.Repeat("a\n", 400)), quire.CodeTooLarge, "more than 1000 bytes of text"},
		{"much text in a docx", "a.docx", makeDOCX(t, strings.Repeat(para("", "0123456789"), 200)), quire.CodeTooLarge, "more than 1000 bytes of text"},
		{"much text in a pdf", "a.pdf", makePDF(strings.Repeat("0123456789 ", 200)), quire.CodeTooLarge, "too large"},
		{"large", "a.txt", make([]byte, 100_001), quire.CodeTooLarge, "has 100001 bytes; the limit is 100000"},
	}
	for _, tt := range tests {
		got, err := New(&Options{MaxBytes: 100_000, MaxText: 1000}).Extract(t.Context(), quire.File{Name: tt.file}, tt.data)
		if got != "" || quire.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), tt.file) {
			t.Errorf("%s: got %q, %v; want %s with %q", tt.name, got, err, tt.code, tt.says)
		}
	}
}

// TestBombs reads archives that are much larger unpacked, or made to take long.
func TestBombs(t *testing.T) {
	spaces := strings.Repeat(" ", 100<<20)
	var words strings.Builder
	for i := range 300_000 {
		fmt.Fprintf(&words, "%d ", i)
	}
	var attributes strings.Builder // each once: the tokenizer keeps the first of each name
	for i := range 1_100_000 {
		fmt.Fprintf(&attributes, "a%d ", i)
	}
	many := make([]string, 0, 2*(maxEntries+10))
	for range maxEntries + 5 {
		many = append(many, "a", "")
	}
	for name, tt := range map[string]struct {
		data []byte
		code quire.Code
	}{
		"spaces":          {makeDOCX(t, spaces), quire.CodeTooLarge},
		"styles":          {makeDOCX(t, para("", "a"), "word/styles.xml", "<a>"+spaces), quire.CodeTooLarge},
		"text":            {makeDOCX(t, "<w:p><w:t>"+strings.Repeat("a", 60<<20)+"</w:t></w:p>"), quire.CodeTooLarge},
		"entries":         {makeZip(t, many...), quire.CodeInvalid},
		"depth":           {makeDOCX(t, strings.Repeat("<w:sdt>", 10_000)), quire.CodeInvalid},
		"wide cells":      {makeDOCX(t, "<w:tbl>"+strings.Repeat(`<w:tr><w:tc><w:tcPr><w:gridSpan w:val="200"/></w:tcPr><w:p/></w:tc></w:tr>`, 200_000)+"</w:tbl>"), quire.CodeTooLarge},
		"nested tables":   {makeDOCX(t, strings.Repeat("<w:tbl><w:tr><w:tc>", 60)+para("", words.String())+strings.Repeat("</w:tc></w:tr></w:tbl>", 60)), ""},
		"rows":            {makeDOCX(t, "<w:tbl>"+strings.Repeat("<w:tr/>", 8<<20)+"</w:tbl>"), quire.CodeTooLarge},
		"attributes":      {makeDOCX(t, "<w:p "+strings.Repeat(`a="" `, 150_000)+"/>"), quire.CodeTooLarge},
		"html attributes": {[]byte("<p " + attributes.String() + ">text</p>"), quire.CodeTooLarge},
		"csv headers":     {[]byte(strings.Repeat("h", 99) + "," + strings.Repeat("i", 99) + strings.Repeat("\na,b", 1<<20)), quire.CodeTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			file := quire.File{Name: "a.docx"}
			if kind, other, found := strings.Cut(name, " "); found && (kind == "csv" || kind == "html") && other != "" {
				file.Name = "a." + kind
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_, err := New(nil).Extract(t.Context(), file, tt.data)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if quire.CodeOf(err) != tt.code {
				t.Errorf("got %v, want the code %q", err, tt.code)
			}
			allocated, most := (after.TotalAlloc-before.TotalAlloc)>>20, uint64(2000)
			if file.Name == "a.html" {
				most = 100
			}
			if allocated > most {
				t.Errorf("allocated %d MiB", allocated)
			}
			t.Logf("%d bytes: %v after %v, %d MiB allocated in all", len(tt.data), err, took.Round(time.Millisecond), allocated)
		})
	}
}

func TestExtractCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, data := range [][]byte{[]byte("text"), makePDF("a"), makeDOCX(t, para("", "a"))} {
		if _, err := New(nil).Extract(ctx, quire.File{}, data); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

// checkExtracted holds a result to the contract of quire.Extractor.
func checkExtracted(t *testing.T, text string, err error) {
	t.Helper()
	switch code := quire.CodeOf(err); {
	case err == nil && (strings.TrimSpace(text) == "" || strings.ToValidUTF8(text, "") != text):
		t.Errorf("%q", text)
	case err != nil && (code != quire.CodeInvalid && code != quire.CodeTooLarge || text != ""):
		t.Errorf("%q, %v", text, err)
	}
}

func FuzzDOCX(f *testing.F) {
	f.Add(para(`<w:pStyle w:val="Heading1"/>`, "a"), `<w:style w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>`, `<w:num w:numId="1"/>`)
	f.Add(`<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="3"/></w:tcPr>`+para("", "a")+`</w:tc><w:tc><w:tbl><w:tr/></w:tbl></w:tc></w:tr></w:tbl>`, "", "")
	f.Add(`</w:p></w:tbl><w:tc></w:tc>`, `</w:style>`, `</w:num>`)
	f.Fuzz(func(t *testing.T, body, styles, numbering string) {
		data := makeDOCX(t, body, "word/styles.xml", styles, "word/numbering.xml", numbering)
		text, err := New(&Options{MaxText: 10_000}).Extract(t.Context(), quire.File{}, data)
		checkExtracted(t, text, err)
	})
}

func FuzzExtract(f *testing.F) {
	f.Add("a.csv", []byte("Name,Price\nRope,\"1\n"))
	f.Add("a.tsv", []byte("\xff\xfea\x00\t\x00"))
	f.Add("a.pdf", makePDF("a\nb"))
	f.Add("a.docx", makeDOCX(f, para("", "a")))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		text, err := New(&Options{MaxText: 10_000}).Extract(t.Context(), quire.File{Name: name}, data)
		checkExtracted(t, text, err)
	})
}

// TestHostileTables reads tables that are nothing but separators: a row is refused before
// its values fill the memory.
func TestHostileTables(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"one row":       {bytes.Repeat([]byte(","), 8<<20), "a row of more than 1024 KiB"},
		"behind quotes": {bytes.Repeat([]byte("x\","+strings.Repeat(",", 50_000)+"\"\n"), 60), "a row of more than 1024 KiB"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := New(nil).Extract(t.Context(), quire.File{Name: "a.csv"}, tt.data)
		runtime.ReadMemStats(&after)
		if quire.CodeOf(err) != quire.CodeInvalid || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		t.Logf("%s: %d KiB, %d KiB allocated", name, len(tt.data)>>10, (after.TotalAlloc-before.TotalAlloc)>>10)
	}
}
