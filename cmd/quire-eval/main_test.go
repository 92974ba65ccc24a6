package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/engine/static"
)

// small is a judged set of the project's own.
const small = "../../eval/testdata/small"

// call runs the command.
func call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = command(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// TestTable runs the command as a user does. The figures change with whatever changes
// search; when that is an improvement, take the new ones.
func TestTable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"BEIR", []string{"-data", small}, `small: 14 documents, 12 queries

setting  nDCG@10  Recall@10  Recall@100  MRR@10  Hit@3
vector   0.8959   1.0000     1.0000      0.9028  1.0000
text     0.9620   0.9583     0.9583      1.0000  1.0000
hybrid   0.9692   1.0000     1.0000      1.0000  1.0000

nDCG@10 beside text:
vector  -0.0661  1 better  3 worse  8 equal   p = 0.375
hybrid  +0.0072  1 better  1 worse  10 equal  p = 1.000
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := call(t, append(tt.args, "-q")...)
			if diff := cmp.Diff(tt.want, out); diff != "" || code != 0 || errs != "" {
				t.Errorf("%d, %q\n%s", code, errs, diff)
			}
		})
	}
}

// TestSettings measures several embedders and weights, and answers.
func TestSettings(t *testing.T) {
	t.Parallel()
	code, out, errs := call(t, "-data", small, "-embedder", "static,hashing:512", "-weight", "0.3,0.7", "-limit", "10", "-n", "4", "-per-query", "1", "-q", "-against", "hybrid static 0.7")
	if code != 0 || errs != "" {
		t.Fatal(code, errs)
	}
	var settings []string
	table := strings.Split(out, "\n\n")[1]
	for line := range strings.Lines(table) {
		settings = append(settings, strings.Split(line, "  ")[0])
	}
	want := []string{"setting", "vector static", "text", "hybrid static 0.3", "hybrid static 0.7", "vector hashing:512", "hybrid hashing:512 0.3", "hybrid hashing:512 0.7"}
	if diff := cmp.Diff(want, settings); diff != "" || strings.Contains(out, "Recall@100") || !strings.Contains(out, "beside hybrid static 0.7:") {
		t.Errorf("%s\n%s", diff, out)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	code, out, errs := call(t, "-data", small, "-questions", filepath.Join(small, "qa.jsonl"), "-answers", "-sources", "3", "-sentences", "2", "-modes", "hybrid", "-json", "-q")
	if code != 0 || errs != "" {
		t.Fatal(code, errs)
	}
	var report struct {
		Means   map[string]map[string]float64
		Queries []struct{ ID string }
		Results []struct{ Scores []map[string]float64 }
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	if len(report.Queries) != 8 || len(report.Results) != 1 || len(report.Results[0].Scores) != 8 {
		t.Fatalf("%+v", report)
	}
	if got := report.Means["hybrid"]["Answer"]; got < 0.75 {
		t.Errorf("%.2f hold an answer", got)
	}
}

// TestFailed prints what was wanted and what came, of queries that find nothing of what they
// should, have a wrong answer, or have none; and nothing of those that went well.
func TestFailed(t *testing.T) {
	t.Parallel()
	docs, file := t.TempDir(), filepath.Join(t.TempDir(), "mine.jsonl")
	write(t, filepath.Join(docs, "office.md"), "# Office\n\nThe office opens at nine.\n\n## Keys\n\nEvery desk has a drawer.\n")
	write(t, filepath.Join(docs, "gate.md"), "# Gate\n\nThe porter keeps the key of the gate.\n")
	write(t, file, `{"question": "When does the office open?", "answers": ["nine"], "source": "office.md"}
{"question": "Who keeps the key of the gate?", "answers": ["gardener", "cook"], "source": "gate.md"}
{"question": "What has every desk?", "sections": [{"document": "office.md", "heading": "Drawers"}]}
{"question": "Which elephants are grey?", "answers": ["all"], "source": "gate.md"}
`)
	code, out, errs := call(t, "-questions", file, "-docs", docs, "-modes", "text", "-answers", "-failed", "2", "-q")
	_, got, _ := strings.Cut(out, "\n\nfailed ")
	want := `with text: 3 of 4 queries

2  Who keeps the key of the gate?
  wanted in the answer: "gardener" or "cook"
  answer: The porter keeps the key of the gate. [1]

3  What has every desk?
  wanted: "office.md" under the heading "Drawers" (not found)
  came:   "office.md" under the heading "Keys"

and 1 more
`
	if diff := cmp.Diff(want, got); diff != "" || code != 0 || errs != "" {
		t.Errorf("%d, %q\n%s", code, errs, diff)
	}
	_, out, _ = call(t, "-questions", file, "-docs", docs, "-modes", "text", "-answers", "-failed", "9", "-q")
	if _, got, _ = strings.Cut(out, "\n\n4  "); got != `Which elephants are grey?
  wanted: "gate.md" (not found)
  came:   nothing
  wanted in the answer: "all"
  answer: there was no answer
` {
		t.Errorf("of the last one:\n%s", got)
	}
}

// TestPassages measures on a file that has its own passages.
func TestPassages(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "mine.jsonl")
	write(t, file, `{"question": "When does the office open?", "answers": ["nine"], "passage": "The office opens at nine."}
{"question": "Who has the key?", "answers": ["porter"], "passage": "The porter keeps the key of the gate."}
`)
	code, out, errs := call(t, "-questions", file, "-answers", "-modes", "text", "-q")
	want := `mine.jsonl: 2 documents, 2 queries

setting  nDCG@10  Recall@10  Recall@100  MRR@10  Hit@3   Answer  Answered
text     1.0000   1.0000     1.0000      1.0000  1.0000  1.0000  1.0000
`
	if diff := cmp.Diff(want, out); diff != "" || code != 0 {
		t.Errorf("%d, %q\n%s", code, errs, diff)
	}
	docs := t.TempDir()
	write(t, filepath.Join(docs, "office.md"), "# Office\n\nThe office opens at nine.\n")
	named := filepath.Join(t.TempDir(), "named.jsonl")
	write(t, named, `{"question": "When does the office open?", "relevant": ["offices.md"]}`)
	if code, out, errs := call(t, "-questions", named, "-docs", docs, "-modes", "text", "-q"); code != 0 || !strings.Contains(out, `check the names: "offices.md"`) {
		t.Errorf("a wrong name: %d, %q\n%s", code, errs, out)
	}
	if code, _, errs := call(t, "-questions", file, "-docs", t.TempDir(), "-q"); code != 1 || !strings.Contains(errs, "leave out -docs") {
		t.Errorf("with documents beside: %d, %q", code, errs)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestLibrary measures on a library that is there already.
func TestLibrary(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	embedder, err := static.New()
	if err != nil {
		t.Fatal(err)
	}
	q, err := embedded.Open(t.Context(), dir, &embedded.Options{Embedder: embedder})
	if err != nil {
		t.Fatal(err)
	}
	ada, err := q.Library.CreateUser(t.Context(), quire.UserInput{ID: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	for id, body := range map[string]string{"boats": "# `Times`\n\nThe boat leaves at seven.\n", "market": "Fish is sold at dawn."} {
		el, err := q.Library.CreateElemental(t.Context(), ada.Actor(), quire.ElementalInput{
			ID: id, Title: "The page on " + id, TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: body})
		if err != nil {
			t.Fatal(err)
		}
		job, err := q.Engine.Ingest(t.Context(), ada.TenantID, quire.IngestRequest{ElementalID: el.ID})
		if err == nil {
			job, err = q.Engine.Wait(t.Context(), ada.TenantID, job.ID)
		}
		if err != nil || job.Status != quire.JobSucceeded {
			t.Fatal(job, err)
		}
	}
	questions := filepath.Join(t.TempDir(), "mine.jsonl")
	write(t, questions, `{"question": "When does the boat leave?", "sections": [{"document": "boats", "heading": "Times"}]}
{"question": "Where is fish sold?", "relevant": ["The page on market"]}
`)
	for i := range 12 {
		if _, err := q.Library.CreateUser(t.Context(), quire.UserInput{ID: fmt.Sprintf("none%d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"-questions", questions, "-library", dir, "-tenant", "ada", "-modes", "hybrid", "-q"}
	if code, _, errs := call(t, args...); code != 1 || !strings.Contains(errs, "open") {
		t.Errorf("while it is open: %d, %q", code, errs)
	}
	if err := q.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := `mine.jsonl: 2 queries

setting  nDCG@10  Recall@10  Recall@100  MRR@10  Hit@3
hybrid   1.0000   1.0000     1.0000      1.0000  1.0000
`
	code, out, errs := call(t, args...)
	if diff := cmp.Diff(want, out); diff != "" || code != 0 {
		t.Errorf("%d, %q\n%s", code, errs, diff)
	}
	wrong := filepath.Join(t.TempDir(), "wrong.jsonl")
	write(t, wrong, `{"question": "When does the boat leave?", "sections": [{"document": "boats", "heading": "Time"}]}
{"question": "Where is fish sold?", "relevant": ["The page on markets"]}
`)
	code, out, errs = call(t, "-questions", wrong, "-library", dir, "-tenant", "ada", "-q")
	if named := `2 of what is judged no search has found; check the names: "The page on markets", "boats" under the heading "Time"`; code != 0 || !strings.Contains(out, named) {
		t.Errorf("wrong names: %d, %q\n%s", code, errs, out)
	}
	if code, _, errs := call(t, "-questions", questions, "-library", dir, "-tenant", "bob", "-q"); code != 1 || !strings.Contains(errs, `tenant "bob" has no passages, or none that the filters let through; those with passages are "ada"`+"\n") {
		t.Errorf("of another tenant: %d, %q", code, errs)
	}
	if code, _, errs := call(t, append(args, "-embedder", "hashing")...); code != 1 || !strings.Contains(errs, "-embedder") {
		t.Errorf("with another embedder: %d, %q", code, errs)
	}
	if code, _, errs := call(t, "-questions", questions, "-library", dir+"x", "-tenant", "ada", "-q"); code != 1 || !strings.Contains(errs, "no such file") {
		t.Errorf("of no library: %d, %q", code, errs)
	}
}

func TestWrongCalls(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"", 2, "give -data or -questions"},
		{"-nonsense", 2, "-nonsense"},
		{"-data x y", 2, `"y" is no flag`},
		{"-docs x", 2, "give -data or -questions"},
		{"-data x -docs y", 2, "need -questions"},
		{"-questions q -data x -docs y", 2, "only one of"},
		{"-questions q -library x", 2, "-library needs -tenant"},
		{"-data x -tenant y", 2, "-tenant goes with"},
		{"-data x -modes text,fast", 2, `no mode "fast"`},
		{"-data x -embedder large", 2, "no such embedder"},
		{"-data x -embedder static:many", 2, `"many"`},
		{"-data x -embedder static:8", 2, "dimension is 8"},
		{"-data x -weight 1", 2, `"1" is not between 0 and 1`},
		{"-data x -limit 101", 2, "-limit is 101"},
		{"-data x -sources 101", 2, "-sources is 101"},
		{"-data x -n -1", 2, "must not be negative"},
		{"-data x -failed -1", 2, "must not be negative"},
		{"-data x -failed 1 -json", 2, "-failed is for reading"},
		{"-questions q -library x -tenant y -embedder static,hashing", 2, "only that one"},
		{"-data testdata/nothing", 1, "no file corpus.jsonl"},
		{"-questions testdata/nothing", 1, "no such file"},
		{"-questions " + filepath.Join(small, "qa.jsonl"), 1, "-docs, -data or -library"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			code, out, errs := call(t, strings.Fields(tt.args)...)
			if code != tt.code || out != "" || !strings.Contains(errs, tt.want) {
				t.Errorf("%d, %q, want %d, %q", code, errs, tt.code, tt.want)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	code, out, errs := call(t, "-h")
	if code != 0 || errs != "" || !strings.Contains(out, "corpus.jsonl") || !strings.Contains(out, "-per-query") {
		t.Errorf("%d, %q, %q", code, out, errs)
	}
}

// TestUnreadableDocuments: a folder that is missing is named, a file that is no text is left out
// by name.
func TestUnreadableDocuments(t *testing.T) {
	t.Parallel()
	docs, file := t.TempDir(), filepath.Join(t.TempDir(), "mine.jsonl")
	write(t, filepath.Join(docs, "gate.md"), "# Gate\n\nThe porter keeps the key of the gate.\n")
	write(t, filepath.Join(docs, "bin.txt"), "\x00\x01\xff")
	write(t, file, `{"question": "who keeps the key of the gate?", "source": "gate.md"}`+"\n")
	code, _, errs := call(t, "-questions", file, "-docs", docs, "-modes", "text", "-q")
	if code != 0 || !strings.Contains(errs, "bin.txt is left out: it is not a text document") {
		t.Errorf("code %d, %q", code, errs)
	}
	missing := filepath.Join(docs, "none")
	code, _, errs = call(t, "-questions", file, "-docs", missing, "-q")
	if code != 1 || !strings.Contains(errs, missing) {
		t.Errorf("a missing folder: code %d, %q", code, errs)
	}
}
