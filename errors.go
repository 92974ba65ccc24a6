package quire

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Code classifies an error. Callers branch on codes, never on messages.
type Code string

// The codes of the errors that this module returns.
const (
	CodeInvalid         Code = "invalid"         // the input breaks a rule; Error.Fields names where
	CodeUnauthenticated Code = "unauthenticated" // no key, or one that is unknown, revoked or expired
	CodeForbidden       Code = "forbidden"       // the actor may read this, but not do that to it
	CodeNotFound        Code = "not_found"       // does not exist, or the actor may not know of it
	CodeConflict        Code = "conflict"        // an id, title or trace id that is taken
	CodeTooLarge        Code = "too_large"       // over a configured size limit
	CodeUnavailable     Code = "unavailable"     // a part that is needed does not answer; trying again may help
	CodeNoAnswer        Code = "no_answer"       // an LLM found nothing in the sources that answers
	CodeCanceled        Code = "canceled"        // the caller's context was cancelled
	CodeDeadline        Code = "deadline"        // the caller's context ran out of time
	CodeClosed          Code = "closed"          // the Library, Engine or Store was closed
	CodeLocked          Code = "locked"          // this or another process has the data open
	CodeNewerSchema     Code = "newer_schema"    // the data was written by a newer version of this module
	CodeCorrupt         Code = "corrupt"         // the data is damaged or not ours
	CodeInternal        Code = "internal"        // everything else; the cause is for the log, not for the user
)

// The sentinels to use with errors.Is. An [*Error] matches the sentinel of its
// code, whatever its message.
var (
	ErrInvalid         = &Error{Code: CodeInvalid, Message: "the input is not valid"}
	ErrUnauthenticated = &Error{Code: CodeUnauthenticated, Message: "who is calling is not known; send valid credentials"}
	ErrForbidden       = &Error{Code: CodeForbidden, Message: "this belongs to somebody else: it may be read, and only its owner may change it"}
	ErrNotFound        = &Error{Code: CodeNotFound, Message: "not found: there is none, or it is not this user's to see"}
	ErrConflict        = &Error{Code: CodeConflict, Message: "already exists"}
	ErrTooLarge        = &Error{Code: CodeTooLarge, Message: "too large"}
	ErrUnavailable     = &Error{Code: CodeUnavailable, Message: "temporarily unavailable"}
	ErrNoAnswer        = &Error{Code: CodeNoAnswer, Message: "the sources hold no answer"}
	ErrClosed          = &Error{Code: CodeClosed, Message: "this was closed, so that it cannot be used any more; open it again"}
	ErrLocked          = &Error{Code: CodeLocked, Message: "this data is open already, in this process or another one; close it there first"}
	ErrNewerSchema     = &Error{Code: CodeNewerSchema, Message: "the data was written by a newer version; update this program"}
	ErrCorrupt         = &Error{Code: CodeCorrupt, Message: "the data is damaged or was not written by this program"}
)

// EmbedderMismatch is the reason why an Engine is refused: stored chunks have vectors of
// another Embedder. The error around it has CodeConflict; errors.As finds it there.
type EmbedderMismatch struct {
	Stored string // fingerprint of the Embedder that the stored vectors come from
	Given  string // fingerprint of the Embedder that was given
	Former string // fingerprint of EngineOptions.Former; "" without one
}

// Error names the fingerprints.
func (e *EmbedderMismatch) Error() string {
	text := fmt.Sprintf("the stored chunks were embedded by %q, this embedder is %q", e.Stored, e.Given)
	if e.Former != "" {
		text += fmt.Sprintf(" and the former one %q", e.Former)
	}
	return text
}

// Error is the error type of this module. Message and Fields are safe to show to
// a user: they hold no SQL, file path, key or other tenant's data. The wrapped
// cause, if any, is for logs only.
type Error struct {
	Code    Code
	Message string
	Fields  []FieldError // for CodeInvalid; may be empty
	cause   error
}

// Errorf makes an Error. Its arguments must be safe to show.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// WithCause returns a copy of e that wraps cause. The cause does not appear in
// Error's text.
func (e *Error) WithCause(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// Error returns the message, which is safe to show. Of an input with several faults it
// names the first maxNamed, and says what a field is called in Go where that is another word.
func (e *Error) Error() string {
	if len(e.Fields) > 0 && e.Message == e.Fields[0].text() {
		return allFaults(e.Fields)
	}
	return e.Message
}

// Unwrap returns the cause, nil if there is none.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is an *Error of the same code, so that every error
// of a code matches that code's sentinel.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Cause returns the text of err with the causes it hides, for logs, up to 16 KiB of it; ""
// without an error. What looks like a key or password is left out, and of the failure of a
// model the texts that it was given; control characters are U+FFFD. It may still hold what must not be shown to a user.
func Cause(err error) string {
	if err == nil {
		return ""
	}
	return loggable(causes(err))
}

// causes is the text of err with all its causes.
func causes(err error) string {
	var e *Error
	if errors.As(err, &e) && e.cause != nil {
		return e.Message + ": " + causes(e.cause)
	}
	return err.Error()
}

// RetryAfter returns how long the service behind a failure wants to be left alone: what
// the first error in err's chain says that has a method RetryDelay() time.Duration, such as
// one of engine/langchain; 0 if none has, or has less than nothing to say. The Engine waits
// that long before it tries again, up to an hour, and the HTTP interface passes it on.
func RetryAfter(err error) time.Duration {
	var e interface{ RetryDelay() time.Duration }
	if errors.As(err, &e) {
		return max(0, e.RetryDelay())
	}
	return 0
}

// CodeOf returns the code of any error: "" for nil, the code of the outermost
// *Error in its chain, CodeCanceled and CodeDeadline for context errors, and
// CodeInternal for everything else.
func CodeOf(err error) Code {
	var e *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, context.Canceled):
		return CodeCanceled
	case errors.Is(err, context.DeadlineExceeded):
		return CodeDeadline
	default:
		return CodeInternal
	}
}
