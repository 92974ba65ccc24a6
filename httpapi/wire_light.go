package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/quirelib/quire"
)

// lightItem is lightElemental of an elemental. Pages consist of these, and they are most
// of what is ever read, so that they are written without reflection: in a quarter of the
// time.
type lightItem struct{ *quire.Elemental }

// lightRest is what stands in every light elemental behind its counters.
var lightRest = func() []byte {
	var b bytes.Buffer
	if err := encodeTo(&b, elementalJSON{}); err != nil {
		panic(err) // nothing of it can fail
	}
	whole := bytes.TrimSpace(b.Bytes())
	return whole[bytes.Index(whole, []byte(`,"topics":`)):]
}()

// encodeTo implements selfEncoded.
func (e lightItem) encodeTo(w io.Writer) error {
	var room []byte
	if w, ok := w.(interface{ AvailableBuffer() []byte }); ok {
		room = w.AvailableBuffer()
	}
	_, err := w.Write(e.append(room))
	return err
}

// append appends the JSON of lightElemental.
func (e lightItem) append(b []byte) []byte {
	b = appendText(append(b, `{"id":`...), e.ID)
	b = strconv.AppendBool(append(b, `,"is_list":`...), e.TypeID == quire.TypeTable)
	b = appendRef(append(b, `,"type":`...), e.Type.ID, e.Type.Name)
	b = appendRef(append(b, `,"category":`...), e.Category.ID, e.Category.Name)
	b = appendText(append(b, `,"title":`...), e.Title)
	b = appendText(append(b, `,"description":`...), e.Description)
	b = appendRef(append(b, `,"visibility":`...), int(e.Visibility), e.Visibility.Name())
	b = appendText(append(b, `,"url":`...), e.URL)
	b = appendTags(append(b, `,"tags":`...), e.Tags)
	b = strconv.AppendFloat(append(b, `,"average_rate":`...), e.Counters.AverageRate(), 'f', -1, 64)
	b = appendTime(append(b, `,"created_at":`...), &e.CreatedAt)
	b = appendTime(append(b, `,"updated_at":`...), e.UpdatedAt)
	b = appendUser(append(b, `,"user":`...), e.Owner)
	b = appendCounters(b, e.Counters)
	return append(b, lightRest...)
}

func appendRef(b []byte, id int, name string) []byte {
	b = strconv.AppendInt(append(b, `{"id":`...), int64(id), 10)
	b = appendText(append(b, `,"name":`...), name)
	return append(b, '}')
}

func appendUser(b []byte, u quire.User) []byte {
	b = appendText(append(b, `{"id":`...), u.ID)
	b = appendText(append(b, `,"name":`...), u.Name)
	b = appendText(append(b, `,"username":`...), u.Username)
	b = appendText(append(b, `,"email":`...), u.Email)
	b = appendText(append(b, `,"avatar":`...), u.AvatarURL)
	return append(b, '}')
}

func appendTags(b []byte, tags []quire.Tag) []byte {
	b = append(b, '[')
	for i, t := range tags {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(append(b, `{"id":`...), formatID(t.ID))
		b = appendText(append(b, `,"title":`...), t.Title)
		b = appendText(append(b, `,"color":`...), t.Color)
		b = appendText(append(b, `,"description":`...), t.Description)
		b = appendText(append(b, `,"user_id":`...), t.OwnerID)
		b = appendTime(append(b, `,"created_at":`...), &t.CreatedAt)
		b = appendTime(append(b, `,"updated_at":`...), &t.UpdatedAt)
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendCounters appends the members of elementalCounters.
func appendCounters(b []byte, c quire.Counters) []byte {
	b = strconv.AppendInt(append(b, `,"total_comments":`...), c.Comments, 10)
	b = strconv.AppendInt(append(b, `,"total_rates":`...), c.Rates, 10)
	b = strconv.AppendInt(append(b, `,"total_sales":`...), c.Sales, 10)
	b = strconv.AppendInt(append(b, `,"total_upvotes":`...), c.Upvotes, 10)
	b = strconv.AppendInt(append(b, `,"total_uses":`...), c.Uses, 10)
	return strconv.AppendInt(append(b, `,"total_saves":`...), c.Saves, 10)
}

func appendTime(b []byte, t *time.Time) []byte {
	if t == nil {
		return append(b, `null`...)
	}
	b = append(b, '"')
	b = t.UTC().AppendFormat(b, time.RFC3339Nano)
	return append(b, '"')
}

// appendText appends a JSON string, as encoding/json writes it without escaping HTML.
func appendText(b []byte, s string) []byte {
	if !plainText(s) {
		var quoted bytes.Buffer
		enc := json.NewEncoder(&quoted)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(s) // does not fail for a string
		return append(b, bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))...)
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// plainText reports whether a JSON string holds s as it is. What encoding/json escapes
// are quotes, control characters, two separators, which begin with E2, and what is no
// UTF-8.
func plainText(s string) bool {
	ascii := true
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c == '"', c == '\\', c == 0x7f, c == 0xe2:
			return false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return ascii || utf8.ValidString(s)
}
