package extract

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of a table of text.
const (
	maxColumns = 1_000
	maxHeader  = 100     // characters of a header, which each row repeats
	maxRow     = 1 << 20 // bytes
)

// table returns the text of a CSV or TSV file (RFC 4180): a paragraph for each row, with a
// line "header: value" for each value that is not blank. A passage cut out of the middle of the
// table so still says what its values are.
func (x *Extractor) table(ctx context.Context, data []byte, separator rune) (string, error) {
	text, err := decode(data)
	if err != nil {
		return "", err
	}
	if separator == ',' {
		separator = guessSeparator(text)
	}
	from := &rowReader{r: strings.NewReader(text)}
	rd := csv.NewReader(from)
	rd.Comma, rd.LazyQuotes, rd.FieldsPerRecord, rd.ReuseRecord = separator, true, -1, true
	var headers []string
	var b strings.Builder
	for n := 0; ; n++ {
		from.left = maxRow
		row, err := rd.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, errLongRow) {
			return "", errLongRow
		}
		if err != nil {
			return "", invalid("is no table of values that can be read: %v", err)
		}
		if len(row) > maxColumns {
			return "", invalid("has %d columns; at most %d are read", len(row), maxColumns)
		}
		if n%1000 == 0 && ctx.Err() != nil {
			return "", ctx.Err()
		}
		if headers == nil {
			if headers = headersOf(row); headers != nil {
				continue
			}
			headers = []string{}
		}
		writeRow(&b, headers, row)
		if b.Len() > x.maxText {
			return "", x.tooLong()
		}
	}
	if b.Len() == 0 { // nothing but headers
		return strings.Join(headers, "\n"), nil
	}
	return strings.TrimSpace(b.String()), nil
}

// errLongRow: a row of nothing but separators would fill the memory with empty values.
var errLongRow = invalid("has a row of more than %d KiB; no longer one is read", maxRow>>10)

// rowReader reads the bytes of a row, and a few more, and then fails.
type rowReader struct {
	r    io.Reader
	left int
}

func (r *rowReader) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, errLongRow
	}
	n, err := r.r.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}

// writeRow writes the paragraph of a row.
func writeRow(b *strings.Builder, headers, row []string) {
	written := false
	for i, value := range row {
		value = strings.Join(strings.Fields(value), " ")
		if value == "" {
			continue
		}
		header := ""
		if i < len(headers) {
			header = headers[i]
		}
		if header == "" {
			header = "Column " + strconv.Itoa(i+1)
		}
		fmt.Fprintf(b, "%s: %s\n", header, value)
		written = true
	}
	if written {
		b.WriteByte('\n')
	}
}

// headersOf returns the headers in a first row; nil if it does not look like one: each
// header is text with a letter, no number, and different from the others.
func headersOf(row []string) []string {
	headers := make([]string, len(row))
	seen := map[string]bool{}
	for i, h := range row {
		h = strings.Join(strings.Fields(h), " ")
		if h == "" && i > 0 || h == "" && len(row) > 1 { // of a column without a name
			continue
		}
		if seen[h] || !strings.ContainsFunc(h, unicode.IsLetter) {
			return nil
		}
		seen[h] = true
		if utf8.RuneCountInString(h) > maxHeader {
			h = string([]rune(h)[:maxHeader])
		}
		headers[i] = literal(h)
	}
	if len(seen)*2 < len(row) {
		return nil
	}
	return headers
}

// guessSeparator returns which separator divides the first lines into equally many
// values; a comma if none does.
func guessSeparator(text string) rune {
	best, most := ',', 0
	for _, separator := range []rune{',', ';', '\t', '|'} {
		rd := csv.NewReader(strings.NewReader(head(text)))
		rd.Comma, rd.LazyQuotes, rd.FieldsPerRecord = separator, true, -1
		columns, rows := 0, 0
		for range 10 {
			row, err := rd.Read()
			if err != nil || rows > 0 && len(row) != columns {
				break
			}
			columns = len(row)
			rows++
		}
		if score := (columns - 1) * rows; score > most {
			best, most = separator, score
		}
	}
	return best
}

// head returns the first lines of a text, whole ones if there are any.
func head(text string) string {
	text = text[:min(len(text), 16<<10)]
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		text = text[:i+1]
	}
	return text
}
