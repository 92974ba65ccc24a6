package sqlite

import (
	"context"
	"slices"

	"github.com/quirelib/quire"
)

// copies are queries for what stands twice, or is made of something else, and is not the
// same: each names the rows that it is about.
var copies = []struct{ part, problem, query string }{
	{"items", "who is shown an elemental in this list is not what the elemental says", `
		SELECT i.list_id FROM list_items i JOIN elementals e ON e.num = i.elemental
		WHERE i.elemental_id IS NOT e.id OR i.owner_id IS NOT e.owner_id OR i.visibility IS NOT e.visibility`},
	{"comments", "it replies to what is no earlier comment on its elemental", `
		SELECT c.id FROM comments c JOIN comments p ON p.id = c.parent
		WHERE p.id >= c.id OR p.elemental <> c.elemental`},
	{"elementals", "it has no words in the full-text index", `
		SELECT e.id FROM elementals e WHERE NOT EXISTS (SELECT 1 FROM elemental_text_docsize d WHERE d.id = e.num)`},
	{"lists", "it has no words in the full-text index", `
		SELECT l.id FROM lists l WHERE NOT EXISTS (SELECT 1 FROM list_text_docsize d WHERE d.id = l.id)`},
	{"file", "the full-text index has words of an elemental that is missing", `
		SELECT '' FROM elemental_text_docsize d WHERE NOT EXISTS (SELECT 1 FROM elementals e WHERE e.num = d.id)`},
	{"file", "the full-text index has words of a list that is missing", `
		SELECT '' FROM list_text_docsize d WHERE NOT EXISTS (SELECT 1 FROM lists l WHERE l.id = d.id)`},
}

// verifyChunkTags checks that chunks are filtered by the tags that they have. In SQL alone,
// with json_each, it would take ten times as long.
func (t *tx) verifyChunkTags(ctx context.Context, v *quire.Verification) error {
	type tagged struct {
		ids, names, rows []string
		damaged          bool
	}
	scan := func(row scanner) (c tagged, err error) {
		err = row.Scan(arrayTo[string]{&c.ids}, arrayTo[string]{&c.names}, arrayTo[string]{&c.rows})
		if _, c.damaged = columnOf(err); c.damaged {
			err = nil // verifyChunks has told
		}
		return c, err
	}
	query := `SELECT c.id, c.tag_ids, c.tag_names,
		(SELECT json_group_array(g.kind || ' ' || g.value) FROM chunk_tags g WHERE g.chunk = c.num) FROM chunks c`
	return verifyEach(ctx, t, v, "chunks", query, scan, func(id string, c tagged) error {
		slices.Sort(c.rows)
		if !c.damaged && !slices.Equal(c.rows, tagRows(c.ids, c.names)) {
			v.Add("chunks", id, "the tags that it is filtered by are not its tags")
		}
		return nil
	})
}

// tagRows are what chunk_tags has to hold of a chunk, sorted. Different tags can have the
// same name.
func tagRows(ids, names []string) (rows []string) {
	for _, id := range ids {
		rows = append(rows, "id "+id)
	}
	for _, name := range names {
		rows = append(rows, "name "+name)
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// verifyCopies are the checks of what stands twice.
func (t *tx) verifyCopies() []verification {
	checks := []verification{{"tags of chunks", t.verifyChunkTags}}
	for _, c := range copies {
		checks = append(checks, verification{c.part, func(ctx context.Context, v *quire.Verification) error {
			for name, err := range stream(ctx, t, value[any], c.query) {
				if err != nil {
					return err
				}
				v.Add(c.part, idOf(name), "%s", c.problem)
			}
			return nil
		}})
	}
	return checks
}
