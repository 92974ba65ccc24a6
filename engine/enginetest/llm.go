package enginetest

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/quirelib/quire"
)

// End says how a generation of the fake LLM ended.
type End string

// The ends of a generation.
const (
	EndRunning   End = ""          // not yet
	EndComplete  End = "complete"  // all pieces were taken
	EndFailed    End = "failed"    // it yielded an error, as a test or the sources asked for
	EndStopped   End = "stopped"   // the consumer took no more
	EndCancelled End = "cancelled" // the context had ended, whether or not the consumer took more
)

// Generation is one call to the fake LLM: what it was asked, how many pieces it
// yielded, and how it ended.
type Generation struct {
	Request quire.LLMRequest
	Pieces  int
	End     End
}

// LLM is a fake [quire.LLM]. Without a script it quotes, with its marker, the text of
// each source that shares a word of four letters or more with the question, and
// yields ErrNoAnswer when there is none. The zero value is ready.
type LLM struct {
	// Model is what Name returns; "" means "fake".
	Model string

	mu          sync.Mutex
	gate        *Gate
	script      func(*quire.LLMRequest) []string
	failures    []failure
	generations []*Generation
	ended       chan End
}

// failure is an error that comes after some pieces.
type failure struct {
	after int
	err   error
}

var _ quire.LLM = (*LLM)(nil)

// NewLLM makes an LLM that answers everything with the given pieces; without any,
// it quotes.
func NewLLM(pieces ...string) *LLM {
	m := &LLM{ended: make(chan End, 1<<10)}
	if len(pieces) > 0 {
		m.Script(pieces...)
	}
	return m
}

// Name returns the name of the model.
func (m *LLM) Name() string {
	if m.Model == "" {
		return "fake"
	}
	return m.Model
}

// Script makes generations that begin from now on yield the pieces; none is an
// answer without a piece.
func (m *LLM) Script(pieces ...string) {
	pieces = slices.Clone(pieces)
	m.ScriptFunc(func(*quire.LLMRequest) []string { return pieces })
}

// ScriptFunc makes generations that begin from now on yield what f returns for
// their request; nil makes the LLM quote again.
func (m *LLM) ScriptFunc(f func(*quire.LLMRequest) []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.script = f
}

// Hold makes generations that begin from now on wait at the gate before each piece
// and before an error; nil ends that.
func (m *LLM) Hold(g *Gate) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gate = g
}

// Fail makes the next n generations yield err after some pieces: 0 for at once,
// and no later than the end of the script.
func (m *LLM) Fail(n, after int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failures = append(m.failures, slices.Repeat([]failure{{after, err}}, n)...)
}

// Generations returns all generations so far, running ones included, in order.
func (m *LLM) Generations() []Generation {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([]Generation, len(m.generations))
	for i, g := range m.generations {
		all[i] = *g
		all[i].Request = cloneRequest(&g.Request)
	}
	return all
}

// Requests returns the requests of all generations so far, in order.
func (m *LLM) Requests() []quire.LLMRequest {
	var requests []quire.LLMRequest
	for _, g := range m.Generations() {
		requests = append(requests, g.Request)
	}
	return requests
}

// Ended delivers the end of each generation when it has come, up to 1,024 that
// nobody has received; nil if the LLM was not made by NewLLM.
func (m *LLM) Ended() <-chan End { return m.ended }

// Generate yields the pieces of the script. It counts as a generation from the
// moment it is consumed.
func (m *LLM) Generate(ctx context.Context, req *quire.LLMRequest) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		g, gate, pieces, fail := m.begin(req)
		end := EndComplete
		defer func() { m.finish(g, end) }()
		for i := 0; ; i++ {
			failing := fail.err != nil && (i == fail.after || i == len(pieces))
			if i == len(pieces) && !failing {
				return
			}
			if err := gate.wait(ctx); err != nil {
				end = EndCancelled
				yield("", err)
				return
			}
			if failing {
				end = EndFailed
				yield("", fail.err)
				return
			}
			m.count(g)
			if !yield(pieces[i], nil) {
				end = EndStopped
				if ctx.Err() != nil {
					end = EndCancelled
				}
				return
			}
		}
	}
}

// begin records a generation and decides what it yields.
func (m *LLM) begin(req *quire.LLMRequest) (g *Generation, gate *Gate, pieces []string, fail failure) {
	request := cloneRequest(req)
	g = &Generation{Request: cloneRequest(req)}

	m.mu.Lock()
	m.generations = append(m.generations, g)
	gate = m.gate
	script := m.script
	fail, _ = next(&m.failures)
	m.mu.Unlock()

	if script != nil {
		return g, gate, script(&request), fail
	}
	pieces = quote(&request)
	if len(pieces) == 0 && fail.err == nil {
		fail.err = quire.ErrNoAnswer
	}
	return g, gate, pieces, fail
}

// count adds a piece.
func (m *LLM) count(g *Generation) {
	m.mu.Lock()
	defer m.mu.Unlock()
	g.Pieces++
}

func (m *LLM) finish(g *Generation, end End) {
	m.mu.Lock()
	defer m.mu.Unlock()
	g.End = end
	select {
	case m.ended <- end:
	default:
	}
}

// quote makes the answer of an LLM without script.
func quote(req *quire.LLMRequest) []string {
	asked := words(req.Question)
	var pieces []string
	for _, source := range req.Sources {
		shared := func(word string) bool { return len(word) >= 4 && slices.Contains(asked, word) }
		if !slices.ContainsFunc(words(source.Text), shared) {
			continue
		}
		if len(pieces) > 0 {
			pieces = append(pieces, "\n\n")
		}
		pieces = append(pieces, strings.ToValidUTF8(source.Text, "\uFFFD"), fmt.Sprintf(" [%d]", source.Number))
	}
	return pieces
}

func cloneRequest(req *quire.LLMRequest) quire.LLMRequest {
	c := *req
	c.Messages = slices.Clone(req.Messages)
	c.Sources = slices.Clone(req.Sources)
	for i := range c.Sources {
		c.Sources[i].Heading = slices.Clone(c.Sources[i].Heading)
	}
	return c
}
