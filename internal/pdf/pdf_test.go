package pdf

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/ascii85"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// builder writes a PDF object by object.
type builder struct {
	bytes.Buffer
	places []int
}

func newBuilder() *builder {
	b := &builder{}
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	return b
}

// object adds the next object, numbered from 1.
func (b *builder) object(s string) {
	b.places = append(b.places, b.Len())
	fmt.Fprintf(b, "%d 0 obj\n%s\nendobj\n", len(b.places), s)
}

func (b *builder) end(trailer string) []byte {
	at := b.Len()
	fmt.Fprintf(b, "xref\n0 %d\n0000000000 65535 f \n", len(b.places)+1)
	for _, p := range b.places {
		fmt.Fprintf(b, "%010d 00000 n \n", p)
	}
	fmt.Fprintf(b, "trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", len(b.places)+1, trailer, at)
	return b.Bytes()
}

func plainStream(s string) string {
	return fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(s), s)
}

func deflated(s string) string {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return z.String()
}

func flateStream(s, more string) string {
	z := deflated(s)
	return fmt.Sprintf("<</Length %d/Filter/FlateDecode%s>>\nstream\n%s\nendstream", len(z), more, z)
}

// document has one page for each content stream, the given font as F, and further
// objects from number 5+2n on.
func document(font string, contents []string, more ...string) []byte {
	b := newBuilder()
	b.object("<</Type/Catalog/Pages 2 0 R>>")
	var kids strings.Builder
	for i := range contents {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
	}
	b.object(fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]/Resources<</Font<</F 3 0 R>>/XObject<</X %d 0 R>>>>>>", len(contents), &kids, 4+2*len(contents)))
	b.object(font)
	for i, c := range contents {
		b.object(fmt.Sprintf("<</Type/Page/Parent 2 0 R/Contents %d 0 R>>", 5+2*i))
		b.object(c)
	}
	for _, o := range more {
		b.object(o)
	}
	return b.end("")
}

const helvetica = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"

