package quire_test

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
)

// withoutPrincipal are the calls that take neither a user nor a tenant, with the reason:
// none of them hands out somebody's content.
var withoutPrincipal = map[string]string{
	"Library.Authenticate": "says who the caller is", "Library.CreateUser": "for the application", "Library.User": "for the application: names, no content",
	"Library.Tenants":   "for the application: ids",
	"Library.Catalogue": "the same for all", "Library.SetCatalogue": "for the application",
	"Library.Backup": "for the operator: the whole file", "Library.BackupTo": "for the operator: the whole file",
	"Library.Verify": "for the operator: counts and ids", "Library.Compact": "for the operator", "Library.Healthy": "for the operator", "Library.Close": "for the operator",
	"Library.MaxBatch": "a setting", "Library.MediaURL": "makes an address of what the caller has", "Library.IndexAhead": "of texts that the caller has",
	"Library.KnowledgeObject": "of an elemental that the caller has", "Library.KnowledgeText": "of an elemental that the caller has",
	"Library.WriteKnowledgeText": "of an elemental that the caller has",
	"Engine.Import":              "for the operator: takes content in, whose tenants the archive names",
	"Engine.Verify":              "for the operator: counts and ids", "Engine.Health": "for the operator: counts", "Engine.Healthy": "for the operator",
	"Engine.Close": "for the operator", "Engine.Library": "the Library asks by itself", "Engine.Reembedding": "for the operator: counts", "Engine.WaitReembedded": "for the operator",
}

// apiCall is an exported method of Library or Engine.
type apiCall struct {
	name   string   // with its receiver
	params []string // names
	kinds  []string // types
}

// principal returns which parameter says for whom the call is; -1 if none does.
func (c apiCall) principal() int {
	for i, kind := range c.kinds {
		byName := kind == "string" && (c.params[i] == "tenantID" || c.params[i] == "userID")
		if byName || slices.Contains([]string{"Actor", "Filters", "SearchRequest", "ChatRequest"}, kind) {
			return i
		}
	}
	return -1
}

// apiCalls reads the exported methods from the sources.
func apiCalls(t *testing.T) (calls []apiCall) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || !fn.Name.IsExported() {
				continue
			}
			receiver := strings.TrimPrefix(types.ExprString(fn.Recv.List[0].Type), "*")
			if receiver != "Library" && receiver != "Engine" {
				continue
			}
			c := apiCall{name: receiver + "." + fn.Name.Name}
			for _, field := range fn.Type.Params.List {
				for i := range max(1, len(field.Names)) {
					name := "_"
					if len(field.Names) > 0 {
						name = field.Names[i].Name
					}
					c.params, c.kinds = append(c.params, name), append(c.kinds, types.ExprString(field.Type))
				}
			}
			calls = append(calls, c)
		}
	}
	return calls
}

// principals calls what takes a user or a tenant.
type principals struct {
	*engineFixture
	elemental string
	list      int64
	job       string
	out       bytes.Buffer
	calls     int
}

const canary = "CANARY"

// TestPrincipals: every exported call of Library and Engine that reads or changes content
// takes the user or the tenant for whom it does, and without one it does nothing.
func TestPrincipals(t *testing.T) {
	t.Parallel()
	p := &principals{engineFixture: newEngineFixture(t, store.NewMemory(), quire.EngineOptions{})}
	e := p.create(p.ann, document(canary+" of somebody", canary+" text"))
	l, err := p.CreateList(t.Context(), p.ann, quire.ListInput{Title: canary + " list", Items: []quire.ItemInput{{ElementalID: e.ID}}})
	p.check(err)
	p.elemental, p.list = e.ID, l.ID
	p.job = p.ingest(p.ann, e.ID, "").ID
	p.waitStatus(quire.Job{ID: p.job, TenantID: p.ann.TenantID}, quire.JobSucceeded)
	calls, open, named := apiCalls(t), 0, map[string]bool{}
	found := 0
	for _, c := range calls {
		named[c.name] = true
		at := c.principal()
		if _, known := withoutPrincipal[c.name]; known != (at < 0) {
			t.Errorf("%s takes a user or tenant: %t; withoutPrincipal has it: %t", c.name, at >= 0, known)
			open++
			continue
		}
		if at >= 0 && p.refuses(c, at) {
			found++
		}
	}
	for name := range withoutPrincipal {
		if !named[name] {
			t.Errorf("there is no %s", name)
		}
	}
	for _, of := range []reflect.Type{reflect.TypeFor[*quire.Library](), reflect.TypeFor[*quire.Engine]()} {
		for method := range of.Methods() {
			if name := of.Elem().Name() + "." + method.Name; !named[name] {
				t.Errorf("%s was not found in the sources", name)
			}
		}
	}
	if found < 4 { // the canary is there for its tenant
		t.Errorf("only %d calls find the canary for its own tenant", found)
	}
	if t.Failed() {
		return
	}
	t.Logf("E11: %d exported calls of Library and Engine, %d of them with the user or tenant, %d that hand out no content, %d other ones; %d calls as nobody, 0 with content",
		len(calls), len(calls)-len(withoutPrincipal), len(withoutPrincipal), open, p.calls)
}

