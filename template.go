package quire

import (
	"context"
	"io"
	"maps"
	"strings"

	"github.com/quirelib/quire/internal/placeholder"
)

// FillTemplate returns the body of an elemental with its placeholders replaced, in
// one pass: a value is never scanned again. The keys of values are placeholders as they
// are written, such as "#word" or "#[two words]", or only the name, "word", which stands
// for both spellings that have no key of their own. A placeholder without a value stays
// as it is.
// ErrTooLarge if the result would be longer than LibraryOptions.MaxBodyBytes.
func (l *Library) FillTemplate(ctx context.Context, a Actor, id string, values map[string]string) (string, error) {
	var b strings.Builder
	err := l.WriteTemplate(ctx, a, id, values, &b)
	return b.String(), err
}

// WriteTemplate writes what FillTemplate returns, without building it: memory grows with
// the body and the values only. Where it refuses, nothing has been written.
func (l *Library) WriteTemplate(ctx context.Context, a Actor, id string, values map[string]string, w io.Writer) error {
	e, err := l.Elemental(ctx, a, id)
	if err != nil {
		return err
	}
	values = byPlaceholder(values)
	if _, ok := placeholder.SizeWithin(e.Body, values, l.opts.MaxBodyBytes); !ok {
		return Errorf(CodeTooLarge, "filled in, the text has more than %d bytes; use shorter values", l.opts.MaxBodyBytes)
	}
	for part := range placeholder.Parts(e.Body, values) {
		if _, err := io.WriteString(w, part); err != nil {
			return err
		}
	}
	return nil
}

// byPlaceholder gives values that are keyed by names the keys of placeholders.
func byPlaceholder(values map[string]string) map[string]string {
	out := maps.Clone(values)
	for key, v := range values {
		if strings.HasPrefix(key, "#") {
			continue
		}
		for _, written := range []string{"#" + key, "#[" + key + "]"} {
			if _, given := values[written]; !given {
				out[written] = v
			}
		}
	}
	return out
}
