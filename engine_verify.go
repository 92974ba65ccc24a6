package quire

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/quirelib/quire/internal/id"
)

// Verify reads all chunks, and the jobs that have not ended, in the Store, of all tenants, and
// says what is wrong:
//
//   - chunks of an elemental that is missing, or with another tenant, owner, title, tags or
//     column, or whose id is not that of their place;
//   - chunks whose text is not that of the place in their source that they cite, where the
//     elemental has not changed since its last ingest, and the source is not a file;
//   - vectors of an Embedder that is not in use, of another length than its own, or not of
//     unit length, as one with a number that is none;
//   - jobs to be run for an elemental that is missing, and elementals of the knowledge base
//     that have neither a job nor chunks;
//   - an index that has not as many vectors as there are chunks, or does not find a chunk
//     by its own vector; that is tried with some 100 chunks, spread over all.
//
// What cannot be read is such a fault, and the rest is read nevertheless. What an index has
// wrong, another start of the Engine mends: it is filled from the Store.
//
// It does not see a vector that was exchanged for another of unit length, or changed so little
// that its length is still one, since vectors have no checksum; nor another heading, hash or
// name of a type or category, nor other places of a passage in a file; nor that an elemental
// has lost some of its chunks, but not all. [Engine.Delete] and another ingest make the chunks of
// an elemental anew.
//
// Reading and writing go on meanwhile. The error is that of the reading, nil however much is
// wrong. [Library.Verify] checks the content itself, the texts of passages by checksums, and
// says what neither sees.
func (e *Engine) Verify(ctx context.Context) (Verification, error) {
	var v Verification
	if err := e.open(ctx); err != nil {
		return v, err
	}
	if err := e.lib.apart(ctx); err != nil {
		return v, err
	}
	check := knowledgeCheck{Verification: &v, e: e}
	err := e.lib.view(ctx, func(tx ReadTx) error {
		check.tx = tx
		if err := v.passOver("chunks", "", notAllRead, check.chunks(ctx)); err != nil {
			return err
		}
		return v.passOver("jobs", "", notAllRead, check.jobs(ctx))
	})
	if err := v.passOver("chunks", "", notAllRead, err); err != nil {
		return v, err
	}
	return v, v.passOver("index", "", notAllRead, check.index(ctx))
}

// notAllRead is the problem of a kind that is damaged.
const notAllRead = "not all of them can be read: see what Library.Verify says"

// probes is how many chunks are looked for in the index.
const probes = 100

// knowledgeCheck checks chunks and jobs.
type knowledgeCheck struct {
	*Verification
	e       *Engine
	tx      ReadTx
	sampled []Chunk // to look for in the index
	ingests map[string]bool
}

// chunks checks all chunks, those of one elemental at a time.
func (c *knowledgeCheck) chunks(ctx context.Context) error {
	total, err := c.tx.CountChunks(ctx)
	if err != nil {
		return err
	}
	stored, err := storedModel(ctx, c.tx)
	if err != nil {
		return err
	}
	c.ingests = map[string]bool{}
	every, n := max(1, total/probes), 0
	var group []Chunk // of one elemental
	for chunk, err := range c.tx.AllChunks(ctx) {
		if err != nil && chunk.ID != "" {
			n++
			c.ingests[chunk.ElementalID] = true
			err = c.passOver("chunks", chunk.ID, "it cannot be read", err)
			if err == nil {
				continue
			}
		}
		if err != nil {
			return err
		}
		if len(group) > 0 && group[0].ElementalID != chunk.ElementalID {
			if err := c.group(ctx, group); err != nil {
				return err
			}
			group = group[:0]
		}
		c.vector(&chunk, stored)
		if n++; n%every == 0 {
			c.sampled = append(c.sampled, chunk)
		}
		chunk.Vector = nil // so that those of a large elemental are not held
		group = append(group, chunk)
	}
	c.Count("chunks", n)
	if len(group) == 0 {
		return nil
	}
	return c.group(ctx, group)
}

