package quire

import (
	"context"
	"iter"
	"time"
)

// Store keeps everything that is durable: content, jobs, chunks and their
// vectors. It keeps, finds and pages; the rules are in Library and Engine.
//
// What every implementation must hold (store/storetest checks it):
//
//   - Values are copied on the way in and on the way out: neither side sees the
//     other's later changes to a slice or pointer.
//   - Times are kept to the microsecond and come back in UTC. A nil or empty
//     slice comes back nil or empty, no matter which.
//   - A missing row is ErrNotFound, never a zero value with a nil error, and
//     deleting what is missing is no error, unless a method says otherwise.
//   - Text is stored byte for byte.
//   - After Close every call returns ErrClosed.
type Store interface {
	// View runs fn in a read transaction. All reads of one View see the same
	// state: that of a moment not before View was called. fn's error is returned
	// as it is. The ReadTx must not be used after fn has returned. Do not nest View
	// or Update.
	View(ctx context.Context, fn func(tx ReadTx) error) error

	// Update runs fn in a write transaction. Updates run one at a time, each
	// seeing all that earlier ones wrote. When fn returns nil and the commit
	// succeeds, everything fn wrote is durable and visible to all; when fn or the
	// commit fails, or ctx is cancelled before the commit, nothing of it is, and the
	// error is returned (fn's as it is, the context's as ctx.Err()). fn runs at most
	// once. A panic of fn rolls back and goes on.
	Update(ctx context.Context, fn func(tx Tx) error) error

	// Close releases the Store. It waits for running transactions. Closing twice is
	// no error.
	Close() error
}

// ExclusiveStore is an optional ability of a Store that no other process can
// have open at the same time. An Engine over it takes back at once the jobs that
// a killed process left running; over any other Store it waits until their lease
// has ended.
type ExclusiveStore interface {
	Store
	Exclusive() bool
}

// ReadTx is what a read transaction can do. It is for one goroutine.
type ReadTx interface {
	UserReader
	TagReader
	ElementalReader
	ListReader
	JobReader
	ChunkReader
	VectorReader
	MediaReader
	EngagementReader
	ReceiptReader
	MetaReader
}

// Tx is what a write transaction can do. It is for one goroutine.
type Tx interface {
	ReadTx
	UserWriter
	TagWriter
	ElementalWriter
	ListWriter
	TableWriter
	JobWriter
	ChunkWriter
	VectorWriter
	MediaWriter
	EngagementWriter
	ReceiptWriter
	MetaWriter
}

// MetaReader reads the small named values that the Library and the Engine keep
// about the Store as a whole, such as the catalogue.
type MetaReader interface {
	// Meta returns the value of a name, ErrNotFound if it was never put.
	Meta(ctx context.Context, name string) ([]byte, error)
}

// MetaWriter writes named values.
type MetaWriter interface {
	// PutMeta sets the value of a name.
	PutMeta(ctx context.Context, name string, value []byte) error
}

// UserReader reads users and their keys.
type UserReader interface {
	// User returns a user, or ErrNotFound.
	User(ctx context.Context, id string) (User, error)
	// Users returns those of the users that exist, keyed by id; unknown ids are left
	// out. Any number of ids is allowed.
	Users(ctx context.Context, ids []string) (map[string]User, error)
	// TenantUsers iterates over the users of a tenant by ascending id. An error ends
	// the iteration.
	TenantUsers(ctx context.Context, tenantID string) iter.Seq2[User, error]
	// KeyByHash returns the key with that hash, or ErrNotFound.
	KeyByHash(ctx context.Context, hash string) (Key, error)
	// UserKey returns the key with that hash and its user, or ErrNotFound.
	UserKey(ctx context.Context, hash string) (UserKey, error)
	// KeysOf returns all keys of a user, by CreatedAt, then ID.
	KeysOf(ctx context.Context, userID string) ([]Key, error)
}

// UserWriter writes users and keys.
type UserWriter interface {
	// PutUser adds a user or replaces the one with its ID.
	PutUser(ctx context.Context, u User) error
	// PutKey adds a key or replaces the one with its ID. ErrConflict if another key
	// has the same hash, ErrNotFound if its user does not exist.
	PutKey(ctx context.Context, k Key) error
}

// TagReader reads tags.
type TagReader interface {
	// Tag returns a tag, or ErrNotFound.
	Tag(ctx context.Context, id int64) (Tag, error)
	// Tags returns those of the tags that exist, keyed by id; unknown ids are left
	// out. Any number of ids is allowed.
	Tags(ctx context.Context, ids []int64) (map[int64]Tag, error)
	// TagsOf returns all tags of an owner, by CreatedAt, then ID.
	TagsOf(ctx context.Context, ownerID string) ([]Tag, error)
	// Tagged returns the ids of the elementals and of the lists whose TagIDs
	// contain the tag, each in ascending order.
	Tagged(ctx context.Context, tagID int64) (elementals []string, lists []int64, err error)
}

