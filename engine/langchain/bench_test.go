package langchain

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/quirelib/quire/engine/enginetest"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
)

// BenchmarkGenerate streams an answer of 500 pieces, through langchaingo alone and with
// what this package does on the way.
func BenchmarkGenerate(b *testing.B) {
	s := newServer(b, OpenAI).says(strings.Split(strings.Repeat("word |", 500), "|")...)
	bare, err := openai.New(openai.WithBaseURL(s.URL), openai.WithToken("k"), openai.WithModel("m"))
	if err != nil {
		b.Fatal(err)
	}
	llm := s.llm(b, nil)
	b.Run("langchaingo", func(b *testing.B) {
		for b.Loop() {
			var said strings.Builder
			_, err := bare.GenerateContent(b.Context(), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "?")},
				llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
					said.Write(chunk)
					return nil
				}))
			if err != nil || said.Len() != 2500 {
				b.Fatal(said.Len(), err)
			}
		}
	})
	b.Run("quire", func(b *testing.B) {
		for b.Loop() {
			if pieces, err := take(b.Context(), llm); err != nil || len(pieces) != 500 {
				b.Fatal(len(pieces), err)
			}
		}
	})
}

// BenchmarkEmbed embeds batches of 64 texts, 1,536 numbers each.
func BenchmarkEmbed(b *testing.B) {
	texts := make([]string, 64)
	for i := range texts {
		texts[i] = fmt.Sprint("text number ", i)
	}
	vectors, err := (&enginetest.Embedder{Dim: 1536}).Embed(b.Context(), texts)
	if err != nil {
		b.Fatal(err)
	}
	for _, v := range vectors {
		for i := range v {
			v[i] += 0.0123456 / float32(i+1)
		}
	}
	answer, err := json.Marshal(embeddingList(vectors, nil))
	if err != nil {
		b.Fatal(err)
	}
	s := newServer(b, OpenAI).fails(func(w http.ResponseWriter, _ *http.Request, _ *session) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(answer)
	})
	bare, err := openai.New(openai.WithBaseURL(s.URL), openai.WithToken("k"))
	if err != nil {
		b.Fatal(err)
	}
	e := s.embedderOf(b, 1536, nil)
	b.Run("langchaingo", func(b *testing.B) {
		for b.Loop() {
			if _, err := bare.CreateEmbedding(b.Context(), texts); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("quire", func(b *testing.B) {
		for b.Loop() {
			if _, err := e.Embed(b.Context(), texts); err != nil {
				b.Fatal(err)
			}
		}
	})
}
