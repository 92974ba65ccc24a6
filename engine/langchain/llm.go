package langchain

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/quirelib/quire"
	"github.com/tmc/langchaingo/llms"
)

// Options configure an LLM. The zero value is good.
type Options struct {
	// Plain asks for the whole answer at once. Default: streamed, piece by piece. A model
	// that cannot stream yields its answer in one piece either way; a server that refuses
	// "stream" needs Plain.
	Plain bool
	// CallOptions are passed to the model with every question, such as
	// llms.WithMaxTokens(800). Those for streaming are set here, after them. Default: none,
	// and so temperature 0.
	CallOptions []llms.CallOption
	// OnUsage is called after each answer that was generated to its end, with the context
	// of the question, from the goroutine that asked. It must be safe for concurrent use.
	OnUsage func(ctx context.Context, u Usage)
}

// Usage is what an answer cost and how it ended.
type Usage struct {
	InputTokens  int // 0 if the model does not say
	OutputTokens int // 0 if the model does not say
	// StopReason is the model's word for why it ended, such as "stop" or "end_turn"; ""
	// if it does not say. "length" and "max_tokens" mean that the limit on tokens cut the
	// answer.
	StopReason string
}

// LLM is a [quire.LLM] on a langchaingo model.
type LLM struct {
	model    llms.Model
	name     string
	opts     Options
	provider Provider // "" if it was made elsewhere
}

var _ quire.LLM = (*LLM)(nil)

// NewLLM makes an LLM of any langchaingo model. The name is for health reports. opts
// may be nil.
//
// Whether a stream was cut off, and which status an error had, can be known only if
// the model's HTTP client is one of [HTTPClient].
func NewLLM(model llms.Model, name string, opts *Options) (*LLM, error) {
	return newLLM(model, name, "", opts)
}

func newLLM(model llms.Model, name string, provider Provider, opts *Options) (*LLM, error) {
	if model == nil {
		return nil, quire.Errorf(quire.CodeInvalid, "model: must not be nil")
	}
	if name == "" {
		return nil, quire.Errorf(quire.CodeInvalid, "name: must not be empty")
	}
	m := &LLM{model: model, name: name, provider: provider}
	if opts != nil {
		m.opts = *opts
		m.opts.CallOptions = slices.Clone(opts.CallOptions)
	}
	return m, nil
}

// Name implements quire.LLM.
func (m *LLM) Name() string { return m.name }

// Generate implements quire.LLM. It sends Messages and yields what the model says as it
// is, markers included. An error comes after the text that came before it:
//
//   - the context's own, if that has ended;
//   - ErrUnavailable if the server does not answer, answers with 401, 403, 404, 408,
//     409, 429 or 5xx, breaks off, withholds the answer or says nothing;
//   - one with CodeInternal if the server refuses the request otherwise: too many tokens
//     or an option that it does not know.
//
// When the consumer stops or ctx ends, the request ends. A model that does not heed its
// context is left behind after a second.
func (m *LLM) Generate(ctx context.Context, req *quire.LLMRequest) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if err := ctx.Err(); err != nil {
			yield("", err)
			return
		}
		messages, err := m.messages(req)
		if err != nil {
			yield("", err)
			return
		}
		g := m.begin(ctx, messages)
		defer g.stop()
		var said strings.Builder
		for piece := range g.pieces(ctx) {
			said.WriteString(piece)
			if !yield(piece, nil) {
				return
			}
		}
		rest, err := g.outcome(ctx, m, said.String())
		if rest != "" && !yield(rest, nil) {
			return
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			yield("", err)
		}
	}
}

// messages turns a request into messages of langchaingo.
func (m *LLM) messages(req *quire.LLMRequest) ([]llms.MessageContent, error) {
	var out []llms.MessageContent
	for _, message := range req.Messages {
		role, known := roles[message.Role]
		if !known {
			return nil, quire.Errorf(quire.CodeInvalid, "a message has the unknown role %q", string(message.Role))
		}
		// Its API wants the user to speak first; what is left of an older turn may not.
		asked := slices.ContainsFunc(out, func(c llms.MessageContent) bool { return c.Role == llms.ChatMessageTypeHuman })
		if m.provider == Anthropic && role == llms.ChatMessageTypeAI && !asked {
			continue
		}
		out = append(out, llms.TextParts(role, message.Content))
	}
	if len(out) == 0 {
		return nil, quire.Errorf(quire.CodeInvalid, "the request has no messages")
	}
	return out, nil
}

var roles = map[quire.Role]llms.ChatMessageType{
	quire.RoleSystem:    llms.ChatMessageTypeSystem,
	quire.RoleUser:      llms.ChatMessageTypeHuman,
	quire.RoleAssistant: llms.ChatMessageTypeAI,
}

// text is what a response says: of Anthropic all its blocks, which follow each other, of
// others the first choice, beside which there are only alternatives.
func (m *LLM) text(resp *llms.ContentResponse) string {
	var b strings.Builder
	if resp != nil {
		for _, c := range resp.Choices {
			if c != nil && (b.Len() == 0 || m.provider == Anthropic) {
				b.WriteString(c.Content)
			}
		}
	}
	return b.String()
}

// usageOf reads what providers of langchaingo put into the generation info, each under
// names of its own.
func usageOf(resp *llms.ContentResponse) Usage {
	var u Usage
	if resp == nil || len(resp.Choices) == 0 || resp.Choices[0] == nil {
		return u
	}
	c := resp.Choices[0]
	number := func(names ...string) int {
		for _, name := range names {
			switch n := c.GenerationInfo[name].(type) {
			case int:
				return n
			case int32:
				return int(n)
			case int64:
				return int(n)
			case float64:
				return int(n)
			}
		}
		return 0
	}
	u.InputTokens = number("PromptTokens", "InputTokens", "input_tokens", "prompt_tokens")
	u.OutputTokens = number("CompletionTokens", "OutputTokens", "output_tokens", "completion_tokens")
	if c.StopReason != "<nil>" {
		u.StopReason = c.StopReason
	}
	return u
}

// withheld are the stop reasons of an answer that the provider did not let through.
var withheld = []string{"content_filter", "refusal", "safety", "error"}

// refused says why a response is no answer; nil if it is one.
func refused(u Usage, text string) error {
	switch {
	case slices.Contains(withheld, strings.ToLower(u.StopReason)):
		return quire.Errorf(quire.CodeUnavailable, "the model withheld its answer").WithCause(fmt.Errorf("stop reason %q", u.StopReason))
	case strings.TrimSpace(text) == "":
		return quire.Errorf(quire.CodeUnavailable, "the model said nothing").WithCause(fmt.Errorf("stop reason %q", u.StopReason))
	}
	return nil
}
