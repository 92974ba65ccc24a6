package enginetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/quirelib/quire"
)

// FileSample is a file that an Extractor reads.
type FileSample struct {
	File quire.File
	Data []byte
	Want string // a part of its text, not blank
}

// RunExtractor checks that an implementation of [quire.Extractor] holds its contract.
// samples are files that it reads, small ones of each kind. open returns an Extractor of
// the same configuration for each call. The test that calls RunExtractor must not run in
// parallel with others.
func RunExtractor(t *testing.T, samples []FileSample, open func(tb testing.TB) quire.Extractor) {
	if len(samples) == 0 {
		t.Fatal("RunExtractor needs a sample")
	}
	runCases(t, extractorCases, func(tb testing.TB) sampledExtractor { return sampledExtractor{open(tb), samples} })
}

// sampledExtractor is an Extractor with files that it reads.
type sampledExtractor struct {
	quire.Extractor
	samples []FileSample
}

// extractorCases are the parts of RunExtractor.
var extractorCases = []suiteCase[sampledExtractor]{
	{"samples", onExtractor(testExtractSamples)},
	{"empty", onExtractor(testExtractEmpty)},
	{"same again", onExtractor(testExtractAgain)},
	{"data is the caller's", onExtractor(testExtractData)},
	{"hints", onExtractor(testExtractHints)},
	{"unreadable", onExtractor(testExtractUnreadable)},
	{"hostile", onExtractor(testExtractHostile)},
	{"cancelled", onExtractor(testExtractCancelled)},
	{"concurrent", onExtractor(testExtractConcurrent)},
}

// The bounds for the small files of the suite.
const (
	extractTime = 20 * time.Second
	extractText = 32 << 20
)

// extractorTest is an Extractor under test.
type extractorTest struct {
	*testing.T
	open      func(tb testing.TB) sampledExtractor
	extractor sampledExtractor
}

// onExtractor makes a case of a test that needs one Extractor.
func onExtractor(run func(t *extractorTest)) func(*testing.T, func(testing.TB) sampledExtractor) {
	return func(t *testing.T, open func(testing.TB) sampledExtractor) {
		run(&extractorTest{T: t, open: open, extractor: open(t)})
	}
}

// extract reads a file and checks what holds for every result.
func (x sampledExtractor) extract(ctx context.Context, file quire.File, data []byte) (text string, failed, broken error) {
	begin := time.Now()
	text, failed = x.Extract(ctx, file, data)
	took := time.Since(begin)
	var e *quire.Error
	switch {
	case took > extractTime:
		broken = fmt.Errorf("%d bytes took %v", len(data), took)
	case failed != nil && text != "":
		broken = fmt.Errorf("text %.40q beside the error %v", text, failed)
	case failed != nil && ctx.Err() == nil && (!errors.As(failed, &e) || e.Code != quire.CodeInvalid && e.Code != quire.CodeTooLarge):
		broken = fmt.Errorf("error %v, want one with invalid or too_large: the file will not be another one", failed)
	case failed != nil && file.Name != "" && strings.Contains(failed.Error(), file.Name):
		broken = fmt.Errorf("the message %q repeats the name", failed)
	case failed != nil:
	case strings.TrimSpace(text) == "":
		broken = errors.New("a blank text, but no error")
	case !utf8.ValidString(text):
		broken = fmt.Errorf("a text that is not UTF-8: %.40q", text)
	case strings.Contains(text, "\r"):
		broken = errors.New("a text with other line ends than LF")
	case len(text) > extractText:
		broken = fmt.Errorf("%d bytes became %d bytes of text", len(data), len(text))
	}
	return text, failed, broken
}

// reads reads a file that can be read.
func (t *extractorTest) reads(file quire.File, data []byte) string {
	t.Helper()
	text, failed, broken := t.extractor.extract(t.Context(), file, data)
	if err := errors.Join(failed, broken); err != nil {
		t.Fatalf("%s: %v", file.Name, err)
	}
	return text
}

