package store

import (
	"context"
	"time"

	"github.com/quirelib/quire"
)

// receiptKey is what a receipt is found by.
type receiptKey struct{ userID, route, key string }

// Receipt implements [quire.ReceiptReader].
func (tx readTx) Receipt(ctx context.Context, userID, route, key string) (quire.Receipt, error) {
	return found(ctx, tx.receipts.rows[receiptKey{userID, route, key}], cloneReceipt, "receipt")
}

// PutReceipt implements [quire.ReceiptWriter].
func (tx *writeTx) PutReceipt(ctx context.Context, r quire.Receipt) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tx.receipts.set(&tx.undo, receiptKey{r.UserID, r.Route, r.Key}, new(cloneReceipt(r)))
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
