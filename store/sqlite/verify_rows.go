package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/quirelib/quire"
)

// behind scans what stands in front of the columns of another scan too.
type behind struct {
	scanner
	first []any
}

func (b behind) Scan(dest ...any) error { return b.scanner.Scan(slices.Concat(b.first, dest)...) }

// nameFirst makes a query for rows one that begins with what names each.
func nameFirst(name, query string) string {
	return `SELECT ` + name + `, ` + strings.TrimPrefix(query, `SELECT `)
}

// verifyEach reads the rows of a query, whose first column names each. A row that cannot
// be decoded is a fault; the others are given to check, if there is one.
func verifyEach[T any](ctx context.Context, t *tx, v *quire.Verification, part, query string, scan func(scanner) (T, error), check func(id string, row T) error) error {
	type row struct {
		name    any
		value   T
		damaged string // the column that cannot be decoded
	}
	scanRow := func(s scanner) (r row, err error) {
		r.value, err = scan(behind{s, []any{&r.name}})
		if column, ok := columnOf(err); ok {
			r.damaged, err = column, nil
		}
		return r, err
	}
	for r, err := range stream(ctx, t, scanRow, query) {
		if err != nil {
			return err
		}
		id := idOf(r.name)
		switch {
		case r.damaged != "":
			v.Add(part, id, "it cannot be read: its %s is no value of its kind", columnName(r.damaged))
		case check != nil:
			if err := check(id, r.value); err != nil {
				return err
			}
		}
	}
	return nil
}

// idOf writes what names a row.
func idOf(name any) string {
	switch name := name.(type) {
	case nil:
		return ""
	case []byte:
		return string(name)
	}
	return fmt.Sprint(name)
}

// columnName is how a column is called to operators. What is made of several rows has no
// name but its query.
func columnName(column string) string {
	if strings.Contains(column, "(") {
		return "list of tags or owner"
	}
	return column
}

// verifySums holds rows against their checksums, which come behind what names them. check
// says what its checksum should be.
func verifySums[T any](ctx context.Context, t *tx, v *quire.Verification, part, query string, scan func(scanner) (T, error), check func(T) (sum []byte, err error)) error {
	type summed struct {
		sum []byte
		row T
	}
	scanSummed := func(s scanner) (r summed, err error) {
		r.row, err = scan(behind{s, []any{&r.sum}})
		return r, err
	}
	return verifyEach(ctx, t, v, part, query, scanSummed, func(id string, r summed) error {
		want, err := check(r.row)
		if err != nil {
			return err
		}
		v.Count("rows", 1)
		switch {
		case len(r.sum) == 0:
			v.Add(part, id, "its checksum is missing")
		case !bytes.Equal(r.sum, want):
			v.Add(part, id, "it is not what was stored: the checksum differs")
		}
		return nil
	})
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
	query := nameFirst(`e.id, e.sum, (SELECT s.packed FROM elemental_short s WHERE s.num = e.num)`, selectElemental) + `ORDER BY e.num`
	var other quire.ElementalRecord
	fields := shortFields(&other)
	return verifySums(ctx, t, v, "elementals", query, scan, func(b both) ([]byte, error) {
		want, err := pack(shortValues(b.ElementalRecord))
		if err == nil && b.packed != nil {
			// One that another version of this package has packed says nothing.
			if current, err := unpack(b.packed, fields); (current || err != nil) && !bytes.Equal(b.packed, want) {
				v.Add("elementals", b.ID, "what pages show of it is not what is stored")
			}
		}
		return elementalSum(b.ElementalRecord), err
	})
}

func (t *tx) verifyLists(ctx context.Context, v *quire.Verification) error {
	query := nameFirst(`l.id, l.sum`, selectList) + `ORDER BY l.id`
	return verifySums(ctx, t, v, "lists", query, scanList, func(l quire.ListRecord) ([]byte, error) {
		return listSum(l), nil
	})
}

func (t *tx) verifyMedia(ctx context.Context, v *quire.Verification) error {
	query := nameFirst(`m.id, m.checksum`, selectMedia) + `ORDER BY m.id`
	return verifySums(ctx, t, v, "media", query, scanMedia, func(m quire.Media) ([]byte, error) {
		data, err := t.MediaData(ctx, m.ID)
		if quire.CodeOf(err) == quire.CodeCorrupt {
			return nil, nil // which no checksum is
		}
		return mediaSum(m, data), err
	})
}

func (t *tx) verifyChunks(ctx context.Context, v *quire.Verification) error {
	query := nameFirst(`c.id, c.sum`, selectChunk) + `ORDER BY c.num`
	return verifySums(ctx, t, v, "chunks", query, scanChunks(), func(c quire.Chunk) ([]byte, error) {
		return chunkSum(&c), nil
	})
}

func (t *tx) verifyJobs(ctx context.Context, v *quire.Verification) error {
	return verifyEach(ctx, t, v, "jobs", nameFirst(`j.id`, selectJob)+`ORDER BY j.seq`, scanJob, func(id string, j quire.Job) error {
		if j.Status != quire.JobQueued && j.Status != quire.JobRunning && !j.Status.Final() {
			v.Add("jobs", id, "its status is none that there is")
		}
		return nil
	})
}

// verifyPlainTables are the checks of rows that only have to be readable.
func (t *tx) verifyPlainTables() []verification {
	return []verification{
		plainTable(t, "meta", nameFirst(`m.name`, `SELECT m.value FROM meta m `), value[[]byte]),
		plainTable(t, "users", nameFirst(`u.id`, selectUser), scanUser),
		plainTable(t, "keys", nameFirst(`k.id`, selectKey), scanKey),
		plainTable(t, "tags", nameFirst(`t.id`, selectTag), scanTag),
		plainTable(t, "items", nameFirst(`i.list_id`, selectItem), scanItem),
		plainTable(t, "marks", nameFirst(`coalesce((SELECT e.id FROM elementals e WHERE e.num = m.elemental), m.list_id)`, selectMark), scanMark),
		plainTable(t, "comments", nameFirst(`c.id`, selectComment), scanComment),
		plainTable(t, "rates", nameFirst(`r.id`, selectRate), scanRate),
		plainTable(t, "receipts", nameFirst(`r.user_id`, selectReceipt), scanReceipt),
		t.vectorTable("vectors", `SELECT x.hash, x.vector FROM vectors x`),
		t.vectorTable("drafts", `SELECT x.elemental_id, x.vector FROM drafts x`),
	}
}

// plainTable checks that the rows of a query can be read.
func plainTable[T any](t *tx, part, query string, scan func(scanner) (T, error)) verification {
	return verification{part, func(ctx context.Context, v *quire.Verification) error {
		return verifyEach(ctx, t, v, part, query, scan, nil)
	}}
}

// vectorTable checks vectors that chunks will have.
func (t *tx) vectorTable(part, query string) verification {
	scan := func(row scanner) (vector []float32, err error) {
		err = row.Scan(vectorTo{&vector})
		return vector, err
	}
	return verification{part, func(ctx context.Context, v *quire.Verification) error {
		return verifyEach(ctx, t, v, part, query, scan, func(id string, vector []float32) error {
			if !finite(vector) {
				v.Add(part, id, "its vector holds what is no number")
			}
			return nil
		})
	}}
}

// finite reports whether all of a vector are numbers.
func finite(vector []float32) bool {
	for _, x := range vector {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return false
		}
	}
	return true
}
