package quire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/quirelib/quire"

// concrete are the packages that nobody but embedded, the commands and the examples names, so
// that an importer gets only the backends that it chose.
var concrete = []string{module + "/store", module + "/store/sqlite", module + "/engine/chromem", module + "/engine/flat", module + "/engine/bm25", module + "/engine/rerank",
	module + "/engine/static", module + "/engine/extract"}

// suites are the packages that import testing because they are made for tests.
var suites = []string{module + "/store/storetest", module + "/engine/enginetest"}

func TestArrows(t *testing.T) {
	t.Parallel()
	packages := ownPackages(t)
	if packages[module] == nil {
		t.Fatal("the root package was not found")
	}
	arrows := 0
	for from, imports := range packages {
		for _, to := range imports {
			if why := forbidden(from, to); why != "" {
				t.Errorf("%s imports %s: %s", from, to, why)
			}
			arrows++
		}
	}
	t.Logf("checked %d imports of %d packages", arrows, len(packages))
}

// TestArrowsAreDrawn makes sure that forbidden forbids.
func TestArrowsAreDrawn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to string
		allowed  bool
	}{
		{module, "context", true},
		{module, module + "/internal/id", true},
		{module, module + "/store", false},
		{module, "github.com/google/uuid", false},
		{module + "/internal/id", "github.com/google/uuid", true},
		{module + "/internal/id", module + "/internal/segment", true},
		{module + "/internal/id", module, false},
		{module + "/internal/id", module + "/engine", false},
		{module + "/httpapi", module, true},
		{module + "/httpapi", module + "/store", false},
		{module + "/httpapi", "testing", false},
		{module + "/store/storetest", "testing", true},
		{module + "/embedded", module + "/store/sqlite", true},
		{module + "/examples/ask", module + "/store", true},
		{module + "/engine", module + "/examples/ask", false},
		{module + "/engine", module + "/store/storetest", false},
	} {
		if got := forbidden(c.from, c.to) == ""; got != c.allowed {
			t.Errorf("%s -> %s: allowed = %v, want %v", c.from, c.to, got, c.allowed)
		}
	}
}

// forbidden returns why a package must not import another, "" if it may.
func forbidden(from, to string) string {
	leaf := strings.HasPrefix(from, module+"/internal/")
	assembly := from == module+"/embedded" || strings.HasPrefix(from, module+"/cmd/") || strings.HasPrefix(from, module+"/examples/")
	own := to == module || strings.HasPrefix(to, module+"/")
	toLeaf := strings.HasPrefix(to, module+"/internal/")
	switch {
	case to == "testing" && !slices.Contains(suites, from):
		return "testing is for tests and the conformance suites"
	case to == "C":
		return "cgo is not used"
	case from == module && !own && strings.Contains(to, "."):
		return "the root takes the standard library and internal leaves"
	case from == module && own && !toLeaf:
		return "the root imports no other package of the module"
	case leaf && own && !toLeaf:
		return "leaves import only leaves"
	case slices.Contains(concrete, to) && !assembly:
		return "only embedded, the commands and the examples name concrete backends"
	case slices.Contains(suites, to):
		return "a conformance suite is for tests"
	case strings.HasPrefix(to, module+"/examples/"):
		return "nothing builds on an example"
	}
	return ""
}

// ownPackages returns the imports of every package of the module, without those of
// its tests. A folder with a go.mod of its own is another module.
func ownPackages(t *testing.T) map[string][]string {
	t.Helper()
	packages := map[string][]string{}
	err := filepath.WalkDir(".", func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if dir != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || exists(filepath.Join(dir, "go.mod"))) {
			return fs.SkipDir
		}
		pkg, err := build.ImportDir(dir, 0)
		if none := (*build.NoGoError)(nil); errors.As(err, &none) {
			return nil
		}
		if err != nil {
			return err
		}
		packages[path.Join(module, filepath.ToSlash(dir))] = pkg.Imports
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// TestLinked looks at everything that a program with all default parts links.
func TestLinked(t *testing.T) {
	t.Parallel()
	format := `{{.ImportPath}}{{"\t"}}{{with .Module}}{{.Path}}{{end}}{{"\t"}}{{if not .Standard}}{{len .CgoFiles}}{{end}}`
	out := goList(t, "-deps", "-f", format, "./embedded", "./httpapi", "./examples/...")
	notice := readText(t, "NOTICE")
	modules := map[string]bool{}
	for line := range strings.Lines(out) {
		field := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		pkg, mod, cgo := field[0], field[1], field[2]
		if pkg == "testing" {
			t.Error("testing is linked")
		}
		if cgo != "" && cgo != "0" {
			t.Errorf("%s uses cgo", pkg)
		}
		if mod != "" && mod != module {
			modules[mod] = true
		}
	}
	for mod := range modules {
		if !strings.Contains(notice, mod+" ") {
			t.Errorf("NOTICE does not name %s, which is linked", mod)
		}
	}
	if len(modules) == 0 {
		t.Error("no module was found")
	}
	t.Logf("%d modules are linked", len(modules))
}

// TestLibcPin holds modernc.org/libc at the version that modernc.org/sqlite was
// generated for: with any other it may misbehave.
func TestLibcPin(t *testing.T) {
	t.Parallel()
	const sqlite, libc = "modernc.org/sqlite", "modernc.org/libc"
	goMod := strings.TrimSpace(goList(t, "-m", "-f", "{{.GoMod}}", sqlite))
	want := requirement(t, goMod, libc)
	have := strings.TrimSpace(goList(t, "-m", "-f", "{{.Version}}", libc))
	if have != want {
		t.Errorf("%s is at %s, but %s needs exactly %s", libc, have, sqlite, want)
	}
}

// requirement returns the version at which a go.mod requires a module.
func requirement(t *testing.T, goMod, path string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json", goMod).Output()
	if err != nil {
		t.Fatal(err)
	}
	var mod struct {
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	for _, r := range mod.Require {
		if r.Path == path {
			return r.Version
		}
	}
	t.Fatalf("%s does not require %s", goMod, path)
	return ""
}

// goList runs go list as it is on a machine with cgo, so that a package that would
// use it is seen.
func goList(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(commandError(err))
	}
	return string(out)
}

// commandError adds what a command wrote to stderr to its error.
func commandError(err error) error {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return err
}

func readText(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
