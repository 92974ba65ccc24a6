package eval_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/eval"
	"github.com/quirelib/quire/store"
)

// shared is where larger sets of public data may lie.
const shared = "../../shared/data"

// open opens an empty library in memory with the default parts.
func open(t *testing.T, opts *quire.EngineOptions) *quire.Engine {
	t.Helper()
	q, err := embedded.Open(t.Context(), "", &embedded.Options{Store: store.NewMemory(), Engine: opts})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := q.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return q.Engine
}

func TestQualityX(t *testing.T) {
	for _, name := range []string{"cranfield", "scifact", "squad-dev"} {
		var filled *eval.Filled
		var eng *quire.Engine
		for _, queries := range []string{"queries.jsonl", "queries.syn.jsonl"} {
			set, err := eval.ReadBEIR(os.DirFS(filepath.Join(shared, "ir", name)), &eval.BEIROptions{Name: name, Queries: queries})
			if err != nil {
				t.Fatal(err)
			}
			set = set.Sample(1000)
			if filled == nil {
				eng = open(t, nil)
				if filled, err = eval.Fill(t.Context(), eng, set, nil); err != nil {
					t.Fatal(err)
				}
				fmt.Println(filled.Chunks, "chunks")
			}
			rep, err := eval.Run(t.Context(), eng, set, &eval.Options{Names: filled.Names})
			if err != nil {
				t.Fatal(err)
			}
			rep.WriteTable(os.Stdout, "text")
		}
	}
}
