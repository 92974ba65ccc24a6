package quire_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
	"github.com/quirelib/quire/store/sqlite"
)

// stores opens each kind of Store that a Library must work the same on.
var stores = []struct {
	name string
	open func(t testing.TB) quire.Store
}{
	{"memory", func(testing.TB) quire.Store { return store.NewMemory() }},
	{"sqlite", func(t testing.TB) quire.Store {
		// What survives a crash is tested elsewhere: the fewest waits for the disk.
		s, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "quire.db"), &sqlite.Options{Synchronous: sqlite.Normal})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}},
}

// fixture is a Library with two users.
type fixture struct {
	*quire.Library
	t     *testing.T
	ann   quire.Actor
	bob   quire.Actor
	store quire.Store
}

// onEachStore runs a test on a fresh Library over each Store.
func onEachStore(t *testing.T, test func(t *testing.T, f *fixture)) {
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			test(t, newFixture(t, s.open(t), nil))
		})
	}
}

func newFixture(t *testing.T, s quire.Store, opts *quire.LibraryOptions) *fixture {
	t.Helper()
	lib, err := quire.NewLibrary(t.Context(), s, opts)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{Library: lib, t: t, store: s}
	t.Cleanup(f.close)
	f.ann, f.bob = f.user("ann"), f.user("bob")
	return f
}

// close looks for damage, closes the Library and its Store and lets go of them, which a test
// that makes many does not leave to the end. Closing twice is no error.
func (f *fixture) close() {
	f.t.Helper()
	if f.Library == nil {
		return
	}
	wantSound(f.t, f.Library)
	if err := errors.Join(f.Library.Close(context.Background()), f.store.Close()); err != nil {
		f.t.Error(err)
	}
	f.Library, f.store = nil, nil
}

func (f *fixture) user(id string) quire.Actor {
	f.t.Helper()
	u, err := f.CreateUser(f.t.Context(), quire.UserInput{ID: id, Name: id, Email: id + "@example.org"})
	if err != nil {
		f.t.Fatal(err)
	}
	return u.Actor()
}

// document is a valid input.
func document(title, body string) quire.ElementalInput {
	return quire.ElementalInput{Title: title, TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: body}
}

func (f *fixture) create(a quire.Actor, in quire.ElementalInput) quire.Elemental {
	f.t.Helper()
	e, err := f.CreateElemental(f.t.Context(), a, in)
	if err != nil {
		f.t.Fatalf("create %q: %v", in.Title, err)
	}
	return e
}

func (f *fixture) list(a quire.Actor, in quire.ListInput) quire.List {
	f.t.Helper()
	l, err := f.CreateList(f.t.Context(), a, in)
	if err != nil {
		f.t.Fatalf("create list %q: %v", in.Title, err)
	}
	return l
}

// find returns the titles that a search finds on a page of 100.
func (f *fixture) find(a quire.Actor, text string) []string {
	f.t.Helper()
	found, err := f.SearchElementals(f.t.Context(), a, quire.SearchInput{Text: text, Page: quire.Page{Size: 100}})
	if err != nil {
		f.t.Fatalf("search %q: %v", text, err)
	}
	if found.Total != len(found.Items) {
		f.t.Errorf("search %q: total %d, %d items", text, found.Total, len(found.Items))
	}
	var titles []string
	for _, e := range found.Items {
		titles = append(titles, e.Title)
	}
	return titles
}

// wantCode fails unless err has the code.
func wantCode(t *testing.T, err error, code quire.Code) {
	t.Helper()
	if got := quire.CodeOf(err); got != code {
		t.Errorf("error %v has code %q, want %q", err, got, code)
	}
}

// wantField fails unless err is invalid input that names the field.
func wantField(t *testing.T, err error, field string) {
	t.Helper()
	var e *quire.Error
	if !errors.As(err, &e) || e.Code != quire.CodeInvalid {
		t.Errorf("error %v, want an invalid %s", err, field)
		return
	}
	for _, f := range e.Fields {
		if f.Field == field {
			return
		}
	}
	t.Errorf("error names %v, want %s", e.Fields, field)
}

func ptr[T any](v T) *T { return &v }

func TestNewLibraryChecksItsOptions(t *testing.T) {
	t.Parallel()
	_, err := quire.NewLibrary(t.Context(), store.NewMemory(), &quire.LibraryOptions{MaxBatch: -1})
	wantField(t, err, "LibraryOptions.MaxBatch")
	_, err = quire.NewLibrary(t.Context(), nil, nil)
	wantCode(t, err, quire.CodeInvalid)
	for _, wrong := range []string{
		"example.org/api", "ftp://example.org", "https://", "https:///api", "//example.org/api", "https://example.org/?a", "https://example.org/#a", "/api?",
		"https://ann:secret@example.org", "mailto:ann@example.org", "https:example.org", "https://example.org/a b", "/a%zz", "\x00", "https://:80", `/a\b`,
	} {
		_, err := quire.NewLibrary(t.Context(), store.NewMemory(), &quire.LibraryOptions{PublicURL: wrong})
		if wantField(t, err, "LibraryOptions.PublicURL"); err == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
	for _, right := range []string{"", "/", "/api", "/api/", "https://example.org", "HTTP://example.org:8080/api/", "http://[::1]:80/a%20b"} {
		if _, err := quire.NewLibrary(t.Context(), store.NewMemory(), &quire.LibraryOptions{PublicURL: right}); err != nil {
			t.Errorf("%q: %v", right, err)
		}
	}
}

func TestClosedLibrary(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		if err := f.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, err := f.Elemental(t.Context(), f.ann, "x")
		wantCode(t, err, quire.CodeClosed)
		_, err = f.CreateElemental(t.Context(), f.ann, document("A closed library", "body"))
		wantCode(t, err, quire.CodeClosed)
		_, err = f.Catalogue(t.Context())
		wantCode(t, err, quire.CodeClosed)
		wantCode(t, f.Healthy(t.Context()), quire.CodeClosed)
	})
}

func TestNobodyIsRefused(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx, nobody := t.Context(), quire.Actor{}
		_, e1 := f.Elemental(ctx, nobody, "x")
		_, e2 := f.CreateElemental(ctx, nobody, document("Nobody writes this", "b"))
		_, e3 := f.CreateElementals(ctx, nobody, []quire.ElementalInput{document("Nobody writes this", "b")})
		_, e4 := f.SearchElementals(ctx, nobody, quire.SearchInput{Text: "x"})
		_, e5 := f.CreateList(ctx, nobody, quire.ListInput{Title: "x"})
		_, e6 := f.UserLists(ctx, nobody, nil)
		_, e7 := f.Tags(ctx, nobody)
		_, e8 := f.UserElementals(ctx, nobody, quire.UserElementalsInput{})
		for i, err := range []error{e1, e2, e3, e4, e5, e6, e7, e8, f.DeleteElemental(ctx, nobody, "x"), f.DeleteList(ctx, nobody, 1)} {
			if !errors.Is(err, quire.ErrUnauthenticated) {
				t.Errorf("call %d: %v", i+1, err)
			}
		}
	})
}

func TestCancelledCallChangesNothing(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := f.CreateElemental(ctx, f.ann, document("Written too late", "body"))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("create: %v", err)
		}
		if got := f.find(f.ann, "late"); len(got) > 0 {
			t.Errorf("found %q", got)
		}
	})
}
