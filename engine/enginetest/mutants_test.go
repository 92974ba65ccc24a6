package enginetest

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

// A suite is worth what it finds. Each mutant here breaks one sentence of a
// contract, and names the case that must fail for it. The cases run in another
// process, because a test cannot fail for good.

// mutant is an implementation with one fault.
type mutant[T any] struct {
	name   string
	caught string // the case that must fail
	open   func(tb testing.TB) T
}

// childVariable says that this process is the one whose tests are to fail.
const childVariable = "ENGINETEST_MUTANTS"

// TestMutants is what the other process runs.
func TestMutants(t *testing.T) {
	if os.Getenv(childVariable) == "" {
		t.Skip("these tests are to fail; TestSuitesFindMutants runs them")
	}
	t.Run("index", func(t *testing.T) { runMutants(t, indexMutants, indexCases) })
	t.Run("text", func(t *testing.T) { runMutants(t, textMutants, textCases) })
	t.Run("embedder", func(t *testing.T) { runMutants(t, embedderMutants, embedderCases) })
	t.Run("llm", func(t *testing.T) { runMutants(t, llmMutants, llmCases) })
	t.Run("chunker", func(t *testing.T) { runMutants(t, chunkerMutants, chunkerCases) })
	t.Run("extractor", func(t *testing.T) { runMutants(t, extractorMutants, extractorCases) })
	t.Run("reranker", func(t *testing.T) { runMutants(t, rerankerMutants, rerankerCases) })
}

func runMutants[T any](t *testing.T, mutants []mutant[T], cases []suiteCase[T]) {
	for _, m := range mutants {
		for _, c := range cases {
			if c.name == m.caught {
				t.Run(m.name, func(t *testing.T) { runCases(t, []suiteCase[T]{c}, m.open) })
			}
		}
	}
}

func TestSuitesFindMutants(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), program, "-test.run=^TestMutants$", "-test.short", "-test.v", "-rapid.nofailfile")
	child.Env = append(os.Environ(), childVariable+"=1")
	output, _ := child.CombinedOutput() // it fails: that is what it is for

	names := slices.Concat(mutantNames("index", indexMutants), mutantNames("text", textMutants), mutantNames("embedder", embedderMutants),
		mutantNames("llm", llmMutants), mutantNames("chunker", chunkerMutants), mutantNames("extractor", extractorMutants), mutantNames("reranker", rerankerMutants))
	for _, name := range names {
		if !strings.Contains(string(output), "--- FAIL: TestMutants/"+strings.ReplaceAll(name, " ", "_")+" ") {
			t.Errorf("%s did not fail", name)
		}
	}
	t.Logf("%d mutants", len(names))
	if t.Failed() {
		t.Logf("what the other process said:\n%s", output)
	}
}

// mutantNames returns the names of the subtests that must fail.
func mutantNames[T any](suite string, mutants []mutant[T]) []string {
	var names []string
	for _, m := range mutants {
		names = append(names, suite+"/"+m.name+"/"+m.caught)
	}
	return names
}

// The suites must also pass: what they want can be had.

func TestIndex(t *testing.T) {
	RunIndex(t, func(testing.TB) quire.VectorIndex { return NewIndex() })
}

func TestEmbedder(t *testing.T) {
	RunEmbedder(t, func(testing.TB) quire.Embedder { return NewEmbedder() })
}

func TestEmbedderOfOneDimension(t *testing.T) {
	e := &Embedder{Dim: 1}
	if got := e.Vector("two words"); len(got) != 1 || got[0] != 1 {
		t.Errorf("Vector = %v, want [1]", got)
	}
}

func TestLLM(t *testing.T) {
	RunLLM(t, func(testing.TB) quire.LLM { return NewLLM() })
}
