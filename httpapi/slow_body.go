package httpapi

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// readPart is as much of a body as gets one deadline.
const readPart = 64 << 10

// slowBody is a body of a request, of which each readPart has to come in time. Whoever sends
// more slowly would otherwise hold a goroutine, and the memory for what it has announced, for
// as long as it likes.
//
// Who keeps to that may still take hours. So may everybody as long as nobody waits for the
// memory that is kept for the body; if somebody does, see late.
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

	mu     sync.Mutex // for what follows: who waits for memory looks at it too
	began  time.Time  // when memory was there for it
	length int64      // what memory is kept for
	got    int64
	over   bool // nothing more is read
	ended  bool // it has to make room
}

// The pace that a body must keep while others wait for its memory: after fairStart, as much
// of it must be there as if all of it came within fairTime, evenly. So it costs the same to
// keep others out, whether by a few large bodies or by many small ones: not a trickle, but half
// of the memory in fairTime.
const (
	fairStart = 5 * time.Second
	fairTime  = 2 * time.Minute
)

// errOvertaken answers whose body had to make room.
var errOvertaken = &problem{status: http.StatusRequestTimeout,
	message: fmt.Sprintf("the body came too slowly while others waited for the memory that is kept for it: all of it has to come within %v then, at an even pace; nothing was done for this request: send it again in some seconds, or in parts of up to %d KiB, which wait for no memory", fairTime+fairStart, freeBody>>10)}

// limitBody gives deadlines to the body of a request, if there are any.
func (s *server) limitBody(w http.ResponseWriter, r *http.Request) *slowBody {
	if s.opts.ReadTimeout < 0 || r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	b := &slowBody{ReadCloser: r.Body, rc: http.NewResponseController(w), timeout: s.opts.ReadTimeout}
	if srv, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && srv.ReadTimeout > 0 {
		b.latest = time.Now().Add(srv.ReadTimeout)
	}
	b.extend()
	r.Body = b
	return b
}

// Read is what io.Reader says.
func (b *slowBody) Read(p []byte) (int, error) {
	if b.room == 0 {
		b.extend()
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.room)])
	b.room -= n
	b.mu.Lock()
	defer b.mu.Unlock()
	b.got += int64(n)
	b.over = b.over || err != nil
	return n, err
}

// begin says that memory is there for so much of the body.
func (b *slowBody) begin(length int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.began, b.length = time.Now(), length
}

// late reports whether less of the body is there than must be while others wait.
func (b *slowBody) late(start, whole time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	spent := time.Since(b.began) - start
	return !b.over && float64(b.got)*float64(whole) < float64(b.length)*float64(spent)
}

// end lets the Read that waits for more of the body fail, and all that follow. It is called by
// who waits for memory, while the request is being answered.
func (b *slowBody) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	_ = b.rc.SetReadDeadline(time.Unix(1, 0))
}

// wasEnded reports whether end was called.
func (b *slowBody) wasEnded() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ended
}

// extend sets the deadline for the next part.
func (b *slowBody) extend() {
	b.room = readPart
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return
	}
	deadline := time.Now().Add(b.timeout)
	if !b.latest.IsZero() && b.latest.Before(deadline) {
		deadline = b.latest
	}
	_ = b.rc.SetReadDeadline(deadline) // what has no deadlines, as in tests, is left as it is
}
