package langchain

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"strings"
	"time"

	"github.com/quirelib/quire"
	"github.com/tmc/langchaingo/llms"
)

// patience is how long a generation that was stopped is waited for. Models that heed
// their context end within milliseconds.
const patience = time.Second

// generation is one call to a model. The model pushes pieces where an iterator pulls, and
// some models push from a goroutine of their own, where the consumer's code must not
// run: so the call runs beside the consumer.
type generation struct {
	call   *call
	cancel context.CancelFunc
	out    chan string
	done   chan struct{} // closed when the model has returned; resp and err are set then
	resp   *llms.ContentResponse
	err    error
}

// begin calls the model.
func (m *LLM) begin(ctx context.Context, messages []llms.MessageContent) *generation {
	g := &generation{call: &call{streamed: !m.opts.Plain}, out: make(chan string), done: make(chan struct{})}
	ctx, g.cancel = context.WithCancel(withCall(ctx, g.call))
	options := append([]llms.CallOption{}, m.opts.CallOptions...)
	if m.opts.Plain {
		options = append(options, llms.WithStreamingFunc(nil), llms.WithStreamingReasoningFunc(nil))
	} else {
		options = append(options, llms.WithStreamingFunc(g.push(ctx)), llms.WithStreamingReasoningFunc(nil))
	}
	go func() {
		defer close(g.done)
		defer func() {
			// In a goroutine of ours a panic would end the program, whatever the caller does.
			if p := recover(); p != nil {
				g.err = quire.Errorf(quire.CodeInternal, "the model failed").WithCause(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
			}
		}()
		g.resp, g.err = m.model.GenerateContent(ctx, messages, options...)
	}()
	return g
}

// push hands pieces over to the consumer, one at a time.
func (g *generation) push(ctx context.Context) func(context.Context, []byte) error {
	return func(_ context.Context, chunk []byte) error {
		if len(chunk) == 0 {
			return ctx.Err()
		}
		select {
		case g.out <- string(chunk):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-g.done: // from a goroutine that outlived the call
			return errors.New("the generation has ended")
		}
	}
}

// pieces yields what the model pushes until it has returned or ctx has ended.
func (g *generation) pieces(ctx context.Context) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			// Both may be ready, and after the end of ctx no piece may come.
			if ctx.Err() != nil {
				return
			}
			select {
			case piece := <-g.out:
				if ctx.Err() != nil || !yield(piece) {
					return
				}
			case <-g.done:
				return
			case <-ctx.Done():
				return
			}
		}
	}
}

// outcome says how the generation ended, after pieces has: what the response holds beyond
// what was said, and the error.
func (g *generation) outcome(ctx context.Context, m *LLM, said string) (rest string, err error) {
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err := g.call.failure(g.err); err != nil {
		return "", llmError(err)
	}
	rest, follows := strings.CutPrefix(m.text(g.resp), said)
	if !follows {
		rest = "" // what was pushed counts
	}
	u := usageOf(g.resp)
	if u.StopReason == "" {
		u.StopReason = g.call.stopReason()
	}
	if m.opts.OnUsage != nil {
		m.opts.OnUsage(ctx, u)
	}
	return rest, refused(u, said+rest)
}

// stop ends the generation and waits for it.
func (g *generation) stop() {
	g.cancel()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-g.done:
	case <-late.C:
	}
}
