package langchain

import (
	"context"
	"sync"
)

// call is what the HTTP client notes of the requests of one call to a model, because
// langchaingo passes on neither status nor headers, and of a broken stream often no
// error at all. It travels in the context. All methods may be called on nil.
type call struct {
	streamed bool // the answer is to come piece by piece

	mu   sync.Mutex
	err  error
	stop string
}

type callKey struct{}

func withCall(ctx context.Context, c *call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// callOf returns nil for a request that was not made through an LLM or Embedder.
func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// wantsStream reports whether the answer is to come piece by piece.
func (c *call) wantsStream() bool { return c != nil && c.streamed }

// begin forgets what went wrong before: a client may have tried again.
func (c *call) begin() {
	if c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.err = nil
	}
}

// fail notes an error and returns it. The first one is kept: what follows comes of it.
func (c *call) fail(err error) error {
	if c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.err == nil {
			c.err = err
		}
	}
	return err
}

// failure returns the error of a call that returned err: what was noted says more.
func (c *call) failure(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	return err
}

// stopped notes why the model ended.
func (c *call) stopped(reason string) {
	if c != nil && reason != "" {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.stop = reason
	}
}

func (c *call) stopReason() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stop
}
