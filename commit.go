package quire

import (
	"context"
	"slices"
	"time"

	"github.com/quirelib/quire/internal/id"
)

// changes collects, during one write transaction, what it does to chunks and
// jobs. If there are chunks among it, the commit and the change of the index happen
// under the write lock of the engine's index: no search comes between the two.
type changes struct {
	lib       *Library
	engine    *Engine // whose index is locked; nil before the commit, or without an engine
	sets      map[string]chunkSet
	follow    map[string]bool // elementals of several texts whose chunks are to follow, by id
	jobs      bool            // a job was added or changed
	cancelled []string        // lease owners of running attempts that are to stop
}

// chunkSet is all that the index is to hold of an elemental.
type chunkSet struct {
	tenantID string
	chunks   []Chunk
}

// commit runs fn in an Update of the Store and brings the engine's index in step
// before any search can see either state half done. It works without an engine
// too: the chunks then only change in the Store.
//
// Locks are taken in one order everywhere: a transaction of the Store first, then
// the index. The index is written after the transaction has ended, from what was
// collected in it, so that writing it needs no Store.
func (l *Library) commit(ctx context.Context, fn func(tx Tx, ch *changes) error) error {
	ch := &changes{lib: l, sets: make(map[string]chunkSet), follow: make(map[string]bool)}
	out := rolledBack
	defer func() { ch.finish(ctx, out) }() // also when fn panics
	err := l.update(ctx, func(tx Tx) error {
		if err := fn(tx, ch); err != nil {
			return err
		}
		if err := ch.refreshMixed(ctx, tx); err != nil {
			return err
		}
		if err := ch.lock(ctx, tx); err != nil {
			return err
		}
		out = unknown
		return nil
	})
	if err == nil {
		out = committed
	}
	return err
}

// outcome is how a transaction ended.
type outcome int

const (
	rolledBack outcome = iota
	unknown            // the commit failed: the Store says that nothing was written, but better look
	committed
)

// finish brings the index in step, releases it and tells workers and waiters.
func (ch *changes) finish(ctx context.Context, out outcome) {
	if ch.engine != nil {
		ch.engine.mirror.endWrite(context.WithoutCancel(ctx), ch.sets, out)
	}
	if out == rolledBack || !ch.jobs {
		return
	}
	if e := ch.lib.engine.Load(); e != nil {
		e.jobsChanged(ch.cancelled)
	}
}

// lock takes the write lock of the index if chunks were changed: as the last step
// inside the transaction, so that searches wait for the commit only and not for the
// writing before it. What an earlier failure left behind is read again from the Store
// and repaired with this commit.
func (ch *changes) lock(ctx context.Context, tx Tx) error {
	if len(ch.sets) == 0 {
		return nil
	}
	for {
		e := ch.lib.engine.Load()
		if e == nil {
			return nil
		}
		if err := e.mirror.lock.Lock(ctx); err != nil {
			return err
		}
		// Only who has the index can tell whether it is still that of the Library: see detach.
		if e == ch.lib.engine.Load() {
			ch.engine = e
			return e.mirror.missed(ctx, tx, ch.sets)
		}
		e.mirror.lock.Unlock()
	}
}

// replace makes chunks all that there is of an elemental.
func (ch *changes) replace(ctx context.Context, tx Tx, tenantID, elementalID string, chunks []Chunk) error {
	if err := tx.ReplaceChunks(ctx, elementalID, chunks); err != nil {
		return err
	}
	ch.sets[elementalID] = chunkSet{tenantID: tenantID, chunks: chunks}
	return nil
}

// putJob writes a job and sees to it that workers and waiters hear of it. When the last
// active job of an elemental ends, its drafts go too; when one succeeds, they are in the
// chunks.
func (ch *changes) putJob(ctx context.Context, tx Tx, j Job) error {
	ch.jobs = true
	if err := tx.PutJob(ctx, j); err != nil || !j.Status.Final() {
		return err
	}
	if j.Status != JobSucceeded {
		active, err := tx.ActiveJobs(ctx, j.TenantID, j.ElementalID)
		if err != nil || len(active) > 0 {
			return err
		}
	}
	return tx.DeleteDrafts(ctx, j.ElementalID)
}

// enqueue adds an ingest job for the elemental, or returns the queued one there
// is, made to run at once and with all its attempts. A running one does not count:
// the content may have changed since it was read. traceID "" makes an id; a trace
// id that is taken returns its job, or ErrConflict if that is of another elemental.
//
// A cell is ingested with its table: the job is that of the table.
func (ch *changes) enqueue(ctx context.Context, tx Tx, rec ElementalRecord, traceID string) (Job, error) {
	if rec.TypeID == TypeCell {
		var err error
		if rec, err = tx.Elemental(ctx, rec.TableID); err != nil {
			return Job{}, err
		}
	}
	if traceID == "" {
		active, err := tx.ActiveJobs(ctx, rec.TenantID, rec.ID)
		if err != nil {
			return Job{}, err
		}
		i := slices.IndexFunc(active, func(j Job) bool { return j.Status == JobQueued })
		if i >= 0 {
			j := active[i]
			j.RunAfter, j.Attempts = time.Time{}, 0
			return j, ch.putJob(ctx, tx, j)
		}
		traceID = id.New()
	} else {
		j, err := tx.Job(ctx, rec.TenantID, traceID)
		switch {
		case err == nil && j.ElementalID == rec.ID && ofFormer(j, rec):
			if err := tx.DeleteJob(ctx, j.TenantID, j.ID); err != nil {
				return Job{}, err
			}
		case err == nil && j.ElementalID == rec.ID:
			return j, nil
		case err == nil:
			return Job{}, Errorf(CodeConflict, "this trace_id belongs to the ingest of another elemental")
		case CodeOf(err) != CodeNotFound:
			return Job{}, err
		}
	}
	if err := dropOldJobs(ctx, tx, rec); err != nil {
		return Job{}, err
	}
	j := Job{
		ID: traceID, TenantID: rec.TenantID, ElementalID: rec.ID,
		Status: JobQueued, Stage: stageQueued, CreatedAt: now(),
	}
	if err := ch.putJob(ctx, tx, j); err != nil {
		return Job{}, err
	}
	return tx.Job(ctx, j.TenantID, j.ID)
}

