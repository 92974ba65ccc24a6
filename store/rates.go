package store

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/quirelib/quire"
)

// rateKey is what a rate is found by.
type rateKey struct {
	subject quire.Subject
	userID  string
}

func (d *data) deriveRate(old, cur *quire.Rate) {
	if old != nil {
		d.ratesOf.remove(old.Subject, old.UserID)
	}
	if cur != nil {
		d.ratesOf.add(cur.Subject, cur.UserID, cur)
	}
}

// Rates implements [quire.EngagementReader].
func (tx readTx) Rates(ctx context.Context, s quire.Subject, before int64, limit int) ([]quire.Rate, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var rs []quire.Rate
	for _, r := range tx.ratesOf[s] {
		if before == 0 || r.ID < before {
			rs = append(rs, cloneRate(*r))
		}
	}
	slices.SortFunc(rs, func(a, b quire.Rate) int { return cmp.Compare(a.ID, b.ID) })
	return rs[max(0, len(rs)-limit):], nil
}

// rateNotes is how long the messages of the rates are that are read with a subject.
func (tx readTx) rateNotes(s quire.Subject) (n int64) {
	rates := slices.SortedFunc(maps.Values(tx.ratesOf[s]), func(a, b *quire.Rate) int { return cmp.Compare(b.ID, a.ID) })
	for _, r := range page(rates, 0, quire.MaxShown) {
		n += int64(len(r.Message))
	}
	return n
}

// PutRate implements [quire.EngagementWriter].
func (tx *writeTx) PutRate(ctx context.Context, r quire.Rate) (stored quire.Rate, replaced *quire.Rate, err error) {
	if err := ctx.Err(); err != nil {
		return quire.Rate{}, nil, err
	}
	if err := tx.exists(r.Subject); err != nil {
		return quire.Rate{}, nil, err
	}
	k := rateKey{r.Subject, r.UserID}
	if old := tx.rates.rows[k]; old != nil {
		r.ID, r.CreatedAt = old.ID, old.CreatedAt
		replaced = new(cloneRate(*old))
	} else {
		r.ID = tx.next(&tx.lastRate)
	}
	r = cloneRate(r)
	tx.rates.set(&tx.undo, k, &r)
	return cloneRate(r), replaced, nil
}