// TagWriter writes tags.
type TagWriter interface {
	// PutTag adds a tag or replaces the one with its ID.
	PutTag(ctx context.Context, t Tag) error
	// DeleteTag deletes a tag. The TagIDs that name it are the caller's to change
	// first.
	DeleteTag(ctx context.Context, id int64) error
}

// IndexedText is what full-text search sees of an elemental or list: words
// separated by single spaces, already segmented, folded and free of anything but
// letters, marks and digits (see internal/segment). A Store indexes the words as
// they are: no stemming, no stop words, no further splitting.
type IndexedText struct {
	Title       string
	Description string
	Body        string
	Tags        string
}

// TextQuery is a parsed full-text query.
type TextQuery struct {
	// Phrases must all occur; each is one or more words, all in one field, next to
	// each other in this order. No phrases match nothing.
	Phrases [][]string
	// Prefix lets the last word of the last phrase match every word that it begins.
	// Among texts that are otherwise equal, those with the whole word come first.
	Prefix bool
}

// Viewer selects what a search may show: everything of OwnerID, and of others
// what is Public.
type Viewer struct {
	OwnerID    string
	OthersToo  bool // false: only what OwnerID owns
	ListsPlain bool // for lists: leave out those that are columns or rows of a table
}

// ElementalSearch selects a page of elementals by text.
type ElementalSearch struct {
	Text        TextQuery
	Viewer      Viewer
	TypeIDs     []int // only these types; empty: all
	Offset      int   // >= 0
	Limit       int   // >= 1
	WithoutBody bool  // leaves Body empty, so that a page of long texts takes no memory
}

// ElementalSize is how large an elemental is; the cells are those of a table.
type ElementalSize struct {
	Body     int64 // bytes
	Cells    int
	CellBody int64 // bytes of the bodies of all cells
	// Descriptions is the bytes of the descriptions of it and of the cells, columns and
	// rows.
	Descriptions int64
}

// CellText is a cell of a table without the rest of its record.
type CellText struct {
	ID              string
	ColumnID, RowID int64
	Body            string
}

// ElementalReader reads elementals.
type ElementalReader interface {
	// Elemental returns an elemental, or ErrNotFound.
	Elemental(ctx context.Context, id string) (ElementalRecord, error)
	// Elementals returns those of the elementals that exist, keyed by id; unknown
	// ids are left out. Any number of ids is allowed.
	Elementals(ctx context.Context, ids []string) (map[string]ElementalRecord, error)
	// ElementalsWithoutBody is Elementals with every Body empty, so that long texts take
	// no memory.
	ElementalsWithoutBody(ctx context.Context, ids []string) (map[string]ElementalRecord, error)
	// BodySizes returns the bytes of the bodies of those of the elementals that exist,
	// keyed by id, without reading the bodies. Any number of ids is allowed.
	BodySizes(ctx context.Context, ids []string) (map[string]int64, error)
	// ElementalByTitle returns the id of an elemental of that owner, type and exact
	// title, or ErrNotFound. If there are several, the smallest id.
	ElementalByTitle(ctx context.Context, ownerID string, typeID int, title string) (string, error)
	// SearchElementals returns one page of the matches, best first, ties by
	// ascending id, and the number of all matches. A match in the title counts most,
	// then tags, description, body. A page past the end is empty.
	SearchElementals(ctx context.Context, q ElementalSearch) ([]ElementalRecord, int, error)
	// Cells returns the cells of a table, by id.
	Cells(ctx context.Context, tableID string) ([]ElementalRecord, error)
	// CellTexts returns the texts of the cells of a table, by id: of all cells it reads
	// only what a search index needs.
	CellTexts(ctx context.Context, tableID string) ([]CellText, error)
	// ElementalSize returns the size of an elemental without reading its texts, or
	// ErrNotFound.
	ElementalSize(ctx context.Context, id string) (ElementalSize, error)
	// ElementalsOf iterates over the elementals of an owner by ascending id. An
	// error ends the iteration.
	ElementalsOf(ctx context.Context, ownerID string) iter.Seq2[ElementalRecord, error]
	// TenantElementals is ElementalsOf for all elementals of a tenant.
	TenantElementals(ctx context.Context, tenantID string) iter.Seq2[ElementalRecord, error]
}

// ElementalWriter writes elementals.
type ElementalWriter interface {
	// PutElemental adds an elemental or replaces the one with its ID, and what
	// full-text search sees of it.
	PutElemental(ctx context.Context, e ElementalRecord, text IndexedText) error
	// PutElementalText replaces what full-text search sees of an elemental, and nothing
	// else. ErrNotFound if there is no such elemental.
	PutElementalText(ctx context.Context, id string, text IndexedText) error
	// DeleteElemental deletes an elemental with its list items, its text, its media,
	// marks, comments and rates. Its jobs and chunks stay: the caller ends and deletes
	// them; so do the lists and cells of a table.
	DeleteElemental(ctx context.Context, id string) error
}

