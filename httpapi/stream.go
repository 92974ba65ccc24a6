package httpapi

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"time"

	"github.com/quirelib/quire"
)

func (s *server) chatStream(c *call) error {
	req, err := s.chatRequest(c)
	if err != nil {
		return err
	}
	return s.stream(c, func(ctx context.Context) iter.Seq2[quire.ChatEvent, error] { return s.eng.ChatStream(ctx, req) })
}

// chatStep is what the generation hands over to the goroutine that writes.
type chatStep struct {
	event quire.ChatEvent
	err   error
}

// stream sends an answer as server-sent events. An error of the first event is
// returned, for an ordinary answer; once the stream has begun it becomes an event.
// When stream returns, the generation has ended.
func (s *server) stream(c *call, open func(context.Context) iter.Seq2[quire.ChatEvent, error]) error {
	leave, err := s.streams.enter(c.caller())
	if err != nil {
		return err
	}
	defer leave()
	ctx, cancel := context.WithCancel(c.r.Context())
	steps := generate(ctx, open(ctx))
	defer func() {
		cancel()
		for range steps { // until the generation has noticed
		}
	}()
	out := newEventWriter(c, s.opts.WriteTimeout)
	silence := time.NewTicker(s.opts.HeartbeatInterval)
	defer silence.Stop()
	for {
		select {
		case <-ctx.Done():
			return c.endStream(out, ctx.Err())
		case <-s.opts.Stopping:
			return c.endStream(out, errStopping)
		case <-silence.C:
			if err := out.heartbeat(); err != nil {
				return err
			}
		case step, open := <-steps:
			if !open {
				step.err = quire.Errorf(quire.CodeInternal, "the answer ended without its sources")
			}
			if step.err != nil {
				return c.endStream(out, step.err)
			}
			if step.event.Last {
				return c.endStream(out, out.finish(mapAll(step.event.Sources, sourceOf)))
			}
			if err := out.message(step.event.Content); err != nil {
				return err
			}
			silence.Reset(s.opts.HeartbeatInterval)
		}
	}
}

// endStream ends a stream for which there is nothing more to come. An error is
// returned while it can still be answered, and sent as an event otherwise; then the
// end marker follows it as well.
func (c *call) endStream(out *eventWriter, err error) error {
	switch {
	case err == nil, errors.Is(err, errGone), !c.started:
		return err
	default:
		return out.fail(c.report(err).message)
	}
}

// generate runs the generation in a goroutine of its own, so that the writer can
// send heartbeats while it waits. The channel is closed when the generation has
// ended, which it does when ctx does.
func generate(ctx context.Context, events iter.Seq2[quire.ChatEvent, error]) <-chan chatStep {
	steps := make(chan chatStep)
	hand := func(step chatStep) bool {
		select {
		case steps <- step:
			return true
		case <-ctx.Done():
			return false
		}
	}
	go func() {
		defer close(steps)
		defer func() {
			// Here a panic would end the program: net/http recovers only in the goroutine
			// of the request.
			if p := recover(); p != nil {
				cause := fmt.Errorf("panic: %v\n%s", p, debug.Stack())
				hand(chatStep{err: quire.Errorf(quire.CodeInternal, "the generation failed").WithCause(cause)})
			}
		}()
		for event, err := range events {
			if !hand(chatStep{event, err}) || err != nil || event.Last {
				return
			}
		}
	}()
	return steps
}
