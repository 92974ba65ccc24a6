package quire

import (
	"context"

	"github.com/quirelib/quire/internal/placeholder"
)

// FillTemplate returns the body of an elemental with its placeholders replaced, in
// one pass: a value is never scanned again. The keys of values are placeholders as they
// are written, such as "#word" or "#[two words]"; one without a value stays as it is.
// ErrTooLarge if the result would be longer than LibraryOptions.MaxBodyBytes.
func (l *Library) FillTemplate(ctx context.Context, a Actor, id string, values map[string]string) (string, error) {
	e, err := l.Elemental(ctx, a, id)
	if err != nil {
		return "", err
	}
	filled, ok := placeholder.FillWithin(e.Body, values, l.opts.MaxBodyBytes)
	if !ok {
		return "", Errorf(CodeTooLarge, "filled in, the text has more than %d bytes; use shorter values", l.opts.MaxBodyBytes)
	}
	return filled, nil
}
