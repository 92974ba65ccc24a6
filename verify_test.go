package quire_test

import (
	"context"
	"database/sql"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store/sqlite"
)

// verifier is a Library or an Engine.
type verifier interface {
	Verify(ctx context.Context) (quire.Verification, error)
}

// wantSound has a Library or Engine check itself, as every test does with its own at its
// end. What cannot be read, as it is closed or broken on purpose, is not looked at.
func wantSound(t testing.TB, v verifier) {
	t.Helper()
	got, err := v.Verify(context.Background())
	if err == nil && !got.Sound() {
		t.Errorf("%T found %d faults, among them %+v", v, got.Found, got.Faults[:min(3, len(got.Faults))])
	}
}

// damages are changes of the tables of a library, and the part that Verify names for each.
// {elemental} is an elemental of the knowledge base. References are not enforced.
var damages = []struct{ name, statement, part string }{
	{"title", `UPDATE elementals SET title = title || 'x' WHERE id = '{elemental}'`, "elementals"},
	{"body", `UPDATE elementals SET body = replace(body, 'a', 'b') WHERE id = (SELECT id FROM elementals WHERE body LIKE '%a%' LIMIT 1)`, "elementals"},
	{"owner", `UPDATE elementals SET owner_id = 'user1x' WHERE id = '{elemental}'`, "elementals"},
	{"tenant", `UPDATE elementals SET tenant_id = 'other' WHERE id = '{elemental}'`, "elementals"},
	{"packed form", `UPDATE elemental_short SET packed = (SELECT packed FROM elemental_short ORDER BY num DESC LIMIT 1) WHERE num = (SELECT min(num) FROM elemental_short)`, "elementals"},
	{"checksum missing", `UPDATE elementals SET sum = NULL WHERE id = '{elemental}'`, "elementals"},
	{"counter of comments", `UPDATE elementals SET comments = comments + 1 WHERE id = '{elemental}'`, "elementals"},
	{"counter of votes", `UPDATE elementals SET upvotes = upvotes + 1 WHERE id = '{elemental}'`, "elementals"},
	{"counter of saves", `UPDATE lists SET saves = saves + 1`, "lists"},
	{"sum of rates", `UPDATE elementals SET rating_sum = rating_sum + 1 WHERE id = '{elemental}'`, "elementals"},
	{"tag", `INSERT INTO elemental_tags (elemental, ordinal, tag_id) SELECT num, 99, 12345 FROM elementals WHERE id = '{elemental}'`, "elementals"},
	{"list", `UPDATE lists SET description = 'x'`, "lists"},
	{"table", `UPDATE lists SET table_id = 'gone' WHERE table_id <> ''`, "lists"},
	{"row", `UPDATE elementals SET row_id = 1 WHERE row_id <> 0`, "elementals"},
	{"file", `UPDATE media SET data = substr(data, 2)`, "media"},
	{"file of the same length", `UPDATE media SET data = zeroblob(length(data))`, "media"},
	{"elemental of items", `DELETE FROM elementals WHERE id IN (SELECT elemental_id FROM list_items LIMIT 1)`, "file"},
	{"passage", `UPDATE chunks SET passage = passage || 'x' WHERE num = 1`, "chunks"},
	{"place of a passage", `UPDATE chunks SET start_byte = start_byte + 1, end_byte = end_byte + 1 WHERE elemental_id = '{elemental}' AND ordinal = 0`, "chunks"},
	{"owner of a passage", `UPDATE chunks SET user_id = 'user1x' WHERE num = 1`, "chunks"},
	{"tags of a passage", `UPDATE chunks SET tag_names = '["x"]' WHERE num = 1`, "chunks"},
	{"passage of nothing", `UPDATE chunks SET elemental_id = 'gone' WHERE num = 1`, "chunks"},
	{"vector", `UPDATE chunks SET vector = zeroblob(length(vector)) WHERE num = 1`, "vectors"},
	{"vector of another chunk's length", `UPDATE chunks SET vector = zeroblob(length(vector) + 4) WHERE num = 1`, "vectors"},
	{"embedder", `UPDATE chunks SET fingerprint = 'other' WHERE num = 1`, "vectors"},
	{"ordinal of a passage", `UPDATE chunks SET ordinal = ordinal + 7 WHERE num = 1`, "chunks"},
	{"column of a passage", `UPDATE chunks SET column_id = '9' WHERE num = 1`, "chunks"},
	{"tenant of a passage", `UPDATE chunks SET tenant_id = 'other' WHERE num = 1`, "chunks"},
	{"tags to filter by", `INSERT INTO chunk_tags (chunk, kind, value) VALUES (1, 'id', 'x')`, "chunks"},
	{"names of tags to filter by", `INSERT INTO chunk_tags (chunk, kind, value) VALUES (1, 'name', 'x')`, "chunks"},
	{"tags to filter by that are gone", `DELETE FROM chunk_tags`, "chunks"},
	{"vector with no number", `UPDATE chunks SET vector = cast(x'0000c07f' || substr(vector, 5) AS BLOB) WHERE num = 1`, "vectors"},
	{"vector without end", `UPDATE chunks SET vector = cast(x'0000807f' || substr(vector, 5) AS BLOB) WHERE num = 1`, "vectors"},
	{"vector that is short", `UPDATE chunks SET vector = substr(vector, 5) WHERE num = 1`, "vectors"},
	{"draft with no number", `INSERT INTO drafts (elemental_id, fingerprint, hash, vector) VALUES ('e', 'f', 'h', x'0000c07f')`, "drafts"},
	{"vector to come with no number", `INSERT INTO vectors (fingerprint, hash, vector) VALUES ('f', 'h', x'0000c07f')`, "vectors"},
	{"owner of an item", `UPDATE list_items SET owner_id = 'user1x'`, "items"},
	{"visibility of an item", `UPDATE list_items SET visibility = 3 - visibility`, "items"},
	{"visibility of a list", `UPDATE lists SET visibility = 7`, "lists"},
	{"kind of a file", `UPDATE media SET kind = 'x'`, "media"},
	{"kind of a picture that becomes a file", `UPDATE media SET kind = 'file' WHERE kind <> 'file'`, "media"},
	{"owner of a file", `UPDATE media SET elemental = (SELECT max(num) FROM elementals WHERE num <> media.elemental) WHERE elemental IS NOT NULL`, "media"},
	{"owner of a file, a list", `UPDATE media SET elemental = NULL, list_id = (SELECT max(id) FROM lists) WHERE elemental IS NOT NULL`, "media"},
	{"order of files", `UPDATE media SET ordinal = ordinal + 1 WHERE id = (SELECT max(id) FROM media)`, "media"},
	{"time of a file", `UPDATE media SET created_at = created_at + 1`, "media"},
	{"size of a picture", `UPDATE media SET width = width + 1`, "media"},
	{"preview of a picture", `UPDATE media SET blur = blur || 'x'`, "media"},
	{"counter of comments on a list", `UPDATE lists SET comments = comments + 1`, "lists"},
	{"file that passages are of", `DELETE FROM media WHERE kind = 'file'`, "chunks"},
	{"hash of a key", `UPDATE keys SET hash = 'x' WHERE rowid = (SELECT min(rowid) FROM keys)`, "keys"},
	{"comment on itself", `UPDATE comments SET parent = id WHERE id = (SELECT min(id) FROM comments)`, "comments"},
	{"comment on a later one", `UPDATE comments SET parent = (SELECT max(id) FROM comments) WHERE id = (SELECT min(id) FROM comments)`, "comments"},
	{"words of an elemental", `DELETE FROM elemental_text WHERE rowid = (SELECT num FROM elementals WHERE id = '{elemental}')`, "elementals"},
	{"words of a list", `DELETE FROM list_text WHERE rowid = (SELECT min(id) FROM lists)`, "lists"},
	{"words of nothing", `INSERT INTO elemental_text (rowid, title) VALUES (99999, 'x')`, "file"},
	{"words of no list", `INSERT INTO list_text (rowid, title) VALUES (99999, 'x')`, "file"},
	{"status of a job", `UPDATE jobs SET status = 'x' WHERE seq = 1`, "jobs"},
	{"index", `DROP INDEX elementals_newest`, "file"},
	{"trigger", `DROP TRIGGER list_items_follow`, "file"},
	{"job of nothing", `UPDATE jobs SET status = 'queued', run_after = 9000000000000000, elemental_id = 'gone' WHERE seq = 1`, "jobs"},
	{"lost job", `DELETE FROM jobs WHERE elemental_id = '{elemental}'; DELETE FROM chunks WHERE elemental_id = '{elemental}'`, "jobs"},
}

