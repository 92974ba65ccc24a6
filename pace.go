package quire

import (
	"context"
	"sync/atomic"
	"time"
)

// pace is how many texts an Embedder is given in one call: as many as it embeds in about
// batchTime. A call that takes long delays the end of the Engine, is lost as a whole when it
// fails, and may be longer than a service lets any take; many short ones cost their ways there
// and back. Workers that share a pace each correct it, and the last one wins.
type pace struct {
	texts atomic.Int64 // 0 until a call took longer than batchTime
}

// batchTime is how long a call should take at most.
const batchTime = 2 * time.Second

// next returns how many texts to embed in the next call, most at most.
func (p *pace) next(most int) int {
	if n := int(p.texts.Load()); n > 0 {
		return min(n, most)
	}
	return most
}

// took takes down how long a call took, and whether it failed. One that fails fast says
// nothing; after one that failed late, fewer texts may succeed.
func (p *pace) took(texts int, d time.Duration, failed bool) {
	now := p.texts.Load()
	switch n := int64(texts); {
	case failed && d <= batchTime:
	case failed:
		p.texts.Store(max(1, n/4))
	case d > batchTime:
		p.texts.Store(max(1, n*int64(batchTime)/int64(d)))
	case now > 0 && n >= now && d <= batchTime/2:
		p.texts.Store(2 * n)
	}
}

// embedBatch is embed for passages, whose number it keeps the pace of.
func (m *model) embedBatch(ctx context.Context, texts []string) ([][]float32, error) {
	began := time.Now()
	vectors, err := m.embed(ctx, texts)
	if ctx.Err() == nil {
		m.pace.took(len(texts), time.Since(began), err != nil)
	}
	return vectors, err
}
