package enginetest

import (
	"context"
	"math"
	"sync"
)

// Gate holds calls of a fake back until a test lets them through. Make it with
// NewGate, in the bubble when testing/synctest is used, and end with Open: a call
// that nobody lets through waits until its context ends.
type Gate struct {
	arrived chan struct{}
	permits chan struct{}
	open    chan struct{}
	once    sync.Once
}

// NewGate makes a closed gate.
func NewGate() *Gate {
	// A channel of empty structs needs no room for its buffer, so these count
	// without a limit that a test could reach.
	return &Gate{
		arrived: make(chan struct{}, math.MaxInt32),
		permits: make(chan struct{}, math.MaxInt32),
		open:    make(chan struct{}),
	}
}

// Arrived delivers one value for each call that came to the gate, open or not.
func (g *Gate) Arrived() <-chan struct{} { return g.arrived }

// Pass lets n calls through, those that wait and then those to come. It does not
// block.
func (g *Gate) Pass(n int) {
	for range n {
		g.permits <- struct{}{}
	}
}

// Open lets all calls through, now and from now on. Opening twice does nothing.
func (g *Gate) Open() { g.once.Do(func() { close(g.open) }) }

// wait blocks until the gate lets the caller through or ctx ends, and returns the
// context's error then. A nil gate is open.
func (g *Gate) wait(ctx context.Context) error {
	if g == nil {
		return ctx.Err()
	}
	g.arrived <- struct{}{}
	select {
	case <-g.permits:
	case <-g.open:
	case <-ctx.Done():
	}
	return ctx.Err()
}
