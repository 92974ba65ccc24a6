package quire

import (
	"context"
	"log/slog"
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

	engineMu sync.RWMutex // guards engine
	engine   *Engine      // nil without a knowledge engine
}

// LibraryOptions configure a Library. The zero value is good.
type LibraryOptions struct {
	// PublicURL is the address that the urls of elementals and lists begin with,
	// without a slash at the end, such as "https://example.org/api". Default "": urls
	// are paths from the root of the HTTP interface.
	PublicURL string
	// MaxBodyBytes limits the body of an elemental. Default 16 MiB.
	MaxBodyBytes int
	// MaxBatch limits the elementals of one CreateElementals. Default 1000.
	MaxBatch int
	// Logger receives what the Library has to say. Default: nothing is logged.
	Logger *slog.Logger
}

// NewLibrary makes a Library on a Store, which it does not close. opts may be
// nil. It writes the default catalogue into a Store that has none.
func NewLibrary(ctx context.Context, store Store, opts *LibraryOptions) (*Library, error) {
	panic("stub")
}

// Close makes every later call return ErrClosed. The Store stays open. Close the
// Engine first. Closing twice is no error.
func (l *Library) Close(ctx context.Context) error { panic("stub") }

// Healthy reports, cheaply, whether the Library works: nil, or why not.
func (l *Library) Healthy(ctx context.Context) error { panic("stub") }
