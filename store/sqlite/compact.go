package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"github.com/quirelib/quire"
)

const mergePages = 1000 // of a full-text index, in one transaction

// How long the connection that writes waits for Views that hold emptying the log up, at first
// and at most. As long as that, it lets writers go on.
const (
	leastWait = 20 * time.Millisecond
	mostWait  = 640 * time.Millisecond
)

// textIndexes are the full-text indexes. What is deleted from one stays in its segments,
// as text, until they are merged.
var textIndexes = []string{"elemental_text", "list_text"}

// Compact implements quire.CompactingStore. It merges the full-text indexes in short
// transactions, writes the database anew, which locks out writers and takes as much room as
// the database both in its log and in the directory for temporary files (TMPDIR), and
// empties the log, for which it waits for the Views that began before, as long as its context
// lets it. Without that room it is ErrUnavailable, and nothing has changed.
func (s *Store) Compact(ctx context.Context) error {
	s.cutLog(ctx)
	err := s.compact(ctx)
	if err != nil {
		s.cutLog(ctx)
	}
	return err
}

func (s *Store) compact(ctx context.Context) error {
	for _, index := range textIndexes {
		if err := s.merge(ctx, index); err != nil {
			return err
		}
	}
	s.cutLog(ctx)
	if err := s.rewrite(ctx); err != nil {
		return err
	}
	return s.emptyLog(ctx)
}

// cutLog tries once to empty the log: before what writes much into it, and when that has found
// too little room.
func (s *Store) cutLog(ctx context.Context) {
	_, _ = s.checkpoint(ctx, leastWait) // if it cannot be, Compact goes on, or says why not
}

// merge merges the segments of a full-text index into one. The first step says that all
// are to be merged (https://www.sqlite.org/fts5.html#the_merge_command).
func (s *Store) merge(ctx context.Context, index string) error {
	for pages := -mergePages; ; pages = mergePages {
		var did int64
		err := s.Update(ctx, func(writer quire.Tx) error {
			t := writer.(*tx)
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

// rewrite writes every page of the database anew. Overwriting the free pages would not be
// enough: pages in use hold, between their entries, what was moved to others.
func (s *Store) rewrite(ctx context.Context) error {
	return s.onConn(ctx, s.write, func(x *session, conn *sql.Conn) (err error) {
		// In memory, the temporary copy of a large database would not fit.
		if _, err := conn.ExecContext(x.ctx, `PRAGMA temp_store = FILE`); err != nil {
			return x.failure(ctx, err)
		}
		defer func() {
			if _, back := conn.ExecContext(context.WithoutCancel(ctx), `PRAGMA temp_store = MEMORY`); err == nil {
				err = x.failure(ctx, back)
			}
		}()
		_, err = conn.ExecContext(x.ctx, `VACUUM`)
		return x.failure(ctx, err)
	})
}

// emptyLog writes the log back into the file and cuts it off. A View that began before
// holds it up; those who write go on between the tries.
func (s *Store) emptyLog(ctx context.Context) error {
	busy, err := s.checkpoint(ctx, leastWait)
	for wait := leastWait; busy; wait = min(2*wait, mostWait) {
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
		if busy, err = s.checkpoint(ctx, wait); ctx.Err() != nil {
			return fmt.Errorf("the database was written anew, but its log still holds what was deleted, because a View that began before goes on: %w", ctx.Err())
		}
	}
	return err
}

// checkpoint is emptyLog tried once, on the connection that writes, where it waits so long for
// Views that hold it up: writers wait meanwhile.
func (s *Store) checkpoint(ctx context.Context, wait time.Duration) (busy bool, err error) {
	err = s.onConn(ctx, s.write, func(x *session, conn *sql.Conn) (err error) {
		const timeout = `PRAGMA busy_timeout = `
		if _, err := conn.ExecContext(x.ctx, timeout+milliseconds(wait)); err != nil {
			return x.failure(ctx, err)
		}
		defer func() {
			if _, back := conn.ExecContext(context.WithoutCancel(ctx), timeout+milliseconds(s.busyTimeout)); err == nil {
				err = x.failure(ctx, back)
			}
		}()
		busy, err = checkpoint(x.ctx, conn)
		return x.failure(ctx, err)
	})
	return busy, err
}

// milliseconds is a duration as SQLite reads it.
func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// querier is a connection, or a pool of them.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// checkpoint writes the log back into the file and cuts it off, unless a reader holds it up.
func checkpoint(ctx context.Context, db querier) (busy bool, err error) {
	var frames, written int
	err = db.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &frames, &written)
	return busy, err
}
