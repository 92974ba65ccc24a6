package enginetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/quirelib/quire"
)

// extractorFunc is an Extractor.
type extractorFunc func(ctx context.Context, file quire.File, data []byte) (string, error)

func (f extractorFunc) Extract(ctx context.Context, file quire.File, data []byte) (string, error) {
	return f(ctx, file, data)
}

// plainExtractor reads text in UTF-8.
func plainExtractor(ctx context.Context, _ quire.File, data []byte) (string, error) {
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data))
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case !utf8.ValidString(text):
		return "", quire.Errorf(quire.CodeInvalid, "is not UTF-8")
	case strings.TrimSpace(text) == "":
		return "", quire.Errorf(quire.CodeInvalid, "holds no text")
	}
	return text, nil
}

var plainSamples = []FileSample{
	{File: quire.File{Name: "first.txt", ContentType: "text/plain"}, Data: []byte("one\r\ntwo"), Want: "one\ntwo"},
	{File: quire.File{Name: "second.txt"}, Data: []byte("Grüße aus dem Hafen, und noch mehr als das."), Want: "Hafen"},
}

// extractsBy opens an Extractor without a state.
func extractsBy(f extractorFunc) func(testing.TB) sampledExtractor {
	return func(testing.TB) sampledExtractor { return sampledExtractor{f, plainSamples} }
}

// textsWith changes what becomes of a file.
func textsWith(change func(file quire.File, data []byte, text string, err error) (string, error)) func(testing.TB) sampledExtractor {
	return extractsBy(func(ctx context.Context, file quire.File, data []byte) (string, error) {
		text, err := plainExtractor(ctx, file, data)
		return change(file, data, text, err)
	})
}

var extractorMutants = []mutant[sampledExtractor]{
	{"other line ends", "samples", textsWith(func(_ quire.File, data []byte, text string, err error) (string, error) {
		if err == nil {
			text = string(data)
		}
		return text, err
	})},
	{"no text of some", "samples", textsWith(func(file quire.File, _ []byte, text string, err error) (string, error) {
		return strings.ReplaceAll(text, "Hafen", "..."), err
	})},
	{"nothing is no error", "empty", textsWith(func(_ quire.File, data []byte, text string, err error) (string, error) {
		if len(data) == 0 {
			return "", nil
		}
		return text, err
	})},
	{"nothing may be something later", "empty", textsWith(func(_ quire.File, data []byte, text string, err error) (string, error) {
		if len(data) == 0 {
			return "", quire.ErrUnavailable
		}
		return text, err
	})},
	{"white space is text", "empty", extractsBy(func(ctx context.Context, file quire.File, data []byte) (string, error) {
		if len(data) > 0 && len(bytes.TrimSpace(data)) == 0 {
			return string(data), ctx.Err()
		}
		return plainExtractor(ctx, file, data)
	})},
	{"counts its texts", "same again", func(testing.TB) sampledExtractor {
		var calls atomic.Int64
		return sampledExtractor{extractorFunc(func(ctx context.Context, file quire.File, data []byte) (string, error) {
			text, err := plainExtractor(ctx, file, data)
			if err == nil {
				text = fmt.Sprint(text, calls.Add(1))
			}
			return text, err
		}), plainSamples}
	}},
	{"changes the data", "data is the caller's", textsWith(func(_ quire.File, data []byte, text string, err error) (string, error) {
		copy(data, "x")
		return text, err
	})},
	{"keeps the data", "data is the caller's", textsWith(func(_ quire.File, data []byte, text string, err error) (string, error) {
		if err == nil && text == string(data) {
			text = unsafe.String(&data[0], len(data))
		}
		return text, err
	})},
	{"believes the name", "hints", textsWith(func(file quire.File, _ []byte, text string, err error) (string, error) {
		if err == nil && !strings.HasSuffix(file.Name, ".txt") {
			return "", errors.New("no reader is configured")
		}
		return text, err
	})},
	{"repeats the name", "unreadable", textsWith(func(file quire.File, _ []byte, text string, err error) (string, error) {
		if err != nil {
			err = quire.Errorf(quire.CodeInvalid, "%s cannot be read", file.Name)
		}
		return text, err
	})},
	{"damage may pass", "unreadable", textsWith(func(_ quire.File, _ []byte, text string, err error) (string, error) {
		if err != nil {
			err = errors.New("unexpected EOF")
		}
		return text, err
	})},
	{"anything is text", "unreadable", extractsBy(func(ctx context.Context, file quire.File, data []byte) (string, error) {
		return plainExtractor(ctx, file, bytes.ToValidUTF8(data, []byte("?")))
	})},
	{"text beside the error", "unreadable", textsWith(func(_ quire.File, data []byte, text string, err error) (string, error) {
		if err != nil {
			text = strings.ToValidUTF8(string(data), "")
		}
		return text, err
	})},
	{"text without measure", "hostile", textsWith(func(_ quire.File, _ []byte, text string, err error) (string, error) {
		if len(text) >= 1<<20 {
			text = strings.Repeat(text, 40)
		}
		return text, err
	})},
	{"does not look at the context", "cancelled", extractsBy(func(ctx context.Context, file quire.File, data []byte) (string, error) {
		return plainExtractor(context.WithoutCancel(ctx), file, data)
	})},
	{"hides the context's error", "cancelled", extractsBy(func(ctx context.Context, file quire.File, data []byte) (string, error) {
		text, err := plainExtractor(ctx, file, data)
		if ctx.Err() != nil {
			return "", quire.Errorf(quire.CodeInvalid, "cannot be read")
		}
		return text, err
	})},
	{"one file for all calls", "concurrent", func(testing.TB) sampledExtractor {
		var last atomic.Pointer[[]byte]
		return sampledExtractor{extractorFunc(func(ctx context.Context, file quire.File, data []byte) (string, error) {
			last.Store(&data)
			time.Sleep(50 * time.Microsecond)
			return plainExtractor(ctx, file, *last.Load())
		}), plainSamples}
	}},
}

func TestExtractor(t *testing.T) {
	RunExtractor(t, plainSamples, func(testing.TB) quire.Extractor { return extractorFunc(plainExtractor) })
}