// soundLibrary is a file with a library in which all kinds of things are, and an elemental of two
// passages of one of its users.
type soundLibrary struct {
	file      []byte
	owner     quire.Actor
	elemental string
}

// soundLibraries makes some of them.
func soundLibraries(t *testing.T) []soundLibrary {
	t.Helper()
	libraries := make([]soundLibrary, 4)
	for i := range libraries {
		libraries[i] = newSoundLibrary(t, uint64(i))
	}
	return libraries
}

func newSoundLibrary(t *testing.T, seed uint64) (l soundLibrary) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "quire.db")
	in := openInstance(t, path)
	l.owner = fillLibrary(in, seed, 12).users[0]
	tag, err := in.CreateTag(t.Context(), l.owner, quire.TagInput{Title: "by the sea", Color: "#fff", ElementalTypeID: quire.TypeDocument})
	in.must(err)
	e, err := in.CreateElemental(t.Context(), l.owner, quire.ElementalInput{
		Title: "Of a lighthouse", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, TagIDs: []int64{tag.ID},
		Body: "the lamp burns\n\nthe keeper sleeps", Settings: quire.Settings{KnowledgeBase: true}})
	in.must(err)
	l.elemental = e.ID
	in.idle(acme)
	in.close()
	if l.file, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return l
}

