package httpapi

import (
	"context"
	"net/http"
)

// errStopping answers who asks a server that is about to stop for what may take long, and ends
// what runs of it.
var errStopping = &problem{status: http.StatusServiceUnavailable, message: "the service is about to stop; ask again in a moment"}

// refuseLate refuses what may take long once the server is about to stop.
func (s *server) refuseLate() error {
	select {
	case <-s.opts.Stopping:
		return errStopping
	default:
		return nil
	}
}

// untilStopping runs what may take long, with a context that also ends when the server is about
// to stop. If that was why it failed, the error is errStopping; what was done in time stays done.
func (s *server) untilStopping(ctx context.Context, run func(context.Context) error) error {
	under, cancel := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-s.opts.Stopping:
			cancel(errStopping)
		case <-under.Done():
		}
	}()
	defer func() {
		cancel(nil)
		<-watched // nothing of a request outlives it
	}()
	if err := run(under); err == nil || context.Cause(under) != errStopping {
		return err
	}
	return errStopping
}
