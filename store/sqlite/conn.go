package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"golang.org/x/sync/semaphore"
	"modernc.org/sqlite"

	"github.com/quirelib/quire"
)

// pragma is a setting of a connection: its name, what it is set to ("" to leave
// it) and what reading it must give.
type pragma struct{ name, set, want string }

// common are the settings of all connections.
func (o Options) common() []pragma {
	timeout := milliseconds(o.BusyTimeout)
	return []pragma{
		{"busy_timeout", timeout, timeout},
		{"foreign_keys", "1", "1"},
		// A damaged file must not make SQLite call what it should not.
		{"trusted_schema", "0", "0"},
		{"temp_store", "MEMORY", "2"},    // content does not go to another directory
		{"cache_size", "-8192", "-8192"}, // KiB; taken as it is needed
	}
}

// writer are the settings of the connection that writes.
func (o Options) writer() []pragma {
	sync := pragma{"synchronous", "FULL", "2"}
	if o.Synchronous == Normal {
		sync = pragma{"synchronous", "NORMAL", "1"}
	}
	return append(o.common(),
		pragma{"journal_mode", "WAL", "wal"},
		sync,
		// Deleted content is overwritten where that costs no further writes.
		pragma{"secure_delete", "FAST", "2"},
		// The log is used again from 4 MiB on, in pages of a new file: with SQLite's own 1,000 it
		// would take 8 MB of a disk that has no more, and then nothing could be written.
		pragma{"wal_autocheckpoint", "512", "512"},
		// A log that was longer, because of a big transaction or of a reader beside it, is cut to
		// that when it is used again; otherwise it would keep the most it ever held.
		pragma{"journal_size_limit", "4194304", "4194304"},
	)
}

// reader are the settings of the connections that read.
func (o Options) reader() []pragma {
	return append(o.common(),
		pragma{"journal_mode", "", "wal"}, // is the file's, not the connection's
		pragma{"query_only", "1", "1"},
	)
}

// newPool makes a pool of at most n connections, all of which stay open.
func newPool(path string, pragmas []pragma, n int) (*sql.DB, error) {
	c, err := sqlite.NewConnector(dsn(path, pragmas))
	if err != nil {
		return nil, unusable(err)
	}
	db := sql.OpenDB(connector{c, pragmas})
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return db, nil
}

// pool is connections of which those who wait for one have it in the order of coming:
// database/sql gives it to any of them, and to some late.
type pool struct {
	*sql.DB
	turns *semaphore.Weighted // one for each connection
}

func inTurns(db *sql.DB) *pool {
	return &pool{db, semaphore.NewWeighted(int64(db.Stats().MaxOpenConnections))}
}

// dsn names a database file with its settings, the way the driver wants it. The
// pool of the writer begins every transaction as BEGIN IMMEDIATE: one that begins
// by reading and then writes could fail because of another that wrote meanwhile.
// For readers, which say query_only, a plain BEGIN is enough.
func dsn(path string, pragmas []pragma) string {
	// A file that has gone is not made again. Where another has taken its place, a connection
	// that may write would write the log of the one that has gone into it when it closes.
	q := url.Values{"mode": {"rw"}, "_dqs": {"0"}, "_defensive": {"1"}, "_txlock": {"immediate"}}
	for _, p := range pragmas {
		if p.set != "" {
			q.Add("_pragma", p.name+"("+p.set+")")
		}
		if p.name == "query_only" {
			q.Set("mode", "ro")
			q.Set("_txlock", "deferred")
		}
	}
	return fileURI(path, q)
}

// inspectDSN names a database file that is only looked at. An immutable one is
// taken as one that nothing changes: its log is ignored.
func inspectDSN(path string, immutable bool) string {
	q := url.Values{"mode": {"ro"}, "_defensive": {"1"}, "_pragma": {"query_only(1)", "trusted_schema(0)"}}
	if immutable {
		q.Set("immutable", "1")
	}
	return fileURI(path, q)
}

// fileURI quotes a path, in which '?', '#' and '%' would mean something else.
func fileURI(path string, q url.Values) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // a drive letter
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

// connector opens connections and checks that each has the settings it should:
// SQLite ignores a pragma that it does not know or cannot follow.
type connector struct {
	driver.Connector
	pragmas []pragma
}

// Connect implements driver.Connector.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range c.pragmas {
		if err := p.check(ctx, conn); err != nil {
			conn.Close() // the check's error says more
			return nil, err
		}
	}
	if c, ok := conn.(sqliteConn); ok {
		return &cachingConn{c, map[string]*cachedStmt{}}, nil
	}
	return conn, nil
}

// check reads the setting back from a connection.
func (p pragma) check(ctx context.Context, conn driver.Conn) error {
	rows, err := conn.(driver.QueryerContext).QueryContext(ctx, "PRAGMA "+p.name, nil)
	if err != nil {
		return err
	}
	defer rows.Close()
	value := make([]driver.Value, 1)
	if err := rows.Next(value); err != nil {
		return err
	}
	if got := fmt.Sprint(value[0]); got != p.want {
		return quire.Errorf(quire.CodeUnavailable, "the storage does not support a setting that is needed").
			WithCause(fmt.Errorf("%s is %s, not %s", p.name, got, p.want))
	}
	return nil
}
