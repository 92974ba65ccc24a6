package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"strconv"

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

// verifyStructure reads by a connection of its own: FTS5 keeps what it knows of an index
// with a connection, and after a statement that was interrupted its check may take that for
// damage of a file that is sound.
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
	return x.failure(ctx, readStructure(x.ctx, db, v))
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

// checkSum adds a fault if a row is not what its checksum says.
func checkSum(v *quire.Verification, part, id string, have, want []byte) {
	v.Count("rows", 1)
	switch {
	case len(have) == 0:
		v.Add(part, id, "its checksum is missing")
	case !bytes.Equal(have, want):
		v.Add(part, id, "its texts are not those that were stored: the checksum differs")
	}
}

func (t *tx) verifyElementals(ctx context.Context, v *quire.Verification) error {
	type row struct {
		sum, packed []byte
		quire.ElementalRecord
	}
	scan := func(s scanner) (r row, err error) {
		r.ElementalRecord, err = scanElementalAfter(s, &r.sum, &r.packed)
		return r, err
	}
	// The packed form is compared where it is of this version of the package.
	const packed = `, (SELECT s.packed FROM elemental_short s WHERE s.num = e.num), `
	query := `SELECT e.sum` + packed + readColumns.of("e") + `, e.body` + tagsOfElemental + `ORDER BY e.num`
	var other quire.ElementalRecord
	fields := shortFields(&other)
	for r, err := range stream(ctx, t, scan, query) {
		if err != nil {
			return err
		}
		checkSum(v, "elementals", r.ID, r.sum, elementalSum(r.ElementalRecord))
		if r.packed == nil {
			continue
		}
		want, err := pack(shortValues(r.ElementalRecord))
		if err != nil {
			return err
		}
		if current, err := unpack(r.packed, fields); (current || err != nil) && !bytes.Equal(r.packed, want) {
			v.Add("elementals", r.ID, "what pages show of it is not what is stored")
		}
	}
	return nil
}

func (t *tx) verifyLists(ctx context.Context, v *quire.Verification) error {
	sums, err := t.sums(ctx, `SELECT CAST(id AS TEXT), sum FROM lists`)
	if err != nil {
		return err
	}
	for l, err := range stream(ctx, t, scanList, selectList+`ORDER BY l.id`) {
		if err != nil {
			return err
		}
		id := strconv.FormatInt(l.ID, 10)
		checkSum(v, "lists", id, sums[id], listSum(l))
	}
	return nil
}

func (t *tx) verifyMedia(ctx context.Context, v *quire.Verification) error {
	sums, err := t.sums(ctx, `SELECT CAST(id AS TEXT), sum FROM media`)
	if err != nil {
		return err
	}
	for m, err := range stream(ctx, t, scanMedia, selectMedia+`ORDER BY m.id`) {
		if err != nil {
			return err
		}
		data, err := t.MediaData(ctx, m.ID)
		if err != nil {
			return err
		}
		id := strconv.FormatInt(m.ID, 10)
		checkSum(v, "media", id, sums[id], mediaSum(m, data))
	}
	return nil
}

func (t *tx) verifyChunks(ctx context.Context, v *quire.Verification) error {
	type row struct {
		sum []byte
		quire.Chunk
	}
	scan := func(s scanner) (r row, err error) {
		err = s.Scan(append([]any{&r.sum}, chunkFields(&r.Chunk)...)...)
		return r, err
	}
	for r, err := range stream(ctx, t, scan, `SELECT c.sum, `+plainChunkColumns.of("c")+` FROM chunks c ORDER BY c.num`) {
		if err != nil {
			return err
		}
		checkSum(v, "chunks", r.ID, r.sum, chunkSum(&r.Chunk))
	}
	return nil
}

// sums returns the checksums of a table by id.
func (t *tx) sums(ctx context.Context, query string) (map[string][]byte, error) {
	type row struct {
		id  string
		sum []byte
	}
	scan := func(s scanner) (r row, err error) {
		err = s.Scan(&r.id, &r.sum)
		return r, err
	}
	sums := map[string][]byte{}
	for r, err := range stream(ctx, t, scan, query) {
		if err != nil {
			return nil, err
		}
		sums[r.id] = r.sum
	}
	return sums, nil
}
