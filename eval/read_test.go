package eval

import (
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

// folder makes a BEIR folder.
func folder(corpus, queries, qrels string) fstest.MapFS {
	return fstest.MapFS{
		"corpus.jsonl":   {Data: []byte(corpus)},
		"queries.jsonl":  {Data: []byte(queries)},
		"qrels/test.tsv": {Data: []byte(qrels)},
	}
}

const (
	someCorpus  = `{"_id": "d1", "title": "One", "text": "first"}` + "\n\n" + `{"_id": "d2", "text": "second", "metadata": {}}`
	someQueries = "\ufeff" + `{"_id": "q1", "text": "which?"}` + "\r\n" + `{"_id": "q2", "text": "unjudged"}` + "\n"
	someQrels   = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq1\tgone\t1\nq9\td1\t1\n"
)

func TestReadBEIR(t *testing.T) {
	t.Parallel()
	want := &Dataset{
		Name:      "some",
		Documents: []Document{{"d1", "One", "first"}, {"d2", "", "second"}},
		Queries:   []Query{{ID: "q1", Text: "which?", Relevant: map[string]int{"d1": 2, "gone": 1}}},
	}
	for name, qrels := range map[string]string{
		"BEIR":            someQrels,
		"TREC":            "q1 0 d1 2\nq1 0 d2 -1\nq1\t0\tgone\t1\n",
		"without heading": "q1\td1\t2\nq1\tgone\t1",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadBEIR(folder(someCorpus, someQueries, qrels), &BEIROptions{Name: "some"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if n := got.Unfindable(); n != 1 {
				t.Errorf("%d judgements of missing documents, want 1", n)
			}
		})
	}
}

func TestReadBEIRErrors(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxLine)
	for _, tt := range []struct {
		name                   string
		corpus, queries, qrels string
		code                   quire.Code
		want                   string
	}{
		{"no JSON", someCorpus + "\nnonsense", someQueries, someQrels, quire.CodeInvalid, "corpus.jsonl, line 4: is not one JSON object"},
		{"two objects", `{"_id":"a"} {}`, someQueries, someQrels, quire.CodeInvalid, "corpus.jsonl, line 1: is not one JSON object"},
		{"null", `null`, someQueries, someQrels, quire.CodeInvalid, "corpus.jsonl, line 1: is not one JSON object"},
		{"a number as id", `{"_id": 1}`, someQueries, someQrels, quire.CodeInvalid, `corpus.jsonl, line 1: "_id" is a JSON number, but must be a string`},
		{"no id", `{"text": "x"}`, someQueries, someQrels, quire.CodeInvalid, `corpus.jsonl, line 1: "_id" is missing or empty`},
		{"a long id", `{"_id": "` + long[:maxID+1] + `"}`, someQueries, someQrels, quire.CodeInvalid, `"_id" is longer than 512 bytes`},
		{"an id twice", someCorpus + "\n" + `{"_id": "d1"}`, someQueries, someQrels, quire.CodeInvalid, `corpus.jsonl, line 4: the id "d1" is there twice`},
		{"a long line", someCorpus + "\n" + long, someQueries, someQrels, quire.CodeTooLarge, "corpus.jsonl, line 4: is longer than 16 MiB"},
		{"a blank query", someCorpus, `{"_id": "q1", "text": " "}`, someQrels, quire.CodeInvalid, `queries.jsonl, line 1: "text" is missing or blank`},
		{"a query twice", someCorpus, someQueries + someQueries[3:], someQrels, quire.CodeInvalid, `queries.jsonl, line 3: the id "q1" is there twice`},
		{"no columns", someCorpus, someQueries, "q1", quire.CodeInvalid, "qrels/test.tsv, line 1: has 1 columns"},
		{"no grade", someCorpus, someQueries, someQrels + "q1\td1\thigh", quire.CodeInvalid, `qrels/test.tsv, line 6: the grade "high" is not a whole number`},
		{"a wild grade", someCorpus, someQueries, "q1\td1\t5000", quire.CodeInvalid, "the grade 5000 is not between -1000 and 1000"},
		{"a grade with a point first", someCorpus, someQueries, "q1\td1\t1.0\n" + someQrels, quire.CodeInvalid, `qrels/test.tsv, line 1: the grade "1.0" is not a whole number`},
		{"no grade behind one", someCorpus, someQueries, someQrels + "q1\td1\t0", quire.CodeInvalid, `query "q1" grades the document "d1" twice, as 2 and 0`},
		{"two grades", someCorpus, someQueries, someQrels + "q1\td1\t1", quire.CodeInvalid, `query "q1" grades the document "d1" twice, as 2 and 1`},
		{"no judged query", someCorpus, someQueries, "q9\td1\t1", quire.CodeInvalid, "no query of queries.jsonl has a relevant document"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadBEIR(folder(tt.corpus, tt.queries, tt.qrels), nil)
			wantError(t, err, tt.code, tt.want)
		})
	}
	t.Run("no file", func(t *testing.T) {
		files := folder(someCorpus, someQueries, someQrels)
		delete(files, "queries.jsonl")
		_, err := ReadBEIR(files, nil)
		wantError(t, err, quire.CodeNotFound, "there is no file queries.jsonl")
	})
	t.Run("outside", func(t *testing.T) {
		_, err := ReadBEIR(os.DirFS("testdata"), &BEIROptions{Qrels: "../../go.mod"})
		wantError(t, err, quire.CodeNotFound, "there is no file corpus.jsonl")
		_, err = ReadBEIR(os.DirFS("testdata/small"), &BEIROptions{Qrels: "../../../go.mod"})
		wantError(t, err, quire.CodeInvalid, "is not the name of a file inside the folder")
	})
}

