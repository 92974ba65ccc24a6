package quire_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store"
	"github.com/quirelib/quire/store/sqlite"
)

func onceKey(key string) quire.OnceKey {
	return quire.OnceKey{Route: "POST /things", Key: key, Request: "r"}
}

// creates returns a do that creates a document.
func (f *fixture) creates(a quire.Actor, title string) func(context.Context) (quire.Answer, error) {
	return func(ctx context.Context) (quire.Answer, error) {
		e, err := f.CreateElemental(ctx, a, document(title, "onceword"))
		return quire.Answer{Status: 201, Header: map[string]string{"list_URL": e.ID}, Body: []byte(e.ID)}, err
	}
}

func (f *fixture) once(a quire.Actor, key quire.OnceKey, do func(context.Context) (quire.Answer, error)) (quire.Answer, bool) {
	f.t.Helper()
	answer, repeated, err := f.Once(f.t.Context(), a, key, do)
	if err != nil {
		f.t.Fatal(err)
	}
	return answer, repeated
}

func TestOnce(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		first, repeated := f.once(f.ann, onceKey("k"), f.creates(f.ann, "Created only once"))
		if repeated || first.Status != 201 {
			t.Errorf("%+v, repeated %t", first, repeated)
		}
		again, repeated := f.once(f.ann, onceKey("k"), f.creates(f.ann, "Never created"))
		if diff := cmp.Diff(first, again); diff != "" || !repeated {
			t.Errorf("repeated %t:\n%s", repeated, diff)
		}
		_, _, err := f.Once(t.Context(), f.ann, quire.OnceKey{Route: "POST /things", Key: "k", Request: "another"}, f.creates(f.ann, "Never created"))
		wantCode(t, err, quire.CodeConflict)

		// Another key, route or user is another request.
		for i, c := range []struct {
			a   quire.Actor
			key quire.OnceKey
		}{
			{f.ann, onceKey("K")}, {f.bob, onceKey("k")}, {f.ann, quire.OnceKey{Route: "POST /others", Key: "k", Request: "r"}},
		} {
			if _, repeated := f.once(c.a, c.key, f.creates(c.a, fmt.Sprint("Created besides ", i))); repeated {
				t.Errorf("%+v of %s is a repetition", c.key, c.a.UserID)
			}
		}
		if got := f.find(f.ann, "onceword"); len(got) != 4 {
			t.Errorf("there are %q", got)
		}
	})
}

func TestOnceRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t, store.NewMemory(), nil)
	never := func(context.Context) (quire.Answer, error) {
		t.Error("do ran")
		return quire.Answer{}, nil
	}
	for _, key := range []string{"", " ", "a b", "a\n", "\x7f", "ä", "a\xff", strings.Repeat("x", 256)} {
		_, _, err := f.Once(t.Context(), f.ann, onceKey(key), never)
		wantField(t, err, "idempotency_key")
	}
	_, _, err := f.Once(t.Context(), f.ann, quire.OnceKey{Route: "\xff", Key: "k", Request: strings.Repeat("x", 1001)}, never)
	wantField(t, err, "route")
	wantField(t, err, "request")
	_, _, err = f.Once(t.Context(), quire.Actor{}, onceKey("k"), never)
	wantCode(t, err, quire.CodeUnauthenticated)
	f.once(f.ann, onceKey(strings.Repeat("~", 255)), f.creates(f.ann, "With the longest key"))
	if err := f.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, _, err = f.Once(t.Context(), f.ann, onceKey("k"), never)
	wantCode(t, err, quire.CodeClosed)
}

