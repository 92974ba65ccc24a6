package engine

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/eval"
)

// goDocQuestions are asked of the documents that come with Go. key holds phrases
// of passages that answer, any of which will do.
var goDocQuestions = []struct {
	question string
	key      []string
}{
	{"What happens on a send to a closed channel?", []string{"A send on a closed channel proceeds by causing a run-time panic", "closing a closed channel causes a run-time panic"}},
	{"In which order are deferred calls executed?", []string{"in the reverse order they were deferred"}},
	{"What is the iteration order of a map?", []string{"The iteration order over maps is not specified"}},
	{"What is the zero value of a slice?", []string{"nil for pointers, functions, interfaces, slices", "The value of an uninitialized slice is nil"}},
	{"When does init run?", []string{"init functions in the order they appear", "the completion of q's init functions happens before", "the invocation of init functions—happens in a single goroutine"}},
	{"What does the memory model say about a receive from a closed channel?", []string{"The closing of a channel is synchronized before a receive"}},
	{"Which GODEBUG setting restores the old behavior of math/rand seeding?", []string{"controlled by the randautoseed setting", "Using randseednop=0 reverts"}},
	{"Which GODEBUG setting allows panic(nil)?", []string{"Using panicnil=1 restores", "introduces the panicnil setting"}},
	{"Which setting controls whether insecure paths in zip archives are rejected?", []string{"zipinsecurepath setting"}},
}

// passage is a chunk of a document with its vector.
type passage struct {
	quire.LLMSource
	vector []float32
	score  float64
}

// embedText is what the Engine embeds of a chunk.
func (p passage) embedText() string {
	return strings.Join(append(append([]string{p.Title}, p.Heading...), p.Text), "\n")
}

// goDocs returns the documents that come with Go as Markdown, by title.
func goDocs(t *testing.T) map[string]string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("the go command does not run: %v", err)
	}
	dir := filepath.Join(strings.TrimSpace(string(root)), "doc")
	conv := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
	docs := make(map[string]string)
	for title, name := range map[string]string{
		"The Go Programming Language Specification": "go_spec.html",
		"The Go Memory Model":                       "go_mem.html",
		"Go, Backwards Compatibility, and GODEBUG":  "godebug.md",
	} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Skipf("the documents of Go are not installed: %v", err)
		}
		docs[title] = string(content)
		if filepath.Ext(name) == ".html" {
			if docs[title], err = conv.ConvertString(docs[title]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return docs
}

// passages chunks and embeds documents.
func passages(t *testing.T, docs map[string]string, h *Hashing) []passage {
	t.Helper()
	chunker, err := NewChunker(nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []passage
	var texts []string
	for _, title := range slices.Sorted(maps.Keys(docs)) {
		text := docs[title]
		for _, span := range chunker.Chunks(text) {
			p := passage{LLMSource: quire.LLMSource{Title: title, Heading: span.Heading, Text: text[span.Start:span.End]}}
			all = append(all, p)
			texts = append(texts, p.embedText())
		}
	}
	vectors, err := h.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vectors {
		all[i].vector = v
	}
	return all
}

// nearest returns the passages nearest to a query, best first, numbered from 1.
func nearest(t *testing.T, all []passage, h *Hashing, query string, limit int) []passage {
	t.Helper()
	vectors, err := h.Embed(t.Context(), []string{query})
	if err != nil {
		t.Fatal(err)
	}
	found := slices.Clone(all)
	for i := range found {
		found[i].score = dot(found[i].vector, vectors[0])
	}
	slices.SortFunc(found, func(a, b passage) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.Text, b.Text)) })
	found = found[:min(limit, len(found))]
	for i := range found {
		found[i].Number = i + 1
	}
	return found
}

func dot(a, b []float32) float64 {
	var sum float32
	for i, x := range a {
		sum += x * b[i]
	}
	return float64(sum)
}

// generate returns the whole answer.
func generate(t *testing.T, e *Extractive, req *quire.LLMRequest) string {
	t.Helper()
	var answer strings.Builder
	for piece, err := range e.Generate(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		answer.WriteString(piece)
	}
	return answer.String()
}