// group checks the chunks of an elemental, if that can be read.
func (c *knowledgeCheck) group(ctx context.Context, chunks []Chunk) error {
	c.ingests[chunks[0].ElementalID] = true
	err := c.elemental(ctx, chunks)
	return c.passOver("chunks", chunks[0].ID, "its elemental cannot be read, nor compared with its chunks", err)
}

// vector checks the vector of a chunk.
func (c *knowledgeCheck) vector(chunk *Chunk, stored string) {
	length := len(chunk.Vector)
	known, err := c.e.mirror.modelOf(chunk.Fingerprint)
	switch {
	case chunk.Fingerprint != stored, err != nil:
		c.Add("vectors", chunk.ID, "it is of another embedder than the one in use")
	case length != known.length:
		c.Add("vectors", chunk.ID, "it has %d numbers instead of %d", length, known.length)
	case !isUnit(chunk.Vector):
		c.Add("vectors", chunk.ID, "it is not of unit length")
	}
	c.Count("vectors", 1)
}

// elemental checks the chunks of an elemental against it.
func (c *knowledgeCheck) elemental(ctx context.Context, chunks []Chunk) error {
	elementalID := chunks[0].ElementalID
	rec, err := c.tx.Elemental(ctx, elementalID)
	if CodeOf(err) == CodeNotFound {
		c.Add("chunks", chunks[0].ID, "its elemental %s is missing; so it is for %d chunks", elementalID, len(chunks))
		return nil
	}
	if err != nil {
		return err
	}
	metas, texts, err := c.e.lib.chunkSources(ctx, c.tx, rec)
	if err != nil {
		return err
	}
	fresh, err := c.fresh(ctx, rec)
	if err != nil {
		return err
	}
	for i := range chunks {
		c.chunk(rec, &chunks[i], metas, texts, fresh)
	}
	return nil
}

// chunk checks a chunk against the sources of its elemental.
func (c *knowledgeCheck) chunk(rec ElementalRecord, chunk *Chunk, metas map[string]chunkMeta, texts map[string]string, fresh bool) {
	if chunk.TenantID != rec.TenantID {
		c.Add("chunks", chunk.ID, "its tenant is not that of its elemental")
	}
	if chunk.ID != id.Point(chunk.ElementalID, chunk.ItemID, chunk.Source, strconv.Itoa(chunk.Ordinal)) {
		c.Add("chunks", chunk.ID, "its id is not that of its place")
	}
	if meta, ok := metas[chunk.ItemID]; ok {
		if chunk.ColumnID != meta.columnID {
			c.Add("chunks", chunk.ID, "its column is not that of its elemental")
		}
		have := *chunk
		meta.typeName, meta.categoryName = have.TypeName, have.CategoryName // as the catalogue named them then
		if meta.apply(&have) {
			c.Add("chunks", chunk.ID, "its owner, title or tags are not those of its elemental")
		}
	} else if fresh {
		c.Add("chunks", chunk.ID, "the cell or file that it is of is missing")
	}
	text, own := texts[chunk.ItemID]
	if !fresh || !own {
		return
	}
	if chunk.Start < 0 || chunk.End > len(text) || chunk.Start > chunk.End || text[chunk.Start:chunk.End] != chunk.Text {
		c.Add("chunks", chunk.ID, "its text is not that of the place it cites")
	}
}

// fresh reports whether an elemental is surely as it was when it was ingested last. Only those
// of the knowledge base are ingested with each change; times alone cannot say it, because clocks
// are set back.
func (c *knowledgeCheck) fresh(ctx context.Context, rec ElementalRecord) (bool, error) {
	if !rec.Settings.KnowledgeBase {
		return false, nil
	}
	jobs, _, err := c.tx.Jobs(ctx, JobQuery{TenantID: rec.TenantID, ElementalID: rec.ID, Limit: 2 * jobsKept})
	if err != nil || len(jobs) == 0 {
		return false, err
	}
	last := slices.MaxFunc(jobs, func(a, b Job) int { return cmp.Compare(a.Seq, b.Seq) })
	if last.Status != JobSucceeded || last.StartedAt == nil {
		return false, nil
	}
	changed := rec.CreatedAt
	if rec.UpdatedAt != nil {
		changed = *rec.UpdatedAt
	}
	return last.StartedAt.After(changed), nil
}