// TableWriter changes all that is in a table at once.
type TableWriter interface {
	// ShowTable gives the columns, rows and cells of a table a visibility: each becomes
	// its next version, UpdatedAt that moment.
	ShowTable(ctx context.Context, tableID string, v Visibility, at time.Time) error
	// ClearTable deletes the columns, rows and cells of a table, each as DeleteList and
	// DeleteElemental do.
	ClearTable(ctx context.Context, tableID string) error
}

// ItemOrder is the order of a list's items.
type ItemOrder string

// The orders of items; each has the elemental's id as its last key, ascending in
// both directions.
const (
	OrderIndex     ItemOrder = "index"
	OrderCreatedAt ItemOrder = "created_at"
	OrderUpdatedAt ItemOrder = "updated_at" // an elemental that was never changed counts with its CreatedAt
	OrderTitle     ItemOrder = "title"      // by the bytes of the title
)

// ItemQuery selects a page of a list's items.
type ItemQuery struct {
	ListID int64
	Viewer Viewer // items are shown if the viewer owns them or they are Public
	Order  ItemOrder
	Desc   bool
	// WithoutBody leaves Body empty, so that a page of long texts takes no memory.
	WithoutBody bool
	Offset      int // >= 0
	Limit       int // >= 1
}

// ListSearch selects a page of lists.
type ListSearch struct {
	Text   *TextQuery // nil: all that the viewer may see, newest CreatedAt first, ties by ascending id
	Viewer Viewer
	Offset int // >= 0
	Limit  int // >= 1
}

// ListReader reads lists and their items.
type ListReader interface {
	// List returns a list, or ErrNotFound.
	List(ctx context.Context, id int64) (ListRecord, error)
	// SearchLists returns one page of the matches, best first, ties by ascending id,
	// and the number of all matches.
	SearchLists(ctx context.Context, q ListSearch) ([]ListRecord, int, error)
	// ListItems returns one page of a list's elementals and the number of all that
	// the viewer may see. An unknown list has none.
	ListItems(ctx context.Context, q ItemQuery) ([]ElementalRecord, int, error)
	// CountItems returns, for each of the lists, how many items the viewer may see;
	// lists without any are left out.
	CountItems(ctx context.Context, listIDs []int64, v Viewer) (map[int64]int, error)
	// Items returns the memberships of a list by OrderIndex, then elemental id,
	// whoever owns the elementals.
	Items(ctx context.Context, listID int64) ([]ListItem, error)
	// TableLists returns the columns and rows of a table: columns first, then by
	// TableIndex, then id.
	TableLists(ctx context.Context, tableID string) ([]ListRecord, error)
	// TenantLists iterates over the lists of a tenant, columns and rows of tables
	// included, by ascending id. An error ends the iteration.
	TenantLists(ctx context.Context, tenantID string) iter.Seq2[ListRecord, error]
}

// ListWriter writes lists and their items.
type ListWriter interface {
	// PutList adds a list or replaces the one with its ID, and what full-text search
	// sees of it (Body stays empty).
	PutList(ctx context.Context, l ListRecord, text IndexedText) error
	// DeleteList deletes a list with its memberships, media, marks and rates; the
	// elementals stay.
	DeleteList(ctx context.Context, id int64) error
	// PutItem adds a membership or replaces that of the same list and elemental.
	// ErrNotFound if the list or the elemental does not exist.
	PutItem(ctx context.Context, it ListItem) error
	// DeleteItem removes a membership.
	DeleteItem(ctx context.Context, listID int64, elementalID string) error
}

// JobQuery selects a page of a tenant's jobs.
type JobQuery struct {
	TenantID string
	Offset   int // >= 0
	Limit    int // >= 1
}

