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
	mu sync.Mutex
	pacing
}

// pacing is what is known of an Embedder.
type pacing struct {
	texts int // 0 until a call took longer than batchTime
	last  timedCall
	other timedCall // the last one before that had another number of texts

	// limit is half of the texts of the last call that failed late: more are not tried until
	// there were many calls without a failure, because each costs an ingest one of its tries.
	limit    int // 0: none
	calm     int // calls since then, or since the limit was raised
	patience int // after how many calls the limit is doubled; 0 for calmCalls
	raised   bool
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

// calmCalls is after how many calls without a late failure the limit is doubled at first; if
// one fails late after that, it takes four times as many, so that the longest ingest has tries
// left.
const calmCalls = 64

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
	if c.texts == 1 { // then it is not their number
		p.pacing = pacing{texts: 1}
		return
	}
	if p.limit > 0 && c.texts/2 > p.limit { // fewer have failed while this one ran
		return
	}
	patience := p.patience
	if p.raised {
		patience = min(4*max(patience, calmCalls), 1<<30)
	}
	p.pacing = pacing{texts: max(1, c.texts/fewer), limit: c.texts / 2, patience: patience}
}

// took takes down a call that succeeded.
func (p *pace) took(c timedCall) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last.texts != c.texts {
		p.other = p.last
	}
	p.last = c
	p.raise()
	if p.texts == 0 && c.took <= batchTime {
		return
	}
	if p.other.texts == 0 && c.texts == p.texts {
		p.texts = p.most(c) // by which it will be known what a call takes always
		return
	}
	each, always := c.apart(p.other)
	// What a call takes always, its texts may take again: fewer would not make it much
	// shorter.
	p.texts = max(1, int(min(float64(p.most(c)), max(batchTime.Seconds()-always, always)/each)))
}

// raise doubles the limit when it has held for long.
func (p *pace) raise() {
	if p.limit == 0 {
		return
	}
	if p.calm++; p.calm >= max(p.patience, calmCalls) {
		p.limit, p.calm, p.raised = min(2*p.limit, 1<<30), 0, true
	}
}

// most returns how many texts may follow a call: twice as many, but no more than before if it
// had fewer than it might have had, and not above the limit.
func (p *pace) most(c timedCall) int {
	most := 2 * c.texts
	if c.texts < p.texts {
		most = p.texts
	}
	if p.limit > 0 {
		most = min(most, p.limit)
	}
	return most
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