// Whatever do did is undone if it fails, and its key is free again.
func TestOnceRollsBack(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		broken := errors.New("broken")
		taken := f.create(f.ann, document("An id that is taken", "body")).ID
		for name, c := range map[string]struct {
			do   func(ctx context.Context) error
			want error
		}{
			"its-error": {func(context.Context) error { return broken }, broken},
			"overlooked-error": {func(ctx context.Context) error {
				in := document("Of an id that is taken", "body")
				in.ID = taken
				_, _ = f.CreateElemental(ctx, f.ann, in)
				if _, err := f.Elemental(ctx, f.ann, taken); !errors.Is(err, quire.ErrConflict) {
					t.Errorf("a call after the failed one: %v", err)
				}
				return nil
			}, quire.ErrConflict},
			"caught-panic": {func(ctx context.Context) error {
				func() {
					defer func() { _ = recover() }()
					_, _ = f.CreateElementals(panicking{ctx}, f.ann, []quire.ElementalInput{document("Panicked in the middle", "onceword")})
				}()
				return nil
			}, &quire.Error{Code: quire.CodeInternal}},
		} {
			_, repeated, err := f.Once(ctx, f.ann, onceKey(name), func(ctx context.Context) (quire.Answer, error) {
				if _, err := f.CreateElemental(ctx, f.ann, document("Undone by "+name, "onceword")); err != nil {
					t.Fatal(err)
				}
				return quire.Answer{Status: 201}, c.do(ctx)
			})
			if !errors.Is(err, c.want) || repeated {
				t.Errorf("%s: error %v, repeated %t", name, err, repeated)
			}
			if got := f.find(f.ann, "onceword"); len(got) != 0 {
				t.Errorf("%s: there are %q", name, got)
			}
		}
		func() {
			defer func() {
				if recover() != broken {
					t.Error("the panic of do did not go on")
				}
			}()
			_, _, _ = f.Once(ctx, f.ann, onceKey("panic"), func(ctx context.Context) (quire.Answer, error) {
				f.creates(f.ann, "Undone by a panic")(ctx)
				panic(broken)
			})
		}()
		cancelled, cancel := context.WithCancel(ctx)
		_, _, err := f.Once(cancelled, f.ann, onceKey("cancel"), func(ctx context.Context) (quire.Answer, error) {
			answer, err := f.creates(f.ann, "Undone by its context")(ctx)
			cancel()
			return answer, err
		})
		wantCode(t, err, quire.CodeCanceled)
		for _, key := range []string{"its-error", "overlooked-error", "caught-panic", "panic", "cancel"} {
			if _, repeated := f.once(f.ann, onceKey(key), f.creates(f.ann, "Created after "+key)); repeated {
				t.Errorf("%s was remembered", key)
			}
		}
		if got := f.find(f.ann, "onceword"); len(got) != 5 {
			t.Errorf("there are %q", got)
		}
	})
}

// panicking is a context that panics as soon as a transaction asks it for its error.
type panicking struct{ context.Context }

func (panicking) Err() error { panic("no context") }

// The calls inside see what earlier ones wrote; nobody outside does.
func TestOnceIsOneTransaction(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		f.once(f.ann, onceKey("k"), func(ctx context.Context) (quire.Answer, error) {
			var first string
			for i := range 20 {
				e, err := f.CreateElemental(ctx, f.ann, document(fmt.Sprint("One of many ", i), "onceword"))
				if err != nil {
					return quire.Answer{}, err
				}
				first = e.ID
			}
			l, err := f.CreateList(ctx, f.ann, quire.ListInput{Title: "Of them", Items: []quire.ItemInput{{ElementalID: first}}})
			if err != nil {
				return quire.Answer{}, err
			}
			for e, err := range f.AllListItems(ctx, f.ann, l.ID, true) {
				if err != nil || e.ID != first {
					t.Errorf("the list has %s, %v", e.ID, err)
				}
				if _, err := f.Comment(ctx, f.ann, e.ID, "inside"); err != nil { // a call inside of an iteration
					return quire.Answer{}, err
				}
			}
			found, err := f.SearchElementals(ctx, f.ann, quire.SearchInput{Text: "onceword"})
			if err != nil || found.Total != 20 {
				t.Errorf("%d are found inside, %v", found.Total, err)
			}
			var calls sync.WaitGroup // of several goroutines: one after the other
			for i := range 8 {
				calls.Go(func() {
					if _, err := f.CreateTag(ctx, f.ann, quire.TagInput{Title: fmt.Sprint("tag ", i), Color: "#123456", ElementalTypeID: quire.TypeDocument}); err != nil {
						t.Error(err)
					}
				})
			}
			calls.Wait()
			_, _, err = f.Once(ctx, f.ann, onceKey("inner"), nil)
			wantCode(t, err, quire.CodeInvalid)
			cat, err := f.Catalogue(ctx)
			if err != nil {
				t.Error(err)
			}
			wantCode(t, f.SetCatalogue(ctx, cat), quire.CodeInvalid)
			return quire.Answer{Status: 201}, nil
		})
		tags, err := f.Tags(t.Context(), f.ann)
		if err != nil || len(tags) != 8 || len(f.find(f.ann, "onceword")) != 20 {
			t.Errorf("%d tags afterwards, %v", len(tags), err)
		}
	})
}

