package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/quirelib/quire"
)

// Options configure a handler. The zero value is good.
type Options struct {
	// Prefix is a path that all routes begin with, such as "/api": it begins with a
	// slash and does not end with one. Default: none. The addresses in answers begin with
	// quire.LibraryOptions.PublicURL, which has to have it too.
	Prefix string
	// Authenticate returns the user that a request comes from and replaces API keys.
	// quire.ErrUnauthenticated (401) and quire.ErrForbidden (403) say that there is
	// none. Errors with CodeNotFound, CodeInvalid, CodeConflict and CodeTooLarge are answered
	// as 401 as well, without their text; CodeUnavailable and a context that ended with 503,
	// and what is no *quire.Error with 500. A user without a TenantID is its own tenant; one
	// with an id that Library.CreateUser refuses is nobody. Of a user who was not created in
	// the Library, answers show the id only. It must be safe for concurrent use.
	// Default: the header x-api-key, through Library.Authenticate.
	Authenticate func(r *http.Request) (quire.User, error)
	// Challenge is the header WWW-Authenticate of a 401 (RFC 9110, section 11.6.1), such as
	// "Bearer". Default: one for x-api-key, or with an Authenticate of your own one that
	// only says that the application decides.
	Challenge string
	// MayActFor reports whether a user may name a tenant in the filters of engine
	// requests. It must be safe for concurrent use. Default: only the user's own
	// TenantID.
	MayActFor func(ctx context.Context, u quire.User, tenantID string) bool
	// MaxBodyBytes limits the body of a request; a larger one answers 413. Default
	// 64 MiB.
	MaxBodyBytes int64
	// MaxAnswerMemory is how much memory, in bytes, the answers with large elementals
	// may take together, by an estimate: a document of 16 MiB or a table of as much takes
	// about 100 MB while it is rendered and sent; a page of long descriptions counts too,
	// with 48 bytes for each of theirs. One user holds half of it at most, or one
	// larger answer; a quarter is kept for requests that write. An answer waits for room
	// for 10 s at most, before anything is done for it, and is 503 with Retry-After then;
	// one that is larger than all there is counts as all of it, and one of a body of up to
	// 80 KiB never waits. Default 256 MiB.
	MaxAnswerMemory int64
	// MaxRequestMemory is how much memory, in bytes, the bodies of requests may take
	// together: each over 1 MiB counts with twice its length, from before it is read until
	// it is answered, and one without a Content-Length with twice MaxBodyBytes. They are
	// shared and waited for like MaxAnswerMemory. A server should have a ReadTimeout, so
	// that who sends slowly does not keep its share. Default 256 MiB.
	MaxRequestMemory int64
	// Rate limits how often each API key, or user if Authenticate is given, may ask; what
	// comes sooner is 429 with Retry-After. Default: no limit.
	Rate Rate
	// MaxStreams is how many streamed answers each API key, or user, may have open at the
	// same time; one more is 429. Default 256.
	MaxStreams int
	// HeartbeatInterval is how long the streamed chat may be silent before a comment
	// is sent. A first event that takes longer starts the stream with one, so that
	// errors after it can no longer change the status. Default 15 s, at least 10 ms.
	HeartbeatInterval time.Duration
	// Version is what /health/detailed reports. Default: the version of the interface.
	Version string
	// Logger receives errors that are answered with a status from 500 up, and at level
	// Debug why Authenticate refused what it did not call unauthenticated itself. Default:
	// nothing is logged.
	Logger *slog.Logger
}

// apiVersion is the label of the interface in the meta of every content answer.
const apiVersion = "v1.0.2"

const minHeartbeat = 10 * time.Millisecond

// withDefaults returns a checked copy of o with every field filled in.
func (o *Options) withDefaults(lib *quire.Library) (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Prefix != "" && (!strings.HasPrefix(c.Prefix, "/") || path.Clean(c.Prefix) != c.Prefix || c.Prefix == "/") {
		return c, fmt.Errorf("httpapi: Options.Prefix %q must begin with a slash, end without one and hold no empty or dot segments", c.Prefix)
	}
	if c.MaxBodyBytes < 0 {
		return c, fmt.Errorf("httpapi: Options.MaxBodyBytes is %d, must not be negative", c.MaxBodyBytes)
	}
	if c.MaxBodyBytes == 0 {
		c.MaxBodyBytes = 64 << 20
	}
	if c.MaxAnswerMemory < 0 {
		return c, fmt.Errorf("httpapi: Options.MaxAnswerMemory is %d, must not be negative", c.MaxAnswerMemory)
	}
	if c.MaxAnswerMemory == 0 {
		c.MaxAnswerMemory = 256 << 20
	}
	if c.MaxRequestMemory < 0 {
		return c, fmt.Errorf("httpapi: Options.MaxRequestMemory is %d, must not be negative", c.MaxRequestMemory)
	}
	if c.MaxRequestMemory == 0 {
		c.MaxRequestMemory = 256 << 20
	}
	var err error
	if c.Rate, err = c.Rate.check(); err != nil {
		return c, err
	}
	if c.MaxStreams < 0 {
		return c, fmt.Errorf("httpapi: Options.MaxStreams is %d, must not be negative", c.MaxStreams)
	}
	if c.MaxStreams == 0 {
		c.MaxStreams = 256
	}
	if c.HeartbeatInterval == 0 {
		c.HeartbeatInterval = 15 * time.Second
	}
	if c.HeartbeatInterval < minHeartbeat {
		return c, fmt.Errorf("httpapi: Options.HeartbeatInterval is %v, must be at least %v", c.HeartbeatInterval, minHeartbeat)
	}
	challenge := `Application realm="quire"`
	if c.Authenticate == nil {
		c.Authenticate = keyAuth(lib)
		challenge = `ApiKey realm="quire", header="x-api-key"`
	}
	c.Challenge = cmp.Or(c.Challenge, challenge)
	if c.MayActFor == nil {
		c.MayActFor = func(_ context.Context, u quire.User, tenantID string) bool { return tenantID == u.TenantID }
	}
	if c.Version == "" {
		c.Version = apiVersion
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// keyAuth authenticates by the header x-api-key. Two such headers are refused,
// because a proxy in front may have looked at the other one.
func keyAuth(lib *quire.Library) func(*http.Request) (quire.User, error) {
	return func(r *http.Request) (quire.User, error) {
		keys := r.Header.Values("X-Api-Key")
		if len(keys) != 1 || keys[0] == "" {
			return lib.Authenticate(r.Context(), "") // as an unknown key
		}
		return lib.Authenticate(r.Context(), keys[0])
	}
}
