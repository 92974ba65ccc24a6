package quire_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store/sqlite"
)

// writeChild names the directory in which the test binary, started again, is to write
// until it is killed; writeCycle tells what it writes from what others wrote before.
const (
	writeChild = "QUIRE_TEST_WRITE"
	writeCycle = "QUIRE_TEST_WRITE_CYCLE"
)

const killWriters = 4

// written is one call of a writer: what it does to the content.
type written struct {
	Kind  string   // create, update, delete, list, unlist, ingest or forget
	IDs   []string // of elementals
	Stamp string   // in all texts of this call; trace id of the ingest
	List  string   // title of the list that is made or deleted
}

// bodyOf is the text that a call with a stamp gives an elemental.
func bodyOf(stamp string) string { return stamp + " one\n\n" + stamp + " two" }

// titleOf is the title that a call with a stamp gives an elemental, one of several.
func titleOf(stamp, id string) string { return "Titled " + stamp + " " + id }

// writer makes calls at random until its process is killed, and says of each that it
// begins and that it has come back.
type writer struct {
	name  string
	actor quire.Actor
	lib   *quire.Library
	eng   *quire.Engine
	rng   *rand.Rand
	ids   []string
	lists []quire.ListRecord
}

func writeUntilKilled(dir string) {
	ctx := context.Background()
	fail := func(err error) { fmt.Println("failed", quire.Cause(err)) }
	s, err := sqlite.Open(ctx, filepath.Join(dir, "quire.db"), nil)
	if err != nil {
		fail(err)
		return
	}
	lib, err := quire.NewLibrary(ctx, s, nil)
	if err != nil {
		fail(err)
		return
	}
	eng, err := quire.NewEngine(ctx, lib, enginetest.NewIndex(), enginetest.NewEmbedder(), enginetest.NewLLM(),
		&quire.EngineOptions{Chunker: paragraphs{}, BatchSize: 1})
	if err != nil {
		fail(err)
		return
	}
	for i := range killWriters {
		w := &writer{name: fmt.Sprint("writer", i), lib: lib, eng: eng, rng: rand.New(rand.NewPCG(rand.Uint64(), uint64(i)))}
		if err := w.begin(ctx, s); err != nil {
			fail(err)
			return
		}
		go func() {
			for n := 0; ; n++ {
				call := w.next(fmt.Sprintf("%s-%s-%d", w.name, os.Getenv(writeCycle), n))
				said, err := json.Marshal(call)
				if err != nil {
					fail(err)
					return
				}
				fmt.Printf("begin %s %s\n", w.name, said)
				if err := w.make(ctx, call); err != nil {
					fail(err)
					return
				}
				fmt.Printf("done %s %s\n", w.name, said)
			}
		}()
	}
	select {}
}

// begin reads what the writer has written in earlier processes.
func (w *writer) begin(ctx context.Context, s quire.Store) error {
	u, err := w.lib.User(ctx, w.name)
	if err != nil {
		return err
	}
	w.actor = u.Actor()
	return s.View(ctx, func(tx quire.ReadTx) error {
		for e, err := range tx.ElementalsOf(ctx, w.name) {
			if err != nil {
				return err
			}
			w.ids = append(w.ids, e.ID)
		}
		for l, err := range tx.TenantLists(ctx, w.actor.TenantID) {
			if err != nil {
				return err
			}
			w.lists = append(w.lists, l)
		}
		return nil
	})
}