// A context that is kept reaches nothing any more.
func TestOnceContextAfterwards(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		var kept []context.Context
		keep := func(err error) func(context.Context) (quire.Answer, error) {
			return func(ctx context.Context) (quire.Answer, error) {
				kept = append(kept, ctx)
				return quire.Answer{}, err
			}
		}
		f.once(f.ann, onceKey("k"), keep(nil))
		_, _, err := f.Once(t.Context(), f.ann, onceKey("failed"), keep(quire.ErrForbidden))
		wantCode(t, err, quire.CodeForbidden)
		func() {
			defer func() { _ = recover() }()
			_, _, _ = f.Once(t.Context(), f.ann, onceKey("panic"), func(ctx context.Context) (quire.Answer, error) {
				kept = append(kept, ctx)
				panic("broken")
			})
		}()
		for _, ctx := range kept {
			_, err := f.CreateElemental(ctx, f.ann, document("Written too late", "body"))
			wantCode(t, err, quire.CodeClosed)
			_, err = f.Elemental(ctx, f.ann, "x")
			wantCode(t, err, quire.CodeClosed)
		}
		if len(kept) != 3 {
			t.Errorf("%d contexts were kept", len(kept))
		}
	})
}

func TestOnceConcurrently(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		var calls sync.WaitGroup
		var mu sync.Mutex
		answers := map[string]int{}
		first := 0
		for range 20 {
			calls.Go(func() {
				answer, repeated, err := f.Once(t.Context(), f.ann, onceKey("k"), f.creates(f.ann, "Created by one of many"))
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				answers[string(answer.Body)]++
				if !repeated {
					first++
				}
			})
		}
		calls.Wait()
		if len(answers) != 1 || first != 1 || len(f.find(f.ann, "onceword")) != 1 {
			t.Errorf("answers %v, %d of them first", answers, first)
		}
	})
}

// An answer is remembered for 24 hours, by a fake clock, and then deleted.
func TestOnceForgets(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, s.open(t), nil)
				f.once(f.ann, onceKey("k"), f.creates(f.ann, "Created the first time"))
				f.once(f.ann, onceKey("unused"), f.creates(f.ann, "Created besides"))
				time.Sleep(24*time.Hour - time.Microsecond)
				if _, repeated := f.once(f.ann, onceKey("k"), f.creates(f.ann, "Never created")); !repeated {
					t.Error("forgotten too early")
				}
				time.Sleep(time.Microsecond)
				for i := range 2 {
					_, repeated := f.once(f.ann, quire.OnceKey{Route: "POST /things", Key: "k", Request: "another"}, f.creates(f.ann, "Created the second time"))
					if repeated != (i == 1) {
						t.Errorf("time %d after 24 hours: repeated %t", i, repeated)
					}
				}
				time.Sleep(time.Minute)
				f.once(f.ann, onceKey("late"), f.creates(f.ann, "Created at last"))
				err := f.store.View(t.Context(), func(tx quire.ReadTx) error {
					_, err := tx.Receipt(t.Context(), "ann", "POST /things", "unused")
					return err
				})
				wantCode(t, err, quire.CodeNotFound)
				if got := f.find(f.ann, "onceword"); len(got) != 4 {
					t.Errorf("there are %q", got)
				}
			})
		})
	}
}