// survives reads a file of which nothing is known.
func (t *extractorTest) survives(what string, file quire.File, data []byte) {
	t.Helper()
	if _, _, broken := t.extractor.extract(t.Context(), file, data); broken != nil {
		t.Errorf("%s: %v", what, broken)
	}
}

// refuses reads a file that is none.
func (t *extractorTest) refuses(what string, file quire.File, data []byte) {
	t.Helper()
	_, failed, broken := t.extractor.extract(t.Context(), file, data)
	if quire.CodeOf(failed) != quire.CodeInvalid || broken != nil {
		t.Errorf("%s: %v, want an error with invalid: %v", what, failed, broken)
	}
}

func testExtractSamples(t *extractorTest) {
	for _, s := range t.extractor.samples {
		if text := t.reads(s.File, s.Data); !strings.Contains(text, s.Want) {
			t.Errorf("%s: %.100q is not in %.1000q", s.File.Name, s.Want, text)
		}
	}
}

func testExtractEmpty(t *extractorTest) {
	for _, s := range append(t.extractor.samples, FileSample{}) {
		t.refuses("no data", s.File, nil)
		t.refuses("empty data", s.File, []byte{})
		t.refuses("white space", s.File, []byte(" \n\t\r\n "))
	}
}

func testExtractAgain(t *extractorTest) {
	other := t.open(t)
	for _, s := range t.extractor.samples {
		first := t.reads(s.File, s.Data)
		for what, x := range map[string]sampledExtractor{"the second time": t.extractor, "by another Extractor": other} {
			if text, err := x.Extract(t.Context(), s.File, s.Data); err != nil || text != first {
				t.Errorf("%s: %s %.40q, %v, but %.40q at first", s.File.Name, what, text, err, first)
			}
		}
	}
}

func testExtractData(t *extractorTest) {
	for _, s := range t.extractor.samples {
		data := bytes.Clone(s.Data)
		text := t.reads(s.File, data)
		if !bytes.Equal(data, s.Data) {
			t.Errorf("%s: the data was changed", s.File.Name)
		}
		before := strings.Clone(text)
		for i := range data {
			data[i] = '#'
		}
		if text != before {
			t.Errorf("%s: the text shares memory with the data", s.File.Name)
		}
	}
}

// testExtractHints gives samples names and types that are not theirs.
func testExtractHints(t *extractorTest) {
	all := []quire.File{
		{}, {Name: "no extension"}, {Name: ".", ContentType: "/"}, {Name: "\x00", ContentType: "\x00"}, {Name: "../../a.b"},
		{Name: strings.Repeat("long", 10_000)}, {Name: "a.exe", ContentType: "application/octet-stream"},
	}
	for _, s := range t.extractor.samples {
		all = append(all, s.File, quire.File{Name: s.File.Name}, quire.File{ContentType: s.File.ContentType})
	}
	for _, s := range t.extractor.samples {
		for _, hint := range all {
			t.survives(fmt.Sprintf("%s as %.40q, %.40q", s.File.Name, hint.Name, hint.ContentType), hint, s.Data)
		}
	}
}

// testExtractUnreadable gives it what is damaged or no text at all.
func testExtractUnreadable(t *extractorTest) {
	rng := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 4000)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	hints := []quire.File{{}}
	for _, s := range t.extractor.samples {
		hints = append(hints, s.File)
	}
	for _, hint := range hints {
		t.refuses("a picture as "+hint.Name, hint, append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), noise...))
		t.survives("noise as "+hint.Name, hint, noise)
		for _, head := range []string{"%PDF-1.7\n", "PK\x03\x04", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "<!doctype html>", "\xff\xfe", "\xef\xbb\xbf", "\x1f\x8b", "{\\rtf1", "\x00"} {
			t.survives(fmt.Sprintf("noise behind %q as %s", head, hint.Name), hint, append([]byte(head), noise...))
		}
	}
	for _, s := range t.extractor.samples {
		for range size(200, 40) {
			cut := s.Data[:rng.IntN(len(s.Data))]
			t.survives(fmt.Sprintf("the first %d bytes of %s", len(cut), s.File.Name), s.File, cut)
			damaged := bytes.Clone(s.Data)
			for range 1 + rng.IntN(4) {
				damaged[rng.IntN(len(damaged))] = byte(rng.Uint32())
			}
			t.survives("damaged "+s.File.Name, s.File, damaged)
		}
	}
}