// next chooses a call.
func (w *writer) next(stamp string) written {
	w.rng.Shuffle(len(w.ids), func(i, j int) { w.ids[i], w.ids[j] = w.ids[j], w.ids[i] })
	kind := []string{"create", "update", "update", "delete", "list", "unlist", "ingest", "ingest", "forget"}[w.rng.IntN(9)]
	switch {
	case len(w.ids) < 4, kind == "create" && len(w.ids) < 12:
		return written{Kind: "create", IDs: []string{stamp + "a", stamp + "b", stamp + "c"}, Stamp: stamp}
	case kind == "create", kind == "delete":
		return written{Kind: "delete", IDs: w.ids[:1], Stamp: stamp}
	case kind == "list" && len(w.lists) < 6:
		return written{Kind: "list", IDs: slices.Clone(w.ids[:3]), Stamp: stamp, List: "List of " + stamp}
	case kind == "list", kind == "unlist":
		if len(w.lists) > 0 {
			return written{Kind: "unlist", List: w.lists[0].Title, Stamp: stamp}
		}
		kind = "update"
	}
	return written{Kind: kind, IDs: w.ids[:1], Stamp: stamp}
}

// make makes a call.
func (w *writer) make(ctx context.Context, c written) error {
	switch c.Kind {
	case "create":
		ins := make([]quire.ElementalInput, len(c.IDs))
		for i, id := range c.IDs {
			ins[i] = document(titleOf(c.Stamp, id), bodyOf(c.Stamp))
			ins[i].ID = id
		}
		items, err := w.lib.CreateElementals(ctx, w.actor, ins)
		for _, it := range items {
			if it.Err != nil {
				return it.Err
			}
		}
		w.ids = append(w.ids, c.IDs...)
		return err
	case "update":
		_, err := w.lib.UpdateElemental(ctx, w.actor, c.IDs[0], quire.ElementalPatch{Title: ptr(titleOf(c.Stamp, c.IDs[0])), Body: ptr(bodyOf(c.Stamp))})
		return err
	case "delete":
		id := c.IDs[0]
		w.ids = w.ids[1:]
		return w.lib.DeleteElemental(ctx, w.actor, id)
	case "list":
		in := quire.ListInput{Title: c.List}
		for _, id := range c.IDs {
			in.Items = append(in.Items, quire.ItemInput{ElementalID: id})
		}
		l, err := w.lib.CreateList(ctx, w.actor, in)
		w.lists = append(w.lists, l.ListRecord)
		return err
	case "unlist":
		id := w.lists[0].ID
		w.lists = w.lists[1:]
		return w.lib.DeleteList(ctx, w.actor, id)
	case "ingest":
		_, err := w.eng.Ingest(ctx, w.actor.TenantID, quire.IngestRequest{ElementalID: c.IDs[0], TraceID: c.Stamp})
		return err
	}
	_, err := w.eng.DeleteElemental(ctx, w.actor.TenantID, c.IDs[0]) // forget
	return err
}

// content is what a writer has in the Store.
type content struct {
	Elementals map[string]string   // titles and bodies by id
	Lists      map[string][]string // ids of items by title, in order of ids
	Jobs       map[string]string   // elementals of ingests by trace id
	Forgotten  map[string]bool     // elementals that have no passages and no active job
}

func newContent() content {
	return content{map[string]string{}, map[string][]string{}, map[string]string{}, map[string]bool{}}
}

func (c content) clone() content {
	lists := map[string][]string{}
	for title, items := range c.Lists {
		lists[title] = slices.Clone(items)
	}
	return content{maps.Clone(c.Elementals), lists, maps.Clone(c.Jobs), maps.Clone(c.Forgotten)}
}

// apply does to what is to be there what a call does.
func (c content) apply(call written) {
	switch call.Kind {
	case "create", "update":
		for _, id := range call.IDs {
			c.Elementals[id] = titleOf(call.Stamp, id) + "\n" + bodyOf(call.Stamp)
			if call.Kind == "create" {
				c.Forgotten[id] = true
			}
		}
	case "delete":
		delete(c.Elementals, call.IDs[0])
		c.Forgotten[call.IDs[0]] = true
		maps.DeleteFunc(c.Jobs, func(_, id string) bool { return id == call.IDs[0] })
		for title, items := range c.Lists {
			c.Lists[title] = slices.DeleteFunc(items, func(id string) bool { return id == call.IDs[0] })
		}
	case "list":
		c.Lists[call.List] = slices.Sorted(slices.Values(call.IDs))
	case "unlist":
		delete(c.Lists, call.List)
	case "ingest":
		c.Jobs[call.Stamp] = call.IDs[0]
		delete(c.Forgotten, call.IDs[0])
	case "forget":
		c.Forgotten[call.IDs[0]] = true
	}
}

