package extract

import (
	"context"
	"errors"
	"strings"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/internal/pdf"
)

// pdf returns the text of a PDF file, its pages one after the other.
func (x *Extractor) pdf(ctx context.Context, data []byte) (string, error) {
	pages, err := pdf.Text(ctx, data, x.maxText)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, pdf.ErrTooLarge):
		return "", quire.Errorf(quire.CodeTooLarge, "%v", err)
	case err != nil:
		return "", invalid("%v", err)
	}
	text := strings.ToValidUTF8(strings.Join(pages, "\n\n"), "\uFFFD")
	return literalLines(text), nil
}
