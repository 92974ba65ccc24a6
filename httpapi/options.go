package httpapi

import (
	"cmp"
	"context"
	"errors"
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
	// as 401 as well, without their text; CodeUnavailable, without it too, and a context that
	// ended with 503, and what is no *quire.Error with 500. A user without a TenantID is its own tenant, which
	// must not be that of others: where users choose their ids, give each a TenantID. Ids are one
	// space for all tenants: what an id owns is its own in whatever tenant. One
	// with an id that Library.CreateUser refuses is nobody. Of a user who was not created in
	// the Library, answers show the id only. It must be safe for concurrent use.
	// GET /openapi.json describes the header x-api-key all the same, as the scheme "apiKey": an
	// application that clients are made for from the document serves its own in the place of it.
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
	// MaxDepth limits how deep arrays and objects of a body may be nested; 400 beyond it. The
	// payloads of the interface need 6. Default 64.
	MaxDepth int
	// MaxFields limits the keys that all objects of a body have together; 400 beyond it,
	// before anything is decoded. Default 500,000.
	MaxFields int
	// MaxElements limits the values that all arrays of a body have together, the bytes of
	// files aside; 400 beyond it, before anything is decoded. Default 500,000.
	MaxElements int
	// StrictFields refuses a body with a field that its route does not know, at any depth, as
	// it refuses a value of the wrong type: 400, of the engine's routes 422, with the name that
	// was probably meant; and so a query parameter, on routes that have some. GET /openapi.json
	// describes what is known. Default: such fields and parameters are passed over, as clients of
	// the service send some; then a misspelt visibility makes public what was meant to be
	// unlisted.
	StrictFields bool
	// ReadTimeout is how long each 64 KiB of a body, or what is left of it, may take to come;
	// 408 after it. That is a deadline of the connection, in the place of one that the server
	// has set: http.Server.ReadTimeout, if there is one, still counts where it ends sooner.
	// Negative: none but the server's. Default 30 s, so that 2.2 kB/s are enough.
	ReadTimeout time.Duration
	// WriteTimeout is how long each 64 KiB of an answer, an event of a stream, or the end of
	// either may take to be written to a client that reads slowly; the connection is given
	// up after it. Beyond the first MiB of an answer it is three times as long: by then the buffers
	// of the connection are full, and Linux gives room in them back in pieces of up to 1.4 MiB,
	// so that long answers take 47 kB/s. It takes the place of http.Server.WriteTimeout, which counts from the
	// request on and would cut streams. Default 10 s, so that 6.5 kB/s are enough.
	WriteTimeout time.Duration
	// MaxAnswerMemory is how much memory, in bytes, the answers with large elementals
	// may take together, by an estimate: a document of 16 MiB or a table of as much takes
	// about 100 MB while it is rendered and sent; a page of long descriptions counts too,
	// with 48 bytes for each of theirs. One user holds half of it at most, or one
	// larger answer; a quarter is kept for requests that write. An answer waits for room
	// for 10 s at most, before anything is done for it, and is 503 with Retry-After then;
	// one that is larger than all there is counts as all of it. Answers that take up to 5
	// MiB, as with a body of up to 80 KiB, do not wait for these: they share half as much
	// again in the same way. So do files, as much again: each counts with twice its size
	// while it is read, and with its size until it is sent. Default 256 MiB.
	MaxAnswerMemory int64
	// MaxRequestMemory is how much memory, in bytes, the bodies of requests may take
	// together: each over 16 KiB counts with twice its length, from before it is read until
	// it is answered; without a Content-Length, with twice what it may grow to next: 1 MiB,
	// then MaxBodyBytes. Bodies of up to 1 MiB do not wait for larger ones: they share
	// half as much again; and so do the questions of chats while they are answered. They are
	// shared and waited for like MaxAnswerMemory. While another user waits, a body that is
	// being read has to come within about two minutes, evenly; it is ended with 408 if less of
	// it is there and that makes the room that is waited for. With a negative ReadTimeout none
	// is ended. Default 256 MiB.
	MaxRequestMemory int64
	// Rate limits how often each API key, or user if Authenticate is given, may ask; what
	// comes sooner is 429 with Retry-After. Default: no limit.
	Rate Rate
	// FailedKeys limits how often each address may try an API key that is not good. Beyond it
	// 429 with Retry-After, and keys are not even looked up, but for those that were good
	// since the handler was made. Each key that is refused is logged, with the first four
	// bytes of its SHA-256. It cannot be set with an Authenticate. Default: no limit, as behind
	// a proxy all clients have one address unless ClientAddress tells them apart.
	FailedKeys Rate
	// ClientAddress returns the address that a request comes from, for FailedKeys and the log.
	// Behind a proxy that is what the proxy says in a header, if only the proxy can set it. It
	// must be safe for concurrent use. Default: where the connection comes from, of IPv6 the
	// network of 64 bits.
	ClientAddress func(r *http.Request) string
	// MaxStreams is how many streamed answers each API key, or user, may have open at the
	// same time; one more is 429. Default 256.
	MaxStreams int
	// HeartbeatInterval is how long the streamed chat may be silent before a comment
	// is sent. A first event that takes longer starts the stream with one, so that
	// errors after it can no longer change the status. Default 15 s, at least 10 ms.
	HeartbeatInterval time.Duration
	// Stopping is closed when the server is about to stop: streams that are open end with an
	// error event, chats that run with 503, and new ones of both are 503, so that
	// http.Server.Shutdown need not wait for the LLM. All else is answered as ever.
	// Close it in http.Server.RegisterOnShutdown. Default: both go on to their end.
	Stopping <-chan struct{}
	// Version is what /health/detailed reports. Default: the version of the interface.
	Version string
	// Logger receives errors that are answered with a status from 500 up; at level Warn those
	// among them that are meant to be (of what was closed, of Stopping, of MaxAnswerMemory and
	// MaxRequestMemory), and API keys that are refused (see FailedKeys); and at level Debug why
	// Authenticate refused what it did not call unauthenticated itself. Default: nothing is
	// logged.
	Logger *slog.Logger
}

