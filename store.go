package quire

import (
	"context"
	"iter"
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
//
// A Store may also be a [BackupStore], [CompactingStore], [ExclusiveStore], [LoggedStore] or
// [VerifiedStore]: the Library and the Engine look for each by its methods, and do without
// where they are missing. Those of package sqlite are all of these. So a type that wraps one
// should embed the concrete *sqlite.Store and not a field of type Store, which hides what the
// Store can do besides: Backup would be ErrInvalid then, Compact would do nothing, Verify would
// not check the file, and jobs of a killed process would wait until their lease has ended.
type Store interface {
	// View runs fn in a read transaction. All reads of one View see the same
	// state: that of a moment not before View was called. fn's error is returned
	// as it is. The ReadTx must not be used after fn has returned. Do not nest View
	// or Update.
	//
	// An iteration may go on behind an error with [CodeCorrupt]: that is of one row then,
	// which comes with it as far as it can be read, its ID at least. After a read that
	// has failed so, others in the same View are still answered.
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
	DraftReader
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
	DraftWriter
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
	// Tenants returns the tenants that a user, elemental or list belongs to, each once, in
	// ascending order.
	Tenants(ctx context.Context) ([]string, error)
	// TenantsOf returns up to limit of the tenants that elementals and lists of an owner belong
	// to, and OwnersIn of the owners of those of a tenant: each once, in any order. Their texts
	// are not read.
	TenantsOf(ctx context.Context, ownerID string, limit int) ([]string, error)
	OwnersIn(ctx context.Context, tenantID string, limit int) ([]string, error)
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
	// TagSizes returns how many bytes the descriptions of those of the tags have that exist,
	// keyed by id, without reading them. Any number of ids is allowed.
	TagSizes(ctx context.Context, ids []int64) (map[int64]int64, error)
	// TagsOf returns all tags of an owner, by CreatedAt, then ID.
	TagsOf(ctx context.Context, ownerID string) ([]Tag, error)
	// TagIDsOf returns the ids of all tags of an owner, in the order of TagsOf.
	TagIDsOf(ctx context.Context, ownerID string) ([]int64, error)
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