// ofFormer reports whether a job was cancelled with a former elemental of the same id, when that
// was deleted.
func ofFormer(j Job, rec ElementalRecord) bool {
	return j.Status == JobCancelled && j.FinishedAt != nil && !j.FinishedAt.After(rec.CreatedAt)
}

// ingestIfAsked enqueues an ingest of an elemental that is to be ingested by itself.
func (ch *changes) ingestIfAsked(ctx context.Context, tx Tx, rec ElementalRecord) error {
	if !rec.Settings.KnowledgeBase {
		return nil
	}
	_, err := ch.enqueue(ctx, tx, rec, "")
	return err
}

// refresh makes the metadata of an elemental's stored chunks (owner, tags, type,
// category, title) follow the record, without the embedder. The chunks of a cell are
// among those of its table. That, and an elemental with chunks of files, follows once, at
// the end of the transaction.
func (ch *changes) refresh(ctx context.Context, tx Tx, rec ElementalRecord) error {
	switch rec.TypeID {
	case TypeCell:
		ch.follow[rec.TableID] = true
		return nil
	case TypeTable:
		ch.follow[rec.ID] = true
		return nil
	}
	refs, err := chunkRefs(ctx, tx, rec.TenantID, rec.ID)
	if err != nil || len(refs) == 0 {
		return err
	}
	files, err := tx.MatchChunks(ctx, Filters{TenantID: rec.TenantID, ElementalID: rec.ID, Source: sourceFile})
	if err != nil {
		return err
	}
	if len(files) > 0 {
		ch.follow[rec.ID] = true
		return nil
	}
	meta, err := ch.lib.chunkMeta(ctx, tx, rec)
	if err != nil {
		return err
	}
	// All chunks of an elemental repeat the same: one tells whether the others, with
	// their vectors, have to be read and written.
	first, err := tx.Chunks(ctx, []string{refs[0].ID})
	if err != nil {
		return err
	}
	if c := first[refs[0].ID]; !meta.apply(&c) {
		return nil
	}
	chunks, err := tx.ChunksOf(ctx, rec.ID)
	if err != nil {
		return err
	}
	tagsOnly := true
	for i := range chunks {
		tagsOnly = tagsOnly && meta.sameButTags(&chunks[i])
		meta.apply(&chunks[i])
	}
	if tagsOnly {
		return ch.tag(ctx, tx, rec, meta, chunks)
	}
	return ch.replace(ctx, tx, rec.TenantID, rec.ID, chunks)
}

// tag gives all chunks of an elemental the tags of meta, which chunks have already.
func (ch *changes) tag(ctx context.Context, tx Tx, rec ElementalRecord, meta chunkMeta, chunks []Chunk) error {
	if err := tx.TagChunks(ctx, rec.ID, meta.tagIDs, meta.tagNames); err != nil {
		return err
	}
	ch.sets[rec.ID] = chunkSet{tenantID: rec.TenantID, chunks: chunks}
	return nil
}

// drop deletes all chunks of an elemental and cancels its active jobs. It returns
// how many chunks there were.
func (ch *changes) drop(ctx context.Context, tx Tx, tenantID, elementalID string) (int, error) {
	cancelled, err := ch.cancelJobs(ctx, tx, tenantID, elementalID)
	if err == nil && ch.lib.orphans.due(cancelled) {
		err = dropOrphanJobs(ctx, tx)
	}
	if err != nil {
		return 0, err
	}
	refs, err := chunkRefs(ctx, tx, tenantID, elementalID)
	if err != nil || len(refs) == 0 {
		return 0, err
	}
	return len(refs), ch.replace(ctx, tx, tenantID, elementalID, nil)
}

// chunkRefs returns the ids of all chunks of an elemental.
func chunkRefs(ctx context.Context, tx ReadTx, tenantID, elementalID string) ([]ChunkRef, error) {
	return tx.MatchChunks(ctx, Filters{TenantID: tenantID, ElementalID: elementalID})
}

// cancelJobs ends the queued and running jobs of an elemental, and returns how many they were.
func (ch *changes) cancelJobs(ctx context.Context, tx Tx, tenantID, elementalID string) (int, error) {
	active, err := tx.ActiveJobs(ctx, tenantID, elementalID)
	if err != nil {
		return 0, err
	}
	for _, j := range active {
		if _, err := ch.cancelJob(ctx, tx, j); err != nil {
			return 0, err
		}
	}
	return len(active), nil
}

// cancelJob ends a queued or running job. A worker that runs it finds it ended when it
// wants to commit; to stop it sooner, its context is cancelled once this transaction is
// through.
func (ch *changes) cancelJob(ctx context.Context, tx Tx, j Job) (Job, error) {
	if j.Status == JobRunning {
		ch.cancelled = append(ch.cancelled, j.LeaseOwner)
	}
	j = j.ended(JobCancelled, "")
	return j, ch.putJob(ctx, tx, j)
}
