package store

import (
	"context"

	"github.com/quirelib/quire"
)

// Memory is a [quire.ExclusiveStore] in memory. Any number of Views run at the
// same time, up to 64, and an Update runs alone: it waits for the Views before it
// and the Views after it wait for it. The waiting ends when the context does.
type Memory struct {
	data   *data
	closed bool // guarded by data.lock
}

var _ quire.ExclusiveStore = (*Memory)(nil)

// NewMemory returns an empty Store.
func NewMemory() *Memory { return &Memory{data: newData()} }

// Reopen returns another Store with the same content, open whether or not m is
// closed: to see in a test what a program finds that starts again.
func (m *Memory) Reopen() *Memory { return &Memory{data: m.data} }

// Exclusive returns true: no other process can have the content open.
func (m *Memory) Exclusive() bool { return true }

// View implements [quire.Store].
func (m *Memory) View(ctx context.Context, fn func(tx quire.ReadTx) error) error {
	if err := m.data.lockRead(ctx); err != nil {
		return err
	}
	defer m.data.unlockRead()
	if m.closed {
		return quire.ErrClosed
	}
	return fn(readTx{m.data})
}

// Update implements [quire.Store].
func (m *Memory) Update(ctx context.Context, fn func(tx quire.Tx) error) error {
	if err := m.data.lockWrite(ctx); err != nil {
		return err
	}
	defer m.data.unlockWrite()
	if m.closed {
		return quire.ErrClosed
	}
	tx := &writeTx{readTx: readTx{m.data}}
	committed := false
	defer func() { // not after the call of fn, which may panic
		if !committed {
			tx.undo.rollback()
		}
	}()
	if err := fn(tx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	committed = true
	return nil
}

// Close implements [quire.Store].
func (m *Memory) Close() error {
	_ = m.data.lockWrite(context.Background()) // which cannot be cancelled
	defer m.data.unlockWrite()
	m.closed = true
	return nil
}

// data is the content of a Memory, which outlives it.
type data struct {
	*lock // guards what follows

	meta       table[string, []byte]
	users      table[string, quire.User]
	keys       table[string, quire.Key]
	tags       table[int64, quire.Tag]
	elementals table[string, elemental]
	lists      table[int64, list]
	items      table[itemKey, quire.ListItem]
	jobs       table[jobKey, quire.Job]
	chunks     table[string, []quire.Chunk] // by elemental
	vectors    table[vectorKey, []float32]
	drafts     table[string, drafts] // by elemental
	media      table[int64, media]
	marks      table[markKey, quire.Mark]
	comments   table[int64, quire.Comment]
	rates      table[rateKey, quire.Rate]
	receipts   table[receiptKey, quire.Receipt]

	// Derived from the tables.

	usersOf        groups[string, string, *quire.User] // by tenant
	keyByHash      map[string]*quire.Key
	keysOf         groups[string, string, *quire.Key]               // by user
	tagsOf         groups[string, int64, *quire.Tag]                // by owner
	elementalsOf   groups[string, string, *quire.ElementalRecord]   // by owner
	elementalsIn   groups[string, string, *quire.ElementalRecord]   // by tenant
	elementalTitle groups[titleKey, string, *quire.ElementalRecord] // by owner, type and title
	elementalText  textIndex[string]                                // by elemental
	listText       textIndex[int64]                                 // by list
	itemsOf        groups[int64, string, *quire.ListItem]           // by list
	memberships    groups[string, int64, *quire.ListItem]           // by elemental
	activeJobs     []*quire.Job                                     // queued and running, by Seq
	jobsOf         groups[jobOwner, string, *quire.Job]             // by elemental
	chunkByID      map[string]*quire.Chunk
	cellsOf        groups[string, string, *quire.ElementalRecord] // by table
	tableLists     groups[string, int64, *quire.ListRecord]       // by table
	listsIn        groups[string, int64, *quire.ListRecord]       // by tenant
	mediaOf        groups[quire.MediaOwner, int64, *media]
	marksOn        groups[quire.Subject, markKey, *quire.Mark]
	commentsOf     groups[string, int64, *quire.Comment]      // by elemental
	repliesTo      groups[int64, int64, *quire.Comment]       // by parent
	ratesOf        groups[quire.Subject, string, *quire.Rate] // by user

	lastSeq, lastComment, lastRate int64 // ids of what was added last
}

func newData() *data {
	d := &data{
		lock:           newLock(),
		meta:           newTable[string, []byte](nil),
		receipts:       newTable[receiptKey, quire.Receipt](nil),
		usersOf:        groups[string, string, *quire.User]{},
		vectors:        newTable[vectorKey, []float32](nil),
		drafts:         newTable[string, drafts](nil),
		keyByHash:      map[string]*quire.Key{},
		keysOf:         groups[string, string, *quire.Key]{},
		tagsOf:         groups[string, int64, *quire.Tag]{},
		elementalsOf:   groups[string, string, *quire.ElementalRecord]{},
		elementalsIn:   groups[string, string, *quire.ElementalRecord]{},
		elementalTitle: groups[titleKey, string, *quire.ElementalRecord]{},
		elementalText:  newTextIndex[string](),
		listText:       newTextIndex[int64](),
		itemsOf:        groups[int64, string, *quire.ListItem]{},
		memberships:    groups[string, int64, *quire.ListItem]{},
		chunkByID:      map[string]*quire.Chunk{},
		jobsOf:         groups[jobOwner, string, *quire.Job]{},
		cellsOf:        groups[string, string, *quire.ElementalRecord]{},
		tableLists:     groups[string, int64, *quire.ListRecord]{},
		listsIn:        groups[string, int64, *quire.ListRecord]{},
		mediaOf:        groups[quire.MediaOwner, int64, *media]{},
		marksOn:        groups[quire.Subject, markKey, *quire.Mark]{},
		commentsOf:     groups[string, int64, *quire.Comment]{},
		repliesTo:      groups[int64, int64, *quire.Comment]{},
		ratesOf:        groups[quire.Subject, string, *quire.Rate]{},
	}
	d.users = newTable[string](d.deriveUser)
	d.keys = newTable[string](d.deriveKey)
	d.tags = newTable[int64](d.deriveTag)
	d.elementals = newTable[string](d.deriveElemental)
	d.lists = newTable[int64](d.deriveList)
	d.items = newTable[itemKey](d.deriveItem)
	d.jobs = newTable[jobKey](d.deriveJob)
	d.chunks = newTable[string](d.deriveChunks)
	d.media = newTable[int64](d.deriveMedia)
	d.marks = newTable[markKey](d.deriveMark)
	d.comments = newTable[int64](d.deriveComment)
	d.rates = newTable[rateKey](d.deriveRate)
	return d
}

// readTx is a read transaction: the lock is held for as long as it lasts.
type readTx struct{ *data }

// writeTx is a write transaction. It writes in place and takes it back if it
// fails.
type writeTx struct {
	readTx
	undo undoLog
}

// next returns the id after the last one, which it becomes.
func (tx *writeTx) next(last *int64) int64 {
	*last++
	tx.undo.add(func() { *last-- })
	return *last
}

// notFound says that there is no row of a kind.
func notFound(kind string) error {
	return quire.Errorf(quire.CodeNotFound, "there is no such %s", kind)
}

// found returns a copy of a row, or ErrNotFound without it.
func found[V, R any](ctx context.Context, row *V, clone func(V) R, kind string) (R, error) {
	var none R
	if err := ctx.Err(); err != nil {
		return none, err
	}
	if row == nil {
		return none, notFound(kind)
	}
	return clone(*row), nil
}

// pick returns copies of those of the rows that exist, by key.
func pick[K comparable, V, R any](ctx context.Context, rows map[K]*V, keys []K, clone func(V) R) (map[K]R, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m := map[K]R{}
	for _, k := range keys {
		if row := rows[k]; row != nil {
			m[k] = clone(*row)
		}
	}
	return m, nil
}

// page returns the part of all from offset on, at most limit long.
func page[T any](all []T, offset, limit int) []T {
	rest := all[min(offset, len(all)):]
	return rest[:min(limit, len(rest))]
}
