package httpapi

import (
	"io"
	"net/http"
	"time"
)

// readPart is as much of a body as gets one deadline.
const readPart = 64 << 10

// slowBody is a body of a request, of which each readPart has to come in time. Whoever sends
// more slowly would otherwise hold a goroutine, and the memory for what it has announced, for
// as long as it likes.
//
// The deadline is the connection's, so that it also counts where net/http reads what nobody
// else has: before it writes the answer, and after that. When it has read the end of the body,
// and before the next request, net/http takes the deadline back.
type slowBody struct {
	io.ReadCloser
	rc      *http.ResponseController
	timeout time.Duration
	latest  time.Time // the server's deadline; zero without one
	room    int       // what may still come before the present deadline
}

// limitBody gives deadlines to the body of a request.
func (s *server) limitBody(w http.ResponseWriter, r *http.Request) {
	if s.opts.ReadTimeout < 0 || r.Body == nil || r.Body == http.NoBody {
		return
	}
	b := &slowBody{ReadCloser: r.Body, rc: http.NewResponseController(w), timeout: s.opts.ReadTimeout}
	if srv, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && srv.ReadTimeout > 0 {
		b.latest = time.Now().Add(srv.ReadTimeout)
	}
	b.extend()
	r.Body = b
}

// Read is what io.Reader says.
func (b *slowBody) Read(p []byte) (int, error) {
	if b.room == 0 {
		b.extend()
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.room)])
	b.room -= n
	return n, err
}

// extend sets the deadline for the next part.
func (b *slowBody) extend() {
	b.room = readPart
	deadline := time.Now().Add(b.timeout)
	if !b.latest.IsZero() && b.latest.Before(deadline) {
		deadline = b.latest
	}
	_ = b.rc.SetReadDeadline(deadline) // what has no deadlines, as in tests, is left as it is
}
