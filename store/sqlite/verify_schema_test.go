package sqlite

import (
	"context"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

// TestVerifySchema: what a file lacks of the schema, has otherwise or besides is a fault
// with its name.
func TestVerifySchema(t *testing.T) {
	t.Parallel()
	changes := map[string]string{
		`DROP INDEX jobs_queued`:         "the index jobs_queued is missing",
		`DROP TRIGGER list_items_follow`: "the trigger list_items_follow is missing",
		`DROP TABLE list_tags`:           "the table list_tags is missing",
		`DROP TABLE list_text`:           "the table list_text is missing",
		`DROP INDEX jobs_by_status; CREATE INDEX jobs_by_status ON jobs (id)`: "the index jobs_by_status is not as it was made",
		`ALTER TABLE keys ADD COLUMN more TEXT`:                               "the table keys is not as it was made",
		`CREATE TABLE mine (x)`:                                               "the table mine of table mine is none of this program",
		`CREATE TRIGGER t AFTER INSERT ON keys BEGIN DELETE FROM users; END`:  "the trigger t of table keys is none of this program",
		`CREATE VIEW v AS SELECT id FROM users`:                               "the view v of table v is none of this program",
	}
	found := 0
	for script, want := range changes {
		s := newStore(t)
		execRaw(t, s.path, script)
		if got := problems(t, s); slices.Contains(got, want) {
			found++
		} else {
			t.Errorf("%s: found %q", script, got)
		}
	}
	t.Logf("A6: %d changes of the schema, %d named", len(changes), found)
}

// What SQLite adds by itself is no fault.
func TestVerifyAnalyzed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	s := mustOpen(t, path)
	putMetaValue(t, s, "a", "b")
	mustClose(t, s)
	execRaw(t, path, `ANALYZE`)
	s = mustOpen(t, path)
	defer mustClose(t, s)
	if got := problems(t, s); len(got) > 0 {
		t.Errorf("found %q", got)
	}
}

// problems returns what Verify finds.
func problems(t *testing.T, s *Store) (found []string) {
	t.Helper()
	var v quire.Verification
	if err := s.Verify(t.Context(), &v); err != nil {
		t.Errorf("Verify: %s", quire.Cause(err))
	}
	for _, f := range v.Faults {
		found = append(found, f.Problem)
	}
	return found
}

// TestVerifyNames: the fault of a row that cannot be read has its id and its column, and
// nothing of what is in it.
func TestVerifyNames(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	fillForFlips(t, s)
	execRaw(t, s.path, `UPDATE elementals SET is_premium = 4711 WHERE id = 'e7';
		UPDATE lists SET tutorial_steps = 'secret' WHERE id = 9;
		UPDATE chunks SET heading = 'secret' WHERE id = 'c3'`)
	var v quire.Verification
	if err := s.Verify(t.Context(), &v); err != nil {
		t.Fatalf("Verify: %s", quire.Cause(err))
	}
	want := []quire.Fault{
		{Part: "elementals", ID: "e7", Problem: "it cannot be read: its is_premium is no value of its kind"},
		{Part: "lists", ID: "9", Problem: "it cannot be read: its tutorial_steps is no value of its kind"},
		{Part: "chunks", ID: "c3", Problem: "it cannot be read: its heading is no value of its kind"},
	}
	if !slices.Equal(v.Faults, want) || v.Checked["rows"] != 597 {
		t.Errorf("found %+v in %v", v.Faults, v.Checked)
	}
	t.Logf("A6: 3 of 600 rows damaged: %d named, %d checked", len(v.Faults), v.Checked["rows"])
	err := s.View(t.Context(), func(tx quire.ReadTx) error {
		n := 0
		for e, err := range tx.TenantElementals(t.Context(), "t") {
			if n++; (err != nil) != (e.ID == "e7") || err != nil && quire.CodeOf(err) != quire.CodeCorrupt {
				t.Errorf("elemental %s comes with %v", e.ID, err)
			}
		}
		if n != 150 {
			t.Errorf("%d elementals come", n)
		}
		_, err := tx.Elemental(t.Context(), "e8") // after the damage
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestChunksBehindDamage: a transaction that writes reads on behind chunks that cannot be
// decoded, which come with their ids and nothing of the chunk before, and can drop them.
func TestChunksBehindDamage(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	fillForFlips(t, s)
	execRaw(t, s.path, `UPDATE chunks SET heading = 'x' WHERE id = 'c3'; UPDATE chunks SET vector = x'00' WHERE id = 'c7'`)
	count := func(all iter.Seq2[quire.Chunk, error]) (whole int, damaged []string) {
		for c, err := range all {
			switch {
			case err == nil:
				whole++
			case quire.CodeOf(err) == quire.CodeCorrupt && len(c.Vector) == 0:
				damaged = append(damaged, strings.Join([]string{c.ID, c.TenantID, c.ElementalID}, " "))
			default:
				t.Errorf("chunk %s comes with %d numbers and %v", c.ID, len(c.Vector), err)
			}
		}
		return whole, damaged
	}
	want := []string{"c3 t e3", "c7 t e7"}
	mustUpdate(t, s, func(ctx context.Context, tx quire.Tx) error {
		for name, all := range map[string]iter.Seq2[quire.Chunk, error]{"AllChunks": tx.AllChunks(ctx), "AllVectors": tx.AllVectors(ctx)} {
			if whole, damaged := count(all); whole != 148 || !slices.Equal(damaged, want) {
				t.Errorf("%s: %d chunks, and damaged ones %q", name, whole, damaged)
			}
		}
		return tx.ReplaceChunks(ctx, "e3", nil)
	})
	err := s.View(t.Context(), func(tx quire.ReadTx) error {
		if whole, damaged := count(tx.AllChunks(t.Context())); whole != 148 || !slices.Equal(damaged, want[1:]) {
			t.Errorf("afterwards there are %d chunks, and damaged ones %q", whole, damaged)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestVerifySecondTransaction: a transaction that writes does not commit behind damage.
func TestVerifySecondTransaction(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	fillForFlips(t, s)
	execRaw(t, s.path, `UPDATE elementals SET is_premium = 4711 WHERE id = 'e7'`)
	err := s.Update(t.Context(), func(tx quire.Tx) error {
		_, _ = tx.Elemental(context.Background(), "e7")
		return nil
	})
	wantCode(t, err, quire.CodeCorrupt)
	if strings.Contains(err.Error(), "4711") {
		t.Errorf("the error shows what is stored: %v", err)
	}
}