func read(t *testing.T, data []byte) []string {
	t.Helper()
	texts, err := Text(t.Context(), data, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func TestText(t *testing.T) {
	t.Parallel()
	one := func(s string) []string { return []string{plainStream("BT /F 12 Tf 72 700 Td " + s + " ET")} }
	toUnicode := plainStream(`begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange
		2 beginbfchar <0003> <0020> <0010> <D83DDE00> endbfchar
		2 beginbfrange <0041> <0043> <0061> <0050> <0051> [<00660069> <4E2D>] endbfrange endcmap`)
	composite := "<</Type/Font/Subtype/Type0/Encoding/Identity-H/ToUnicode 6 0 R/DescendantFonts[<</DW 1000/W[65[500 500] 80 81 700]>>]>>"
	differences := "<</Type/Font/Subtype/Type1/Encoding<</Differences[1/eacute/fi/uni4E2D/Lslash/a.sc 32/space]>>>>"
	tests := []struct {
		name string
		data []byte
		want []string
	}{
		{"one line", document(helvetica, one("(Harbour dues) Tj")), []string{"Harbour dues"}},
		{"escapes", document(helvetica, one(`(a\(b\)\\ (c) \101\
\344) Tj`)), []string{`a(b)\ (c) Aä`}},
		{"hex", document(helvetica, one("<48 656C6c 6F2> Tj")), []string{"Hello"}},
		{"kerning", document(helvetica, one("[(W)80(ater)-300(line)] TJ")), []string{"Water line"}},
		{"lines", document(helvetica, one("(one) Tj 0 -14 Td (two) Tj 14 TL T* (three) Tj (four) '")), []string{"one\ntwo\nthree\nfour"}},
		{"paragraphs", document(helvetica, one("(one) Tj 0 -30 Td (two) Tj")), []string{"one\n\ntwo"}},
		{"words by place", document(helvetica, one("(one) Tj 60 0 Td (two) Tj")), []string{"one two"}},
		{"word by matrix", document(helvetica, one("1 0 0 1 72 700 Tm (one) Tj 1 0 0 1 120 700 Tm (two) Tj 1 0 0 1 72 686 Tm (three) Tj")), []string{"one two\nthree"}},
		{"hyphens", document(helvetica, one("(exam-) Tj 0 -14 Td (ple of A-) Tj 0 -14 Td (B) Tj")), []string{"example of A-\nB"}},
		{"two pages", document(helvetica, []string{plainStream("BT /F 9 Tf (one) Tj ET"), plainStream("q"), plainStream("BT /F 9 Tf (two) Tj ET")}), []string{"one", "two"}},
		{"deflated", document(helvetica, []string{flateStream("BT /F 12 Tf (packed) Tj ET", "")}), []string{"packed"}},
		{"cut short", cutAt(document(helvetica, []string{flateStream("BT /F 12 Tf (packed) Tj ET", "")}), "endstream"), []string{"packed"}},
		{"composite", document(composite, one("<0041 0042 0043 0003 0010 0050 0051> Tj"), toUnicode), []string{"abc 😀fi中"}},
		{"differences", document(differences, one(`(\001\002\003 \004\005b) Tj`)), []string{"éfi中 Łab"}},
		{"form", document(helvetica, one("(before) Tj ET /X Do BT /F 12 Tf 0 600 Td (after) Tj"), strings.Replace(plainStream("BT /F 12 Tf 72 686 Td (inside) Tj ET"), "<<", "<</Subtype/Form", 1)), []string{"before\ninside\n\nafter"}},
		{"inline image", document(helvetica, one("(a) Tj ET BI /W 1 /H 1 ID \x00(EIx) EI BT /F 12 Tf 72 600 Td (b) Tj")), []string{"a\n\nb"}},
		{"unknown operators", document(helvetica, one("1 2 3 xyz ] >> (a) Tj /P <</MCID 0>> BDC (b) Tj EMC")), []string{"ab"}},
		{"no cross-reference table", bytes.ReplaceAll(document(helvetica, one("(a) Tj")), []byte("xref"), []byte("fxer")), []string{"a"}},
		{"no catalogue", bytes.ReplaceAll(document(helvetica, []string{plainStream("q")}), []byte("/Root"), []byte("/Toor")), nil},
		{"bytes before it", append([]byte("From: a mailer\n"), document(helvetica, one("(a) Tj"))...), []string{"a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Text(t.Context(), tt.data, 1<<20)
			if tt.want == nil && errors.Is(err, ErrNoText) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestObjectStream reads a file of the newer kind: objects in a stream, and a later
// change of one of them behind it.
func TestObjectStream(t *testing.T) {
	t.Parallel()
	b := newBuilder()
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]>>",
		"<</Type/Page/Contents 6 0 R/Resources<</Font<</F 4 0 R>>>>>>", helvetica}
	var head, body strings.Builder
	for i, o := range objects {
		fmt.Fprintf(&head, "%d %d ", i+1, body.Len())
		body.WriteString(o + " ")
	}
	all := head.String() + body.String()
	b.places = make([]int, 4)
	b.object(flateStream(all, fmt.Sprintf("/Type/ObjStm/N 4/First %d", head.Len())))
	b.object(flateStream("BT /F 12 Tf (old) Tj ET", ""))
	b.object("<</Type/XRef/Root 1 0 R/Length 0>>\nstream\n\nendstream")
	if got := read(t, b.Bytes()); !cmp.Equal(got, []string{"old"}) {
		t.Errorf("%q", got)
	}
	fmt.Fprintf(b, "6 0 obj\n%s\nendobj\n", plainStream("BT /F 12 Tf (new) Tj ET"))
	if got := read(t, b.Bytes()); !cmp.Equal(got, []string{"new"}) {
		t.Errorf("%q after the change", got)
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	const want = "BT /F 12 Tf (filtered) Tj ET"
	rows := "\x02" + want[:14] + "\x02" + differ(want[14:], want[:14])
	for name, s := range map[string]string{
		"hex in hex": filtered("[/ASCIIHexDecode/AHx]", fmt.Sprintf("%X>", fmt.Sprintf("%X>", want))),
		"ascii85":    filtered("/ASCII85Decode", "<~"+in85(want)+"~>"),
		"run length": filtered("/RunLengthDecode", string(rune(len(want)-1))+want+"\x80"),
		"predictor":  flateStream(rows, "/DecodeParms<</Predictor 12/Columns 14>>"),
	} {
		if got := read(t, document(helvetica, []string{s})); !cmp.Equal(got, []string{"filtered"}) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func in85(s string) string {
	b := make([]byte, ascii85.MaxEncodedLen(len(s)))
	return string(b[:ascii85.Encode(b, []byte(s))])
}

func cutAt(data []byte, word string) []byte {
	before, _, _ := bytes.Cut(data, []byte(word))
	return before
}

func filtered(filter, data string) string {
	return fmt.Sprintf("<</Filter%s/Length %d>>\nstream\n%s\nendstream", filter, len(data), data)
}

// differ is what the predictor Up makes of a row below another one.
func differ(row, above string) string {
	var b []byte
	for i := range len(row) {
		b = append(b, row[i]-above[i])
	}
	return string(b)
}

func TestRefused(t *testing.T) {
	t.Parallel()
	page := func(s string) []byte { return document(helvetica, []string{plainStream(s)}) }
	encrypted := newBuilder()
	encrypted.object("<</Type/Catalog/Pages 2 0 R>>")
	for name, tt := range map[string]struct {
		data []byte
		want error
	}{
		"text":        {[]byte("Harbour dues"), ErrNoPDF},
		"only a head": {[]byte("%PDF-1.7\n"), ErrDamaged},
		"no text":     {page("0 0 1 1 re f"), ErrNoText},
		"encrypted":   {encrypted.end("/Encrypt 9 0 R"), ErrEncrypted},
		"unmapped":    {document("<</Subtype/Type0/Encoding/Identity-H>>", []string{plainStream("BT /F 12 Tf <00010002> Tj ET")}), ErrUnmapped},
		"much text":   {page("BT /F 12 Tf " + strings.Repeat("(0123456789 0123456789)Tj ", 100)), ErrTooLarge},
	} {
		got, err := Text(t.Context(), tt.data, 1000)
		if !errors.Is(err, tt.want) || got != nil {
			t.Errorf("%s: %q, %v; want %v", name, got, err, tt.want)
		}
	}
}

// TestHostile reads files that were made to hang or crash a reader: it ends, with work and
// memory of a bounded amount, whatever the outcome. How long that takes is the machine's
// affair: no time is held against it but that of all tests.
func TestHostile(t *testing.T) {
	one := func(s string) []string { return []string{plainStream(s)} }
	zeros := strings.Repeat("\x00", 1<<20)
	bomb := deflated(strings.Repeat(" ", 60<<20))
	files := map[string][]byte{
		"a table that comes before itself": bytes.Replace(document(helvetica, one("BT /F 1 Tf (a) Tj ET")), []byte("/Root"), []byte("/Prev 9/Root"), 1),
		"a count of codes":                 document("<</Subtype/Type0/ToUnicode 6 0 R>>", one("BT /F 1 Tf (ab) Tj ET"), plainStream("1000000000000 beginbfchar endbfchar")),
		"an object stream in itself":       []byte("%PDF-1.5\n1 0 obj<</Type/ObjStm/N 1000000000/First 4/Length 1 0 R>>stream\n1 0 1 0 R\nendstream endobj trailer<</Root 1 0 R>>"),
		"references in a ring":             []byte("%PDF-1.5\n1 0 obj 2 0 R endobj 2 0 obj 1 0 R endobj trailer<</Root 1 0 R>>"),
		"pages in a ring":                  []byte("%PDF-1.5\n1 0 obj<</Pages 2 0 R>>endobj 2 0 obj<</Kids[2 0 R 2 0 R 3 0 R]>>endobj 3 0 obj<</Kids 4 0 R>>endobj 4 0 obj[<</Kids 4 0 R>><</Kids 4 0 R>>]endobj trailer<</Root 1 0 R>>"),
		"a form in itself":                 document(helvetica, one("/X Do"), strings.Replace(plainStream("/X Do /X Do /X Do /X Do /X Do BT /F 1 Tf (a) Tj ET"), "<<", "<</Subtype/Form", 1)),
		"brackets":                         append([]byte("%PDF-1.5\n1 0 obj"), bytes.Repeat([]byte("["), 8<<20)...),
		"dictionaries":                     append([]byte("%PDF-1.5\n1 0 obj"), bytes.Repeat([]byte("<</A"), 4<<20)...),
		"numbers":                          append([]byte("%PDF-1.5\ntrailer<</Root["), bytes.Repeat([]byte("1 "), 8<<20)...),
		"objects":                          append([]byte("%PDF-1.5\n"), bytes.Repeat([]byte("1 0 obj "), 2<<20)...),
		"objects without end":              append([]byte("%PDF-1.5\n"), bytes.Repeat([]byte("obj"), 5<<20)...),
		"a string":                         append([]byte("%PDF-1.5\n1 0 obj"), bytes.Repeat([]byte("("), 16<<20)...),
		"a bomb":                           document(helvetica, slicesOf(filtered("/FlateDecode", bomb), 100)),
		"a bomb in a bomb":                 document(helvetica, one("q"), filtered("[/FlateDecode/FlateDecode/FlateDecode]", deflated(deflated(deflated(strings.Repeat(zeros, 64)))))),
		"a wide predictor":                 document(helvetica, []string{flateStream("BT", "/DecodeParms<</Predictor 12/Columns 100000000000/Colors 99>>")}),
		"many ranges":                      document("<</Subtype/Type0/ToUnicode 6 0 R>>", one("BT /F 1 Tf ("+strings.Repeat("abcdefgh", 100_000)+") Tj ET"), flateStream(strings.Repeat("<0000> <0000> <0000> endbfrange ", 20_000), "")),
		"fonts":                            document("<</Subtype/Type0/DescendantFonts[<</W 6 0 R>>]>>", one(strings.Repeat("/F 1 Tf ", 1<<20)), "[0 65535 1 "+strings.Repeat("0 65535 1 ", 1000)+"]"),
		"states":                           document(helvetica, []string{flateStream(strings.Repeat("q ", 10<<20), "")}),
		"a stream of spaces, 400 times":    document(helvetica, one("q"), plainStream(strings.Repeat(" ", 15<<20))),
		"strings at one place":             objectsAtOnePlace(6000, "("+strings.Repeat("a", 1<<20)),
		"names at one place":               objectsAtOnePlace(200, "/"+strings.Repeat("a", 40<<20)),
		"spaces at one place":              objectsAtOnePlace(100_000, strings.Repeat(" ", 50<<20)+"1"),
		"a predictor, again and again":     forms(flateStream("q Q", "/Subtype/Form/DecodeParms<</Predictor 12/Colors 32/BitsPerComponent 16/Columns 1048576>>")),
		"spaces as digits":                 forms(strings.Replace(plainStream(strings.Repeat(" ", 15<<20)), "<<", "<</Subtype/Form/Filter/AHx", 1)),
		"spaces as a form":                 forms(strings.Replace(plainStream(strings.Repeat(" ", 15<<20)), "<<", "<</Subtype/Form", 1)),
	}
	const many = "a stream of spaces, 400 times"
	files[many] = bytes.Replace(files[many], []byte("/Contents 5 0 R"), []byte("/Contents["+strings.Repeat("6 0 R ", 400)+"]"), 1)
	for name, data := range files {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			texts, err := Text(t.Context(), data, 16<<20)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			allocated := (after.TotalAlloc - before.TotalAlloc) >> 20
			if allocated > 1500 {
				t.Errorf("allocated %d MiB", allocated)
			}
			t.Logf("%d bytes: %d texts, %v after %v, %d MiB allocated in all", len(data), len(texts), err, took.Round(time.Millisecond), allocated)
		})
	}
}

// objectsAtOnePlace is a file whose object stream has n objects in the same place.
func objectsAtOnePlace(n int, object string) []byte {
	var head strings.Builder
	for i := range n {
		fmt.Fprintf(&head, "%d 0 ", 100+i)
	}
	b := newBuilder()
	b.object(flateStream(head.String()+object, fmt.Sprintf("/Type/ObjStm/N %d/First %d", n, head.Len())))
	return b.end("/Root 100 0 R")
}

// forms is a file that shows a form a million times.
func forms(form string) []byte {
	return document(helvetica, []string{flateStream(strings.Repeat("/X Do ", 1_000_000), "")}, form)
}

func slicesOf(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data := document(helvetica, []string{plainStream(strings.Repeat("q ", 10_000))})
	if _, err := Text(ctx, data, 1000); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func FuzzText(f *testing.F) {
	f.Add(document(helvetica, []string{plainStream("BT /F 12 Tf 72 700 Td [(a)-300(b)] TJ T* (c) ' ET /X Do")}))
	f.Add(document("<</Subtype/Type0/ToUnicode 6 0 R/DescendantFonts[<</W[1 2 3 4[5]]>>]>>", []string{flateStream("BT /F 1 Tf <00410042> Tj ET", "")}, plainStream("1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <41> <42> <0061> endbfrange")))
	f.Add([]byte("%PDF-1.5\n1 0 obj<</Type/ObjStm/N 2/First 8/Filter[/AHx/A85]/Length 4>>stream\n<~41>~>\nendstream endobj trailer<</Root 2 0 R>>"))
	f.Add(document(helvetica, []string{flateStream("\x02BT\x01a", "/DecodeParms<</Predictor 15/Columns 2/Colors 3/BitsPerComponent 4>>"), filtered("/LZW", "\x80\x0b\x60"), filtered("/RL", "\x02abc\x80")}))
	f.Fuzz(func(t *testing.T, data []byte) {
		texts, err := Text(t.Context(), data, 1000)
		if (err == nil) == (len(texts) == 0) {
			t.Errorf("%q, %v", texts, err)
		}
		for _, s := range texts {
			if strings.TrimSpace(s) == "" || strings.ContainsAny(s, "\r\x00") {
				t.Errorf("%q", s)
			}
		}
	})
}