// What was answered is remembered by the file.
func TestOnceReopened(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "quire.db")
	var answers []quire.Answer
	for i := range 3 {
		s, err := sqlite.Open(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		lib, err := quire.NewLibrary(t.Context(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		f := &fixture{Library: lib, t: t, store: s, ann: quire.Actor{UserID: "ann", TenantID: "ann"}}
		answer, repeated := f.once(f.ann, onceKey("k"), f.creates(f.ann, "Created before the end"))
		answers = append(answers, answer)
		if repeated != (i > 0) || len(f.find(f.ann, "onceword")) != 1 || cmp.Diff(answers[0], answer) != "" {
			t.Errorf("time %d: %+v, repeated %t", i, answer, repeated)
		}
		if err := errors.Join(lib.Close(t.Context()), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// What is created inside is ingested after the commit, and what is deleted inside
// leaves the index with it; what is rolled back does neither.
func TestOnceWithEngine(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		eng, err := quire.NewEngine(ctx, f.Library, enginetest.NewIndex(), enginetest.NewEmbedder(), enginetest.NewLLM(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer eng.Close(context.Background())
		passages := func() (n int) {
			t.Helper()
			hits, err := eng.Search(ctx, quire.SearchRequest{Query: "onceword", Filters: quire.Filters{TenantID: "ann"}})
			if err != nil {
				t.Fatal(err)
			}
			return len(hits)
		}
		var ids []string
		create := func(broken error) func(ctx context.Context) (quire.Answer, error) {
			return func(ctx context.Context) (quire.Answer, error) {
				for i := range 2 {
					in := document(fmt.Sprint("Known by the engine ", i), "onceword onceword")
					in.Settings.KnowledgeBase = true
					e, err := f.CreateElemental(ctx, f.ann, in)
					if err != nil {
						return quire.Answer{}, err
					}
					ids = append(ids, e.ID)
				}
				_, err := eng.Search(ctx, quire.SearchRequest{Query: "x", Filters: quire.Filters{TenantID: "ann"}})
				wantCode(t, err, quire.CodeInvalid)
				_, err = eng.Ingest(ctx, "ann", quire.IngestRequest{ElementalID: ids[0]})
				wantCode(t, err, quire.CodeInvalid)
				return quire.Answer{}, broken
			}
		}
		_, _, err = f.Once(ctx, f.ann, onceKey("create"), create(quire.ErrForbidden))
		wantCode(t, err, quire.CodeForbidden)
		ids = nil
		f.once(f.ann, onceKey("create"), create(nil))
		jobs, err := eng.Jobs(ctx, "ann", "", quire.Page{Size: 100})
		if err != nil || jobs.Total != 2 {
			t.Fatalf("%d jobs, %v", jobs.Total, err)
		}
		for _, j := range jobs.Items {
			if j, err := eng.Wait(ctx, "ann", j.ID); err != nil || j.Status != quire.JobSucceeded {
				t.Fatalf("%+v, %v", j, err)
			}
		}
		if n := passages(); n != 2 {
			t.Errorf("%d passages", n)
		}
		remove := func(broken error) func(ctx context.Context) (quire.Answer, error) {
			return func(ctx context.Context) (quire.Answer, error) {
				return quire.Answer{}, errors.Join(f.DeleteElemental(ctx, f.ann, ids[0]), f.DeleteElemental(ctx, f.ann, ids[1]), broken)
			}
		}
		_, _, err = f.Once(ctx, f.ann, onceKey("delete"), remove(quire.ErrForbidden))
		wantCode(t, err, quire.CodeForbidden)
		if n := passages(); n != 2 {
			t.Errorf("%d passages after a deletion that was rolled back", n)
		}
		f.once(f.ann, onceKey("delete"), remove(nil))
		if n := passages(); n != 0 {
			t.Errorf("%d passages after the deletion", n)
		}
	})
}

func ExampleLibrary_Once() {
	ctx := context.Background()
	lib, err := quire.NewLibrary(ctx, store.NewMemory(), nil)
	if err != nil {
		panic(err)
	}
	ada := quire.Actor{UserID: "ada", TenantID: "ada"}
	add := func(ctx context.Context) (quire.Answer, error) {
		l, err := lib.CreateList(ctx, ada, quire.ListInput{Title: "Harbours"}) // takes part in the transaction
		return quire.Answer{Status: 201, Body: []byte(l.Title)}, err
	}
	key := quire.OnceKey{Route: "add", Key: "7f3c", Request: "Harbours"}
	for range 2 {
		answer, repeated, err := lib.Once(ctx, ada, key, add)
		fmt.Println(string(answer.Body), repeated, err)
	}
	lists, err := lib.UserLists(ctx, ada, nil)
	fmt.Println(lists.Total, err)
	// Output:
	// Harbours false <nil>
	// Harbours true <nil>
	// 1 <nil>
}

// TestOnceKeepsTheNewest fills the quota of one user: what does not fit goes, oldest first,
// and nothing of another user.
func TestOnceKeepsTheNewest(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			const size, fit, sent = 3 << 10, 40, 200 // with the kilobyte of each, 40 answers fit
			f := newFixture(t, s.open(t), &quire.LibraryOptions{MaxReceiptBytes: fit * (size + quire.ReceiptOverhead)})
			body := []byte(strings.Repeat("x", size))
			answer := func(context.Context) (quire.Answer, error) { return quire.Answer{Status: 201, Body: body}, nil }
			f.once(f.bob, onceKey("bob"), answer)
			for i := range sent {
				f.once(f.ann, onceKey(fmt.Sprint(i)), answer)
			}
			kept := 0
			err := f.store.View(t.Context(), func(tx quire.ReadTx) error {
				for i := range sent {
					_, err := tx.Receipt(t.Context(), "ann", "POST /things", fmt.Sprint(i))
					switch {
					case err == nil:
						kept++
					case quire.CodeOf(err) != quire.CodeNotFound:
						return err
					case kept > 0:
						t.Errorf("the answer %d is gone, older ones are not", i)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d of %d answers are kept", kept, sent)
			if kept < fit || kept > fit+fit/16+1 {
				t.Errorf("%d answers are kept, want %d and up to a sixteenth more", kept, fit)
			}
			if _, repeated := f.once(f.bob, onceKey("bob"), answer); !repeated {
				t.Error("the answer of another user is gone")
			}
		})
	}
	_, err := quire.NewLibrary(t.Context(), store.NewMemory(), &quire.LibraryOptions{MaxReceiptBytes: -1})
	wantField(t, err, "LibraryOptions.MaxReceiptBytes")
}
