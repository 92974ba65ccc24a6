package quire

import (
	"context"
	"sync"
	"time"
)

// pace is how many texts an Embedder is given in one call: as many as it embeds in about
// batchTime. A call that takes long delays the end of the Engine, is lost as a whole when it
// fails, and may be longer than a service lets any take; many short ones cost their ways there
// and back. Workers that share a pace each correct it, and the last one wins.
type pace struct {
	mu    sync.Mutex
	texts int // 0 until a call took longer than batchTime
	last  timedCall
	other timedCall // the last one before that had another number of texts
}

// timedCall is how long a call with so many texts took.
type timedCall struct {
	texts int
	took  time.Duration
}

// batchTime is how long a call should take at most.
const batchTime = 2 * time.Second

// fewer is by what the texts of a call are divided after one that failed late: four times in
// a row leave one text of 4,096.
const fewer = 8

// next returns how many texts to embed in the next call, most at most.
func (p *pace) next(most int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.texts > 0 {
		return min(p.texts, most)
	}
	return most
}

// failed takes down a call that failed. If that was late, fewer texts may succeed.
func (p *pace) failed(c timedCall) {
	if c.took <= batchTime {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.texts, p.last, p.other = max(1, c.texts/fewer), timedCall{}, timedCall{}
}

// took takes down a call that succeeded.
func (p *pace) took(c timedCall) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last.texts != c.texts {
		p.other = p.last
	}
	p.last = c
	each, always := c.apart(p.other)
	if p.texts == 0 && c.took <= batchTime {
		return
	}
	// What a call takes always, its texts may take again: fewer would not make it much
	// shorter.
	p.texts = max(1, int(min(float64(p.most(c)), max(batchTime.Seconds()-always, always)/each)))
}

// most returns how many texts may follow a call: twice as many, but no more than before if it
// had fewer than it might have had.
func (p *pace) most(c timedCall) int {
	if c.texts < p.texts {
		return p.texts
	}
	return 2 * c.texts
}

// apart tells what each text of a call took, in seconds, from what it took whatever it
// held, by comparison with another call. Without one, all is the texts'.
func (c timedCall) apart(other timedCall) (each, always float64) {
	took, n := c.took.Seconds(), float64(c.texts)
	each = took / n
	if other.texts != 0 {
		slope := (took - other.took.Seconds()) / (n - float64(other.texts))
		each = min(max(slope, 0), each)
	}
	return each, took - each*n
}

// embedBatch is embed for passages, whose number it keeps the pace of.
func (m *model) embedBatch(ctx context.Context, texts []string) ([][]float32, error) {
	began := time.Now()
	vectors, err := m.embed(ctx, texts)
	call := timedCall{len(texts), time.Since(began)}
	switch {
	case err == nil:
		m.pace.took(call)
	case ctx.Err() == nil:
		m.pace.failed(call)
	}
	return vectors, err
}