var linkTarget = regexp.MustCompile(`\]\([^)]*\)`)

// holdsAny reports whether text holds one of the phrases, whatever its markup and
// line breaks.
func holdsAny(text string, phrases []string) bool {
	text = strings.NewReplacer("`", "", "*", "", "\\", "", "[", "").Replace(linkTarget.ReplaceAllString(text, ""))
	text = strings.Join(strings.Fields(text), " ")
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, p) })
}

// TestGoDocuments asks questions of the documents that come with Go: the passage
// that answers must be among the eight that a chat gets, and the answer must quote it.
func TestGoDocuments(t *testing.T) {
	h, err := NewHashing(nil)
	if err != nil {
		t.Fatal(err)
	}
	all := passages(t, goDocs(t), h)
	fmt.Printf("engine: %d chunks of the documents of Go\n", len(all))
	for _, q := range goDocQuestions {
		t.Run(q.question, func(t *testing.T) {
			found := nearest(t, all, h, q.question, 8)
			rank := 1 + slices.IndexFunc(found, func(p passage) bool { return holdsAny(p.Text, q.key) })
			fmt.Printf("engine: rank %d: %s\n", rank, q.question)
			if rank == 0 {
				t.Fatalf("no passage that answers among the first %d", len(found))
			}
			req := &quire.LLMRequest{Question: q.question}
			for _, p := range found {
				req.Sources = append(req.Sources, p.LLMSource)
			}
			answer := generate(t, NewExtractive(nil), req)
			if !holdsAny(answer, q.key) {
				t.Errorf("the answer does not quote it: %s", answer)
			}
			t.Log(answer)
		})
	}
}

// TestRetrieval measures the embedder on judged sets, with the whole document as
// one text. The least values allowed are a little below what it reaches.
func TestRetrieval(t *testing.T) {
	if testing.Short() {
		t.Skip("takes several seconds")
	}
	for _, tt := range []struct {
		name         string
		ndcg, recall float64
	}{{"scifact", 0.57, 0.70}, {"cranfield", 0.34, 0.36}} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join("../../shared/data/ir", tt.name)
			if _, err := os.Stat(dir); err != nil {
				t.Skip("../shared/data/ir is not there")
			}
			set, err := eval.ReadBEIR(os.DirFS(dir), nil)
			if err != nil {
				t.Fatal(err)
			}
			h, err := NewHashing(nil)
			if err != nil {
				t.Fatal(err)
			}
			ndcg, recall := measure(t, set, h)
			fmt.Printf("engine: %s: %d documents, %d queries, nDCG@10 %.3f, Recall@10 %.3f\n", tt.name, len(set.Documents), len(set.Queries), ndcg, recall)
			if ndcg < tt.ndcg || recall < tt.recall {
				t.Errorf("nDCG@10 %.3f, Recall@10 %.3f, want %.2f, %.2f", ndcg, recall, tt.ndcg, tt.recall)
			}
		})
	}
}

// measure returns the means of nDCG@10 and Recall@10 over the queries.
func measure(t *testing.T, set *eval.Dataset, h *Hashing) (ndcg, recall float64) {
	t.Helper()
	texts := make([]string, len(set.Documents))
	for i, d := range set.Documents {
		texts[i] = d.Title + "\n" + d.Text
	}
	vectors, err := h.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]passage, len(vectors))
	for i, v := range vectors {
		all[i] = passage{LLMSource: quire.LLMSource{Text: set.Documents[i].ID}, vector: v}
	}
	for _, q := range set.Queries {
		var found []int
		for _, p := range nearest(t, all, h, q.Text, 10) {
			found = append(found, q.Relevant[p.Text])
		}
		relevant := slices.Sorted(maps.Values(q.Relevant)) // all of them are 1
		ndcg += eval.NDCG(found, relevant, 10)
		recall += eval.Recall(found, relevant, 10)
	}
	n := float64(len(set.Queries))
	return ndcg / n, recall / n
}
