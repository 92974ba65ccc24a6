package quire

import (
	"context"
	"log/slog"
	"math"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
)

// Library keeps the content of all users on a Store and holds the rules:
// validation, defaults, permissions, visibility, paging.
type Library struct {
	store     Store
	opts      LibraryOptions
	log       *slog.Logger
	catalogue atomic.Pointer[Catalogue]

	closed atomic.Bool
	pruned atomic.Int64 // when receipts were deleted last, in nanoseconds
	writes writeHealth

	receiptMu sync.Mutex
	receipts  map[string]int64 // bytes of a user's receipts since they were trimmed

	decoding *turns      // of images
	indexing *turns      // of changes that index stored texts ahead: see indexFoundAhead
	orphans  orphanWatch // of jobs whose elementals were deleted

	catalogueMu sync.Mutex // of who replaces the catalogue

	engine atomic.Pointer[Engine] // nil without a knowledge engine
}

// LibraryOptions configure a Library. The zero value is good.
type LibraryOptions struct {
	// PublicURL is the address that the urls of elementals and lists begin with: an
	// absolute http or https one such as "https://example.org/api", or a path such as
	// "/api", in either case without query and fragment. Default "": urls are paths from the root of the
	// HTTP interface.
	PublicURL string
	// MaxBodyBytes limits the body of an elemental, 1 at least. Default 16 MiB.
	MaxBodyBytes int
	// MaxBatch limits the elementals of one CreateElementals, 1 at least. Default
	// 1000.
	MaxBatch int
	// MaxIDs limits each list of ids of one call: the items of a list that are added, moved
	// or removed, the lists that an elemental is put into, its topics, the files to remove,
	// and the tags of filters, by id or by name. At least MaxTags. Default 10,000.
	MaxIDs int
	// MaxMediaBytes limits the size of an uploaded file, 1 at least. Default 16 MiB.
	MaxMediaBytes int
	// MaxPixels limits the size of an uploaded image, width times height, 1 at least.
	// Two at most are decoded at once; each may take 16 bytes of memory a pixel
	// meanwhile. Default 25,000,000.
	MaxPixels int
	// MaxPixelsPerCall limits all images of one call together, those of all elementals of
	// one CreateElementals: where the sum goes beyond it, the elemental is refused before
	// anything in it is decoded. At least MaxPixels. Default 10 times MaxPixels, more than
	// one elemental can need.
	MaxPixelsPerCall int
	// MaxReceiptBytes limits the answers that are remembered for one user of Once, in bytes
	// as they are stored and 1 KiB for each: the newest ones are kept. It may be exceeded by
	// a sixteenth, and by a newest one that is larger. At least 1. Default 64 MiB.
	MaxReceiptBytes int64
	// Logger receives what the Library has to say. Default: nothing is logged.
	Logger *slog.Logger
}

