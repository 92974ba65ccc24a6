package quire

import (
	"context"
	"time"
)

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
	// ReceiptSize returns how many bytes the Body of a receipt has, without reading it, or
	// ErrNotFound.
	ReceiptSize(ctx context.Context, userID, route, key string) (int64, error)
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
