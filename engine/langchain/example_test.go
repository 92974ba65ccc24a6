package langchain_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/engine/langchain"
	"github.com/quirelib/quire/store"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"
)

// standIn is a model server for the examples, which answers everything with one
// sentence, in the protocol of the path.
func standIn() *httptest.Server {
	answers := map[string][]string{
		"/v1/chat/completions": {"text/event-stream", `data: {"choices":[{"delta":{"content":"In the blue jar [1]."},"finish_reason":"stop"}]}`, "", "data: [DONE]"},
		"/api/chat":            {"application/x-ndjson", `{"message":{"content":"In the blue jar [1]."},"done":true,"prompt_eval_count":310,"eval_count":8}`},
		"/v1/messages": {"text/event-stream", `data: {"type":"message_start","message":{"usage":{"input_tokens":310}}}`,
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"text"}}`,
			`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"In the blue jar [1]."}}`,
			`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":8}}`, `data: {"type":"message_stop"}`},
		"/v1/embeddings": {"application/json", `{"data":[{"index":0,"embedding":[0.6,0.8]}]}`},
	}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := answers[r.URL.Path]
		w.Header().Set("Content-Type", answer[0])
		io.WriteString(w, strings.Join(answer[1:], "\n")+"\n")
	}))
}

// open opens a library in memory with the model and one note of ada's.
func open(options embedded.Options) (*embedded.Quire, error) {
	ctx := context.Background()
	options.Store = store.NewMemory()
	q, err := embedded.Open(ctx, "", &options)
	if err != nil {
		return nil, err
	}
	ada, err := q.Library.CreateUser(ctx, quire.UserInput{ID: "ada"})
	if err != nil {
		return nil, err
	}
	notes, err := langchain.NewStore(q.Engine, ada.Actor(), &langchain.StoreOptions{Library: q.Library})
	if err != nil {
		return nil, err
	}
	_, err = notes.AddDocuments(ctx, []schema.Document{{PageContent: "The spare keys are in the blue jar."}})
	return q, err
}

// chat asks a question and prints the answer.
func chat(options embedded.Options) {
	q, err := open(options)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer q.Close(context.Background())
	answer, err := q.Engine.Chat(context.Background(), quire.ChatRequest{Query: "Where are the spare keys?", Filters: quire.Filters{TenantID: "ada"}})
	fmt.Println(answer.Answer, err)
}

// OpenAI, or any server with its interface. The server here only stands in.
func ExampleNewOpenAI() {
	server := standIn()
	defer server.Close()

	llm, err := langchain.NewOpenAI(langchain.Server{URL: server.URL + "/v1", Model: "gpt-4.1-mini", Key: "sk-.."}, nil)
	if err != nil {
		fmt.Println(err)
	}
	chat(embedded.Options{LLM: llm})
	// Output: In the blue jar [1]. <nil>
}

// Ollama on this machine would need no URL. The server here only stands in.
func ExampleNewOllama() {
	server := standIn()
	defer server.Close()

	tokens := func(_ context.Context, u langchain.Usage) { fmt.Println(u.InputTokens, "+", u.OutputTokens, "tokens") }
	llm, err := langchain.NewOllama(langchain.Server{URL: server.URL, Model: "llama3.2"}, &langchain.Options{OnUsage: tokens})
	if err != nil {
		fmt.Println(err)
	}
	chat(embedded.Options{LLM: llm})
	// Output:
	// 310 + 8 tokens
	// In the blue jar [1]. <nil>
}

// Anthropic. The server here only stands in.
func ExampleNewAnthropic() {
	server := standIn()
	defer server.Close()

	llm, err := langchain.NewAnthropic(langchain.Server{URL: server.URL + "/v1", Model: "claude-sonnet-4-5", Key: "sk-ant-.."}, nil)
	if err != nil {
		fmt.Println(err)
	}
	chat(embedded.Options{LLM: llm})
	// Output: In the blue jar [1]. <nil>
}

// An Embedder on the same kind of server. The dimension is the model's.
func ExampleNewOpenAIEmbedder() {
	server := standIn()
	defer server.Close()

	embedder, err := langchain.NewOpenAIEmbedder(langchain.Server{URL: server.URL + "/v1", Model: "all-minilm"}, 2, nil)
	if err != nil {
		fmt.Println(err)
	}
	vectors, err := embedder.Embed(context.Background(), []string{"Where are the spare keys?"})
	fmt.Println(embedder.Fingerprint(), vectors, err)
	// Output: langchain/openai/all-minilm/2 [[0.6 0.8]] <nil>
}

// An Engine as a vector store of langchaingo, and so as a retriever of its chains.
func ExampleStore() {
	q, err := open(embedded.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer q.Close(context.Background())

	notes, err := langchain.NewStore(q.Engine, quire.Actor{UserID: "ada", TenantID: "ada"}, nil)
	if err != nil {
		fmt.Println(err)
	}
	docs, err := notes.SimilaritySearch(context.Background(), "spare keys", 3, vectorstores.WithScoreThreshold(0.1))
	for _, doc := range docs {
		fmt.Println(doc.PageContent, doc.Metadata["title"])
	}
	fmt.Println(err)
	// Output:
	// The spare keys are in the blue jar. The spare keys are in the blue jar.
	// <nil>
}
