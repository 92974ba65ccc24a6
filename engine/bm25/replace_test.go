package bm25

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

// passages are the chunks of an elemental of n passages.
func passages(n int) []quire.Chunk {
	chunks := make([]quire.Chunk, n)
	for i := range chunks {
		chunks[i] = quire.Chunk{
			ID: fmt.Sprint("c", i), TenantID: "t", ElementalID: "e", Title: "A title", Heading: []string{"One", "Two"},
			Text: strings.Repeat(fmt.Sprintf("the passage number%d tells of granite and copper ", i), 20),
		}
	}
	return chunks
}

// Replacing some of an elemental's texts gives what an index has that never held others.
func TestReplaceKeepsWhatIsEqual(t *testing.T) {
	t.Parallel()
	chunks := passages(20)
	x := New(nil)
	replace := func(x *Index, chunks []quire.Chunk) {
		t.Helper()
		if err := x.Replace(t.Context(), "t", "e", chunks); err != nil {
			t.Fatal(err)
		}
	}
	replace(x, chunks)
	entries := len(x.tenants["t"].entries)
	changed := passages(19)
	changed[3].Text = "quite another text about a lighthouse"
	changed[4].Title = "Another title"
	changed[5].Heading = []string{"One Two"}
	changed[6].TagIDs, changed[6].TypeName = []string{"7"}, "Prompt"
	changed[7].ID = "another id"
	replace(x, changed)
	if n := len(x.tenants["t"].entries) - entries; n != 4 {
		t.Errorf("%d entries were made anew, want 4", n)
	}
	fresh := New(nil)
	replace(fresh, changed)
	for _, query := range []string{"lighthouse", "another title", "granite", "number19", "number7", "one two"} {
		for _, f := range []quire.Filters{{TenantID: "t"}, {TenantID: "t", TagIDs: []string{"7"}}, {TenantID: "t", TypeName: "Prompt"}} {
			got, err := x.Search(t.Context(), query, f, 100)
			want, wantErr := fresh.Search(t.Context(), query, f, 100)
			if d := cmp.Diff(want, got); d != "" || err != nil || wantErr != nil {
				t.Errorf("%q with %+v: errors %v %v (-fresh +replaced):\n%s", query, f, err, wantErr, d)
			}
		}
	}
}

// BenchmarkReplaceOne changes one of 2,000 passages.
func BenchmarkReplaceOne(b *testing.B) {
	chunks := passages(2000)
	x := New(nil)
	for i := 0; b.Loop(); i++ {
		chunks[7].Text = fmt.Sprint("changed ", i)
		if err := x.Replace(context.Background(), "t", "e", chunks); err != nil {
			b.Fatal(err)
		}
	}
}