// jobs checks the active jobs, and that what is to be ingested is.
func (c *knowledgeCheck) jobs(ctx context.Context) error {
	tenants, err := c.tx.Tenants(ctx)
	if err != nil {
		return err
	}
	for _, tenantID := range tenants {
		if err := c.passOver("jobs", "", notAllRead, c.active(ctx, tenantID)); err != nil {
			return err
		}
		for rec, err := range c.tx.TenantElementals(ctx, tenantID) {
			if err == nil {
				err = c.ingested(ctx, rec)
			}
			if err := c.passOver("jobs", "", notAllRead, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// active checks that the active jobs of a tenant have something to do.
func (c *knowledgeCheck) active(ctx context.Context, tenantID string) error {
	active, err := c.tx.ActiveJobs(ctx, tenantID, "")
	if err != nil {
		return err
	}
	c.Count("jobs", len(active))
	for _, j := range active {
		switch _, err := c.tx.Elemental(ctx, j.ElementalID); {
		case CodeOf(err) == CodeNotFound:
			c.Add("jobs", j.ID, "its elemental %s is missing", j.ElementalID)
		case err != nil:
			if err := c.passOver("jobs", j.ID, "its elemental cannot be read", err); err != nil {
				return err
			}
		}
	}
	return nil
}

// ingested checks that an elemental of the knowledge base is ingested or has a job.
func (c *knowledgeCheck) ingested(ctx context.Context, rec ElementalRecord) error {
	if !rec.Settings.KnowledgeBase || c.ingests[rec.ID] || rec.TypeID == TypeCell {
		return nil
	}
	_, n, err := c.tx.Jobs(ctx, JobQuery{TenantID: rec.TenantID, ElementalID: rec.ID, Limit: 1})
	if err == nil && n == 0 {
		c.Add("jobs", "", "elemental %s is in the knowledge base, but has neither a job nor chunks", rec.ID)
	}
	return err
}

// index compares the index with the Store.
func (c *knowledgeCheck) index(ctx context.Context) error {
	e := c.e
	err := e.mirror.read(ctx, e.lib.store, func(tx ReadTx, index indexes) error {
		n, err := tx.CountChunks(ctx)
		if err != nil {
			return err
		}
		stats, err := index.vectors.Stats(ctx)
		if err == nil && stats.Vectors != n {
			c.Add("index", "", "it has %d vectors for %d chunks", stats.Vectors, n)
		}
		return err
	})
	for i := 0; i < len(c.sampled) && err == nil; i++ {
		err = c.probe(ctx, &c.sampled[i])
	}
	return err
}

// probe looks for a chunk in the index, by its own vector among the chunks of its
// elemental. A chunk that has changed meanwhile is passed over.
func (c *knowledgeCheck) probe(ctx context.Context, chunk *Chunk) error {
	e := c.e
	return e.mirror.read(ctx, e.lib.store, func(tx ReadTx, index indexes) error {
		now, err := tx.Chunks(ctx, []string{chunk.ID})
		if CodeOf(err) == CodeCorrupt { // of which chunks has told
			return nil
		}
		if err != nil || now[chunk.ID].Hash != chunk.Hash || now[chunk.ID].Fingerprint != chunk.Fingerprint {
			return err
		}
		c.Count("index", 1)
		hits, err := index.vectors.Search(ctx, chunk.Vector, Filters{TenantID: chunk.TenantID, ElementalID: chunk.ElementalID}, 1)
		if CodeOf(err) == CodeInvalid { // a vector that no index takes, of which vector has told
			return nil
		}
		if err == nil && (len(hits) == 0 || hits[0].Score < 0.999) {
			c.Add("index", chunk.ID, "it is not found by its own vector")
		}
		return err
	})
}