// killedWrites follows what killed processes have said.
type killedWrites struct {
	t       *testing.T
	path    string
	actors  map[string]quire.Actor
	want    map[string]content
	open    map[string]*written // calls that have not come back
	acked   int
	kept    int // calls that had not come back but are there
	lost    int
	corrupt int
}

// cycle has a process write for some time, kills it, and looks at what is left.
func (k *killedWrites) cycle(n int) {
	t := k.t
	cmd, lines := startChild(t, writeChild+"="+filepath.Dir(k.path), fmt.Sprint(writeCycle, "=", n))
	clear(k.open)
	k.hear(lines, func() {
		time.AfterFunc(20*time.Millisecond+time.Duration(rand.IntN(80_000))*time.Microsecond, func() { cmd.Process.Kill() })
	})
	cmd.Wait() // reports the kill
	k.checkFile()
	k.look(n)
}

// hear takes in what a process says; first is called when it has begun to write.
func (k *killedWrites) hear(lines *bufio.Scanner, first func()) {
	begun := false
	for lines.Scan() {
		what, rest, _ := strings.Cut(lines.Text(), " ")
		name, said, _ := strings.Cut(rest, " ")
		var call written
		if what == "failed" || json.Unmarshal([]byte(said), &call) != nil {
			k.t.Fatalf("the child says %q", lines.Text())
		}
		if !begun {
			begun = true
			first()
		}
		if what == "begin" {
			k.open[name] = &call
			continue
		}
		k.open[name] = nil
		k.want[name].apply(call)
		k.acked++
	}
}

