package langchain

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
)

// constructors make something of a Server, each of its own kind.
var constructors = map[string]func(Server) error{
	"NewOpenAI":         func(s Server) error { return second(NewOpenAI(s, nil)) },
	"NewOllama":         func(s Server) error { return second(NewOllama(s, nil)) },
	"NewAnthropic":      func(s Server) error { return second(NewAnthropic(s, nil)) },
	"NewOpenAIEmbedder": func(s Server) error { return second(NewOpenAIEmbedder(s, 8, nil)) },
	"NewOllamaEmbedder": func(s Server) error { return second(NewOllamaEmbedder(s, 8, nil)) },
}

func TestServersRefused(t *testing.T) {
	t.Parallel()
	for name, construct := range constructors {
		for _, url := range []string{"http://[::1", "://", "localhost:11434", "ftp://x", "http://", "/v1", "http://x/v1?key=secret",
			"http://user:secret@\x00", "http://x:port/secret"} {
			err := construct(Server{URL: url, Model: "m"})
			if quire.CodeOf(err) != quire.CodeInvalid || strings.Contains(quire.Cause(err), "secret") {
				t.Errorf("%s of %q: %v", name, url, err)
			}
		}
		if err := construct(Server{URL: "http://127.0.0.1:1"}); quire.CodeOf(err) != quire.CodeInvalid {
			t.Errorf("%s without a model: %v", name, err)
		}
		if err := construct(Server{Model: "m", Key: "k", ContextTokens: -1}); quire.CodeOf(err) != quire.CodeInvalid {
			t.Errorf("%s with a negative context: %v", name, err)
		}
		if err := construct(Server{URL: "http://127.0.0.1:1", Model: "m"}); err != nil {
			t.Errorf("%s without a key of a server elsewhere: %v", name, err)
		}
		keyless := construct(Server{Model: "m"})
		if own := strings.Contains(name, "Ollama"); own != (keyless == nil) {
			t.Errorf("%s without a key of the provider's own server: %v", name, keyless)
		}
		if err := construct(Server{Model: "m", Key: "k"}); err != nil {
			t.Errorf("%s of the provider's own server: %v", name, err)
		}
	}
}

// TestEnvironment sets everything that langchaingo would read: none of it may be used, and
// no key sent that was not given.
func TestEnvironment(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ORGANIZATION", "OPENAI_MODEL", "OPENAI_BASE_URL", "OPENAI_API_BASE", "OLLAMA_HOST", "ANTHROPIC_API_KEY"} {
		t.Setenv(name, "http://127.0.0.1:1/from-the-environment")
	}
	for _, p := range providers {
		for _, key := range []string{"", "given"} {
			s := newServer(t, p)
			at := s.at()
			at.Key = key
			llm := s.llm(t, nil)
			switch p {
			case OpenAI:
				llm, _ = NewOpenAI(at, nil)
			case Anthropic:
				llm, _ = NewAnthropic(at, nil)
			}
			if _, err := take(t.Context(), llm); err != nil {
				t.Fatal(p, err)
			}
			header := s.seen()[0].header
			sent := header.Get("Authorization") + header.Get("X-Api-Key")
			want := map[Provider]string{OpenAI: "Bearer given", Anthropic: "given"}[p]
			if key == "" {
				want = ""
			}
			if sent != want {
				t.Errorf("%s with the key %q sent %q", p, key, sent)
			}
			for name, values := range header {
				if strings.Contains(strings.Join(values, ""), "environment") {
					t.Errorf("%s sent %s: %v", p, name, values)
				}
			}
			if s.seen()[0].body["model"] != "test-model" {
				t.Errorf("%s asked for %v", p, s.seen()[0].body["model"])
			}
		}
	}
}

// TestHTTPClient has a model that was made elsewhere watched.
func TestHTTPClient(t *testing.T) {
	t.Parallel()
	s := newServer(t, OpenAI).fails(answers(429, "7", `{"error":{"message":"slow down"}}`))
	model, err := openai.New(openai.WithBaseURL(s.URL), openai.WithToken("k"), openai.WithModel("m"),
		openai.WithHTTPClient(HTTPClient(OpenAI, nil)))
	if err != nil {
		t.Fatal(err)
	}
	llm, err := NewLLM(model, "mine", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = take(t.Context(), llm)
	failure{code: quire.CodeUnavailable, status: 429, retryAfter: 7e9, cause: "slow down"}.check(t, err)
}

// A client that tries again by itself has the outcome of its last request.
func TestTriesAgain(t *testing.T) {
	t.Parallel()
	s := newServer(t, OpenAI).says("It is 41.")
	asked := 0
	s.fails(func(w http.ResponseWriter, r *http.Request, out *session) {
		if asked++; asked == 1 {
			answers(503, "", "busy")(w, r, out)
			return
		}
		out.answer("It is 41.")
	})
	inner, err := s.at().openAI()
	if err != nil {
		t.Fatal(err)
	}
	stubborn := modelFunc(func(ctx context.Context, push func(string) error) (*llms.ContentResponse, error) {
		streamed := llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error { return push(string(chunk)) })
		messages := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "How tall?")}
		if resp, err := inner.GenerateContent(ctx, messages, streamed); err == nil {
			return resp, nil
		}
		return inner.GenerateContent(ctx, messages, streamed)
	})
	llm, err := NewLLM(stubborn, "mine", nil)
	if err != nil {
		t.Fatal(err)
	}
	if pieces, err := take(t.Context(), llm); err != nil || strings.Join(pieces, "") != "It is 41." || asked != 2 {
		t.Errorf("%q, %v after %d requests", pieces, err, asked)
	}
}
