package engine

import (
	"regexp"
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

var linkTarget = regexp.MustCompile(`\]\([^)]*\)`)

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
