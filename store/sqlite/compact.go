package sqlite

import (
	"context"
	"time"

	"github.com/quirelib/quire"
)

const (
	mergePages  = 1000     // of a full-text index, in one transaction
	zeroBytes   = 16 << 20 // of free space, in one transaction
	readerPause = 20 * time.Millisecond
)

// textIndexes are the full-text indexes. What is deleted from one stays in its segments,
// as text, until they are merged.
var textIndexes = []string{"elemental_text", "list_text"}

// Compact implements quire.CompactingStore. It merges the full-text indexes, overwrites
// the free pages of the file with zeros and empties the log. The file keeps its size; what
// is free is used again. It works in many short transactions, between which others run,
// and at the end waits for the Views that began before it.
func (s *Store) Compact(ctx context.Context) error {
	for _, index := range textIndexes {
		if err := s.merge(ctx, index); err != nil {
			return err
		}
	}
	if err := s.zeroFree(ctx); err != nil {
		return err
	}
	return s.emptyLog(ctx)
}

// merge merges the segments of a full-text index into one. The first step says that all
// are to be merged (https://www.sqlite.org/fts5.html#the_merge_command).
func (s *Store) merge(ctx context.Context, index string) error {
	for pages := -mergePages; ; pages = mergePages {
		var did int64
		err := s.step(ctx, func(t *tx) error {
			before, err := one(ctx, t, value[int64], `SELECT total_changes()`)
			if err != nil {
				return err
			}
			if err := t.run(ctx, `INSERT INTO `+index+` (`+index+`, rank) VALUES ('merge', ?)`, pages); err != nil {
				return err
			}
			after, err := one(ctx, t, value[int64], `SELECT total_changes()`)
			did = after - before
			return err
		})
		if err != nil || did < 2 { // as the documentation has it
			return err
		}
	}
}

// zeroFree overwrites the free pages: it fills a table with zeros until none is left, and
// empties it. secure_delete does so only where it costs no further writes.
func (s *Store) zeroFree(ctx context.Context) error {
	for more := true; more; {
		err := s.step(ctx, func(t *tx) error {
			free, err := one(ctx, t, value[int64], `SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size`)
			if more = free > zeroBytes; err != nil || free == 0 {
				return err
			}
			return t.run(ctx, `INSERT INTO zeros (content) VALUES (zeroblob(?))`, min(free, zeroBytes))
		})
		if err != nil {
			return err
		}
	}
	return s.step(ctx, func(t *tx) error { return t.run(ctx, `DELETE FROM zeros`) })
}

// step runs fn in a short write transaction.
func (s *Store) step(ctx context.Context, fn func(t *tx) error) error {
	return s.Update(ctx, func(quireTx quire.Tx) error { return fn(quireTx.(*tx)) })
}

// emptyLog writes the log back into the file and cuts it off. A View that began before
// holds it up.
func (s *Store) emptyLog(ctx context.Context) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.running.Done()
	for {
		var busy, frames, written int
		err := s.write.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &frames, &written)
		if err != nil || busy == 0 {
			return failure(ctx, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(readerPause):
		}
	}
}
