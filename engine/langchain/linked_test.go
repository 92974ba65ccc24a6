package langchain

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// heavy are packages of langchaingo that bring much with them, or that do what Quire does
// otherwise.
var heavy = []string{"chains", "prompts", "memory", "documentloaders", "textsplitter", "llms/googleai", "agents"}

// TestLinked looks at everything that a program with this package links.
func TestLinked(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f",
		`{{.ImportPath}}{{"\t"}}{{with .Module}}{{.Path}}{{end}}{{"\t"}}{{if not .Standard}}{{len .CgoFiles}}{{end}}`, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	notice, err := os.ReadFile(filepath.Join("..", "..", "NOTICE"))
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		field := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		pkg, mod, cgo := field[0], field[1], field[2]
		if name, ok := strings.CutPrefix(pkg, "github.com/tmc/langchaingo/"); ok && slices.Contains(heavy, name) {
			t.Errorf("%s is linked", pkg)
		}
		if pkg == "testing" || cgo != "" && cgo != "0" {
			t.Errorf("%s is linked, with %s files of cgo", pkg, cgo)
		}
		if mod != "" && !strings.HasPrefix(mod, "github.com/quirelib/quire") {
			modules[mod] = true
		}
	}
	for mod := range modules {
		if !strings.Contains(string(notice), mod+" ") {
			t.Errorf("NOTICE does not name %s, which is linked", mod)
		}
	}
	if !modules["github.com/tmc/langchaingo"] {
		t.Error("langchaingo was not found")
	}
	t.Logf("%d modules are linked", len(modules))
}