// refuses calls as nobody, who gets an error and no content, and as Ann's tenant. It reports
// whether the latter got the canary.
func (p *principals) refuses(c apiCall, at int) (found bool) {
	p.t.Helper()
	if c.kinds[at] == "Actor" {
		for _, a := range []quire.Actor{{}, {UserID: "ann"}, {TenantID: "ann"}, {UserID: "*", TenantID: "*"}, {UserID: " ", TenantID: " "}} {
			if text, err := p.call(c, at, a); quire.CodeOf(err) != quire.CodeUnauthenticated || strings.Contains(text, canary) {
				p.t.Errorf("%s as %+v: %v, %s", c.name, a, err, text)
			}
			p.calls++
		}
		return false
	}
	for _, tenant := range []string{"", "*", "%", " ", "nobody"} {
		text, err := p.call(c, at, p.asTenant(c.kinds[at], tenant))
		if err == nil && tenant == "" && strings.HasPrefix(c.name, "Engine.") || strings.Contains(text, canary) {
			p.t.Errorf("%s of tenant %q: %v, %s", c.name, tenant, err, text)
		}
		p.calls++
	}
	if c.name == "Engine.CancelJob" || strings.HasPrefix(c.name, "Engine.Delete") || strings.HasPrefix(c.name, "Library.") {
		return false
	}
	text, err := p.call(c, at, p.asTenant(c.kinds[at], "ann"))
	if err != nil {
		p.t.Errorf("%s of the own tenant: %v", c.name, err)
	}
	return strings.Contains(text, canary)
}

// asTenant is the parameter that names a tenant.
func (p *principals) asTenant(kind, tenant string) any {
	f := quire.Filters{TenantID: tenant}
	switch kind {
	case "Filters":
		return f
	case "SearchRequest":
		return quire.SearchRequest{Query: canary, Filters: f}
	case "ChatRequest":
		return quire.ChatRequest{Query: canary, Filters: f}
	}
	return tenant
}

// call calls with this principal and with what is there for everything else, and returns
// all that comes back as text.
func (p *principals) call(c apiCall, at int, who any) (text string, err error) {
	p.t.Helper()
	receiver := reflect.ValueOf(p.eng)
	if strings.HasPrefix(c.name, "Library.") {
		receiver = reflect.ValueOf(p.Library)
	}
	_, name, _ := strings.Cut(c.name, ".")
	method := receiver.MethodByName(name)
	p.out.Reset()
	var in []reflect.Value
	for i := range c.kinds {
		kind := method.Type().In(i)
		if method.Type().IsVariadic() && i == len(c.kinds)-1 {
			break
		}
		if i == at {
			in = append(in, reflect.ValueOf(who))
			continue
		}
		in = append(in, p.argument(c, c.params[i], kind))
	}
	var b strings.Builder
	for _, v := range method.Call(in) {
		if v.Kind() == reflect.Func { // an iterator of values with errors
			for value, e := range v.Seq2() {
				fmt.Fprintf(&b, "%+v ", value.Interface())
				if e.Interface() != nil {
					err = e.Interface().(error)
				}
			}
			continue
		}
		if e, ok := v.Interface().(error); ok {
			err = e
			continue
		}
		fmt.Fprintf(&b, "%+v ", v.Interface())
	}
	return b.String() + p.out.String(), err
}

// argument is a value of a parameter that names what is there.
func (p *principals) argument(c apiCall, name string, kind reflect.Type) reflect.Value {
	id := p.elemental
	if name == "id" && strings.HasPrefix(c.name, "Engine.") {
		id = p.job
	}
	for _, v := range []any{
		id, p.list, []string{p.elemental}, quire.Subject{ElementalID: p.elemental}, quire.IngestRequest{ElementalID: p.elemental},
		document("A document of nobody", "text"), quire.SearchInput{Text: canary}, 5, onceKey("k"), quire.ListInput{Title: "A list of nobody"},
		quire.TagInput{Title: "A tag of nobody", Color: "#ffffff", ElementalTypeID: quire.TypeDocument}, []quire.ElementalInput{document("One of nobody", "text")},
		quire.TableInput{Title: "A table of nobody", Columns: []string{"c"}, Rows: []string{"r"}},
	} {
		if reflect.TypeOf(v) == kind {
			return reflect.ValueOf(v)
		}
	}
	switch kind {
	case reflect.TypeFor[context.Context]():
		return reflect.ValueOf(p.t.Context())
	case reflect.TypeFor[io.Writer]():
		return reflect.ValueOf(&p.out)
	}
	return reflect.Zero(kind)
}
