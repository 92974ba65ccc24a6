package quire

import (
	"context"
	"iter"
	"time"
)

// JobQuery selects a page of a tenant's jobs.
type JobQuery struct {
	TenantID    string
	ElementalID string // "": of all elementals
	Offset      int    // >= 0
	Limit       int    // >= 1
}

// JobReader reads ingest jobs.
type JobReader interface {
	// Job returns a job of a tenant, or ErrNotFound.
	Job(ctx context.Context, tenantID, id string) (Job, error)
	// Jobs returns one page of the jobs that q selects, newest CreatedAt first, ties by
	// descending Seq, and the number of all of them.
	Jobs(ctx context.Context, q JobQuery) ([]Job, int, error)
	// ActiveJobs returns the queued and running jobs of a tenant by ascending Seq;
	// of one elemental if elementalID is not "".
	ActiveJobs(ctx context.Context, tenantID, elementalID string) ([]Job, error)
	// OrphanJobs returns cancelled jobs of all tenants that ended before a moment and whose
	// elemental does not exist, by ascending Seq, limit (>= 1) at most.
	OrphanJobs(ctx context.Context, before time.Time, limit int) ([]Job, error)
	// CountJobs returns how many jobs of all tenants have each status; a status with
	// none may be left out.
	CountJobs(ctx context.Context) (map[JobStatus]int, error)
	// NextJob returns the earliest moment at which ClaimJob could find a job, or
	// ErrNotFound if none is queued or running.
	NextJob(ctx context.Context) (time.Time, error)
}

// JobWriter writes ingest jobs.
type JobWriter interface {
	// PutJob adds a job or replaces the one of the same tenant and ID. A new job gets
	// the next Seq of the Store, whatever Seq says; a replaced one keeps its own.
	PutJob(ctx context.Context, j Job) error
	// ClaimJob takes the runnable job with the smallest Seq: one that is queued with
	// RunAfter <= now, or running with LeaseUntil <= now. It sets Status running,
	// LeaseOwner and LeaseUntil, adds one to Attempts, sets StartedAt if it is nil,
	// and returns the job so changed. ErrNotFound if there is none. A job whose
	// elemental has another job running under a lease that lasts is passed over.
	ClaimJob(ctx context.Context, now time.Time, owner string, leaseUntil time.Time) (Job, error)
	// DeleteJob deletes a job of a tenant. It is no error if there is none.
	DeleteJob(ctx context.Context, tenantID, id string) error
}

// ChunkReader reads chunks.
type ChunkReader interface {
	// Chunks returns those of the chunks that exist, keyed by id, without their
	// vectors; unknown ids are left out. Any number of ids is allowed.
	Chunks(ctx context.Context, ids []string) (map[string]Chunk, error)
	// ChunksOf returns all chunks of an elemental with their vectors, by source, item
	// and ordinal.
	ChunksOf(ctx context.Context, elementalID string) ([]Chunk, error)
	// AllChunks iterates over all chunks of all tenants with their vectors, those of
	// one elemental one after the other. An error ends the iteration, but for that of a chunk
	// that is stored and cannot be decoded: it comes with its ID, TenantID, UserID and ElementalID
	// and an ErrCorrupt, which leaves the transaction as it was, and the others follow.
	AllChunks(ctx context.Context) iter.Seq2[Chunk, error]
	// AllVectors iterates as AllChunks does, over what a VectorIndex reads: ids, tenant,
	// the fields that Filters name and Vector, with Fingerprint. The other fields may be
	// as they are stored or empty.
	AllVectors(ctx context.Context) iter.Seq2[Chunk, error]
	// PlainChunks returns one page of all chunks of all tenants without their vectors:
	// limit (>= 1) at most, by ascending id, beginning after the id after.
	PlainChunks(ctx context.Context, after string, limit int) ([]Chunk, error)
	// MatchChunks returns the ids and elementals of the chunks that match f, by
	// elemental, then id. f.TenantID is never "".
	MatchChunks(ctx context.Context, f Filters) ([]ChunkRef, error)
	// CountChunks returns how many chunks there are in all.
	CountChunks(ctx context.Context) (int, error)
}

// ChunkWriter writes chunks.
type ChunkWriter interface {
	// ReplaceChunks deletes all chunks of an elemental and adds these. Each has that
	// ElementalID; none has the id of another elemental's chunk. One with the ID, Text,
	// Hash and Fingerprint of the stored one has its Vector too, and a Store need not
	// write that again.
	ReplaceChunks(ctx context.Context, elementalID string, chunks []Chunk) error
	// TagChunks gives all chunks of an elemental these TagIDs and TagNames, and changes
	// nothing else of them.
	TagChunks(ctx context.Context, elementalID string, ids, names []string) error
}

// VectorReader reads the vectors that are kept beside the chunks while the Embedder is
// changed: those that are to replace the chunks' own when all are there. They are kept
// by the fingerprint of their Embedder and the hash of the embedded text.
type VectorReader interface {
	// MissingVectors returns those of the hashes that no vector of the fingerprint is
	// kept for, each once, in no order. Any number of hashes is allowed. Vectors of
	// chunks do not count.
	MissingVectors(ctx context.Context, fingerprint string, hashes []string) ([]string, error)
	// VectorLengths returns the different lengths of the kept vectors of a fingerprint, in
	// ascending order.
	VectorLengths(ctx context.Context, fingerprint string) ([]int, error)
}

// VectorWriter writes vectors that are kept beside the chunks.
type VectorWriter interface {
	// PutVectors keeps vectors of a fingerprint by hash, replacing those of the same
	// fingerprint and hash.
	PutVectors(ctx context.Context, fingerprint string, vectors map[string][]float32) error
	// AdoptVectors gives every chunk of any tenant for whose Hash a vector of the
	// fingerprint is kept that vector and the fingerprint, and returns how many chunks
	// that were. The others stay as they are, and so do the kept vectors.
	AdoptVectors(ctx context.Context, fingerprint string) (int, error)
	// DeleteVectors deletes the kept vectors of all fingerprints except those named.
	DeleteVectors(ctx context.Context, except ...string) error
}

// DraftReader reads drafts: vectors that an ingest has got from the Embedder and that are
// in no chunk yet.
type DraftReader interface {
	// Drafts returns the drafts of an elemental that are of a fingerprint, by the hash of
	// the embedded text.
	Drafts(ctx context.Context, elementalID, fingerprint string) (map[string][]float32, error)
}

// DraftWriter writes drafts. There need not be an elemental with that id.
type DraftWriter interface {
	// PutDrafts keeps vectors of an elemental and a fingerprint by hash, replacing those
	// of the same three.
	PutDrafts(ctx context.Context, elementalID, fingerprint string, vectors map[string][]float32) error
	// DeleteDrafts deletes the drafts of an elemental, of all fingerprints.
	DeleteDrafts(ctx context.Context, elementalID string) error
}
