package engine_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine"
	"github.com/quirelib/quire/engine/bm25"
	"github.com/quirelib/quire/engine/chromem"
	"github.com/quirelib/quire/engine/static"
	"github.com/quirelib/quire/eval"
	"github.com/quirelib/quire/store"
)

// squadDir has passages, and questions with their answers: Rajpurkar and others, "SQuAD:
// 100,000+ Questions for Machine Comprehension of Text" (EMNLP 2016).
const squadDir = "../../shared/data/ir/squad-dev"

// asked is a question with the answers that people gave, any of which will do.
type asked struct {
	Question string
	Answers  []string
	Source   string // the passage they are from
}

// text is a passage of a library.
type text struct {
	ID          string `json:"_id"`
	Title, Text string
}

// readLines reads a file of JSON lines.
func readLines[T any](t testing.TB, path string) (all []T) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var one T
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// evenly returns n evenly spaced ones, or all.
func evenly[T any](all []T, n int) []T {
	n = min(n, len(all))
	some := make([]T, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
}

// shelf is a library that is searched as one is by default.
type shelf struct {
	*quire.Engine
	tenant string
	ids    map[string]string // of a passage, by that of its elemental
}

// newShelf makes a library of passages, each an elemental.
func newShelf(t testing.TB, texts []text) *shelf {
	t.Helper()
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	lib, err := quire.NewLibrary(ctx, store.NewMemory(), nil)
	check(err)
	embedder, err := static.New()
	check(err)
	s := &shelf{ids: make(map[string]string)}
	s.Engine, err = quire.NewEngine(ctx, lib, chromem.New(nil), embedder, engine.NewExtractive(&engine.ExtractiveOptions{Sentences: 3}),
		&quire.EngineOptions{Text: bm25.New(nil)})
	check(err)
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	ada, err := lib.CreateUser(ctx, quire.UserInput{ID: "ada", Name: "Ada", Email: "ada@example.org"})
	check(err)
	s.tenant = ada.TenantID
	var jobs []quire.Job
	for _, text := range texts {
		el, err := lib.CreateElemental(ctx, ada.Actor(), quire.ElementalInput{Title: "Article: " + text.Title, TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: text.Text})
		check(err)
		s.ids[el.ID] = text.ID
		job, err := s.Ingest(ctx, s.tenant, quire.IngestRequest{ElementalID: el.ID})
		check(err)
		jobs = append(jobs, job)
	}
	for _, job := range jobs {
		_, err := s.Wait(ctx, s.tenant, job.ID)
		check(err)
	}
	return s
}

// sources returns the first three passages found that keep passes, as Chat gives them to
// an LLM.
func (s *shelf) sources(t testing.TB, question string, keep func(id string) bool) (sources []quire.LLMSource) {
	t.Helper()
	hits, err := s.Search(t.Context(), quire.SearchRequest{Query: question, Filters: quire.Filters{TenantID: s.tenant}, Limit: 60})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hits {
		if len(sources) < 3 && h.Chunk.Source == "document" && keep(s.ids[h.Chunk.ElementalID]) {
			sources = append(sources, quire.LLMSource{Number: len(sources) + 1, Title: h.Chunk.Title, Heading: h.Chunk.Heading, Text: h.Chunk.Text})
		}
	}
	return sources
}

// reply returns an answer of at most three sentences, "" if there is none.
func reply(t testing.TB, question string, sources []quire.LLMSource) string {
	t.Helper()
	if len(sources) == 0 {
		return ""
	}
	var all strings.Builder
	llm := engine.NewExtractive(&engine.ExtractiveOptions{Sentences: 3})
	for piece, err := range llm.Generate(t.Context(), &quire.LLMRequest{Question: question, Query: question, Sources: sources}) {
		if errors.Is(err, quire.ErrNoAnswer) {
			return ""
		}
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(piece)
	}
	return all.String()
}

// tally counts the questions that have an outcome.
type tally struct{ of, right, reachable, strange int }

func (n *tally) add(m tally) {
	n.of, n.right, n.reachable, n.strange = n.of+m.of, n.right+m.right, n.reachable+m.reachable, n.strange+m.strange
}

func (n tally) String() string {
	share := func(k int) float64 { return float64(k) / float64(max(n.of, 1)) }
	return fmt.Sprintf("%d questions, %.4f of the answers hold a gold answer (%.4f of the passages do); %.4f answered without the article",
		n.of, share(n.right), share(n.reachable), share(n.strange))
}

// TestExtractiveQuality asks questions of a library that is searched as one is by default,
// and counts the answers, three sentences from three passages, that hold what people
// answered. The same questions are asked without what the library has on their subject, and
// others that are about nothing in it. SQuAD's articles are in two halves: weights were
// fitted on the first.
func TestExtractiveQuality(t *testing.T) {
	texts, questions := filepath.Join(squadDir, "corpus.jsonl"), filepath.Join(squadDir, "qa.jsonl")
	limit, least, most := 2000, 0.84, 0.40
	if _, err := os.Stat(texts); err != nil {
		fmt.Println("engine: ../shared/data/ir is not there; questions of our own are asked")
		texts, questions = "testdata/passages.jsonl", "testdata/questions.jsonl"
		least, most = 0.95, 0.10
	} else if testing.Short() {
		limit, least, most = 200, 0.80, 0.50 // so few are less certain
	}
	s := newShelf(t, readLines[text](t, texts))
	var halves [2]tally
	for _, q := range evenly(readLines[asked](t, questions), limit) {
		subject := func(id string) string { name, _, _ := strings.Cut(id, "#"); return name }
		sources := s.sources(t, q.Question, func(string) bool { return true })
		others := s.sources(t, q.Question, func(id string) bool { return subject(id) != subject(q.Source) })
		one := tally{of: 1}
		if eval.HoldsAnswer(reply(t, q.Question, sources), q.Answers) {
			one.right = 1
		}
		if slices.ContainsFunc(sources, func(s quire.LLMSource) bool { return eval.HoldsAnswer(s.Text, q.Answers) }) {
			one.reachable = 1
		}
		if reply(t, q.Question, others) != "" {
			one.strange = 1
		}
		hash := fnv.New32()
		hash.Write([]byte(subject(q.Source)))
		halves[(hash.Sum32()>>3)%2].add(one)
	}
	all := halves[0]
	all.add(halves[1])
	fmt.Printf("engine: first half: %v\nengine: second half: %v\nengine: %v\n", halves[0], halves[1], all)
	if share := float64(all.right) / float64(all.of); share < least {
		t.Errorf("%.4f of the answers hold a gold answer, want %.2f", share, least)
	}
	if share := float64(all.strange) / float64(all.of); share > most {
		t.Errorf("%.4f are answered without the article, want at most %.2f", share, most)
	}
	offTopic(t, s)
}

// offTopic asks questions that are about nothing in a library.
func offTopic(t *testing.T, s *shelf) {
	t.Helper()
	list, err := os.ReadFile("testdata/offtopic.txt")
	if err != nil {
		t.Fatal(err)
	}
	answered, of := 0, 0
	for question := range strings.Lines(string(list)) {
		of++
		if reply(t, question, s.sources(t, question, func(string) bool { return true })) != "" {
			answered++
		}
	}
	fmt.Printf("engine: %d of %d questions about other things are answered\n", answered, of)
	if 5*answered > 2*of {
		t.Errorf("%d of %d questions about other things are answered, want at most two in five", answered, of)
	}
}

// BenchmarkExtractive answers from eight sources of 1,500 characters.
func BenchmarkExtractive(b *testing.B) {
	var all strings.Builder
	for _, text := range readLines[text](b, "testdata/passages.jsonl")[:7] {
		all.WriteString(text.Text + " ")
	}
	whole := strings.Repeat(all.String(), 8)
	req := &quire.LLMRequest{Question: "How long is the longer pier of the harbour, and who built it?"}
	for i := range 8 {
		req.Sources = append(req.Sources, quire.LLMSource{Number: i + 1, Title: "A title", Text: whole[i*1000:][:1500]})
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range engine.NewExtractive(nil).Generate(b.Context(), req) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
