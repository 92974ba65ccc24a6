package quire_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// Every exported name of the module has a doc comment, and every package one.
func TestExportedNamesAreDocumented(t *testing.T) {
	t.Parallel()
	names, packages := 0, map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "testdata" || d.Name() == "tools"):
			return fs.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		packages[dir] = packages[dir] || file.Doc != nil
		for _, decl := range file.Decls {
			for _, name := range undocumented(decl, &names) {
				t.Errorf("%s: %s has no doc comment", fset.Position(decl.Pos()), name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, documented := range packages {
		if !documented {
			t.Errorf("package %s has no doc comment", dir)
		}
	}
	t.Logf("%d exported names in %d packages", names, len(packages))
}

// undocumented returns the exported names of a declaration that have no comment of
// their own or of their group, and counts all that it sees.
func undocumented(decl ast.Decl, count *int) []string {
	var missing []string
	see := func(name *ast.Ident, docs ...*ast.CommentGroup) {
		if !name.IsExported() {
			return
		}
		*count++
		for _, d := range docs {
			if d != nil {
				return
			}
		}
		missing = append(missing, name.Name)
	}
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || receiverIsExported(d) {
			see(d.Name, d.Doc)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				see(s.Name, d.Doc, s.Doc, s.Comment)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					see(name, d.Doc, s.Doc, s.Comment)
				}
			}
		}
	}
	return missing
}

// receiverIsExported tells the methods of exported types from those that nobody
// can name.
func receiverIsExported(d *ast.FuncDecl) bool {
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if generic, ok := typ.(*ast.IndexExpr); ok {
		typ = generic.X
	}
	name, ok := typ.(*ast.Ident)
	return ok && name.IsExported()
}
