package quire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

type busy struct{}

func (busy) Error() string             { return "busy" }
func (busy) RetryDelay() time.Duration { return time.Minute }

func TestWithoutKeys(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Incorrect API key provided: sk-proj-abcDEF123456. See https://x.example/keys.": "Incorrect API key provided: […] See https://x.example/keys.",
		`Post "https://x.example/v1?key=abc&n=1": EOF`:                                  `Post "https://x.example/v1?key=[…]&n=1": EOF`,
		"dial https://me:pass@x.example/v1":                                             "dial https://[…]@x.example/v1",
		"Authorization: Bearer abcdefghij":                                              "Authorization: […] […]",
		`{"api_key":"abcd-1234","n":1}`:                                                 `{"api_key":"[…]","n":1}`,
		"key AIzaSyA1234567890abc is bad":                                               "key […] is bad",
		"key 0123456789abcdef0123456789abcdef is bad":                                   "key […] is bad",
		"job 019a2566-0e30-7df5-82f7-70479f44934f failed, too many tokens: 5 of 4":      "job 019a2566-0e30-7df5-82f7-70479f44934f failed, too many tokens: 5 of 4",
		"embed/text-embedding-3-small: the disk /var/lib/quire/quire.db is full":        "embed/text-embedding-3-small: the disk /var/lib/quire/quire.db is full",
	} {
		if got := Cause(errors.New(text)); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestCauseIsCut(t *testing.T) {
	t.Parallel()
	got := Cause(ErrInvalid.WithCause(errors.New(strings.Repeat("ü", 1<<20))))
	if len(got) > maxCause+len(hidden) || !utf8.ValidString(got) {
		t.Errorf("%d bytes, valid: %t", len(got), utf8.ValidString(got))
	}
}

func TestSaid(t *testing.T) {
	t.Parallel()
	const text, short = "Once upon a time there was a text.\nIt had two lines.", "tiny one"
	inner := ErrUnavailable.WithCause(fmt.Errorf("%w: %q and %s: bad input at %s: %w", busy{}, text, text[5:], short, context.DeadlineExceeded))
	err := modelError(t.Context(), "model", fmt.Errorf("call: %w", inner), []string{text, short})
	for _, part := range []string{"upon a time", "two lines", short} {
		if strings.Contains(Cause(err), part) {
			t.Errorf("%q has %q", Cause(err), part)
		}
	}
	for _, part := range []string{"busy", "bad input at"} {
		if !strings.Contains(Cause(err), part) {
			t.Errorf("%q does not have %q", Cause(err), part)
		}
	}
	if RetryAfter(err) != time.Minute || !errors.Is(err, context.DeadlineExceeded) || CodeOf(err) != CodeUnavailable {
		t.Errorf("%v: %v, %v", err, RetryAfter(err), CodeOf(err))
	}
}
