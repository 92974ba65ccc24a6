package quire

import (
	"context"
	"slices"
)

// DeleteResult counts what a deletion removed.
type DeleteResult struct {
	Chunks     int
	Elementals int // elementals that lost chunks
}

// DeleteElemental removes an elemental's chunks and cancels its ingests; the
// elemental itself stays in the Library. Without any, an unknown or another tenant's
// elemental included, it removes nothing and is no error.
func (e *Engine) DeleteElemental(ctx context.Context, tenantID, elementalID string) (DeleteResult, error) {
	var probs problems
	if tenantID == "" {
		probs.add("tenant_id", "must not be empty")
	}
	if elementalID == "" { // as a filter it would match everything
		probs.add("elemental_id", "must not be empty")
	}
	if err := probs.err(); err != nil {
		return DeleteResult{}, err
	}
	return e.Delete(ctx, Filters{TenantID: tenantID, ElementalID: elementalID})
}

// Delete removes the chunks that match the filters and cancels the ingests of the
// elementals that match now.
func (e *Engine) Delete(ctx context.Context, f Filters) (DeleteResult, error) {
	if err := e.open(ctx); err != nil {
		return DeleteResult{}, err
	}
	var probs problems
	e.lib.checkFilters(&probs, f)
	if err := probs.err(); err != nil {
		return DeleteResult{}, err
	}
	var res DeleteResult
	err := e.lib.commit(ctx, func(tx Tx, ch *changes) error {
		lost, err := matching(ctx, tx, f)
		if err != nil {
			return err
		}
		for elementalID, ids := range lost {
			rest, err := remaining(ctx, tx, f.TenantID, elementalID, ids)
			if err != nil {
				return err
			}
			if err := ch.replace(ctx, tx, f.TenantID, elementalID, rest); err != nil {
				return err
			}
			res.Chunks += len(ids)
		}
		res.Elementals = len(lost)
		return ch.cancelMatching(ctx, tx, f, lost)
	})
	if err != nil {
		return DeleteResult{}, err
	}
	return res, nil
}

// remaining returns the chunks of an elemental without some of them. Where none
// remain, nothing with vectors is read.
func remaining(ctx context.Context, tx ReadTx, tenantID, elementalID string, without map[string]bool) ([]Chunk, error) {
	refs, err := chunkRefs(ctx, tx, tenantID, elementalID)
	if err != nil || len(refs) == len(without) {
		return nil, err
	}
	chunks, err := tx.ChunksOf(ctx, elementalID)
	return slices.DeleteFunc(chunks, func(c Chunk) bool { return without[c.ID] }), err
}

// matching returns the ids of the chunks that match, by elemental.
func matching(ctx context.Context, tx ReadTx, f Filters) (map[string]map[string]bool, error) {
	refs, err := tx.MatchChunks(ctx, f)
	lost := make(map[string]map[string]bool)
	for _, ref := range refs {
		if lost[ref.ElementalID] == nil {
			lost[ref.ElementalID] = make(map[string]bool)
		}
		lost[ref.ElementalID][ref.ID] = true
	}
	return lost, err
}

// cancelMatching cancels the ingests of the elementals that lost chunks and of
// those that match the filters as they would be ingested now: else a job that was
// already asked for would bring back what was deleted.
func (ch *changes) cancelMatching(ctx context.Context, tx Tx, f Filters, lost map[string]map[string]bool) error {
	active, err := tx.ActiveJobs(ctx, f.TenantID, f.ElementalID)
	if err != nil || len(active) == 0 {
		return err
	}
	ids := make([]string, len(active))
	for i, j := range active {
		ids[i] = j.ElementalID
	}
	recs, err := tx.Elementals(ctx, ids)
	if err != nil {
		return err
	}
	for id, rec := range recs {
		if lost[id] == nil {
			metas, err := ch.lib.chunkMetas(ctx, tx, rec)
			if err != nil {
				return err
			}
			if !anyMatches(f, rec, metas) {
				continue
			}
		}
		if _, err := ch.cancelJobs(ctx, tx, f.TenantID, id); err != nil {
			return err
		}
	}
	return nil
}

// anyMatches reports whether a chunk of an elemental with one of metas would match.
func anyMatches(f Filters, rec ElementalRecord, metas map[string]chunkMeta) bool {
	for itemID, meta := range metas {
		c := Chunk{TenantID: rec.TenantID, ElementalID: rec.ID, ItemID: itemID}
		meta.apply(&c)
		if f.Match(&c) {
			return true
		}
	}
	return false
}
