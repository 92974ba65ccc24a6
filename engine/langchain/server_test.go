package langchain

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

// providers are those that the tests have a server for.
var providers = []Provider{OpenAI, Ollama, Anthropic}

// modelServer speaks the wire format of a provider. What it answers comes from pieces,
// unless fault takes the request over.
type modelServer struct {
	*httptest.Server
	provider Provider
	stop     string                                                   // the reason why an answer ends
	pieces   func(messages []wireMessage) []string                    // of an answer
	fault    func(w http.ResponseWriter, r *http.Request, s *session) // nil: none
	embedder quire.Embedder                                           // for embeddings

	mu       sync.Mutex
	requests []request
}

// request is what a server was sent.
type request struct {
	path   string
	header http.Header
	body   map[string]any
}

type wireMessage struct {
	Role    string `json:"role"`
	Content text   `json:"content"`
}

// text is a string, or the text blocks of Anthropic.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	var blocks []struct{ Text string }
	if json.Unmarshal(data, (*string)(t)) == nil {
		return nil
	}
	err := json.Unmarshal(data, &blocks)
	for _, b := range blocks {
		*t += text(b.Text)
	}
	return err
}

func newServer(tb testing.TB, p Provider) *modelServer {
	tb.Helper()
	s := &modelServer{provider: p, stop: "stop", pieces: quoted, embedder: enginetest.NewEmbedder()}
	s.Server = httptest.NewServer(s)
	tb.Cleanup(s.Close)
	return s
}

// says makes the server answer everything with the pieces.
func (s *modelServer) says(pieces ...string) *modelServer {
	s.pieces = func([]wireMessage) []string { return pieces }
	return s
}

// fails makes a function take every request over.
func (s *modelServer) fails(fault func(w http.ResponseWriter, r *http.Request, s *session)) *modelServer {
	s.fault = fault
	return s
}

// at is where the server is, as a Server.
func (s *modelServer) at() Server {
	url := s.URL
	if s.provider != Ollama {
		url += "/v1"
	}
	return Server{URL: url, Model: "test-model", Client: s.Client()}
}

// llm makes an LLM of the server.
func (s *modelServer) llm(tb testing.TB, opts *Options) *LLM {
	tb.Helper()
	make := map[Provider]func(Server, *Options) (*LLM, error){OpenAI: NewOpenAI, Ollama: NewOllama, Anthropic: NewAnthropic}
	llm, err := make[s.provider](s.at(), opts)
	if err != nil {
		tb.Fatal(err)
	}
	return llm
}

// seen returns the requests so far.
func (s *modelServer) seen() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]request{}, s.requests...)
}

