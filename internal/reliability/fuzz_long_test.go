//go:build long

package reliability

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// fuzzTime is how long each target is fuzzed.
const fuzzTime = "4m"

// fuzzTargets are what reads, or writes for others to read, what comes from outside.
var fuzzTargets = []struct{ dir, name string }{
	{"httpapi", "FuzzCheckJSON"},            // the strict decoder
	{"httpapi", "FuzzPayloads"},             // payloads and filters
	{"httpapi", "FuzzPaths"},                // paths, ids and parameters
	{"httpapi", "FuzzEventWriter"},          // the events of a stream
	{"store/sqlite", "FuzzMatchExpression"}, // words quoted for full-text search
	{"internal/chunk", "FuzzSplit"},         // the chunker
	{"internal/placeholder", "FuzzFill"},    // placeholders
	{".", "FuzzNested"},                     // knowledge text
}

// outOfTime is what go test prints when -fuzztime ends while an input runs, as it may on a busy
// machine: its own fault (golang/go issue 75804, mended in Go 1.27), which names no input. A fault of the
// target has its message and the failing input in this place.
var outOfTime = regexp.MustCompile(`(?m)^\s*--- FAIL: Fuzz\w+ \([0-9.]+s\)\n\s+context deadline exceeded\n\s*FAIL$`)

// TestFuzzing runs the fuzz targets one after the other. What they find is left in the
// testdata of their package, to be committed with the mend.
func TestFuzzing(t *testing.T) {
	executions := regexp.MustCompile(`execs: ([0-9]+)`)
	total, least := 0, -1
	for _, target := range fuzzTargets {
		cmd := exec.CommandContext(t.Context(), "go", "-C", filepath.Join(root, target.dir), "test",
			"-run", "^$", "-fuzz", "^"+target.name+"$", "-fuzztime", fuzzTime, ".")
		output, err := cmd.CombinedOutput()
		if err != nil && !outOfTime.Match(output) {
			t.Fatalf("%s of %s: %v\n%s", target.name, target.dir, err, output)
		}
		n := 0
		if all := executions.FindAllSubmatch(output, -1); len(all) > 0 {
			n, _ = strconv.Atoi(string(all[len(all)-1][1]))
		}
		if n == 0 {
			t.Fatalf("%s of %s was not run:\n%s", target.name, target.dir, output)
		}
		t.Logf("%s of %s: %d executions", target.name, target.dir, n)
		total += n
		if least < 0 || n < least {
			least = n
		}
	}
	t.Logf("B15: %d fuzz targets for %s each: %d executions, the fewest of one %d, 0 failures", len(fuzzTargets), fuzzTime, total, least)
}
