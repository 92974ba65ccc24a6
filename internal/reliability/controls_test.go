//go:build mutants

package reliability

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestControls takes out each guard and wants the test of its row to fail; rows run beside each
// other, as many as there are processors. Chosen ones:
//
//	go test -tags mutants -v -timeout 3h -run 'Controls/A1(#|$)' ./internal/reliability
func TestControls(t *testing.T) {
	var caught, all atomic.Int64
	t.Cleanup(func() { t.Logf("%d of %d controls caught", caught.Load(), all.Load()) })
	for row := range Rows() {
		t.Run(row.ID, func(t *testing.T) {
			t.Parallel()
			for _, c := range row.Controls {
				all.Add(1)
				if err := row.fails(t, c); err != nil {
					t.Errorf("%s %s, without %s: %v", row.ID, row.Test, c.Guard, err)
					continue
				}
				caught.Add(1)
				t.Logf("%s %s, without %s: control caught: yes", row.ID, row.Test, c.Guard)
			}
		})
	}
}

// fails returns nil if the test of the row fails with the guard taken out, else why that
// cannot be said.
func (r Row) fails(t *testing.T, c Control) error {
	overlay, err := overlay(t.TempDir(), c)
	if err != nil {
		return err
	}
	tags := ""
	if r.LongOnly {
		tags = "long,mutants" // shorter, where the test has a shorter form for this
	}
	cmd := exec.CommandContext(t.Context(), "go", "-C", filepath.Join(root, r.Package), "test", "-tags", tags,
		"-vet=off", "-count=1", "-timeout", "20m", "-run", "^"+r.Test+"$", ".")
	// Also for what the test builds; without what only a debugger reads, linking takes half the time.
	cmd.Env = append(os.Environ(), "GOFLAGS=-ldflags=-w -overlay="+overlay)
	began := time.Now()
	output, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return fmt.Errorf("the test passes")
	case strings.Contains(string(output), "[build failed]"):
		return fmt.Errorf("it does not compile:\n%s", output)
	case !strings.Contains(string(output), "--- FAIL: ") && !strings.Contains(string(output), "panic: "):
		return fmt.Errorf("the test did not run: %v\n%s", err, output)
	}
	t.Logf("%.0f s", time.Since(began).Seconds())
	return nil
}

// overlay writes the changed file and the list that puts it in the place of the first.
func overlay(dir string, c Control) (string, error) {
	path, err := filepath.Abs(filepath.Join(root, c.File))
	if err != nil {
		return "", err
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	changed := filepath.Join(dir, "changed.go")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(source), c.Old, c.New, 1)), 0o600); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, list, 0o600)
}