// hostileFiles are small files that take much time or room if they are not watched.
var hostileFiles = map[string]string{
	"open tags":    strings.Repeat("<b>", 20_000),
	"deep tags":    strings.Repeat("<div>", 20_000) + "deep",
	"deep lists":   strings.Repeat("<ul><li>", 200) + "deep",
	"attributes":   "<p " + strings.Repeat("a=b ", 20_000) + ">text",
	"wide cells":   "<table>" + strings.Repeat(`<tr><td colspan="1000" rowspan="1000">x</td></tr>`, 500) + "</table>",
	"entities":     strings.Repeat("&lt;&#x41;", 10_000),
	"columns":      strings.Repeat("a,", 50_000),
	"quotes":       strings.Repeat(`"`, 100_000),
	"an open cell": "a,b\n\"" + strings.Repeat("c\n", 30_000),
	"page objects": "%PDF-1.4\n" + strings.Repeat("1 0 obj<</Type/Pages/Kids[1 0 R 1 0 R]/Count 1000000000>>endobj\n", 500) + "trailer<</Root 1 0 R/Size 2000000000>>",
	"arrays":       "%PDF-1.4\n1 0 obj" + strings.Repeat("[", 50_000),
	"entries":      strings.Repeat("PK\x03\x04", 10_000) + strings.Repeat("PK\x01\x02", 1000) + "PK\x05\x06",
	"one line":     strings.Repeat("x", 1<<20),
	"line ends":    "a" + strings.Repeat("\r\n\r", 30_000) + "b",
}

func testExtractHostile(t *extractorTest) {
	for name, data := range hostileFiles {
		t.survives(name, quire.File{}, []byte(data))
		for _, s := range t.extractor.samples {
			t.survives(name+" as "+s.File.Name, s.File, []byte(data))
		}
	}
	for name, text := range hostileTexts {
		t.survives(name, quire.File{Name: "file.txt", ContentType: "text/plain"}, []byte(text))
	}
}

func testExtractCancelled(t *extractorTest) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, done := context.WithTimeout(t.Context(), 0)
	defer done()
	for _, s := range t.extractor.samples {
		want := t.reads(s.File, s.Data)
		text, err := t.extractor.Extract(cancelled, s.File, s.Data)
		wantError(t, "Extract with a cancelled context", err, context.Canceled)
		if text != "" {
			t.Errorf("%s: a cancelled Extract returned %.40q", s.File.Name, text)
		}
		_, err = t.extractor.Extract(late, s.File, s.Data)
		wantError(t, "Extract after the deadline", err, context.DeadlineExceeded)

		// Cancelled on the way it returns everything or the error.
		for round := range size(30, 10) {
			text, err := t.extractor.Extract(cancelAfter(t.T, round), s.File, s.Data)
			if err != nil {
				wantError(t, "Extract cancelled on the way", err, context.Canceled)
			} else if text != want {
				t.Fatalf("%s: cancelled on the way it returned %.40q without an error", s.File.Name, text)
			}
		}
	}
}

func testExtractConcurrent(t *extractorTest) {
	want := make([]string, len(t.extractor.samples))
	for i, s := range t.extractor.samples {
		want[i] = t.reads(s.File, s.Data)
	}
	var workers sync.WaitGroup
	for w := range 8 {
		workers.Go(func() {
			for round := range 10 {
				i := (w + round) % len(want)
				s := t.extractor.samples[i]
				text, failed, broken := t.extractor.extract(t.Context(), s.File, s.Data)
				if err := errors.Join(failed, broken); err != nil || text != want[i] {
					t.Errorf("%s beside others: %.40q, %v", s.File.Name, text, err)
					return
				}
			}
		})
	}
	workers.Wait()
}
