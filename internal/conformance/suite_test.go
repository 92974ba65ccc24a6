package conformance

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestDocument: the document is OpenAPI 3.1, its examples fit its schemas.
func TestDocument(t *testing.T) {
	t.Parallel()
	c := readContract(t)
	if err := c.doc.Validate(context.Background(), openapi3.EnableExamplesValidation()); err != nil {
		t.Error(err)
	}
	examples := 0
	for name, s := range c.doc.Components.Schemas {
		for _, example := range s.Value.Examples {
			examples++
			if err := s.Value.VisitJSON(example, openapi3.EnableJSONSchema2020()); err != nil {
				t.Errorf("example of %s: %v", name, err)
			}
		}
	}
	t.Logf("%d paths, %d schemas, %d of them with examples", c.doc.Paths.Len(), len(c.doc.Components.Schemas), examples)
}

// TestSuite runs httpapi's tests and checks every answer that they got.
func TestSuite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"test", "-count=1", "-timeout=1h", "./httpapi"}
	if testing.Short() {
		args = append(args, "-short")
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "QUIRE_RECORD="+dir, "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := readContract(t)
	exchanges := readExchanges(t, filepath.Join(dir, "exchanges.jsonl"))
	bad := 0
	for _, x := range exchanges {
		if err := c.check(x); err != nil {
			if bad++; bad <= 20 {
				t.Errorf("%s: %s %s: %d %s\n%v", x.Test, x.Method, x.Target, x.Status, shorten(string(x.Answer)), err)
			}
		}
	}
	t.Logf("checked %d answers of httpapi's tests, %d are not as described", len(exchanges), bad)
	c.refusals(t)
	c.reportCoverage(t)
}

// reportCoverage fails if the document has an answer that was not met. Only a panic
// makes a route that needs no key answer 500; that is tried beside the routes.
func (c *contract) reportCoverage(t *testing.T) {
	t.Helper()
	met := 0
	for path, item := range c.doc.Paths.Map() {
		for method, op := range item.Operations() {
			for status := range op.Responses.Map() {
				switch {
				case c.seen[op.OperationID+" "+status] > 0:
					met++
				case status != "500" || !isOpen(op):
					t.Errorf("%s %s: no answer was a %s", method, path, status)
				}
			}
		}
	}
	total := 0
	for _, n := range c.seen {
		total += n
	}
	t.Logf("checked %d answers in all; %d described kinds were met", total, met)
	for _, kind := range slices.Sorted(maps.Keys(c.seen)) {
		if strings.HasPrefix(kind, " ") {
			t.Logf("beside the routes:%s, %d times", kind, c.seen[kind])
		}
	}
}

func shorten(s string) string { return fmt.Sprintf("%.400s", s) }
