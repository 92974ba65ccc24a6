package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/internal/segment"
)

func TestExtractiveConforms(t *testing.T) {
	enginetest.RunLLM(t, func(testing.TB) quire.LLM { return engine.NewExtractive(nil) })
}

// answer joins what an Extractive says.
func answer(ctx context.Context, opts *engine.ExtractiveOptions, question string, texts ...string) (string, error) {
	req := &quire.LLMRequest{Question: question}
	for i, text := range texts {
		req.Sources = append(req.Sources, quire.LLMSource{Number: i + 1, Title: "A title of sources", Text: text})
	}
	var b strings.Builder
	for piece, err := range engine.NewExtractive(opts).Generate(ctx, req) {
		if err != nil {
			return b.String(), err
		}
		b.WriteString(piece)
	}
	return b.String(), nil
}

func TestExtractiveAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, question string
		sources        []string
		want           string
	}{
		{
			"the sentence that fits", "What happens on a send to a closed channel?",
			[]string{"Channels are typed. A send on a closed channel causes a panic. Maps are not channels."},
			"A send on a closed channel causes a panic. [1]",
		},
		{
			"of two sources, the better first", "Who feeds the otters?",
			[]string{"The otters sleep at night.", "Maria feeds the otters at noon. She is kind."},
			"Maria feeds the otters at noon. [2]",
		},
		{
			"word forms", "How are deferred functions executed?",
			[]string{"Deferring a function executes it later."}, "Deferring a function executes it later. [1]",
		},
		{
			"markup goes, words stay", "Which setting restores it?",
			[]string{"- The **setting** [`old=1`](https://x.example) restores it,\n  always."}, "The setting old=1 restores it, always. [1]",
		},
		{
			"bracketed numbers are no markers", "Which standard applies?",
			[]string{`The standard \[7\] applies here.`}, "The standard (7) applies here. [1]",
		},
		{
			"code when there is nothing else", "Where is GODEBUG?",
			[]string{"Some prose.\n\n```\nexport GODEBUG=x\nother\n```\n"}, "`export GODEBUG=x` [1]",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := answer(t.Context(), nil, c.question, c.sources...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestExtractiveHasNoAnswer(t *testing.T) {
	t.Parallel()
	for question, source := range map[string]string{
		"What is the capital of France?": "Channels and the maps.",
		"???":                            "Some words.",
		"words":                          "```\n```",
	} {
		got, err := answer(t.Context(), nil, question, source)
		if !errors.Is(err, quire.ErrNoAnswer) || got != "" {
			t.Errorf("%q from %q: %q, %v", question, source, got, err)
		}
	}
}

func TestExtractiveLimitsItsAnswer(t *testing.T) {
	t.Parallel()
	source := "Otters eat red fish daily. Otters eat blue crabs weekly. Otters eat green plants never. Otters eat white snow."
	got, err := answer(t.Context(), &engine.ExtractiveOptions{Sentences: 2}, "What do otters eat?", source)
	if err != nil || strings.Count(got, "[1]") != 2 {
		t.Errorf("%q, %v", got, err)
	}
	same, err := answer(t.Context(), nil, "What do otters eat?", "Otters eat fish and crabs.", "Otters eat fish and crabs!")
	if err != nil || strings.Count(same, "fish") != 1 {
		t.Errorf("said twice: %q, %v", same, err)
	}
}

// Every word of an answer stands in the source that the marker behind it names, and
// the same request gives the same answer.
func TestExtractiveAddsNoWords(t *testing.T) {
	t.Parallel()
	vocabulary := []string{"otter", "Fish", "eats", "*swims*", "`code`", "[9]", "the", "in.", "river!", "\n\n", "# head\n", "- ", "why?", "|a|b|\n", "```\n"}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 60).Draw(rt, "text"), " ")
		question := strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 5).Draw(rt, "question"), " ")
		got, err := answer(context.Background(), nil, question, text)
		if again, _ := answer(context.Background(), nil, question, text); again != got {
			rt.Fatalf("%q, then %q", got, again)
		}
		if err != nil {
			return
		}
		known := map[string]bool{"1": true} // the marker
		for _, w := range segment.Words(text) {
			known[w] = true
		}
		for _, w := range segment.Words(got) {
			if !known[w] {
				rt.Fatalf("%q is not in the source: %q", w, got)
			}
		}
	})
}
