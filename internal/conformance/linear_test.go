package conformance

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
	"github.com/quirelib/quire/store/sqlite"
)

// linearClients change and read one list at the same time, in rounds of so many calls each:
// when all have come to the end of a round, the next begins. Without rounds the checker has
// too many orders to try.
const (
	linearClients = 8
	roundCalls    = 8
)

// listCall is a call on a list whose elementals have one letter as their id.
type listCall struct {
	kind    string // add, replace, remove or read
	letters string
}

// listState is a list as text, and how often it was changed.
type listState struct {
	letters string
	version int
}

// listOutput is what a call said of the list: a read its letters, an update its version and how
// many they are. A removal says nothing.
type listOutput struct {
	letters        string
	version, total int
}

// listModel says of calls on a list that each happened at one moment between its beginning and
// its end.
var listModel = porcupine.Model{
	Init: func() any { return listState{version: 1} },
	Step: func(state, input, output any) (bool, any) {
		list, call, said := state.(listState), input.(listCall), output.(listOutput)
		old := list.letters
		kept := without(old, call.letters)
		switch call.kind {
		case "add":
			list.letters += without(call.letters, old)
		case "replace":
			kept = without(old, kept)
			list.letters = kept + without(call.letters, kept)
		case "remove":
			if list.letters = kept; kept != old {
				list.version++
			}
			return true, list
		default:
			return said.letters == old, list
		}
		list.version++
		return said.version == list.version && said.total == len(list.letters), list
	},
}

// without returns the letters that are not among others.
func without(letters, others string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(others, r) {
			return -1
		}
		return r
	}, letters)
}

// TestListsAreLinearizable has clients change and read a list at the same time, and looks
// for an order of the calls that explains what each has read (Herlihy and Wing 1990;
// checker: porcupine).
func TestListsAreLinearizable(t *testing.T) {
	t.Parallel()
	calls := 0
	for i := range linearHistories {
		var st quire.Store = store.NewMemory()
		if i%2 == 1 {
			var err error
			if st, err = sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "quire.db"), &sqlite.Options{Synchronous: sqlite.Normal}); err != nil {
				t.Fatal(err)
			}
		}
		history := listHistory(t, st, uint64(i))
		calls += len(history)
		if result := porcupine.CheckOperationsTimeout(listModel, history, time.Minute); result != porcupine.Ok {
			t.Fatalf("history %d: %s", i, result)
		}
	}
	t.Logf("C14: %d histories of %d clients with %d calls on a list, on 2 stores: all linearizable", linearHistories, linearClients, calls)
}

// listHistory returns what clients did to a list of a new library, which it closes.
func listHistory(t *testing.T, st quire.Store, seed uint64) (history []porcupine.Operation) {
	t.Helper()
	ctx := t.Context()
	lib, err := quire.NewLibrary(ctx, st, nil)
	check(t, err)
	ann, err := lib.CreateUser(ctx, quire.UserInput{ID: "ann"})
	check(t, err)
	const letters = "abcdefghij"
	for _, letter := range letters {
		_, err := lib.CreateElemental(ctx, ann.Actor(), quire.ElementalInput{
			ID: string(letter), Title: "The letter " + string(letter), TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: "x"})
		check(t, err)
	}
	list, err := lib.CreateList(ctx, ann.Actor(), quire.ListInput{Title: "Letters"})
	check(t, err)
	began := time.Now()
	var mu sync.Mutex
	var clients sync.WaitGroup
	round := func(n, client int) func() {
		return func() {
			random := rand.New(rand.NewPCG(seed, uint64(n*linearClients+client)))
			for range roundCalls {
				call := randomCall(random, letters)
				op := porcupine.Operation{ClientId: client, Input: call, Call: int64(time.Since(began))}
				said, err := call.do(ctx, lib, ann.Actor(), list.ID)
				op.Output, op.Return = said, int64(time.Since(began))
				if err != nil {
					t.Errorf("%+v: %v", call, err)
				}
				mu.Lock()
				history = append(history, op)
				mu.Unlock()
			}
		}
	}
	for n := range linearRounds {
		for client := range linearClients {
			clients.Go(round(n, client))
		}
		clients.Wait()
	}
	check(t, lib.Close(context.WithoutCancel(ctx)))
	check(t, st.Close())
	return history
}

// randomCall makes a call up.
func randomCall(random *rand.Rand, letters string) listCall {
	some := []byte(letters)
	random.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
	kind := []string{"add", "add", "remove", "replace", "read", "read", "read", "read", "read", "read"}[random.IntN(10)]
	if kind == "read" {
		return listCall{kind: kind}
	}
	return listCall{kind: kind, letters: string(some[:1+random.IntN(3)])}
}

// do does the call, and returns what it said.
func (c listCall) do(ctx context.Context, lib *quire.Library, a quire.Actor, list int64) (said listOutput, err error) {
	switch c.kind {
	case "read":
		page, err := lib.ListItems(ctx, a, list, quire.ItemsInput{Page: quire.Page{Number: 1, Size: quire.MaxPageSize}})
		for _, e := range page.Items {
			said.letters += e.ID
		}
		return said, err
	case "remove":
		return said, lib.RemoveListItems(ctx, a, list, strings.Split(c.letters, ""))
	}
	var items []quire.ItemInput
	for letter := range slices.Values(strings.Split(c.letters, "")) {
		items = append(items, quire.ItemInput{ElementalID: letter})
	}
	updated, err := lib.UpdateList(ctx, a, list, quire.ListPatch{Items: &items, ReplaceItems: c.kind == "replace"})
	return listOutput{version: int(updated.Version), total: updated.TotalItems}, err
}

// check ends the test with an error that is none of what it tests.
func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
