package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/quirelib/quire"
)

// receiptKey is what a receipt is found by.
type receiptKey struct{ userID, route, key string }

// Receipt implements [quire.ReceiptReader].
func (tx readTx) Receipt(ctx context.Context, userID, route, key string) (quire.Receipt, error) {
	return found(ctx, tx.receipts.rows[receiptKey{userID, route, key}], cloneReceipt, "receipt")
}

// ReceiptSize implements [quire.ReceiptReader].
func (tx readTx) ReceiptSize(ctx context.Context, userID, route, key string) (int64, error) {
	return found(ctx, tx.receipts.rows[receiptKey{userID, route, key}], func(r quire.Receipt) int64 { return int64(len(r.Body)) }, "receipt")
}

// PutReceipt implements [quire.ReceiptWriter].
func (tx *writeTx) PutReceipt(ctx context.Context, r quire.Receipt) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tx.receipts.set(&tx.undo, receiptKey{r.UserID, r.Route, r.Key}, new(cloneReceipt(r)))
	return nil
}

// TrimReceipts implements [quire.ReceiptWriter]. It reads every row: it runs seldom.
func (tx *writeTx) TrimReceipts(ctx context.Context, userID string, size int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var keys []receiptKey
	for k := range tx.receipts.rows {
		if k.userID == userID {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(x, y receiptKey) int { // the newest one first
		return cmp.Or(tx.receipts.rows[y].CreatedAt.Compare(tx.receipts.rows[x].CreatedAt), cmp.Compare(y.route, x.route), cmp.Compare(y.key, x.key))
	})
	for i, k := range keys {
		size -= int64(len(tx.receipts.rows[k].Body)) + quire.ReceiptOverhead
		if i > 0 && size < 0 {
			tx.receipts.set(&tx.undo, k, nil)
		}
	}
	return nil
}

// DeleteReceipts implements [quire.ReceiptWriter]. It reads every row: it runs
// seldom.
func (tx *writeTx) DeleteReceipts(ctx context.Context, before time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	before = moment(before)
	for k, r := range tx.receipts.rows {
		if r.CreatedAt.Before(before) {
			tx.receipts.set(&tx.undo, k, nil)
		}
	}
	return nil
}
