package quire

import (
	"context"
	"io"
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
	if w == nil {
		return errNoWriter
	}
	e, err := l.Elemental(ctx, a, id)
	if err != nil {
		return err
	}
	parts := placeholder.Parts(e.Body, func(written string) (string, bool) { return valueOf(values, written) })
	if _, ok := placeholder.LengthWithin(parts, l.opts.MaxBodyBytes); !ok {
		return Errorf(CodeTooLarge, "filled in, the text has more than %d bytes; use shorter values", l.opts.MaxBodyBytes)
	}
	for part := range parts {
		if _, err := io.WriteString(w, part); err != nil {
			return err
		}
	}
	return nil
}

// valueOf returns the value of a placeholder by its key as it is written, else by its name. It
// makes no keys, of which a request may have half a million.
func valueOf(values map[string]string, written string) (string, bool) {
	if v, ok := values[written]; ok {
		return v, true
	}
	name := strings.TrimPrefix(written, "#")
	for _, key := range []string{strings.TrimSuffix(strings.TrimPrefix(name, "["), "]"), name} {
		if v, ok := values[key]; ok && !strings.HasPrefix(key, "#") {
			return v, true
		}
	}
	return "", false
}
