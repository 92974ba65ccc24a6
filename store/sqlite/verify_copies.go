package sqlite

import (
	"context"

	"github.com/quirelib/quire"
)

// copies are queries for what stands twice, or is made of something else, and is not the
// same: each names the rows that it is about.
var copies = []struct{ part, problem, query string }{
	{"items", "who is shown an elemental in this list is not what the elemental says", `
		SELECT i.list_id FROM list_items i JOIN elementals e ON e.num = i.elemental
		WHERE i.elemental_id IS NOT e.id OR i.owner_id IS NOT e.owner_id OR i.visibility IS NOT e.visibility`},
	{"chunks", "the tags that it is filtered by are not its tags", `
		SELECT c.id FROM chunks c WHERE ` + tagsDiffer("id", "tag_ids") + ` OR ` + tagsDiffer("name", "tag_names")},
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

// tagsDiffer is the condition that a chunk has other tags in chunk_tags than in a column. An
// array that is none is passed over: it is a fault by itself.
func tagsDiffer(kind, column string) string {
	rows := `(SELECT count(*) FROM chunk_tags g WHERE g.chunk = c.num AND g.kind = '` + kind + `'`
	members := `json_each(CASE WHEN json_valid(c.` + column + `) THEN c.` + column + ` ELSE '[]' END)`
	distinct := `(SELECT count(DISTINCT j.value) FROM ` + members + ` j)`
	both := rows + ` AND g.value IN (SELECT j.value FROM ` + members + ` j))`
	return rows + `) <> ` + distinct + ` OR ` + both + ` <> ` + distinct
}

// verifyCopies are the checks of what stands twice.
func (t *tx) verifyCopies() []verification {
	checks := make([]verification, len(copies))
	for i, c := range copies {
		checks[i] = verification{c.part, func(ctx context.Context, v *quire.Verification) error {
			for name, err := range stream(ctx, t, value[any], c.query) {
				if err != nil {
					return err
				}
				v.Add(c.part, idOf(name), "%s", c.problem)
			}
			return nil
		}}
	}
	return checks
}
