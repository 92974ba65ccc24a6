package eval_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/eval"
)

func TestMDX(t *testing.T) {
	f, err := os.Open("testdata/markdown-docs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	set, err := eval.ReadQuestions(f, "markdown-docs")
	if err != nil {
		t.Fatal(err)
	}
	if set.Documents, err = eval.ReadFolder(os.DirFS(filepath.Join(shared, "markdown-docs"))); err != nil {
		t.Fatal(err)
	}
	eng := open(t, nil)
	filled, err := eval.Fill(t.Context(), eng, set, nil)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := eval.Run(t.Context(), eng, set, &eval.Options{Names: filled.Names, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(filled.Chunks, "chunks")
	rep.WriteTable(os.Stdout, "text")
	r := rep.Result("hybrid")
	for i, s := range r.Scores {
		if s["Hit@3"] == 1 {
			continue
		}
		q := rep.Queries[i]
		fmt.Println("MISS", q.ID, q.Text, q.Sections, s)
		hits, _ := eng.Search(t.Context(), quire.SearchRequest{Query: q.Text, Filters: quire.Filters{TenantID: "eval"}, Limit: 3})
		for _, h := range hits {
			fmt.Printf("    %.3f %s %q %d %.90q\n", h.Score, filled.Names(h)[0], h.Chunk.Heading, len(h.Chunk.Text), h.Chunk.Text)
		}
	}
}