func wantError(t *testing.T, err error, code quire.Code, text string) {
	t.Helper()
	if err == nil || quire.CodeOf(err) != code || !strings.Contains(err.Error(), text) {
		t.Errorf("%v (%v), want %q (%v)", err, quire.CodeOf(err), text, code)
	}
}

func TestReadQuestions(t *testing.T) {
	t.Parallel()
	got, err := ReadQuestions(strings.NewReader(`
		{"question": "A?", "relevant": ["x", "y"]}
		{"id": "b", "question": "B?", "relevant": {"x": 2}, "answers": ["1", "."], "other": true}
		{"_id": "c", "question": "C?", "source": "z", "answer_start": 7}
		{"question": "D?", "sections": [{"document": "x", "heading": "H"}, {"document": "y"}]}
		{"question": "E?", "answers": ["e"], "passage": "some text", "title": " T "}
		{"question": "F?", "passage": "some text", "title": " T "}
		{"question": "G?", "passage": "another text"}
		{"question": "H?", "answers": ["h"]}
	`), "mine")
	if err != nil {
		t.Fatal(err)
	}
	want := &Dataset{
		Name:      "mine",
		Documents: []Document{{"passage-1", "T", "some text"}, {"passage-2", "", "another text"}},
		Queries: []Query{
			{ID: "1", Text: "A?", Relevant: map[string]int{"x": 1, "y": 1}},
			{ID: "b", Text: "B?", Relevant: map[string]int{"x": 2}, Answers: []string{"1"}},
			{ID: "c", Text: "C?", Relevant: map[string]int{"z": 1}},
			{ID: "4", Text: "D?", Relevant: map[string]int{}, Sections: []Section{{"x", "H"}, {"y", ""}}},
			{ID: "5", Text: "E?", Relevant: map[string]int{"passage-1": 1}, Answers: []string{"e"}},
			{ID: "6", Text: "F?", Relevant: map[string]int{"passage-1": 1}},
			{ID: "7", Text: "G?", Relevant: map[string]int{"passage-2": 1}},
			{ID: "8", Text: "H?", Relevant: map[string]int{}, Answers: []string{"h"}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadQuestionsErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, line, want string }{
		{"nothing", ``, "f holds no question"},
		{"no question", `{"answers": ["a"]}`, `f, line 1: "question" is missing or blank`},
		{"nothing known", `{"question": "A?"}`, `f, line 1: needs one of "relevant"`},
		{"no real answer", `{"question": "A?", "answers": ["."]}`, `f, line 1: needs one of "relevant"`},
		{"a blank passage", `{"question": "A?", "passage": " "}`, `f, line 1: "passage" is blank`},
		{"relevant as text", `{"question": "A?", "relevant": "x"}`, `f, line 1: "relevant" must be a list of strings, or an object of whole numbers`},
		{"half a grade", `{"question": "A?", "relevant": {"x": 0.5}}`, `"relevant" must be a list of strings`},
		{"a grade of none", `{"question": "A?", "relevant": {"x": 0}}`, `the grade 0 of "x" is not between 1 and 1000`},
		{"an empty id", `{"question": "A?", "relevant": [""]}`, `"relevant" is missing or empty`},
		{"sections and documents", `{"question": "A?", "source": "x", "sections": [{"document": "x"}]}`, `has "sections" beside`},
		{"a section of nothing", `{"question": "A?", "sections": [{"heading": "x"}]}`, `"document" is missing or empty`},
		{"an id twice", `{"id": "2", "question": "A?", "source": "x"}` + "\n" + `{"question": "B?", "source": "x"}`, `f, line 2: the id "2" is there twice`},
		{"answers as text", `{"question": "A?", "answers": "x"}`, `"answers" is a JSON string`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadQuestions(strings.NewReader(tt.line), "f")
			wantError(t, err, quire.CodeInvalid, tt.want)
		})
	}
}

func TestReadFolder(t *testing.T) {
	t.Parallel()
	read := func(path string, data []byte) (title, text string, err error) {
		switch {
		case strings.HasSuffix(path, ".png"):
			return "", "", nil
		case string(data) == "bad":
			return "", "", quire.Errorf(quire.CodeInvalid, "is no text")
		}
		return "Title of " + path, string(data), nil
	}
	docs, err := ReadFolder(fstest.MapFS{
		"a.md":          {Data: []byte("Text")},
		"sub/b.txt":     {Data: []byte("plain")},
		"empty.md":      {Data: []byte(" \n")},
		"image.png":     {Data: []byte("\x89PNG")},
		".hidden/c.md":  {Data: []byte("hidden")},
		"sub/.other.md": {Data: []byte("hidden")},
	}, read)
	if err != nil {
		t.Fatal(err)
	}
	want := []Document{{"a.md", "Title of a.md", "Text"}, {"sub/b.txt", "Title of sub/b.txt", "plain"}}
	if diff := cmp.Diff(want, docs); diff != "" {
		t.Error(diff)
	}
	_, err = ReadFolder(fstest.MapFS{"sub/a.md": {Data: []byte("bad")}}, read)
	wantError(t, err, quire.CodeInvalid, "sub/a.md: is no text")
	_, err = ReadFolder(fstest.MapFS{"a.md": {Data: make([]byte, maxFile+1)}}, read)
	wantError(t, err, quire.CodeTooLarge, "a.md is larger than 16 MiB")
	_, err = ReadFolder(fstest.MapFS{}, read)
	wantError(t, err, quire.CodeNotFound, "the folder has no document")
}

func TestSample(t *testing.T) {
	t.Parallel()
	set := &Dataset{}
	for _, id := range strings.Split("abcdefghij", "") {
		set.Queries = append(set.Queries, Query{ID: id})
	}
	for n, want := range map[int]string{0: "abcdefghij", 1: "a", 3: "adg", 4: "acfh", 9: "abcdefghi", 10: "abcdefghij", 50: "abcdefghij"} {
		got := ""
		for _, q := range set.Sample(n).Queries {
			got += q.ID
		}
		if got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// checkRead checks what every set that was read must hold.
func checkRead(t *testing.T, set *Dataset) {
	t.Helper()
	docs, queries := make(map[string]bool), make(map[string]bool)
	for _, d := range set.Documents {
		docs[d.ID] = true
	}
	for _, q := range set.Queries {
		queries[q.ID] = true
		if strings.TrimSpace(q.Text) == "" || !q.judged() && len(q.Answers) == 0 {
			t.Fatalf("%+v", q)
		}
		for grade := range maps.Values(q.Relevant) {
			if grade < 1 {
				t.Fatalf("%+v", q)
			}
		}
	}
	if docs[""] || queries[""] || len(docs) != len(set.Documents) || len(queries) != len(set.Queries) || len(queries) == 0 {
		t.Fatalf("%d documents, %d queries", len(docs), len(queries))
	}
}

func FuzzReadBEIR(f *testing.F) {
	f.Add(someCorpus, someQueries, someQrels)
	f.Add("", `{"_id":"q","text":"x"}`, "q 0 d 1")
	f.Add(`{"_id":"d"}`, `{"_id":"q","text":"x"}`+"\n{", "q\td\t1\nq\td\t-1\n\t\t\t")
	f.Fuzz(func(t *testing.T, corpus, queries, qrels string) {
		if set, err := ReadBEIR(folder(corpus, queries, qrels), nil); err == nil {
			checkRead(t, set)
		} else if code := quire.CodeOf(err); code != quire.CodeInvalid && code != quire.CodeTooLarge {
			t.Fatalf("%v: %v", code, err)
		}
	})
}

func FuzzReadQuestions(f *testing.F) {
	f.Add(`{"question": "A?", "relevant": ["x"], "answers": ["b"]}` + "\n" + `{"_id": "c", "question": "B?", "source": "y"}`)
	f.Add(`{"question": "A?", "sections": [{"document": "x", "heading": "H"}]}`)
	f.Add(`{"question": "A?", "passage": "p", "title": "t", "relevant": {"x": 3}}`)
	f.Add(`{"question": "A?", "relevant": null}`)
	f.Fuzz(func(t *testing.T, text string) {
		if set, err := ReadQuestions(strings.NewReader(text), "f"); err == nil {
			checkRead(t, set)
		} else if code := quire.CodeOf(err); code != quire.CodeInvalid && code != quire.CodeTooLarge {
			t.Fatalf("%v: %v", code, err)
		}
	})
}
