package langchain_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/engine/langchain"
)

// What the README shows: a model for answers and one for vectors, both of an Ollama on
// this machine. Nothing is sent before the first text or question.
func Example_readme() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "quire")
	if err != nil {
		fmt.Println(err)
	}
	defer os.RemoveAll(dir)

	llm, err := langchain.NewOllama(langchain.Server{Model: "llama3.2"}, nil)
	if err != nil {
		fmt.Println(err)
	}
	ollama := langchain.Server{URL: "http://127.0.0.1:11434/v1", Model: "all-minilm"}
	embedder, err := langchain.NewOpenAIEmbedder(ollama, 384, nil)
	if err != nil {
		fmt.Println(err)
	}
	q, err := embedded.Open(ctx, dir, &embedded.Options{LLM: llm, Embedder: embedder})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(llm.Name(), embedder.Fingerprint(), q.Close(ctx))
	// Output: ollama/llama3.2 langchain/openai/all-minilm/384 <nil>
}

// The README's lines on this package are lines of Example_readme, in order.
func TestReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var example []string
	for line := range strings.Lines(string(source)) {
		example = append(example, strings.TrimSpace(line))
	}
	found := 0
	for i, block := range strings.Split(string(readme), "```") {
		if i%2 == 0 || !strings.Contains(block, "langchain.New") {
			continue
		}
		for _, line := range strings.Split(strings.TrimSpace(block), "\n")[1:] {
			at := slices.Index(example, strings.TrimSpace(line))
			if at < 0 {
				t.Fatalf("Example_readme does not have, or not in this order: %s", line)
			}
			example = example[at+1:]
			found++
		}
	}
	if found != 4 {
		t.Errorf("%d lines were found", found)
	}
}
