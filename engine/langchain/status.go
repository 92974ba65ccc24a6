package langchain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/quirelib/quire"
)

// StatusError is what a model server said instead of an answer, or in the middle of one.
// The errors of this package wrap it: find it with errors.As.
type StatusError struct {
	// Status is the HTTP status. For an error event in a stream, which began with 200, it
	// is the one that stands for its type; 0 if none does.
	Status int
	// Type is the server's word for the kind of error, such as "overloaded_error"; "" if
	// it has none.
	Type string
	// Message is what the server said, at most 1,000 bytes. It is for logs.
	Message string
	// RetryAfter is how long the server wants to be left alone; 0 if it does not say.
	RetryAfter time.Duration
}

// Error implements error.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("model server: status %d", e.Status)
	for _, part := range []string{e.Type, e.Message} {
		if part != "" {
			text += ": " + part
		}
	}
	return text
}

// RetryDelay is RetryAfter, for [quire.RetryAfter].
func (e *StatusError) RetryDelay() time.Duration { return e.RetryAfter }

// The limits of what is kept of an error.
const (
	maxErrorBody    = 64 << 10
	maxErrorMessage = 1000
)

// statusOf makes an error of a response, which it consumes.
func statusOf(resp *http.Response) *StatusError {
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // half of it says something too
	e := faultIn(body)
	if e == nil {
		e = &StatusError{Message: short(string(body))}
	}
	e.Status = resp.StatusCode
	e.RetryAfter = retryAfter(resp.Header, time.Now())
	return e
}

// retryAfter reads the header Retry-After (RFC 9110, section 10.2.3), seconds or a date,
// or the finer one in milliseconds that some servers add.
func retryAfter(h http.Header, now time.Time) time.Duration {
	for _, c := range []struct {
		name string
		unit time.Duration
	}{{"Retry-After-Ms", time.Millisecond}, {"Retry-After", time.Second}} {
		n, err := strconv.ParseFloat(h.Get(c.name), 64)
		if err == nil && n >= 0 && n < float64(math.MaxInt64/int64(c.unit)) {
			return time.Duration(n * float64(c.unit))
		}
	}
	if at, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// faultIn reads the error in a JSON object, in the shapes that servers use:
// {"error": {"message", "type", "code"}}, {"error": "message"}, {"type": "error", ..} and
// {"object": "error", "message", "code"}. nil if there is none.
func faultIn(data []byte) *StatusError {
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Object  json.RawMessage `json:"object"`
		Type    json.RawMessage `json:"type"`
		Message json.RawMessage `json:"message"`
		Code    json.RawMessage `json:"code"`
	}
	if json.Unmarshal(data, &outer) != nil {
		return nil
	}
	inner := outer
	switch {
	case len(outer.Error) > 0 && !bytes.Equal(outer.Error, []byte("null")) && !bytes.Equal(outer.Error, []byte(`""`)):
		if text := word(outer.Error); text != "" {
			return &StatusError{Message: short(text)}
		}
		inner.Type, inner.Message, inner.Code = nil, nil, nil
		if json.Unmarshal(outer.Error, &inner) != nil {
			return &StatusError{Message: short(string(outer.Error))}
		}
	case word(outer.Object) != "error" && word(outer.Type) != "error":
		return nil
	}
	e := &StatusError{Type: word(inner.Type), Message: short(word(inner.Message))}
	code := strings.Trim(string(inner.Code), `"`)
	if n, err := strconv.Atoi(code); err == nil {
		e.Status = n
	} else if e.Status = statusOfType[code]; e.Status == 0 {
		e.Status = statusOfType[e.Type]
	}
	return e
}

// statusOfType are the HTTP statuses of the types and codes of error events.
var statusOfType = map[string]int{
	"invalid_request_error":   http.StatusBadRequest,
	"context_length_exceeded": http.StatusBadRequest,
	"authentication_error":    http.StatusUnauthorized,
	"invalid_api_key":         http.StatusUnauthorized,
	"permission_error":        http.StatusForbidden,
	"not_found_error":         http.StatusNotFound,
	"model_not_found":         http.StatusNotFound,
	"request_too_large":       http.StatusRequestEntityTooLarge,
	"rate_limit_error":        http.StatusTooManyRequests,
	"rate_limit_exceeded":     http.StatusTooManyRequests,
	"insufficient_quota":      http.StatusTooManyRequests,
	"api_error":               http.StatusInternalServerError,
	"server_error":            http.StatusInternalServerError,
	"timeout_error":           http.StatusGatewayTimeout,
	"overloaded_error":        529, // the status that Anthropic has for it
}

// word returns the text of a JSON string, "" of anything else.
func word(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // then it is not a string
	return s
}

func short(text string) string {
	text = strings.TrimSpace(text)
	return strings.ToValidUTF8(text[:min(len(text), maxErrorMessage)], "")
}

// temporary reports whether a status may be another one later without a change of what
// was sent: besides failures and limits a key that is put right, or a model that is pulled.
func temporary(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusRequestTimeout,
		http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return status < 400 || status >= 500
}

// llmError makes the error of an LLM one of Quire's. What a server refuses for good is
// not the asking user's fault, so it is internal.
func llmError(err error) error { return modelError(err, quire.CodeInternal) }

// embedderError makes the error of an Embedder one of Quire's. What a server refuses for
// good is invalid, which ends an ingest instead of trying it again.
func embedderError(err error) error { return modelError(err, quire.CodeInvalid) }

func modelError(err error, forGood quire.Code) error {
	var own *quire.Error
	if errors.As(err, &own) {
		return err
	}
	var status *StatusError
	if !errors.As(err, &status) {
		return quire.Errorf(quire.CodeUnavailable, "the model does not answer").WithCause(err)
	}
	code := quire.CodeUnavailable
	if !temporary(status.Status) {
		code = forGood
	}
	return quire.Errorf(code, "%s", status.shown()).WithCause(err)
}

// shown says what happened without what the server said.
func (e *StatusError) shown() string {
	var text string
	switch {
	case e.Status == 0:
		return "the model failed in the middle of its answer"
	case e.Status == http.StatusTooManyRequests:
		text = "the model gets too many requests"
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		text = "the model refuses this server's key"
	case e.Status == http.StatusNotFound:
		text = "the model is not there"
	case temporary(e.Status):
		text = "the model failed"
	default:
		text = "the model refused the request"
	}
	text += fmt.Sprintf(" (status %d)", e.Status)
	if e.RetryAfter > 0 {
		text += fmt.Sprintf("; try again in %v", e.RetryAfter.Round(time.Second))
	}
	return text
}