// apiVersion is the label of the interface in the meta of every content answer.
const apiVersion = "v1.0.2"

const minHeartbeat = 10 * time.Millisecond

// limit fills the default of a limit in, unless it is negative.
func limit[T int | int64](name string, value *T, def T) error {
	if *value < 0 {
		return fmt.Errorf("httpapi: Options.%s is %d, must not be negative", name, *value)
	}
	*value = cmp.Or(*value, def)
	return nil
}

// withLimits fills the defaults of all limits in.
func (o *Options) withLimits() error {
	o.ReadTimeout, o.WriteTimeout = cmp.Or(o.ReadTimeout, 30*time.Second), cmp.Or(o.WriteTimeout, 10*time.Second)
	if o.WriteTimeout < 0 {
		return fmt.Errorf("httpapi: Options.WriteTimeout is %v, must not be negative", o.WriteTimeout)
	}
	return errors.Join(
		limit("MaxBodyBytes", &o.MaxBodyBytes, 64<<20),
		limit("MaxDepth", &o.MaxDepth, 64),
		limit("MaxFields", &o.MaxFields, 500_000),
		limit("MaxElements", &o.MaxElements, 500_000),
		limit("MaxAnswerMemory", &o.MaxAnswerMemory, 256<<20),
		limit("MaxRequestMemory", &o.MaxRequestMemory, 256<<20),
		limit("MaxStreams", &o.MaxStreams, 256),
	)
}

// withDefaults returns a checked copy of o with every field filled in.
func (o *Options) withDefaults(lib *quire.Library) (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Prefix != "" && (!strings.HasPrefix(c.Prefix, "/") || path.Clean(c.Prefix) != c.Prefix || c.Prefix == "/") {
		return c, fmt.Errorf("httpapi: Options.Prefix %q must begin with a slash, end without one and hold no empty or dot segments", c.Prefix)
	}
	if err := c.withLimits(); err != nil {
		return c, err
	}
	var err error
	if c.Rate, err = c.Rate.check("Rate"); err != nil {
		return c, err
	}
	if c.FailedKeys, err = c.FailedKeys.check("FailedKeys"); err != nil {
		return c, err
	}
	if c.FailedKeys.PerMinute > 0 && c.Authenticate != nil {
		return c, errors.New("httpapi: Options.FailedKeys counts API keys; with an Authenticate there are none")
	}
	if c.ClientAddress == nil {
		c.ClientAddress = remoteAddress
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

// errNoKey refuses a request without a good key. It says what the Library cannot: where one goes.
var errNoKey = quire.Errorf(quire.CodeUnauthenticated, "a valid API key is required, in the header x-api-key")

// keyAuth authenticates by the header x-api-key. Two such headers are refused,
// because a proxy in front may have looked at the other one.
func keyAuth(lib *quire.Library) func(*http.Request) (quire.User, error) {
	return func(r *http.Request) (quire.User, error) {
		keys := r.Header.Values("X-Api-Key")
		key := "" // an unknown one
		if len(keys) == 1 {
			key = keys[0]
		}
		u, err := lib.Authenticate(r.Context(), key)
		if errors.Is(err, quire.ErrUnauthenticated) {
			err = errNoKey.WithCause(err)
		}
		return u, err
	}
}
