package quire_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// dials are the names of the standard library by which a program reaches another one, or starts
// one that may, by import path; an empty pattern stands for all of a package.
var dials = map[string]*regexp.Regexp{
	"net":                   regexp.MustCompile(`^(Dial.*|Lookup.*|Resolve.*|DefaultResolver|File(Packet)?Conn|Listen(Packet|UDP|IP|Unixgram|MulticastUDP))$`),
	"net/http":              regexp.MustCompile(`^(Get|Head|Post|PostForm|Client|DefaultClient|Transport|DefaultTransport)$`),
	"net/http/cgi":          anyName,
	"net/http/httptest":     anyName,
	"net/http/httputil":     anyName,
	"net/rpc":               anyName,
	"net/rpc/jsonrpc":       anyName,
	"net/smtp":              anyName,
	"net/textproto":         regexp.MustCompile(`^Dial$`),
	"log/syslog":            anyName,
	"crypto/tls":            regexp.MustCompile(`^(Dial.*|Client)$`),
	"go/build":              regexp.MustCompile(`^(Import.*|Context|Default)$`), // starts the go command
	"go/importer":           anyName,                                            // so does this
	"os":                    regexp.MustCompile(`^StartProcess$`),
	"os/exec":               anyName,
	"os/user":               regexp.MustCompile(`^(Lookup.*|Current)$`), // may ask a directory service
	"plugin":                anyName,
	"syscall":               rawDials,
	"golang.org/x/sys/unix": rawDials,
}

var (
	anyName  = regexp.MustCompile(``)
	rawDials = regexp.MustCompile(`^(Socket|Connect.*|Send.*|WSA.*|(Raw)?Syscall.*|Exec|ForkExec|StartProcess|PosixSpawn|CreateProcess.*)$`)
)

// mayDial are the directories that may, with what for.
var mayDial = map[string]string{
	"engine/langchain":    "reaches the model service that the application has configured",
	"engine/static/train": "is a program of its own that fetches what it trains on",
	"examples/ask":        "asks the go command where the documents are that it answers from",
}

// TestDialsAreSeen: what reaches out is found in a source, whatever its import is called.
func TestDialsAreSeen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ source, want string }{
		{`import "net"; var _, _ = net.ResolveTCPAddr("tcp", "a:1")`, "net.ResolveTCPAddr"},
		{`import "net"; var _ = net.Resolver{}`, "net.Resolver"},
		{`import "net"; var _ = net.Dialer{}`, "net.Dialer"},
		{`import n "net"; var _, _ = n.ListenUDP("udp", nil)`, "net.ListenUDP"},
		{`import . "net"; var _, _ = LookupHost("a")`, "all of net"},
		{`import "log/syslog"; var _, _ = syslog.New(0, "")`, "log/syslog.New"},
		{`import "syscall"; var _ = syscall.Connect(0, nil)`, "syscall.Connect"},
		{`import "golang.org/x/sys/unix"; var _ = unix.Connect(0, nil)`, "golang.org/x/sys/unix.Connect"},
		{`import "net/textproto"; var _, _ = textproto.Dial("tcp", "a:1")`, "net/textproto.Dial"},
		{`import "net/rpc/jsonrpc"; var _, _ = jsonrpc.Dial("tcp", "a:1")`, "net/rpc/jsonrpc.Dial"},
		{`import "os"; var _, _ = os.StartProcess("a", nil, nil)`, "os.StartProcess"},
		{`import "net"; var _, _ = net.Listen("tcp", "")`, ""},
		{`import "net/http"; var _ = http.StatusOK`, ""},
		{`import "os"; var _, _ = os.ReadFile("a")`, ""},
	} {
		path := filepath.Join(t.TempDir(), "a.go")
		if err := os.WriteFile(path, []byte("package a; "+tt.source), 0o600); err != nil {
			t.Fatal(err)
		}
		if found := strings.Join(dialsIn(t, path), ", "); found != tt.want {
			t.Errorf("%s: found %q, want %q", tt.source, found, tt.want)
		}
	}
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
		if name == "." && dials[from] != nil { // its names cannot be told from the file's own
			found = append(found, "all of "+from)
		}
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
