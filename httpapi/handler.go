package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"sync"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/internal/id"
)

// server answers the requests of one handler.
type server struct {
	lib    *quire.Library // never nil: it also knows the keys
	eng    *quire.Engine  // nil: content routes only
	opts   Options
	router router

	document func() ([]byte, error) // the API document without servers
	page     func() ([]byte, error) // the page that shows it

	rendering func() // if not nil, called before texts of a large elemental are rendered

	// Memory for answers and for bodies of requests. Small ones have a part for themselves, so
	// that large ones, which take long, keep nobody from them.
	largeAnswers, smallAnswers, pages, unpaged, files, largeBodies, smallBodies, values, chats budget

	keyed   bool         // a request comes with an API key
	rates   *rateLimiter // nil: no limit
	failed  *failedKeys  // nil: no limit
	streams streamCount
}

// New returns a handler that serves the content interface of lib and the knowledge
// engine eng. With a nil eng it has the content routes only, with a nil lib the
// engine routes only, and API keys are then those of eng.Library(). opts may be nil.
//
// It panics if both are nil, eng is of another Library, or an option is out of its limits,
// as that is a mistake in the program. The handler starts nothing that outlives a request.
func New(lib *quire.Library, eng *quire.Engine, opts *Options) http.Handler {
	if lib == nil && eng == nil {
		panic("httpapi: New needs a Library or an Engine")
	}
	if lib != nil && eng != nil && eng.Library() != lib {
		panic("httpapi: the Engine is that of another Library")
	}
	s := &server{lib: lib, eng: eng}
	if lib == nil {
		s.lib = eng.Library()
	}
	s.keyed = opts == nil || opts.Authenticate == nil
	var err error
	if s.opts, err = opts.withDefaults(s.lib); err != nil {
		panic(err)
	}
	if s.opts.Rate.PerMinute > 0 {
		s.rates = newRateLimiter(s.opts.Rate)
	}
	if s.opts.FailedKeys.PerMinute > 0 {
		s.failed = newFailedKeys(s.opts.FailedKeys)
	}
	s.streams.limit = s.opts.MaxStreams
	s.makeBudgets()
	var served []route
	if lib != nil {
		served = append(served, contentRoutes...)
	}
	if eng != nil {
		served = append(served, engineRoutes...)
	}
	served = append(served, docRoutes...)
	s.router = newRouter(served, s.opts.Prefix)
	s.document = sync.OnceValues(func() ([]byte, error) { return documentOf(served) })
	s.page = sync.OnceValues(func() ([]byte, error) {
		doc, err := s.document()
		if err != nil {
			return nil, err
		}
		return pageOf(doc)
	})
	return s
}

// ServeHTTP answers one request: the only place where errors and panics of
// handlers become answers.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{s: s, w: w, r: r, requestID: requestID(r), group: s.router.groupOf(r)}
	h := w.Header()
	h.Set("X-Request-Id", c.requestID)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	defer c.limitEnd()
	defer c.giveBack() // also what the answer to a panic takes
	defer func() {
		if p := recover(); p != nil {
			c.panicked(p, debug.Stack())
		}
	}()
	c.slow = s.limitBody(w, r)
	if err := s.serve(c); err != nil {
		c.fail(err)
	}
}

// serve finds the route, the user and the body, in this order, and calls the
// route's handler.
func (s *server) serve(c *call) error {
	rt, params, err := s.router.match(c.r)
	if err != nil {
		return c.noRoute(err)
	}
	c.route, c.params = rt, params
	if !rt.open {
		if err := c.authenticate(); err != nil {
			return err
		}
		if err := c.limitRate(); err != nil {
			return err
		}
	}
	if rt.body {
		if err := c.readBody(); err != nil {
			return err
		}
		if err := checkJSON(c.body, s.opts.jsonLimits(), c.holdValues); err != nil {
			return err
		}
	}
	if err := c.admit(); err != nil {
		return err
	}
	return rt.handle(s, c)
}

// noRoute returns the answer to a request that no route takes. Its meta says whether the
// call was authenticated, so who is calling is found out as for a route, within the same
// limits: a key is neither guessed nor used more often there. Who is not known gets the
// same answer.
func (c *call) noRoute(err error) error {
	if c.group != contentGroup || c.authenticate() != nil {
		return err
	}
	if limited := c.limitRate(); limited != nil {
		return limited
	}
	return err
}

// authenticate finds out who is calling.
func (c *call) authenticate() error {
	u, err := c.authenticateKey()
	if err != nil {
		return c.unauthenticated(err)
	}
	if u.TenantID == "" {
		u.TenantID = u.ID
	}
	if err := u.Actor().Check(); err != nil {
		return err
	}
	if c.r.Body == nil { // which net/http never leaves, but Authenticate may
		c.r.Body = http.NoBody
	}
	c.user, c.authenticated = u, true
	return nil
}

// errNoEntry is the ErrForbidden of Options.Authenticate, if it says no more.
var errNoEntry = quire.Errorf(quire.CodeForbidden, "this user is known, but may not use this interface; ask whoever runs it")

// unauthenticated turns what Options.Authenticate says of a request that has no user into
// ErrUnauthenticated: who looks a key or user up often returns the "not found" of that, which
// would read as if the route's own object did not exist. Other errors stay as they are.
func (c *call) unauthenticated(err error) error {
	switch quire.CodeOf(err) {
	case quire.CodeNotFound, quire.CodeInvalid, quire.CodeConflict, quire.CodeTooLarge:
		c.s.opts.Logger.DebugContext(c.r.Context(), "httpapi: not authenticated", "request_id", c.requestID,
			"method", c.r.Method, "route", c.route.pattern, "error", quire.Cause(err))
		return quire.ErrUnauthenticated.WithCause(err)
	case quire.CodeForbidden:
		if err.Error() == quire.ErrForbidden.Message { // which is about objects
			return errNoEntry
		}
	}
	return err
}

// requestID returns the client's X-Request-Id if there is one that is safe to log
// and to send back, else a new one.
func requestID(r *http.Request) string {
	if ids := r.Header.Values("X-Request-Id"); len(ids) == 1 && saneID(ids[0]) {
		return ids[0]
	}
	return id.New()
}

// saneID allows what common tracing ids are made of.
func saneID(s string) bool {
	if s == "" || len(s) > 128 {
		return false
	}
	for _, b := range []byte(s) {
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9':
		case b == '-', b == '_', b == '.', b == ':', b == '/', b == '+', b == '=':
		default:
			return false
		}
	}
	return true
}

// panicked answers a panic of a handler with 500. net/http's own way to abort an
// answer goes through, and so does a panic after the answer has begun, because the
// client must see that it was cut off.
func (c *call) panicked(p any, stack []byte) {
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(http.ErrAbortHandler)
	}
	c.s.opts.Logger.ErrorContext(c.r.Context(), "httpapi: panic", "request_id", c.requestID,
		"method", c.r.Method, "route", c.route.pattern, "panic", quire.Cause(fmt.Errorf("%v", p)), "stack", string(stack))
	if c.started {
		panic(http.ErrAbortHandler)
	}
	c.answerError(problem500)
}