// checkFile has SQLite check the whole file.
func (k *killedWrites) checkFile() {
	db, err := sql.Open("sqlite", k.path)
	if err != nil {
		k.t.Fatal(err)
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRowContext(k.t.Context(), `PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		k.corrupt++
		k.t.Errorf("integrity check: %s, %v", verdict, err)
	}
}

// look compares what is there with what the processes have said.
func (k *killedWrites) look(n int) {
	t, ctx := k.t, k.t.Context()
	s, err := sqlite.Open(ctx, k.path, nil)
	if err != nil {
		t.Fatal(quire.Cause(err))
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	for name, want := range k.want {
		options := []content{want}
		if call := k.open[name]; call != nil {
			after := want.clone()
			after.apply(*call)
			options = append(options, after)
		}
		var diffs []string
		found := -1
		for i, option := range options {
			got := k.read(s, name, option)
			if diff := cmp.Diff(option, got, cmpopts.EquateEmpty()); diff == "" {
				found = i
				k.want[name] = option
			} else {
				diffs = append(diffs, diff)
			}
		}
		switch found {
		case -1:
			k.lost++
			t.Errorf("cycle %d, %s, while %+v had not come back (-want +got):\n%s", n, name, k.open[name], strings.Join(diffs, "\nor\n"))
		case 1:
			k.kept++
		}
	}
}

// read reads what there is of a writer. What is forgotten and which jobs there are, is
// asked of those that are to be.
func (k *killedWrites) read(s *sqlite.Store, name string, want content) content {
	t, ctx := k.t, k.t.Context()
	got := newContent()
	err := s.View(ctx, func(tx quire.ReadTx) error {
		for e, err := range tx.ElementalsOf(ctx, name) {
			if err != nil {
				return err
			}
			got.Elementals[e.ID] = e.Title + "\n" + e.Body
			k.checkChunks(tx, e.ID)
		}
		for l, err := range tx.TenantLists(ctx, k.actors[name].TenantID) {
			if err != nil {
				return err
			}
			items, err := tx.Items(ctx, l.ID)
			if err != nil {
				return err
			}
			ids := []string{}
			for _, it := range items {
				ids = append(ids, it.ElementalID)
			}
			got.Lists[l.Title] = slices.Sorted(slices.Values(ids))
		}
		for id, elemental := range want.Jobs {
			_, err := tx.Job(ctx, k.actors[name].TenantID, id)
			if err != nil { // then 16 others have ended since
				var n int
				_, n, err = tx.Jobs(ctx, quire.JobQuery{TenantID: k.actors[name].TenantID, ElementalID: elemental, Limit: 1})
				if n < 16 {
					continue
				}
			}
			if err == nil {
				got.Jobs[id] = elemental
			}
		}
		for id := range want.Forgotten {
			chunks, err := tx.ChunksOf(ctx, id)
			if err != nil {
				return err
			}
			active, err := tx.ActiveJobs(ctx, k.actors[name].TenantID, id)
			if err != nil {
				return err
			}
			if len(chunks)+len(active) == 0 {
				got.Forgotten[id] = true
			}
		}
		active, err := tx.ActiveJobs(ctx, k.actors[name].TenantID, "")
		for _, j := range active {
			if _, ok := got.Elementals[j.ElementalID]; !ok {
				t.Errorf("a job for %s, which there is not", j.ElementalID)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(quire.Cause(err))
	}
	return got
}

// checkChunks checks that an elemental has all passages of one version or none.
func (k *killedWrites) checkChunks(tx quire.ReadTx, id string) {
	chunks, err := tx.ChunksOf(k.t.Context(), id)
	if err != nil {
		k.t.Fatal(quire.Cause(err))
	}
	if len(chunks) == 0 {
		return
	}
	stamp := strings.TrimSuffix(chunks[len(chunks)-1].Text, " two")
	var texts []string
	for _, c := range chunks {
		texts = append(texts, c.Text)
	}
	if want := []string{titleOf(stamp, id), stamp + " one", stamp + " two"}; !slices.Equal(texts, want) {
		k.lost++
		k.t.Errorf("passages %q, want %q", texts, want)
	}
}

// TestKillWhileWriting kills processes in which four writers create, change and delete
// elementals, lists and knowledge, while workers ingest. All that had come back is there
// afterwards, and each call that had not is there as a whole or not at all.
func TestKillWhileWriting(t *testing.T) {
	t.Parallel()
	cycles := killCycles
	if testing.Short() {
		cycles = 10
	}
	const chains = 2 // at a time
	var mu sync.Mutex
	all := killedWrites{}
	t.Cleanup(func() {
		t.Logf("A1: %d kill -9 cycles under %d writers, %d acknowledged writes, %d states with a lost or half write, %d corrupt files; %d more writes were there that had not come back, all whole",
			cycles, killWriters, all.acked, all.lost, all.corrupt, all.kept)
	})
	for chain := range chains {
		t.Run(fmt.Sprint(chain), func(t *testing.T) {
			t.Parallel()
			k := &killedWrites{t: t, path: filepath.Join(t.TempDir(), "quire.db"), actors: map[string]quire.Actor{},
				want: map[string]content{}, open: map[string]*written{}}
			s, err := sqlite.Open(t.Context(), k.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			f := &fixture{t: t}
			f.Library, err = quire.NewLibrary(t.Context(), s, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range killWriters {
				name := fmt.Sprint("writer", i)
				k.actors[name], k.want[name] = f.user(name), newContent()
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			for n := 0; n < cycles/chains && !t.Failed(); n++ {
				k.cycle(n)
			}
			mu.Lock()
			defer mu.Unlock()
			all.acked, all.kept, all.lost, all.corrupt = all.acked+k.acked, all.kept+k.kept, all.lost+k.lost, all.corrupt+k.corrupt
		})
	}
}
