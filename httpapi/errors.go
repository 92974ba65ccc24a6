package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/quirelib/quire"
)

// statusOf is the one table from error codes to statuses. Codes that are not in it
// answer 500 without detail.
var statusOf = map[quire.Code]int{
	quire.CodeInvalid:         http.StatusBadRequest,
	quire.CodeUnauthenticated: http.StatusUnauthorized,
	quire.CodeForbidden:       http.StatusForbidden,
	quire.CodeNotFound:        http.StatusNotFound,
	quire.CodeConflict:        http.StatusConflict,
	quire.CodeTooLarge:        http.StatusRequestEntityTooLarge,
	quire.CodeUnavailable:     http.StatusServiceUnavailable,
	quire.CodeClosed:          http.StatusServiceUnavailable,
	quire.CodeLocked:          http.StatusServiceUnavailable,
	// The client's own context ended: nobody reads the answer, or the server stops.
	quire.CodeCanceled: http.StatusServiceUnavailable,
	quire.CodeDeadline: http.StatusServiceUnavailable,
}

// problem is an error as it is answered: all of it is safe to show.
type problem struct {
	status  int
	message string
	fields  []quire.FieldError // content interface: where the input breaks a rule
	detail  []detail           // engine: where the input has the wrong type
	allow   string             // the header Allow, for 405

	// The header Retry-After in seconds. 0: none, but of a 503 that of sendJSON.
	retryAfter int
}

// Error makes a problem an error, so that the HTTP layer's own refusals go the same
// way as those of the Library.
func (p *problem) Error() string { return p.message }

// detail is one entry of the engine's validation errors.
type detail struct {
	Loc  []any  `json:"loc"` // "body", then the keys and indices down to the value
	Msg  string `json:"msg"`
	Type string `json:"type"`
}

var (
	errNoRoute = &problem{status: http.StatusNotFound, message: "there is no such route"}
	// The same words for everything, whoever noticed it: an id that the user may not
	// know of must be answered exactly as one that does not exist.
	problem404 = &problem{status: http.StatusNotFound, message: "not found: the id does not exist, or it is not yours to see"}
	// What keeps the service from answering is for its log and for who may use it: of a
	// stranger not even the key could be looked up.
	problem503 = &problem{status: http.StatusServiceUnavailable, message: "the service cannot answer at present; nothing was done: try again later, or ask whoever runs it"}
	problem500 = &problem{status: http.StatusInternalServerError, message: "internal error; the request id tells the operator more"}
)

// noSuchRoute and methodNotAllowed end in where the method is, if it is elsewhere.
func noSuchRoute(elsewhere string) error {
	return &problem{status: http.StatusNotFound, message: errNoRoute.message + elsewhere}
}

func methodNotAllowed(allow, elsewhere string) error {
	return &problem{status: http.StatusMethodNotAllowed, message: "this route does not take that method; allowed: " + allow + elsewhere, allow: allow}
}

func unsupported(message string) error {
	return &problem{status: http.StatusUnsupportedMediaType, message: message}
}

// problemOf translates any error into its answer. What is not a problem and not a
// *quire.Error becomes a 500 without detail.
func problemOf(err error) *problem {
	var p *problem
	if errors.As(err, &p) {
		return p
	}
	status, known := statusOf[quire.CodeOf(err)]
	if !known {
		return problem500
	}
	var e *quire.Error
	switch {
	case status == http.StatusNotFound:
		return problem404
	case quire.CodeOf(err) == quire.CodeClosed: // its own text is for who can open it again
		return errStopping
	case errors.As(err, &e):
		return &problem{status: status, message: e.Message, fields: e.Fields, retryAfter: retrySeconds(status, err)}
	case errors.Is(err, context.DeadlineExceeded):
		return &problem{status: status, message: "the request took too long"}
	default:
		return &problem{status: status, message: "the request was cancelled"}
	}
}

// retrySeconds is the Retry-After of a 503: what the service behind it asked for, in whole
// seconds, up to a day.
func retrySeconds(status int, err error) int {
	if status != http.StatusServiceUnavailable {
		return 0
	}
	wait := min(quire.RetryAfter(err), 24*time.Hour)
	return int((wait + time.Second - 1) / time.Second)
}

// fail answers an error. Once the answer has begun, the connection is cut instead: the
// client must not take half an answer for a whole one.
func (c *call) fail(err error) {
	p := c.report(err)
	if c.started {
		panic(http.ErrAbortHandler)
	}
	if e := (*quire.Error)(nil); p.status == http.StatusServiceUnavailable && !c.authenticated && errors.As(err, &e) {
		p = &problem{status: p.status, message: problem503.message, retryAfter: p.retryAfter}
	}
	c.answerError(p)
}

// report logs an error if it is the server's, and returns what to show of it.
func (c *call) report(err error) *problem {
	p := problemOf(err)
	if p.status >= http.StatusInternalServerError && c.r.Context().Err() == nil {
		level := slog.LevelError
		if isExpected(err) {
			level = slog.LevelWarn
		}
		c.s.opts.Logger.Log(c.r.Context(), level, "httpapi: request failed", "request_id", c.requestID,
			"method", c.r.Method, "route", c.route.pattern, "status", p.status, "error", quire.Cause(err))
	}
	return p
}

// isExpected reports whether a request failed as it is meant to: because the service is being
// closed or is about to stop, which whoever does that knows, or because there is no memory left
// of what the options allow. Those are the HTTP layer's own refusals; all else that is the
// server's comes from below it.
func isExpected(err error) bool {
	var own *problem
	return quire.CodeOf(err) == quire.CodeClosed || errors.As(err, &own)
}

// answerError sends a problem in the shape of the request's group.
func (c *call) answerError(p *problem) {
	h := c.w.Header()
	if p.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(p.retryAfter))
	}
	switch p.status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", c.s.opts.Challenge)
	case http.StatusMethodNotAllowed:
		h.Set("Allow", p.allow)
	}
	var body any = errorJSON{Code: p.status, Meta: c.meta(0), Message: p.message, Errors: fieldsJSON(p.fields)}
	if c.group == engineGroup {
		body = detailJSON{Detail: p.message}
		if p.detail != nil {
			body = detailJSON{Detail: p.detail}
		}
	}
	if err := c.sendJSON(p.status, body); err != nil {
		panic(err) // strings and integers always encode
	}
}

// errorJSON is the error answer of the content interface.
type errorJSON struct {
	Code    int              `json:"code"`
	Meta    metaJSON         `json:"meta"`
	Message string           `json:"error_message"`
	Errors  []fieldErrorJSON `json:"errors,omitempty"`
}

// detailJSON is the error answer of the engine: a message or a list of details.
type detailJSON struct {
	Detail any `json:"detail"`
}

type fieldErrorJSON struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

func fieldsJSON(fields []quire.FieldError) []fieldErrorJSON {
	out := make([]fieldErrorJSON, 0, len(fields))
	for _, f := range fields {
		out = append(out, fieldErrorJSON{Field: f.Field, Message: strings.ToValidUTF8(f.Message, "\uFFFD")})
	}
	return out
}
