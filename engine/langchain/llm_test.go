package langchain

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/tmc/langchaingo/llms"
)

// TestRunLLM runs the suite for LLMs against a server of each provider.
func TestRunLLM(t *testing.T) {
	for _, p := range providers {
		for name, opts := range map[string]*Options{"streamed": nil, "plain": {Plain: true}} {
			t.Run(string(p)+" "+name, func(t *testing.T) {
				enginetest.RunLLM(t, func(tb testing.TB) quire.LLM { return newServer(tb, p).llm(tb, opts) })
			})
		}
	}
}

// question is a request with a history.
func question() *quire.LLMRequest {
	return &quire.LLMRequest{Question: "How tall?", Query: "How tall?", Sources: []quire.LLMSource{{Number: 1, Text: "41 metres."}}, Messages: []quire.Message{
		{Role: quire.RoleSystem, Content: "Rules."},
		{Role: quire.RoleAssistant, Content: "An answer without its question."},
		{Role: quire.RoleUser, Content: "What is it?"},
		{Role: quire.RoleAssistant, Content: "A lighthouse."},
		{Role: quire.RoleUser, Content: "How tall?"},
	}}
}

// take generates and returns the pieces and the error.
func take(ctx context.Context, llm quire.LLM) (pieces []string, err error) {
	for piece, e := range llm.Generate(ctx, question()) {
		if e != nil {
			return pieces, e
		}
		pieces = append(pieces, piece)
	}
	return pieces, nil
}

func TestGenerate(t *testing.T) {
	t.Parallel()
	said := []string{"It is", " 41 \n\nmétres ", "tall [1", "] and [7] <b> [1, 2]", "🙂."}
	for _, p := range providers {
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			s := newServer(t, p).says(said...)
			var usage []Usage
			note := func(_ context.Context, u Usage) { usage = append(usage, u) }
			pieces, err := take(t.Context(), s.llm(t, &Options{OnUsage: note}))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(said, pieces); diff != "" {
				t.Errorf("pieces (-said +yielded)\n%s", diff)
			}
			pieces, err = take(t.Context(), s.llm(t, &Options{OnUsage: note, Plain: true}))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Join(said, ""), strings.Join(pieces, "")); diff != "" {
				t.Errorf("plain (-said +yielded)\n%s", diff)
			}
			want := Usage{InputTokens: 12, OutputTokens: 34, StopReason: "stop"}
			if diff := cmp.Diff([]Usage{want, want}, usage); diff != "" {
				t.Errorf("usage (-want +got)\n%s", diff)
			}
		})
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	for _, p := range providers {
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			var got []wireMessage
			s := newServer(t, p)
			s.pieces = func(messages []wireMessage) []string {
				got = messages
				return []string{"ok"}
			}
			llm := s.llm(t, &Options{CallOptions: []llms.CallOption{llms.WithMaxTokens(77)}})
			if _, err := take(t.Context(), llm); err != nil {
				t.Fatal(err)
			}
			want := []wireMessage{{"system", "Rules."}, {"assistant", "An answer without its question."},
				{"user", "What is it?"}, {"assistant", "A lighthouse."}, {"user", "How tall?"}}
			body := s.seen()[0].body
			if p == Anthropic { // whose rules stand beside the messages, and whose user speaks first
				want = want[2:]
				if body["system"] != "Rules." {
					t.Errorf("system: %v", body["system"])
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("messages (-want +got)\n%s", diff)
			}
			limit := body["max_tokens"]
			if p == OpenAI {
				limit = body["max_completion_tokens"]
			} else if p == Ollama {
				limit = body["options"].(object)["num_predict"]
				if keeps := body["options"].(object)["num_ctx"]; keeps != 8192.0 {
					t.Errorf("num_ctx %v", keeps)
				}
			}
			if body["model"] != "test-model" || limit != 77.0 {
				t.Errorf("model %v, at most %v tokens", body["model"], limit)
			}
			if want := string(p) + "/test-model"; llm.Name() != want {
				t.Errorf("Name() = %q, want %q", llm.Name(), want)
			}
		})
	}
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	llm := newServer(t, OpenAI).llm(t, nil)
	for name, messages := range map[string][]quire.Message{"none": nil, "unknown role": {{Role: "tool", Content: "x"}}} {
		for piece, err := range llm.Generate(t.Context(), &quire.LLMRequest{Messages: messages}) {
			if piece != "" || quire.CodeOf(err) != quire.CodeInvalid {
				t.Errorf("%s: %q, %v", name, piece, err)
			}
		}
	}
}

// TestLenient has servers answer in unusual ways that lose nothing.
func TestLenient(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		provider Provider
		plain    bool
		body     string
	}{
		"without [DONE]":  {OpenAI, false, "data:{\"choices\":[{\"delta\":{\"content\":\"It is 41.\"},\"finish_reason\":\"stop\"}]}\n\n"},
		"without reason":  {OpenAI, false, "data: {\"choices\":[{\"delta\":{\"content\":\"It is 41.\"}}]}\r\n\r\ndata: [DONE]\r\n\r\n"},
		"no blank lines":  {OpenAI, false, "event: x\nid: 7\ndata: {\"choices\":[{\"delta\":{\"content\":\"It is 41.\"}}]}\ndata: [DONE]"},
		"no line end":     {Ollama, false, `{"message":{"content":"It is 41."},"done":true}`},
		"after the end":   {Ollama, false, `{"message":{"content":"It is 41."},"done":true}` + "\n" + `{"error":"too late"}` + "\n"},
		"blank lines":     {Ollama, false, "\n" + `{"message":{"content":"It is 41."},"done":false}` + "\n\n" + `{"done":true}` + "\n"},
		"several blocks":  {Anthropic, true, `{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"It is "},{"type":"text","text":"41."}]}`},
		"another content": {OpenAI, true, `{"error":null,"choices":[{"message":{"content":"It is 41."},"finish_reason":null}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, c.provider).fails(func(w http.ResponseWriter, _ *http.Request, _ *session) {
				w.Header().Set("Content-Type", "application/json")
				if !c.plain && c.provider != Ollama {
					w.Header().Set("Content-Type", "text/event-stream")
				}
				io.WriteString(w, c.body)
			})
			pieces, err := take(t.Context(), s.llm(t, &Options{Plain: c.plain}))
			if err != nil || strings.Join(pieces, "") != "It is 41." {
				t.Errorf("%q, %v", pieces, err)
			}
		})
	}
}

// Events that langchaingo does not know are left out: it would write them to the
// program's log.
func TestUnknownEvents(t *testing.T) {
	t.Parallel()
	body := "data: {\"type\":\"ping\"}\n\ndata: {\"type\":\"news\"}\n\ndata: {\"type\":\"message_stop\"}\n\n"
	out, err := io.ReadAll(newStream(io.NopCloser(strings.NewReader(body)), anthropicWire{}, nil))
	if err != nil || string(out) != "data: {\"type\":\"message_stop\"}\n\n" {
		t.Errorf("%q, %v", out, err)
	}
}