// JobReader reads ingest jobs.
type JobReader interface {
	// Job returns a job of a tenant, or ErrNotFound.
	Job(ctx context.Context, tenantID, id string) (Job, error)
	// Jobs returns one page of a tenant's jobs, newest CreatedAt first, ties by
	// descending Seq, and the number of all.
	Jobs(ctx context.Context, q JobQuery) ([]Job, int, error)
	// ActiveJobs returns the queued and running jobs of a tenant by ascending Seq;
	// of one elemental if elementalID is not "".
	ActiveJobs(ctx context.Context, tenantID, elementalID string) ([]Job, error)
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
	// one elemental one after the other. An error ends the iteration.
	AllChunks(ctx context.Context) iter.Seq2[Chunk, error]
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

// MediaReader reads media.
type MediaReader interface {
	// Media returns the description of a file, or ErrNotFound.
	Media(ctx context.Context, id int64) (Media, error)
	// MediaOf returns the descriptions of all files of the owners, by Kind, Ordinal,
	// then ID; owners without any are left out. Any number of owners is allowed.
	MediaOf(ctx context.Context, owners []MediaOwner) (map[MediaOwner][]Media, error)
	// MediaData returns the bytes of a file, or ErrNotFound.
	MediaData(ctx context.Context, id int64) ([]byte, error)
}

// MediaWriter writes media.
type MediaWriter interface {
	// PutMedia adds a file or replaces the one with its ID. ErrNotFound if its owner
	// does not exist.
	PutMedia(ctx context.Context, m Media, data []byte) error
	// DeleteMedia deletes a file.
	DeleteMedia(ctx context.Context, id int64) error
}

// EngagementReader reads what users did with elementals and lists.
type EngagementReader interface {
	// Marks returns the marks of one user on the subjects, in no order. Any number of
	// subjects is allowed.
	Marks(ctx context.Context, userID string, subjects []Subject) ([]Mark, error)
	// LastMarks returns the newest marks of a kind on a subject, newest first, ties by
	// ascending user id, limit (>= 1) at most.
	LastMarks(ctx context.Context, s Subject, kind MarkKind, limit int) ([]Mark, error)
	// Comment returns a comment or reply, or ErrNotFound.
	Comment(ctx context.Context, id int64) (Comment, error)
	// Comments returns the comments and replies of an elemental with the largest ids
	// below before (0: no bound), limit (>= 1) at most, by ascending id.
	Comments(ctx context.Context, elementalID string, before int64, limit int) ([]Comment, error)
	// Rates returns the rates of a subject with the largest ids below before (0: no
	// bound), limit (>= 1) at most, by ascending id.
	Rates(ctx context.Context, s Subject, before int64, limit int) ([]Rate, error)
}

// EngagementWriter writes what users did with elementals and lists. Only
// PutCounters changes Counters: keeping them right is the Library's part.
type EngagementWriter interface {
	// PutCounters replaces the Counters of the record of a subject, and nothing else.
	// ErrNotFound if there is no such record. PutElemental and PutList write them too.
	PutCounters(ctx context.Context, s Subject, c Counters) error
	// PutMark adds a mark, or replaces the one of the same subject, user and kind.
	// added tells which. ErrNotFound if the subject does not exist.
	PutMark(ctx context.Context, m Mark) (added bool, err error)
	// DeleteMark removes a mark and tells whether there was one.
	DeleteMark(ctx context.Context, s Subject, userID string, kind MarkKind) (removed bool, err error)
	// PutComment adds a comment whose ID is 0 and returns it with the next ID, or
	// replaces the one with its ID. ErrNotFound if its elemental does not exist, or if
	// that has no comment with its ID or ParentID: a comment never moves to another
	// elemental.
	PutComment(ctx context.Context, c Comment) (Comment, error)
	// DeleteComment deletes a comment with its replies and returns how many were
	// deleted, itself included; 0 if there was none.
	DeleteComment(ctx context.Context, id int64) (int, error)
	// PutRate adds the rate of a user on a subject with the next ID and no UpdatedAt, or
	// replaces the one there is, which keeps its ID and CreatedAt; it returns the rate as
	// stored and the one that it replaced, nil if none. ErrNotFound if the subject does
	// not exist.
	PutRate(ctx context.Context, r Rate) (stored Rate, replaced *Rate, err error)
}

// Receipt is the remembered answer to a request, so that the same request sent
// again gets the same answer.
type Receipt struct {
	UserID    string
	Route     string
	Key       string // that the client chose
	Request   string // tells requests apart, such as a hash
	Status    int
	Header    map[string]string // UTF-8
	Body      []byte
	CreatedAt time.Time
}

// ReceiptOverhead is what a receipt counts besides its body, in bytes.
const ReceiptOverhead = 1 << 10

// ReceiptReader reads receipts.
type ReceiptReader interface {
	// Receipt returns the receipt of a user, route and key, or ErrNotFound.
	Receipt(ctx context.Context, userID, route, key string) (Receipt, error)
}

// ReceiptWriter writes receipts.
type ReceiptWriter interface {
	// PutReceipt adds a receipt or replaces the one of the same user, route and key.
	PutReceipt(ctx context.Context, r Receipt) error
	// TrimReceipts deletes the oldest receipts of a user, ties by route and key, until
	// those that are left have at most size bytes: each counts as its Body and
	// ReceiptOverhead. The newest one stays, whatever its size.
	TrimReceipts(ctx context.Context, userID string, size int64) error
	// DeleteReceipts deletes all receipts that were created before a moment.
	DeleteReceipts(ctx context.Context, before time.Time) error
}
