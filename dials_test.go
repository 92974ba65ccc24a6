package quire_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// dials are the names of the standard library by which a program reaches another one, by
// import path; an empty pattern stands for all of a package.
var dials = map[string]*regexp.Regexp{
	"net":        regexp.MustCompile(`^(Dial.*|Lookup.*|Resolver|DefaultResolver)$`),
	"net/http":   regexp.MustCompile(`^(Get|Head|Post|PostForm|Client|DefaultClient|Transport|DefaultTransport)$`),
	"crypto/tls": regexp.MustCompile(`^(Dial.*|Client)$`),
	"net/rpc":    regexp.MustCompile(``), "net/smtp": regexp.MustCompile(``), "net/http/httputil": regexp.MustCompile(``), "os/exec": regexp.MustCompile(``),
}

// mayDial are the directories that may, with what for.
var mayDial = map[string]string{
	"engine/langchain":    "reaches the model service that the application has configured",
	"engine/static/train": "is a program of its own that fetches what it trains on",
	"examples/ask":        "asks the go command where the documents are that it answers from",
}

// TestNothingDials: no source names what reaches out, beside those that are made for it.
func TestNothingDials(t *testing.T) {
	t.Parallel()
	files, used := 0, map[string]int{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files++
		dir := filepath.ToSlash(filepath.Dir(path))
		for _, name := range dialsIn(t, path) {
			if used[dir]++; mayDial[dir] == "" {
				t.Errorf("%s uses %s", path, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir := range mayDial {
		if used[dir] == 0 {
			t.Errorf("nothing was found in %s: the check is blind", dir)
		}
	}
	if t.Failed() {
		return
	}
	t.Logf("F1: %d source files of all modules, 0 reach out beside those of the %d directories that are made for it, as that of model services", files, len(used))
}

// dialsIn returns what a source file names that reaches out.
func dialsIn(t *testing.T, path string) (found []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]string{} // by the name that the file gives them
	for _, spec := range file.Imports {
		from := strings.Trim(spec.Path.Value, `"`)
		name := from[strings.LastIndex(from, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		packages[name] = from
	}
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok {
			if names := dials[packages[x.Name]]; names != nil && names.MatchString(sel.Sel.Name) {
				found = append(found, packages[x.Name]+"."+sel.Sel.Name)
			}
		}
		return true
	})
	return found
}
