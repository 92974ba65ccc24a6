package langchain

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"
)

// The tests of this file say what langchaingo does by itself, and so what the guards of
// this package are for. One that fails after an update tells of a guard that may go.

// bare is langchaingo on a server, without this package.
func bare(t *testing.T, s *modelServer) (text string, streamed string, err error) {
	t.Helper()
	var model llms.Model
	switch s.provider {
	case Ollama:
		model, err = ollama.New(ollama.WithServerURL(s.URL), ollama.WithModel("m"))
	default:
		model, err = openai.New(openai.WithBaseURL(s.URL), openai.WithToken("k"), openai.WithModel("m"))
	}
	if err != nil {
		t.Fatal(err)
	}
	resp, err := model.GenerateContent(t.Context(), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "?")},
		llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
			streamed += string(chunk)
			return nil
		}))
	if err != nil {
		return "", streamed, err
	}
	return resp.Choices[0].Content, streamed, nil
}

func TestTrapEarlyEnd(t *testing.T) {
	t.Parallel()
	for _, p := range []Provider{OpenAI, Ollama} {
		_, said, err := bare(t, newServer(t, p).fails(func(_ http.ResponseWriter, _ *http.Request, s *session) { s.say("half of") }))
		if err != nil || said != "half of" {
			t.Errorf("%s: %q, %v: an early end is an error now", p, said, err)
		}
	}
	_, said, err := bare(t, newServer(t, OpenAI).fails(func(_ http.ResponseWriter, _ *http.Request, s *session) {
		s.say("half of")
		s.error("server_error", "broke")
		s.line("", "[DONE]")
	}))
	if err != nil || said != "half of" {
		t.Errorf("%q, %v: an error event is an error now", said, err)
	}
}

func TestTrapLongLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 600_000)
	if _, _, err := bare(t, newServer(t, OpenAI).says(long)); err == nil {
		t.Error("OpenAI: a long line is read now")
	}
	if _, said, err := bare(t, newServer(t, Ollama).says(long)); err != nil || said != "" {
		t.Errorf("Ollama: %d bytes, %v: a long line is read, or is an error, now", len(said), err)
	}
}

func TestTrapStatus(t *testing.T) {
	t.Parallel()
	_, _, err := bare(t, newServer(t, OpenAI).fails(answers(429, "30", `{"error":{"message":"slow down"}}`)))
	if inner := errors.Unwrap(err); err == nil || inner != nil {
		t.Errorf("%v wraps %v: a status can be had now", err, inner)
	}
}

func TestTrapContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	model, err := openai.New(openai.WithBaseURL(newServer(t, OpenAI).URL), openai.WithToken("k"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = model.GenerateContent(ctx, []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "?")})
	if err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("%v: the context's error can be seen now", err)
	}
}

func TestTrapEmbeddings(t *testing.T) {
	t.Parallel()
	s := newServer(t, OpenAI).fails(func(w http.ResponseWriter, _ *http.Request, _ *session) {
		writeJSON(w, embeddingList([][]float32{{1, 0}, {0, 1}}, []int{1, 0}))
	})
	client, err := openai.New(openai.WithBaseURL(s.URL), openai.WithToken("k"))
	if err != nil {
		t.Fatal(err)
	}
	inner, err := embeddings.NewEmbedder(client)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"a\nb", "c"}
	vectors, err := inner.EmbedDocuments(t.Context(), texts)
	if err != nil || vectors[0][0] != 0 {
		t.Errorf("%v, %v: the index is looked at now", vectors, err)
	}
	if texts[0] != "a b" {
		t.Errorf("%q: the caller's texts stay now", texts)
	}
}