// open opens a copy of the library.
func (l soundLibrary) open(t *testing.T) (in *instance, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "quire.db")
	if err := os.WriteFile(path, l.file, 0o600); err != nil {
		t.Fatal(err)
	}
	return openInstance(t, path), path
}

func openInstance(t *testing.T, path string) *instance {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, &sqlite.Options{Synchronous: sqlite.Normal})
	if err != nil {
		t.Fatal(err)
	}
	return newInstance(t, s, nil)
}

// TestVerify: a library in which all kinds of things are is sound, and after each kind of
// damage it is not. The damage is done by another connection to the open file.
func TestVerify(t *testing.T) {
	t.Parallel()
	var found atomic.Int32
	t.Cleanup(func() {
		t.Logf("A6: %d kinds of damage inside of a file that is open, %d found by Verify", len(damages), found.Load())
	})
	libraries := soundLibraries(t)
	for i, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			sound := libraries[i%len(libraries)]
			in, path := sound.open(t)
			checked := in.checked()
			for _, part := range []string{"users", "elementals", "lists", "items", "media", "rows", "comments", "rates", "marks", "chunks", "vectors", "index"} {
				if checked[part] == 0 {
					t.Errorf("nothing was checked of the %s", part)
				}
			}
			if faults := in.faults(); len(faults) > 0 {
				t.Fatalf("faults before the damage: %+v", faults)
			}
			in.damage(path, strings.ReplaceAll(d.statement, "{elemental}", sound.elemental))
			faults := in.faults()
			if !slices.ContainsFunc(faults, func(f quire.Fault) bool { return f.Part == d.part }) {
				t.Fatalf("no fault of %s was found, but these: %+v", d.part, faults)
			}
			found.Add(1)
		})
	}
}

// unreadable are changes after which something cannot be read, and the part that Verify
// names for each.
var unreadable = []struct{ name, statement, part string }{
	{"topics", `UPDATE elementals SET topic_ids = '[' WHERE id = '{elemental}'`, "elementals"},
	{"steps", `UPDATE elementals SET tutorial_steps = '[' WHERE id = '{elemental}'`, "elementals"},
	{"premium", `UPDATE elementals SET is_premium = 7 WHERE id = '{elemental}'`, "elementals"},
	{"fixed price", `UPDATE elementals SET is_fixed_price = 7 WHERE id = '{elemental}'`, "elementals"},
	{"knowledge base", `UPDATE elementals SET knowledge_base = 7 WHERE id = '{elemental}'`, "elementals"},
	{"packed form", `UPDATE elemental_short SET packed = substr(packed, 1, 40)`, "elementals"},
	{"template of a list", `UPDATE lists SET is_template = 7 WHERE id = {list}`, "lists"},
	{"system of a list", `UPDATE lists SET is_system = 7 WHERE id = {list}`, "lists"},
	{"steps of a list", `UPDATE lists SET tutorial_steps = '[' WHERE id = {list}`, "lists"},
	{"problems of a job", `UPDATE jobs SET problems = '['`, "jobs"},
	{"problems of a job to be run", `UPDATE jobs SET problems = '[', status = 'queued', run_after = 9000000000000000`, "jobs"},
	{"heading", `UPDATE chunks SET heading = '[' WHERE num = 1`, "chunks"},
	{"tags of a passage", `UPDATE chunks SET tag_ids = '[', tag_names = '[' WHERE num = 1`, "chunks"},
	{"vector of a passage", `UPDATE chunks SET vector = x'000000' WHERE num = 1`, "chunks"},
	{"vector to come", `INSERT INTO vectors (fingerprint, hash, vector) VALUES ('f', 'h', x'00')`, "vectors"},
	{"draft", `INSERT INTO drafts (elemental_id, fingerprint, hash, vector) VALUES ('e', 'f', 'h', x'00')`, "drafts"},
	{"header of an answer", `INSERT INTO receipts (user_id, route, key, request, status, header, created_at, body) VALUES ('u', 'r', 'k', 'q', 1, '{', 1, x'')`, "receipts"},
	{"full-text index", `DELETE FROM elemental_text_config`, "file"},
	{"table of tags", `DROP TABLE list_tags`, "file"},
	{"table of jobs", `DROP TABLE jobs`, "file"},
	{"table of passages", `DROP TABLE chunk_tags; DROP TABLE chunks`, "file"},
}

