package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/quirelib/quire"
)

var _ quire.VerifiedStore = (*Store)(nil)

// maxStructural bounds what SQLite reports of the structure of a file: one damaged page
// can break everything behind it.
const maxStructural = 100

// Verify implements quire.VerifiedStore: SQLite's integrity check, with that of the full-
// text indexes, and its check of references; then the checksums of the rows that have one,
// and of each elemental that its packed form says the same. It counts as "rows" the rows
// with a checksum, passages among them.
func (s *Store) Verify(ctx context.Context, v *quire.Verification) error {
	if err := s.verifyStructure(ctx, v); err != nil {
		return err
	}
	return s.View(ctx, func(read quire.ReadTx) error {
		t := read.(*tx)
		for _, verify := range []func(context.Context, *quire.Verification) error{t.verifyElementals, t.verifyLists, t.verifyMedia, t.verifyChunks} {
			if err := verify(ctx, v); err != nil {
				return err
			}
		}
		return nil
	})
}

// verifyStructure reads by a connection of its own. FTS5 keeps with a connection what it
// knows of an index; a search looks whether that still holds, but the check does not, and
// may call a sound file damaged.
func (s *Store) verifyStructure(ctx context.Context, v *quire.Verification) error {
	x, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer x.end()
	o, err := (*Options)(nil).normal()
	if err != nil {
		return err
	}
	db, err := newPool(s.path, o.reader(), 1)
	if err != nil {
		return err
	}
	defer db.Close()
	err = s.inPlace()
	if err == nil {
		err = db.PingContext(x.ctx)
	}
	if err == nil { // that it has opened this file
		err = s.inPlace()
	}
	if err == nil {
		err = readStructure(x.ctx, db, v)
	}
	return x.failure(ctx, err)
}

// readStructure adds what SQLite's own checks find.
func readStructure(ctx context.Context, db *sql.DB, v *quire.Verification) error {
	verdicts, err := db.QueryContext(ctx, `PRAGMA integrity_check(`+strconv.Itoa(maxStructural)+`)`)
	if err != nil {
		return err
	}
	defer verdicts.Close()
	for verdicts.Next() {
		var verdict string
		if err := verdicts.Scan(&verdict); err != nil {
			return err
		}
		if verdict != "ok" {
			v.Add("file", "", "the structure is damaged: %s", verdict)
		}
	}
	if err := errors.Join(verdicts.Err(), verdicts.Close()); err != nil {
		return err
	}
	rows, err := db.QueryContext(ctx, `PRAGMA foreign_key_check`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var table, parent string
		var key, constraint sql.NullInt64
		if err := rows.Scan(&table, &key, &parent, &constraint); err != nil {
			return err
		}
		v.Add("file", "", "a row of %s refers to one of %s that is missing", table, parent)
	}
	return rows.Err()
}

// behind scans what stands in front of the columns of another scan too.
type behind struct {
	scanner
	first []any
}

func (b behind) Scan(dest ...any) error { return b.scanner.Scan(slices.Concat(b.first, dest)...) }

// verifyRows holds the rows of a query, whose first column is their checksum, against it.
// check names a row and says what its checksum should be.
func verifyRows[T any](ctx context.Context, t *tx, v *quire.Verification, part, query string, scan func(scanner) (T, error), check func(T) (id string, sum []byte, err error)) error {
	type summed struct {
		sum []byte
		row T
	}
	scanSummed := func(s scanner) (r summed, err error) {
		r.row, err = scan(behind{s, []any{&r.sum}})
		return r, err
	}
	for r, err := range stream(ctx, t, scanSummed, query) {
		if err != nil {
			return err
		}
		id, want, err := check(r.row)
		if err != nil {
			return err
		}
		v.Count("rows", 1)
		switch {
		case len(r.sum) == 0:
			v.Add(part, id, "its checksum is missing")
		case !bytes.Equal(r.sum, want):
			v.Add(part, id, "its texts are not those that were stored: the checksum differs")
		}
	}
	return nil
}

// withSum makes a query for rows one for their checksums too.
func withSum(alias, query string) string {
	return `SELECT ` + alias + `.sum, ` + strings.TrimPrefix(query, `SELECT `)
}

func (t *tx) verifyElementals(ctx context.Context, v *quire.Verification) error {
	type both struct {
		packed []byte
		quire.ElementalRecord
	}
	scan := func(s scanner) (b both, err error) {
		b.ElementalRecord, err = scanElementalAfter(s, &b.packed)
		return b, err
	}
	query := `SELECT (SELECT s.packed FROM elemental_short s WHERE s.num = e.num), ` + strings.TrimPrefix(selectElemental, `SELECT `) + `ORDER BY e.num`
	var other quire.ElementalRecord
	fields := shortFields(&other)
	return verifyRows(ctx, t, v, "elementals", withSum("e", query), scan, func(b both) (string, []byte, error) {
		want, err := pack(shortValues(b.ElementalRecord))
		if err == nil && b.packed != nil {
			// One that another version of this package has packed says nothing.
			if current, err := unpack(b.packed, fields); (current || err != nil) && !bytes.Equal(b.packed, want) {
				v.Add("elementals", b.ID, "what pages show of it is not what is stored")
			}
		}
		return b.ID, elementalSum(b.ElementalRecord), err
	})
}

func (t *tx) verifyLists(ctx context.Context, v *quire.Verification) error {
	return verifyRows(ctx, t, v, "lists", withSum("l", selectList+`ORDER BY l.id`), scanList, func(l quire.ListRecord) (string, []byte, error) {
		return strconv.FormatInt(l.ID, 10), listSum(l), nil
	})
}

func (t *tx) verifyMedia(ctx context.Context, v *quire.Verification) error {
	return verifyRows(ctx, t, v, "media", withSum("m", selectMedia+`ORDER BY m.id`), scanMedia, func(m quire.Media) (string, []byte, error) {
		data, err := t.MediaData(ctx, m.ID)
		return strconv.FormatInt(m.ID, 10), mediaSum(m, data), err
	})
}

func (t *tx) verifyChunks(ctx context.Context, v *quire.Verification) error {
	return verifyRows(ctx, t, v, "chunks", withSum("c", selectPlainChunk+`ORDER BY c.num`), scanPlainChunk, func(c quire.Chunk) (string, []byte, error) {
		return c.ID, chunkSum(&c), nil
	})
}