// ServeHTTP implements http.Handler.
func (s *modelServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	var in struct {
		Model    string
		System   string
		Messages []wireMessage
		Stream   *bool
		Input    any
	}
	seen := request{path: r.URL.Path, header: r.Header.Clone()}
	if json.Unmarshal(body, &in) != nil || json.Unmarshal(body, &seen.body) != nil {
		http.Error(w, `{"error":{"message":"not JSON"}}`, http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, seen)
	s.mu.Unlock()
	// Ollama streams unless it is told not to.
	out := &session{w: w, provider: s.provider, stop: s.stop, streamed: s.provider == Ollama || in.Stream != nil && *in.Stream}
	switch {
	case s.fault != nil:
		s.fault(w, r, out)
	case in.Input != nil:
		s.embed(w, r, in.Input)
	default:
		out.answer(s.pieces(in.Messages)...)
	}
}

// embed answers with vectors.
func (s *modelServer) embed(w http.ResponseWriter, r *http.Request, input any) {
	var texts []string
	switch in := input.(type) {
	case string:
		texts = []string{in}
	case []any:
		for _, t := range in {
			texts = append(texts, t.(string))
		}
	}
	vectors, err := s.embedder.Embed(r.Context(), texts)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if s.provider == Ollama {
		writeJSON(w, map[string]any{"model": "test-model", "embeddings": vectors})
		return
	}
	writeJSON(w, embeddingList(vectors, nil))
}

// embeddingList is the answer of OpenAI. order says which vector comes when; nil: as they
// are.
func embeddingList(vectors [][]float32, order []int) map[string]any {
	data := []any{}
	for i := range vectors {
		if order != nil {
			i = order[i]
		}
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": vectors[i]})
	}
	return map[string]any{"object": "list", "data": data, "model": "test-model", "usage": map[string]any{"prompt_tokens": 8}}
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(v) // an error is the client's going
}

// session writes one answer.
type session struct {
	w        http.ResponseWriter
	provider Provider
	stop     string
	streamed bool
	begun    bool
}

// answer writes a whole answer.
func (s *session) answer(pieces ...string) {
	if !s.streamed {
		s.plain(strings.Join(pieces, ""))
		return
	}
	s.say(pieces...)
	s.end()
}

func (s *session) plain(answer string) {
	if s.provider == Anthropic {
		writeJSON(s.w, map[string]any{"type": "message", "role": "assistant", "stop_reason": s.stop,
			"content": []any{map[string]any{"type": "text", "text": answer}}, "usage": map[string]any{"input_tokens": 12, "output_tokens": 34}})
		return
	}
	writeJSON(s.w, map[string]any{"object": "chat.completion", "choices": []any{map[string]any{"index": 0, "finish_reason": s.stop,
		"message": map[string]any{"role": "assistant", "content": answer}}},
		"usage": map[string]any{"prompt_tokens": 12, "completion_tokens": 34, "total_tokens": 46}})
}

// line writes and flushes a line of the stream: an SSE event, or JSON alone for Ollama.
func (s *session) line(event string, payload any) {
	data, ok := payload.(string)
	if !ok {
		encoded, err := json.Marshal(payload)
		if err != nil {
			panic(err)
		}
		data = string(encoded)
	}
	switch s.provider {
	case Ollama:
		fmt.Fprintf(s.w, "%s\n", data)
	case Anthropic:
		fmt.Fprintf(s.w, "event: %s\ndata: %s\n\n", event, data)
	default:
		fmt.Fprintf(s.w, "data: %s\n\n", data)
	}
	s.w.(http.Flusher).Flush()
}

type object = map[string]any

// begin writes what comes before the text.
func (s *session) begin() {
	if s.begun {
		return
	}
	s.begun = true
	if s.provider == Ollama {
		s.w.Header().Set("Content-Type", "application/x-ndjson")
		return
	}
	s.w.Header().Set("Content-Type", "text/event-stream")
	if s.provider == Anthropic {
		s.line("message_start", object{"type": "message_start", "message": object{"id": "m1", "role": "assistant", "usage": object{"input_tokens": 12}}})
		s.line("content_block_start", object{"type": "content_block_start", "index": 0, "content_block": object{"type": "text", "text": ""}})
		s.line("ping", object{"type": "ping"})
		s.line("something_new", object{"type": "something_new"})
		return
	}
	fmt.Fprint(s.w, ": a comment\n\n")
	s.line("", object{"choices": []any{object{"index": 0, "delta": object{"role": "assistant", "content": ""}, "finish_reason": nil}}})
}

// say writes pieces of text.
func (s *session) say(pieces ...string) {
	s.begin()
	for _, piece := range pieces {
		switch s.provider {
		case Ollama:
			s.line("", object{"model": "test-model", "message": object{"role": "assistant", "content": piece}, "done": false})
		case Anthropic:
			s.line("content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": piece}})
		default:
			s.line("", object{"choices": []any{object{"index": 0, "delta": object{"content": piece}, "finish_reason": nil}}})
		}
	}
}

// end writes what comes after the text.
func (s *session) end() {
	s.begin()
	switch s.provider {
	case Ollama:
		s.line("", object{"model": "test-model", "message": object{"role": "assistant", "content": ""}, "done": true, "done_reason": s.stop,
			"prompt_eval_count": 12, "eval_count": 34})
	case Anthropic:
		s.line("content_block_stop", object{"type": "content_block_stop", "index": 0})
		s.line("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": s.stop}, "usage": object{"output_tokens": 34}})
		s.line("message_stop", object{"type": "message_stop"})
	default:
		s.line("", object{"choices": []any{object{"index": 0, "delta": object{}, "finish_reason": s.stop}}})
		s.line("", object{"choices": []any{}, "usage": object{"prompt_tokens": 12, "completion_tokens": 34, "total_tokens": 46}})
		s.line("", "[DONE]")
	}
}

// error writes an error event.
func (s *session) error(kind, message string) {
	switch s.provider {
	case Ollama:
		s.line("", object{"error": message})
	default:
		s.line("error", object{"type": "error", "error": object{"type": kind, "message": message}})
	}
}

var sourceMark = regexp.MustCompile(`Source (\d+):\n`)

// quoted answers what enginetest asks: it takes the sources out of the last message and
// quotes those that fit.
func quoted(messages []wireMessage) []string {
	last := string(messages[len(messages)-1].Content)
	sources, question, _ := strings.Cut(last, "\n\nQuestion: ")
	req := &quire.LLMRequest{Question: question, Query: question}
	marks := sourceMark.FindAllStringSubmatchIndex(sources, -1)
	for i, m := range marks {
		end := len(sources)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		number, _ := strconv.Atoi(sources[m[2]:m[3]])
		req.Sources = append(req.Sources, quire.LLMSource{Number: number, Text: sources[m[1]:end]})
	}
	var pieces []string
	for piece, err := range enginetest.NewLLM().Generate(context.Background(), req) {
		if err != nil {
			return []string{"NO_", "ANSWER"}
		}
		pieces = append(pieces, piece)
	}
	return pieces
}