// withDefaults returns a copy with the defaults filled in, or what is wrong.
func (o *LibraryOptions) withDefaults() (LibraryOptions, error) {
	var c LibraryOptions
	if o != nil {
		c = *o
	}
	c.PublicURL = strings.TrimRight(c.PublicURL, "/")
	if c.MaxBodyBytes == 0 {
		c.MaxBodyBytes = 16 << 20
	}
	if c.MaxBatch == 0 {
		c.MaxBatch = 1000
	}
	if c.MaxIDs == 0 {
		c.MaxIDs = 10_000
	}
	if c.MaxMediaBytes == 0 {
		c.MaxMediaBytes = 16 << 20
	}
	if c.MaxPixels == 0 {
		c.MaxPixels = 25_000_000
	}
	if c.MaxPixelsPerCall == 0 {
		c.MaxPixelsPerCall = 10 * min(c.MaxPixels, math.MaxInt/10)
	}
	if c.MaxReceiptBytes == 0 {
		c.MaxReceiptBytes = 64 << 20
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	var probs problems
	if !isPublicURL(c.PublicURL) {
		probs.add("LibraryOptions.PublicURL", "must be an absolute http or https URL without user, query and fragment, or a path that begins with a slash, or empty")
	}
	if c.MaxBodyBytes < 0 {
		probs.add("LibraryOptions.MaxBodyBytes", "must be at least 1, or 0 for the default")
	}
	if c.MaxBatch < 0 {
		probs.add("LibraryOptions.MaxBatch", "must be at least 1, or 0 for the default")
	}
	if c.MaxIDs < MaxTags {
		probs.add("LibraryOptions.MaxIDs", "must be at least %d, or 0 for the default", MaxTags)
	}
	if c.MaxMediaBytes < 0 {
		probs.add("LibraryOptions.MaxMediaBytes", "must be at least 1, or 0 for the default")
	}
	if c.MaxPixels < 0 {
		probs.add("LibraryOptions.MaxPixels", "must be at least 1, or 0 for the default")
	}
	if c.MaxPixelsPerCall < c.MaxPixels {
		probs.add("LibraryOptions.MaxPixelsPerCall", "must be at least MaxPixels, %d, or 0 for the default", c.MaxPixels)
	}
	if c.MaxReceiptBytes < 0 {
		probs.add("LibraryOptions.MaxReceiptBytes", "must be at least 1, or 0 for the default")
	}
	return c, probs.err()
}

// isPublicURL reports whether addresses can begin with s, which does not end with a slash.
func isPublicURL(s string) bool {
	u, err := url.Parse(s)
	switch {
	case err != nil, strings.ContainsAny(s, "?#\\ "), u.User != nil:
		return false
	case u.Scheme == "" && u.Host == "":
		return s == "" || strings.HasPrefix(s, "/")
	}
	return (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.Opaque == ""
}

// NewLibrary makes a Library on a Store, which it does not close. opts may be
// nil. It writes the default catalogue into a Store that has none.
func NewLibrary(ctx context.Context, store Store, opts *LibraryOptions) (*Library, error) {
	if store == nil {
		return nil, Errorf(CodeInvalid, "NewLibrary: a Store is required")
	}
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	l := &Library{store: store, opts: o, log: o.Logger, receipts: make(map[string]int64), decoding: newTurns(maxDecoding), indexing: newTurns(1)}
	if err := l.loadCatalogue(ctx); err != nil {
		return nil, err
	}
	return l, nil
}

// Close makes every later call return ErrClosed. The Store stays open. Close the
// Engine first. Closing twice is no error.
func (l *Library) Close(context.Context) error {
	l.closed.Store(true)
	return nil
}

// Healthy reports, cheaply, whether the Library works: nil, or why not.
func (l *Library) Healthy(ctx context.Context) error {
	return l.view(ctx, func(tx ReadTx) error {
		_, err := tx.Meta(ctx, catalogueName)
		return err
	})
}

// view runs fn in a read transaction of an open Library, or in the transaction that
// the context belongs to.
func (l *Library) view(ctx context.Context, fn func(tx ReadTx) error) error {
	if l.closed.Load() {
		return ErrClosed
	}
	if j := l.joined(ctx); j != nil {
		return j.view(fn)
	}
	return l.store.View(ctx, fn)
}

// viewAs is view on behalf of an actor.
func (l *Library) viewAs(ctx context.Context, a Actor, fn func(tx ReadTx) error) error {
	if err := a.Check(); err != nil {
		return err
	}
	return l.view(ctx, fn)
}

// change runs fn in a write transaction of an open Library, together with what it
// does to chunks and jobs, or in the transaction that the context belongs to.
func (l *Library) change(ctx context.Context, fn func(tx Tx, ch *changes) error) error {
	if l.closed.Load() {
		return ErrClosed
	}
	if j := l.joined(ctx); j != nil {
		return j.change(fn)
	}
	return l.commit(ctx, fn)
}

// changeAs is change on behalf of an actor.
func (l *Library) changeAs(ctx context.Context, a Actor, fn func(tx Tx, ch *changes) error) error {
	if err := a.Check(); err != nil {
		return err
	}
	return l.change(ctx, fn)
}
