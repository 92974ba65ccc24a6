package sqlite

import (
	"context"
	"encoding/json"
	"time"

	"github.com/quirelib/quire"
)

var (
	receiptColumns = columns{"user_id", "route", "key", "request", "status", "header", "created_at", "body"}
	selectReceipt  = `SELECT ` + receiptColumns.of("r") + ` FROM receipts r `
	putReceipt     = receiptColumns.upsert("receipts", "user_id, route, key")
)

func scanReceipt(row scanner) (r quire.Receipt, err error) {
	err = row.Scan(&r.UserID, &r.Route, &r.Key, &r.Request, &r.Status, headerTo{&r.Header}, moment{&r.CreatedAt}, &r.Body)
	return r, err
}

// headerText is how a header is stored.
func headerText(h map[string]string) string {
	b, err := json.Marshal(h)
	if err != nil {
		panic(err) // does not happen with this type
	}
	return string(b)
}

// headerTo scans a header.
type headerTo struct{ to *map[string]string }

// Scan implements sql.Scanner.
func (h headerTo) Scan(src any) error {
	*h.to = nil
	s, ok := src.(string)
	if !ok {
		return damaged("a header is a %T", src)
	}
	if err := json.Unmarshal([]byte(s), h.to); err != nil {
		return damaged("header: %w", err)
	}
	return nil
}

// Receipt implements quire.ReceiptReader.
func (t *tx) Receipt(ctx context.Context, userID, route, key string) (quire.Receipt, error) {
	return one(ctx, t, scanReceipt, selectReceipt+`WHERE r.user_id = ? AND r.route = ? AND r.key = ?`, userID, route, key)
}

// ReceiptSize implements quire.ReceiptReader.
func (t *tx) ReceiptSize(ctx context.Context, userID, route, key string) (int64, error) {
	return one(ctx, t, value[int64], `SELECT octet_length(r.body) FROM receipts r WHERE r.user_id = ? AND r.route = ? AND r.key = ?`, userID, route, key)
}

// PutReceipt implements quire.ReceiptWriter.
func (t *tx) PutReceipt(ctx context.Context, r quire.Receipt) error {
	return t.run(ctx, putReceipt, r.UserID, r.Route, r.Key, r.Request, r.Status, headerText(r.Header), micros(r.CreatedAt), blob(r.Body))
}

// TrimReceipts implements quire.ReceiptWriter.
func (t *tx) TrimReceipts(ctx context.Context, userID string, size int64) error {
	return t.run(ctx, `DELETE FROM receipts WHERE user_id = ? AND (route, key) IN (
		SELECT n.route, n.key FROM (
			SELECT r.route, r.key, row_number() OVER newest AS place, sum(octet_length(r.body) + ?) OVER newest AS size
			FROM receipts r WHERE r.user_id = ? WINDOW newest AS (ORDER BY r.created_at DESC, r.route DESC, r.key DESC)) n
		WHERE n.place > 1 AND n.size > ?)`, userID, quire.ReceiptOverhead, userID, size)
}

// DeleteReceipts implements quire.ReceiptWriter.
func (t *tx) DeleteReceipts(ctx context.Context, before time.Time) error {
	return t.run(ctx, `DELETE FROM receipts WHERE created_at < ?`, micros(before))
}