// TestVerifyGoesOn: what cannot be read is a fault, with the id of the row if it is one, and
// what else is wrong is found too.
func TestVerifyGoesOn(t *testing.T) {
	t.Parallel()
	var named atomic.Int32
	t.Cleanup(func() {
		t.Logf("A6: %d kinds of damage after which something cannot be read: %d named, with all else that is wrong", len(unreadable), named.Load())
	})
	libraries := soundLibraries(t)
	for i, d := range unreadable {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			sound := libraries[i%len(libraries)]
			in, path := sound.open(t)
			l, err := in.CreateList(t.Context(), sound.owner, quire.ListInput{Title: "Of lamps"})
			in.must(err)
			fill := strings.NewReplacer("{elemental}", sound.elemental, "{list}", strconv.FormatInt(l.ID, 10))
			in.damage(path, fill.Replace(d.statement))
			in.damage(path, `UPDATE users SET id = id || 'x' WHERE id = (SELECT user_id FROM keys LIMIT 1)`)
			in.damage(path, `UPDATE comments SET parent = id WHERE id = (SELECT max(id) FROM comments)`)
			faults := in.faults()
			is := func(f quire.Fault) bool {
				return f.Part == d.part && (f.ID != "" || d.part == "file") && !strings.Contains(f.Problem, "refers to")
			}
			if !slices.ContainsFunc(faults, is) {
				t.Errorf("no fault of %s is named, but these: %+v", d.part, faults)
			}
			for _, other := range []struct{ part, problem string }{{"file", "a row of keys refers to one of users that is missing"}, {"comments", "it replies to what is no earlier comment on its elemental"}} {
				if !slices.ContainsFunc(faults, func(f quire.Fault) bool { return f.Part == other.part && f.Problem == other.problem }) {
					t.Errorf("what else is wrong with the %s is not found, but these: %+v", other.part, faults)
				}
			}
			if !t.Failed() {
				named.Add(1)
			}
		})
	}
}

// verify checks the library and the engine.
func (in *instance) verify() []quire.Verification {
	in.t.Helper()
	content, err := in.Library.Verify(context.Background())
	in.must(err)
	knowledge, err := in.eng.Verify(context.Background())
	in.must(err)
	return []quire.Verification{content, knowledge}
}

func (in *instance) faults() []quire.Fault {
	in.t.Helper()
	both := in.verify()
	return slices.Concat(both[0].Faults, both[1].Faults)
}

func (in *instance) checked() map[string]int {
	in.t.Helper()
	both := in.verify()
	maps.Copy(both[0].Checked, both[1].Checked)
	return both[0].Checked
}

// damage runs statements on the file of the instance, past its Store.
func (in *instance) damage(path, statements string) {
	in.t.Helper()
	in.damaged = true
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(60000)")
	in.must(err)
	defer db.Close()
	for statement := range strings.SplitSeq(statements, ";") {
		result, err := db.ExecContext(context.Background(), statement)
		in.must(err)
		if n, err := result.RowsAffected(); err != nil || n == 0 && !strings.Contains(statement, "DROP ") {
			in.t.Fatalf("%s: changed %d rows, error %v", statement, n, err)
		}
	}
}
