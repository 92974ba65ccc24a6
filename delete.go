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
			if err := ch.leaveJob(ctx, tx, f.TenantID, elementalID); err != nil {
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

// leaveJob sees to it that an elemental that has lost passages has a cancelled job where it had
// none or its last one failed: without one, as after an import with its passages, it would look
// like one whose ingest was lost, and with a failed one an export would have it ingested again.
func (ch *changes) leaveJob(ctx context.Context, tx Tx, tenantID, elementalID string) error {
	jobs, _, err := tx.Jobs(ctx, JobQuery{TenantID: tenantID, ElementalID: elementalID, Limit: 1})
	if err != nil || len(jobs) > 0 && jobs[0].Status != JobFailed {
		return err
	}
	found, err := tx.ElementalsWithoutBody(ctx, []string{elementalID})
	rec := found[elementalID]
	if err != nil || rec.TenantID != tenantID {
		return err
	}
	j, err := ch.enqueue(ctx, tx, rec, "")
	if err == nil {
		_, err = ch.cancelJob(ctx, tx, j)
	}
	return err
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
	match := f.Matcher()
	for some := range slices.Chunk(unique(ids), lightPortion) {
		recs, err := tx.ElementalsWithoutBody(ctx, some)
		if err != nil {
			return err
		}
		for _, rec := range recs {
			if err := ch.cancelIfMatching(ctx, tx, match, rec, lost[rec.ID] != nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// cancelIfMatching cancels the ingests of an elemental, whose body is not read, if it has lost
// chunks or would match.
func (ch *changes) cancelIfMatching(ctx context.Context, tx Tx, match func(*Chunk) bool, rec ElementalRecord, lost bool) error {
	if !lost {
		metas, err := ch.lib.chunkMetas(ctx, tx, rec)
		if err != nil || !anyMatches(match, rec, metas) {
			return err
		}
	}
	_, err := ch.cancelJobs(ctx, tx, rec.TenantID, rec.ID)
	return err
}

// anyMatches reports whether a chunk of an elemental with one of metas would match.
func anyMatches(match func(*Chunk) bool, rec ElementalRecord, metas map[string]chunkMeta) bool {
	for itemID, meta := range metas {
		c := Chunk{TenantID: rec.TenantID, ElementalID: rec.ID, ItemID: itemID}
		meta.apply(&c)
		if match(&c) {
			return true
		}
	}
	return false
}
