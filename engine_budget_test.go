package quire_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/internal/segment"
)

// floodIndex finds what a test wants, whatever is asked for and however much.
type floodIndex struct {
	quire.VectorIndex
	hits *[]quire.Hit
}

func (x floodIndex) Search(context.Context, []float32, quire.Filters, int) ([]quire.Hit, error) {
	return slices.Clone(*x.hits), nil
}

// lastLLM keeps what it was asked last, and answers.
type lastLLM struct{ asked *quire.LLMRequest }

func (m *lastLLM) Name() string { return "last" }

func (m *lastLLM) Generate(_ context.Context, req *quire.LLMRequest) iter.Seq2[string, error] {
	m.asked = req
	return func(yield func(string, error) bool) { yield("fine [1]", nil) }
}

// headed is a Chunker that splits at blank lines and puts headings above each passage,
// more of them and longer ones than any text has.
type headed struct{ rand *rand.Rand }

func (c headed) Chunks(text string) []quire.Span {
	spans := paragraphs{}.Chunks(text)
	for i := range spans {
		for range c.rand.IntN(4) {
			spans[i].Heading = append(spans[i].Heading, words(c.rand, 1+c.rand.IntN(1<<c.rand.IntN(7))))
		}
	}
	return spans
}

// words are n words of a few alphabets.
func words(r *rand.Rand, n int) string {
	some := []string{"boat", "harbour", "a", "12345", "Fährschiff", "лодка", "日本語の船", "ボート", "🙂", "x-y_z", "C++", "----------------", "[1]", "\u200b"}
	out := make([]string, n)
	for i := range out {
		out[i] = some[r.IntN(len(some))] + strings.Repeat("z", r.IntN(3))
	}
	return strings.Join(out, " ")
}

// flood is an Engine over passages from one word to 64 KiB, of which an index can find
// any at once. It returns the ids of the passages.
func flood(t *testing.T, r *rand.Rand) (*engineFixture, []string) {
	t.Helper()
	f := onMemory(t)
	f.opts.Chunker, f.opts.ChatSources = headed{r}, 100
	f.restart()
	for i := range 12 {
		var body []string
		for range 50 {
			body = append(body, words(r, 1+r.IntN(1<<r.IntN(8))))
		}
		if i == 0 {
			body = append(body, strings.Repeat("flood ", 64<<10/6))
		}
		f.add(f.ann, fmt.Sprintf("%d %.80s", i, words(r, 40)), strings.Join(body, "\n\n"))
	}
	var ids []string
	f.check(f.store.View(t.Context(), func(tx quire.ReadTx) error {
		for c, err := range tx.AllChunks(t.Context()) {
			if err != nil {
				return err
			}
			ids = append(ids, c.ID)
		}
		return nil
	}))
	return f, ids
}

// TestBudget asks about random selections of many passages: whatever is found, and however
// much, the LLM is given no more than ContextTokens allows, or one passage, and of the same
// hits always the same.
func TestBudget(t *testing.T) {
	t.Parallel()
	rounds, budgets := 500, []int{1, 10, 50, 100, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 4000, 5000, 7000, 10_000, 15_000, 20_000, 50_000, 1 << 20}
	if testing.Short() {
		rounds = 25
	}
	r := rand.New(rand.NewPCG(1, 4))
	f, ids := flood(t, r)
	f.stop(t.Context())
	var hits []quire.Hit
	llm, index := &lastLLM{}, floodIndex{f.index, &hits}
	asked, alone, cut, most, longest := 0, 0, 0, 0, 0
	for _, budget := range budgets {
		f.opts.ContextTokens = budget
		eng, err := quire.NewEngine(t.Context(), f.Library, index, f.embedder, llm, &f.opts)
		f.check(err)
		for range rounds {
			r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
			hits = hits[:0]
			for i, id := range ids[:1+r.IntN(1<<r.IntN(7))] {
				hits = append(hits, quire.Hit{ID: id, Score: 1 - float64(i/3)/100}) // some are equal
			}
			req := quire.ChatRequest{Query: "flood", Filters: quire.Filters{TenantID: f.ann.TenantID}, Limit: 1 + r.IntN(100)}
			res, err := eng.Chat(t.Context(), req)
			f.check(err)
			used := promptTokens(t, llm.asked, res.Sources, req.Limit)
			if used > budget && len(res.Sources) != 1 {
				t.Fatalf("%d sources of %d tokens are over the budget of %d", len(res.Sources), used, budget)
			}
			first := res.Sources
			longest = max(longest, len(hits))
			if asked++; asked%4 == 0 {
				slices.Reverse(hits)
				if res, err = eng.Chat(t.Context(), req); err != nil || !sameSources(first, res.Sources) {
					t.Fatalf("the same hits give other sources: %v", err)
				}
			}
			if used > budget {
				alone++
			} else {
				most = max(most, used*100/budget)
			}
			if len(res.Sources) < min(req.Limit, len(hits)) {
				cut++
			}
		}
		f.check(eng.Close(t.Context()))
	}
	f.start()
	if alone == 0 || cut < asked/4 || most < 95 {
		t.Errorf("%d times one source was too long, %d of %d times not all fitted, at most %d%% was used: the flood is too weak", alone, cut, asked, most)
	}
	if t.Failed() {
		return
	}
	t.Logf("G4: %d random selections of up to %d of the passages of one corpus, of up to 64 KiB each, under %d budgets: 0 over the budget, %d times one passage alone that is longer; the same sources whenever it was asked again",
		asked, longest, len(budgets), alone)
}

// promptTokens returns how many tokens the sources of a request take, after checking that
// what the LLM is told is no more than them, the rules, the question and the fences.
func promptTokens(t *testing.T, req *quire.LLMRequest, sources []quire.SearchHit, limit int) int {
	t.Helper()
	if len(req.Sources) != len(sources) || len(sources) > limit || len(sources) == 0 {
		t.Fatalf("%d sources were given, %d are named, the limit is %d", len(req.Sources), len(sources), limit)
	}
	used := 0
	for _, s := range sources {
		used += segment.Tokens(s.Chunk.Text) + segment.Tokens(strings.Join(append([]string{s.Chunk.Title}, s.Chunk.Heading...), " > "))
	}
	all := 0
	for _, m := range req.Messages {
		all += segment.Tokens(m.Content)
	}
	const rules, aroundSource = 600, 60
	if all > used+used/4+rules+aroundSource*len(sources) { // numbers in brackets become words
		t.Fatalf("the prompt has %d tokens, its %d sources %d", all, len(sources), used)
	}
	return used
}

func sameSources(a, b []quire.SearchHit) bool {
	return slices.EqualFunc(a, b, func(x, y quire.SearchHit) bool { return x.Chunk.ID == y.Chunk.ID })
}
