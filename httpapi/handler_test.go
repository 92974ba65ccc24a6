package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

func TestValidateToken(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.do(f.ann.key, "GET", "/v1/auth/token/validate", "").want(200).has("response",
		`{"id":"ann","name":"ANN","username":"ann1","email":"ann@example.org","avatar":"https://img.example/ann"}`)
	a := f.do("", "GET", "/v1/auth/token/validate", "").failed(401, "a valid API key is required, in the header x-api-key")
	a.has("meta.is_authenticaded", "false", "meta.is_authenticated", "false")
}

// TestKeyStates: a revoked and an expired key are answered like an unknown one, from
// the next request on.
func TestKeyStates(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	unknown := f.do("unknown", "GET", "/v1/lists", "").want(401)
	key, secret, err := f.lib.CreateKey(t.Context(), "ann", quire.KeyInput{})
	if err != nil {
		t.Fatal(err)
	}
	f.do(secret, "GET", "/v1/lists", "").want(200)
	if err := f.lib.RevokeKey(t.Context(), "ann", key.ID); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{secret, f.expiredKey("ann"), strings.Repeat("x", 1<<20), "schlüssel-0123456789"} {
		if a := f.do(key, "GET", "/v1/lists", ""); a.status != 401 || a.body != unknown.body {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
}

func TestAuthenticateOption(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	var log strings.Builder
	secret := errors.New("dial tcp: secret address")
	refused := map[string]error{
		"broken":      secret,
		"corrupt":     quire.ErrCorrupt.WithCause(secret),
		"closed":      quire.ErrClosed.WithCause(secret),
		"unavailable": quire.ErrUnavailable.WithCause(secret),
		"late":        fmt.Errorf("%w: %w", context.DeadlineExceeded, secret),
		"forbidden":   quire.ErrForbidden,
		"not found":   fmt.Errorf("the session: %w", quire.ErrNotFound.WithCause(secret)),
		"invalid":     (&quire.Error{Code: quire.CodeInvalid, Message: "secret", Fields: []quire.FieldError{{Field: "secret"}}}).WithCause(secret),
		"conflict":    quire.Errorf(quire.CodeConflict, "secret").WithCause(secret),
		"too large":   quire.ErrTooLarge.WithCause(secret),
	}
	f.h = New(f.lib, nil, &Options{
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Authenticate: func(r *http.Request) (quire.User, error) {
			session := r.Header.Get("Session")
			if err := refused[session]; err != nil {
				return quire.User{}, err
			}
			switch session {
			case "takes-the-body":
				r.Body = nil
				return quire.User{ID: session}, nil
			case "nobody":
				return quire.User{}, nil
			case "":
				return quire.User{}, quire.ErrUnauthenticated
			default:
				return quire.User{ID: session}, nil
			}
		},
	})
	f.do("", "GET", "/v1/lists", "", "Session", "ann").want(200)
	f.do("", "POST", "/v1/user/list", `{"title":"x"}`, "Session", "ann").want(201).has("response.user.id", `"ann"`)
	f.do(f.ann.key, "GET", "/v1/lists", "").want(401)
	f.do("", "GET", "/v1/lists", "", "Session", "nobody").want(401)
	nobody := f.do("", "GET", "/v1/lists", "", "Session", "ann@example.org").want(401)
	if got := nobody.header.Get("WWW-Authenticate"); got != `Application realm="quire"` || !strings.Contains(nobody.body, "must be 1 to 64 letters") {
		t.Errorf("WWW-Authenticate %q: %s", got, nobody.body)
	}
	f.do("", "POST", "/v1/user/list", `{"title":"x"}`, "Session", "takes-the-body").want(400)
	const noKey, noUser = "who is calling is not known; send valid credentials", "this user is known, but may not use this interface; ask whoever runs it"
	for session, want := range map[string]struct {
		status  int
		message string
		logged  string
	}{
		"broken":      {500, problem500.message, "level=ERROR"},
		"corrupt":     {500, problem500.message, "level=ERROR"},
		"closed":      {503, problem503.message, "level=WARN"},
		"unavailable": {503, problem503.message, "level=ERROR"},
		"late":        {503, "the request took too long", "level=ERROR"},
		"forbidden":   {403, noUser, ""},
		"not found":   {401, noKey, "level=DEBUG"},
		"invalid":     {401, noKey, "level=DEBUG"},
		"conflict":    {401, noKey, "level=DEBUG"},
		"too large":   {401, noKey, "level=DEBUG"},
	} {
		log.Reset()
		a := f.do("", "GET", "/v1/elemental/x", "", "Session", session).failed(want.status, want.message)
		if strings.Contains(a.body, "secret") {
			t.Errorf("%s: the answer shows the cause: %s", session, a.body)
		}
		if got := log.String(); !strings.Contains(got, want.logged) || strings.Contains(got, "secret address") != (want.logged != "") {
			t.Errorf("%s: the log has %q", session, got)
		}
		if got := a.header.Get("WWW-Authenticate"); (got != "") != (want.status == 401) {
			t.Errorf("%s: WWW-Authenticate is %q", session, got)
		}
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	for _, sane := range []string{"abc-123_x.y:z/+=", strings.Repeat("a", 128)} {
		if got := f.do("", "GET", "/v1/health", "", "X-Request-Id", sane).header.Get("X-Request-Id"); got != sane {
			t.Errorf("sent %q, got %q", sane, got)
		}
	}
	seen := map[string]bool{}
	for _, bad := range []string{"", strings.Repeat("a", 129), "a b", "ü", "a\tb", `"`, "\x1b[31m"} {
		got := f.do("", "GET", "/v1/health", "", "X-Request-Id", bad).header.Get("X-Request-Id")
		if got == bad || got == "" || seen[got] {
			t.Errorf("sent %q, got %q", bad, got)
		}
		seen[got] = true
	}
	a := f.do("", "GET", "/v1/health", "", "X-Request-Id", "one", "X-Request-Id", "two")
	if got := a.header.Get("X-Request-Id"); got == "one" || got == "two" {
		t.Errorf("of two ids one was taken: %q", got)
	}
}

// faulty serves routes that go wrong in various ways.
func faulty(log io.Writer, group string) http.Handler {
	s := &server{opts: Options{Logger: slog.New(slog.NewJSONHandler(log, nil)), MaxBodyBytes: 100}}
	handlers := map[string]func(*server, *call) error{
		"panic":  func(*server, *call) error { panic("secret\npanic") },
		"abort":  func(*server, *call) error { panic(http.ErrAbortHandler) },
		"nan":    func(_ *server, c *call) error { return c.respond(200, math.NaN()) },
		"err":    func(*server, *call) error { return fmt.Errorf("select * from secret") },
		"late":   func(_ *server, c *call) error { _ = c.respond(200, 1); return errors.New("late") },
		"corupt": func(*server, *call) error { return quire.ErrCorrupt.WithCause(errors.New("/var/secret.db")) },
	}
	var routes []route
	for name, h := range handlers {
		routes = append(routes, route{method: "GET", pattern: group + name, open: true, handle: h})
	}
	s.router = newRouter(routes, "")
	return s
}

// TestFaults: whatever goes wrong inside is a 500 in the right shape, never an empty
// 200, and the cause is in the log with the request id, not in the answer.
func TestFaults(t *testing.T) {
	t.Parallel()
	faults := 0
	for _, group := range []string{"/v1/", "/v1/kb/"} {
		for _, name := range []string{"panic", "nan", "err", "corupt"} {
			faults++
			var log strings.Builder
			f := &fixture{t: t, h: faulty(&log, group)}
			a := f.do("", "GET", group+name, "", "X-Request-Id", "find-me").want(500)
			if group == "/v1/" {
				a.failed(500, problem500.message)
			} else {
				a.detail(500, problem500.message)
			}
			if !strings.Contains(log.String(), "find-me") || strings.Count(log.String(), "\n") != 1 {
				t.Errorf("%s: the log is %s", name, log.String())
			}
		}
	}
	srv := httptest.NewServer(faulty(io.Discard, "/v1/"))
	defer srv.Close()
	for _, name := range []string{"abort", "late"} {
		resp, err := http.Get(srv.URL + "/v1/" + name)
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		if name == "abort" && err == nil {
			t.Errorf("%s: the client does not see that the answer was cut", name)
		}
		faults++
	}
	if t.Failed() {
		return
	}
	t.Logf("D8: %d of %d faults inside of handlers answered as such, the process lives, causes are in the log only", faults, faults)
}

// TestHalves mounts each half alone: the other one's routes do not exist, and all
// errors have the shape of the half that is there.
func TestHalves(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	both := f.h
	id := f.elemental(f.ann, "How to sail a boat", "")
	f.h = New(nil, f.eng, nil)
	f.ingest(f.ann, id)
	f.do(f.ann.key, "GET", "/v1/lists", "").detail(404, "there is no such route")
	f.do("", "GET", "/v1/health", "").detail(404, "there is no such route")
	f.do("", "GET", "/health", "").want(200)
	f.do("", "POST", "/v1/kb/search", "{}").detail(401, "a valid API key is required, in the header x-api-key")
	f.h = New(f.lib, nil, nil)
	f.do(f.ann.key, "GET", "/v1/elemental/"+id, "").want(200)
	f.do(f.ann.key, "POST", "/v1/kb/search", "{}").failed(404, "there is no such route")
	f.do("", "GET", "/health", "").failed(404, "there is no such route")
	f.h = both
	f.do("", "GET", "/v1/kb/nothing", "").detail(404, "there is no such route")
	f.do("", "GET", "/health/x", "").detail(404, "there is no such route")
	f.do("", "GET", "/v1/kbx", "").failed(404, "there is no such route")
	f.do("", "PUT", "/v1/kb/search", "").detail(405, "this route does not take that method; allowed: POST")
}

func TestBodyLimit(t *testing.T) {
	t.Parallel()
	f := newFixture(t, &Options{MaxBodyBytes: 60})
	f.do(f.ann.key, "POST", "/v1/user/list", `{"title":"`+strings.Repeat("x", 47)+`"}`+" ").want(201)
	f.do(f.ann.key, "POST", "/v1/user/list", `{"title":"`+strings.Repeat("x", 48)+`"}`+" ").failed(413, "the body is over the limit of 60 bytes")
	// Without a Content-Length the limit shows while reading.
	req := httptest.NewRequest("POST", "/v1/user/list", io.MultiReader(strings.NewReader(strings.Repeat(" ", 61))))
	req.Header.Set("x-api-key", f.ann.key)
	rec := exchanged(t, f.h, req)
	if rec.Code != 413 {
		t.Errorf("status %d, want 413", rec.Code)
	}
	for _, contentType := range []string{"application/json", "application/json; charset=UTF-8", "APPLICATION/JSON", "application/json; x=y"} {
		f.do(f.ann.key, "POST", "/v1/user/list", `{"title":"x"}`, "Content-Type", contentType).want(201)
	}
	f.do(f.ann.key, "POST", "/v1/user/list", `{"title":"x"}`, "Content-Encoding", "identity").want(201)
	// A connection that ends inside the body.
	req = httptest.NewRequest("POST", "/v1/user/list", io.MultiReader(strings.NewReader(`{"title"`), errReader{}))
	req.Header.Set("x-api-key", f.ann.key)
	rec = exchanged(t, f.h, req)
	if rec.Code != 400 {
		t.Errorf("status %d, want 400", rec.Code)
	}
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
