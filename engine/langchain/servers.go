package langchain

import (
	"net/http"
	"net/url"

	"github.com/quirelib/quire"
	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"
)

// The addresses of servers by default.
const (
	openAIURL    = "https://api.openai.com/v1"
	ollamaURL    = "http://127.0.0.1:11434"
	anthropicURL = "https://api.anthropic.com/v1"
)

// defaultContext holds what an Engine gives by default, about 4,500 tokens of sources,
// history and rules, and an answer.
const defaultContext = 8192

// Server says where a model is. Nothing of it is read from the environment.
type Server struct {
	// URL is where the interface begins: for OpenAI and Anthropic with the version, such
	// as "https://llm.example.org/v1", for Ollama without. Default: the provider's own, and
	// for Ollama port 11434 of this machine.
	URL string
	// Model is the server's name for the model. Required.
	Model string
	// Key is the API key. OpenAI's and Anthropic's own servers need one; "" sends none. Not
	// for Ollama.
	Key string
	// ContextTokens is how many tokens of question, sources and answer the model keeps in
	// mind. Only for NewOllama, whose server drops the beginning of what is longer without a
	// word, and whose own default is too short for the sources that an Engine gives. Default
	// 8192.
	ContextTokens int
	// Client makes the requests; a copy of it is used. A Timeout of it ends streams as well,
	// so none is better: contexts say how long a caller waits. Default: http.DefaultClient.
	Client *http.Client
}

// check checks and fills in.
func (s Server) check(defaultURL string) (Server, error) {
	if s.Model == "" {
		return s, quire.Errorf(quire.CodeInvalid, "Server.Model: must not be empty")
	}
	if s.URL == "" {
		if s.Key == "" && defaultURL != ollamaURL {
			return s, quire.Errorf(quire.CodeInvalid, "Server.Key: the provider's own server needs one")
		}
		s.URL = defaultURL
	}
	if s.ContextTokens < 0 {
		return s, quire.Errorf(quire.CodeInvalid, "Server.ContextTokens: must not be negative")
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		// Not its text, nor the error, which quotes it: there may be a password in it.
		return s, quire.Errorf(quire.CodeInvalid, "Server.URL: must be an absolute http or https address without query")
	}
	return s, nil
}

// client is the HTTP client for the server.
func (s Server) client(p Provider) *http.Client { return newClient(p, s.Client, s.Key == "") }

// NewOpenAI makes an LLM of a model on OpenAI or a server with its interface (chat
// completions), such as vLLM, llama.cpp, LM Studio or a gateway. opts may be nil.
func NewOpenAI(s Server, opts *Options) (*LLM, error) {
	s, err := s.check(openAIURL)
	if err != nil {
		return nil, err
	}
	model, err := s.openAI()
	return made(model, err, OpenAI, s, opts)
}

// openAI makes the client of langchaingo, with all that it would read from the
// environment otherwise.
func (s Server) openAI(more ...openai.Option) (*openai.LLM, error) {
	key := s.Key
	if key == "" {
		key = "none" // langchaingo wants one; the client leaves it out
	}
	return openai.New(append([]openai.Option{
		openai.WithBaseURL(s.URL), openai.WithModel(s.Model), openai.WithEmbeddingModel(s.Model),
		openai.WithToken(key), openai.WithOrganization(""), openai.WithHTTPClient(s.client(OpenAI)),
	}, more...)...)
}

// NewOllama makes an LLM of a model on Ollama. opts may be nil.
func NewOllama(s Server, opts *Options) (*LLM, error) {
	s, err := s.check(ollamaURL)
	if err != nil {
		return nil, err
	}
	if s.ContextTokens == 0 {
		s.ContextTokens = defaultContext
	}
	model, err := s.ollama(ollama.WithRunnerNumCtx(s.ContextTokens))
	return made(model, err, Ollama, s, opts)
}

// ollama makes the client of langchaingo. The URL was checked: a bad one would end the
// program.
func (s Server) ollama(more ...ollama.Option) (*ollama.LLM, error) {
	return ollama.New(append([]ollama.Option{
		ollama.WithServerURL(s.URL), ollama.WithModel(s.Model), ollama.WithHTTPClient(s.client(Ollama)),
	}, more...)...)
}

// NewAnthropic makes an LLM of a model on Anthropic. Without llms.WithMaxTokens among
// Options.CallOptions an answer has at most 2,048 tokens. opts may be nil.
func NewAnthropic(s Server, opts *Options) (*LLM, error) {
	s, err := s.check(anthropicURL)
	if err != nil {
		return nil, err
	}
	key := s.Key
	if key == "" {
		key = "none" // langchaingo wants one; the client leaves it out
	}
	model, err := anthropic.New(anthropic.WithBaseURL(s.URL), anthropic.WithModel(s.Model), anthropic.WithToken(key),
		anthropic.WithHTTPClient(s.client(Anthropic)))
	return made(model, err, Anthropic, s, opts)
}

// made makes an LLM of a client of langchaingo.
func made(model llms.Model, err error, p Provider, s Server, opts *Options) (*LLM, error) {
	if err != nil {
		return nil, quire.Errorf(quire.CodeInvalid, "langchaingo refuses the server").WithCause(err)
	}
	return newLLM(model, string(p)+"/"+s.Model, p, opts)
}

// NewOpenAIEmbedder makes an Embedder of a model on OpenAI or a server with its interface
// (embeddings), Ollama under /v1 among them. dimension is the length of its vectors. opts
// may be nil.
func NewOpenAIEmbedder(s Server, dimension int, opts *EmbedderOptions) (*Embedder, error) {
	s, err := s.check(openAIURL)
	if err != nil {
		return nil, err
	}
	var more []openai.Option
	if opts != nil && opts.SendDimension {
		more = append(more, openai.WithEmbeddingDimensions(dimension))
	}
	client, err := s.openAI(more...)
	return madeEmbedder(client, err, OpenAI, s, dimension, opts)
}

// NewOllamaEmbedder makes an Embedder of a model on Ollama. It sends each text in a
// request of its own, as langchaingo does; [NewOpenAIEmbedder] with the URL
// "http://127.0.0.1:11434/v1" sends batches to the same model. dimension is the length of
// its vectors. opts may be nil.
func NewOllamaEmbedder(s Server, dimension int, opts *EmbedderOptions) (*Embedder, error) {
	s, err := s.check(ollamaURL)
	if err != nil {
		return nil, err
	}
	client, err := s.ollama()
	return madeEmbedder(client, err, Ollama, s, dimension, opts)
}

// madeEmbedder makes an Embedder of a client of langchaingo.
func madeEmbedder(client embeddings.EmbedderClient, err error, p Provider, s Server, dimension int, opts *EmbedderOptions) (*Embedder, error) {
	if err != nil {
		return nil, quire.Errorf(quire.CodeInvalid, "langchaingo refuses the server").WithCause(err)
	}
	inner, err := embeddings.NewEmbedder(client)
	if err != nil {
		return nil, quire.Errorf(quire.CodeInvalid, "langchaingo refuses the server").WithCause(err)
	}
	return NewEmbedder(inner, string(p), s.Model, dimension, opts)
}
