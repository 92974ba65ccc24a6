package sqlite

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"strconv"

	"github.com/quirelib/quire"
)

// sum is the SHA-256 of fields, each behind its length, so that none can give bytes to
// another.
func sum(fields ...[]byte) []byte {
	h := sha256.New()
	var length [8]byte
	for _, f := range fields {
		binary.LittleEndian.PutUint64(length[:], uint64(len(f)))
		h.Write(length[:])
		h.Write(f)
	}
	return h.Sum(nil)
}

// texts are strings as fields of a sum.
func texts(ss ...string) [][]byte {
	fields := make([][]byte, len(ss))
	for i, s := range ss {
		fields[i] = []byte(s)
	}
	return fields
}

// The sums cover whose a row is and what its owner wrote. What other statements change
// one by one, as counters and visibility, is not in them. No such statement is there for
// media, of which they cover everything.

func elementalSum(e quire.ElementalRecord) []byte {
	return sum(texts(e.ID, e.OwnerID, e.TenantID, e.Title, e.Description, e.Body, e.Command, e.VideoURL)...)
}

func listSum(l quire.ListRecord) []byte {
	return sum(texts(strconv.FormatInt(l.ID, 10), l.OwnerID, l.TenantID, l.Title, l.Description, l.Template, l.VideoURL)...)
}

func mediaSum(m quire.Media, data []byte) []byte {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	content := sum(append(texts(number(m.ID), m.Name, m.MIMEType), data)...) // which was all, until step 12
	return sum(append(texts(m.Owner.ElementalID, number(m.Owner.ListID), string(m.Kind), number(m.Size), number(int64(m.Width)),
		number(int64(m.Height)), m.Blur, number(int64(m.Ordinal)), number(micros(m.CreatedAt))), content)...)
}

func chunkSum(c *quire.Chunk) []byte {
	return sum(texts(c.ID, c.ElementalID, c.ItemID, c.Text)...)
}

// summed names, for each table with sums, its key and the columns that they cover, in the
// order of the functions above. They stand for the schema of step 11: later steps that
// change these columns fill the sums anew.
var summed = []struct{ table, key, columns string }{
	{"elementals", "num", "id, owner_id, tenant_id, title, description, body, command, video_url"},
	{"lists", "id", "CAST(id AS TEXT), owner_id, tenant_id, title, description, template, video_url"},
	{"media", "id", "CAST(id AS TEXT), name, mime_type, data"},
	{"chunks", "num", "id, elemental_id, item_id, passage"},
}

// fillSums gives all rows of a database that had no sums theirs.
func fillSums(ctx context.Context, tx *sql.Tx) error {
	for _, s := range summed {
		keys, err := keysOf(ctx, tx, `SELECT `+s.key+` FROM `+s.table)
		if err != nil {
			return err
		}
		for _, key := range keys {
			fields, err := bytesOf(ctx, tx, `SELECT `+s.columns+` FROM `+s.table+` WHERE `+s.key+` = ?`, key)
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `UPDATE `+s.table+` SET sum = ? WHERE `+s.key+` = ?`, sum(fields...), key); err != nil {
				return err
			}
		}
	}
	return nil
}

// fillMediaSums makes the checksums of media those that cover everything, of the former ones
// and without a look at the bytes. One that is missing stays missing.
func fillMediaSums(ctx context.Context, tx *sql.Tx) error {
	keys, err := keysOf(ctx, tx, `SELECT id FROM media WHERE checksum IS NOT NULL`)
	if err != nil {
		return err
	}
	for _, key := range keys {
		fields, err := bytesOf(ctx, tx, `SELECT `+subjectOf("m")+`, m.kind, m.size, m.width, m.height, m.blur, m.ordinal, m.created_at, m.checksum
			FROM media m WHERE m.id = ?`, key)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE media SET checksum = ? WHERE id = ?`, sum(fields...), key); err != nil {
			return err
		}
	}
	return nil
}

// keysOf returns the integers that a query yields.
func keysOf(ctx context.Context, tx *sql.Tx, query string) ([]int64, error) {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var keys []int64
	for rows.Next() {
		var key int64
		if err := rows.Scan(&key); err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, rows.Err()
}

// bytesOf returns the columns of the only row of a query.
func bytesOf(ctx context.Context, tx *sql.Tx, query string, args ...any) ([][]byte, error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, cmp.Or(rows.Err(), sql.ErrNoRows)
	}
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	fields := make([][]byte, len(columns))
	to := make([]any, len(columns))
	for i := range fields {
		to[i] = &fields[i]
	}
	return fields, rows.Scan(to...)
}
