package storetest

import (
	"bytes"
	"context"
	"maps"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

var receiptCases = []testCase{
	{"missing", receiptsMissing},
	{"round trip", receiptRoundTrip},
	{"awkward text", receiptText},
	{"any bytes", receiptBytes},
	{"copied", receiptCopied},
	{"replace", receiptReplace},
	{"trim", receiptsTrim},
	{"delete before a moment", receiptsDelete},
}

// receiptKey is what Receipt is asked for.
type receiptKey struct{ userID, route, key string }

func keyOf(r quire.Receipt) receiptKey { return receiptKey{r.UserID, r.Route, r.Key} }

func receiptByKey(tx quire.ReadTx, ctx context.Context, k receiptKey) (quire.Receipt, error) {
	return tx.Receipt(ctx, k.userID, k.route, k.key)
}

func receiptSize(tx quire.ReadTx, ctx context.Context, k receiptKey) (int64, error) {
	return tx.ReceiptSize(ctx, k.userID, k.route, k.key)
}

func sampleReceipt(userID, route, key string) quire.Receipt {
	return quire.Receipt{
		UserID:    userID,
		Route:     route,
		Key:       key,
		Request:   "hash of the request",
		Status:    201,
		Header:    map[string]string{"Content-Type": "application/json", "Location": "/v1/" + key},
		Body:      []byte(`{"id":"` + key + `"}`),
		CreatedAt: at(24),
	}
}

func receiptsMissing(t *testing.T, s *store) {
	put(s, quire.Tx.PutReceipt, sampleReceipt("u1", "POST /a", "k1"))
	for _, k := range []receiptKey{
		{"u2", "POST /a", "k1"}, {"u1", "POST /b", "k1"}, {"u1", "POST /a", "k2"}, {"u1", "post /a", "k1"}, {"U1", "POST /a", "k1"}, {},
	} {
		missing(s, receiptByKey, k)
		missing(s, receiptSize, k)
	}
}

func receiptRoundTrip(t *testing.T, s *store) {
	rs := []quire.Receipt{
		sampleReceipt("u1", "POST /a", "k1"), sampleReceipt("u1", "POST /a", "k2"),
		sampleReceipt("u1", "POST /b", "k1"), sampleReceipt("u2", "POST /a", "k1"),
		sampleReceipt("u1", "POST /aPOST /b", "k1"), sampleReceipt("u1", "POST /a", "POST /bk1"),
		{UserID: "u3", CreatedAt: epoch},
	}
	for i := range rs {
		rs[i].Status = 200 + i
	}
	rs[1].Header, rs[1].Body = map[string]string{}, []byte{}
	put(s, quire.Tx.PutReceipt, rs...)
	for _, want := range rs {
		equal(t, want.UserID+" "+want.Route+" "+want.Key, get(s, receiptByKey, keyOf(want)), want)
		equal(t, "its size", get(s, receiptSize, keyOf(want)), int64(len(want.Body)))
	}
}

func receiptText(t *testing.T, s *store) {
	for name, text := range awkward {
		r := sampleReceipt(text, text, text)
		r.Request, r.Header = text, map[string]string{text: text, "Other": "<&>" + text}
		put(s, quire.Tx.PutReceipt, r)
		equal(t, name, get(s, receiptByKey, keyOf(r)), r)
	}
}

func receiptBytes(t *testing.T, s *store) {
	for name, body := range map[string][]byte{
		"one NUL": {0},
		"no text": {0xff, 0xfe, 0x00, 0xc3, 0x28},
		"1 MB":    bytes.Repeat([]byte("\x00\xff\x01a"), 1<<18),
	} {
		r := sampleReceipt("u1", "POST /a", name)
		r.Body = body
		put(s, quire.Tx.PutReceipt, r)
		if got := get(s, receiptByKey, keyOf(r)).Body; !bytes.Equal(got, body) {
			t.Errorf("%s: %d bytes came back changed, as %d", name, len(body), len(got))
		}
	}
}

func receiptCopied(t *testing.T, s *store) {
	spoil := func(r quire.Receipt) {
		r.Body[0] = 'X'
		r.Header["Content-Type"] = "spoilt"
		maps.DeleteFunc(r.Header, func(k, _ string) bool { return k == "Location" })
	}
	r, want := sampleReceipt("u1", "POST /a", "k1"), sampleReceipt("u1", "POST /a", "k1")
	s.update(func(ctx context.Context, tx quire.Tx) error {
		err := tx.PutReceipt(ctx, r)
		spoil(r) // before the commit
		return err
	})
	got := get(s, receiptByKey, keyOf(want))
	equal(t, "after a change on the way in", got, want)
	spoil(got)
	equal(t, "after a change on the way out", get(s, receiptByKey, keyOf(want)), want)
}

func receiptReplace(t *testing.T, s *store) {
	old, other := sampleReceipt("u1", "POST /a", "k1"), sampleReceipt("u1", "POST /a", "k2")
	put(s, quire.Tx.PutReceipt, old, other)
	changed := quire.Receipt{UserID: "u1", Route: "POST /a", Key: "k1", Request: "another", Status: 500, CreatedAt: at(70)}
	put(s, quire.Tx.PutReceipt, changed)
	equal(t, "the replaced", get(s, receiptByKey, keyOf(old)), changed)
	equal(t, "the other", get(s, receiptByKey, keyOf(other)), other)
}

func receiptsTrim(t *testing.T, s *store) {
	other := sampleReceipt("u2", "r", "k")
	put(s, quire.Tx.PutReceipt, other)
	// From the oldest to the newest one; two have the same age.
	var rs []quire.Receipt
	for i, key := range []string{"z", "b", "c", "a", "e"} {
		r := sampleReceipt("u1", "r", key)
		r.Body, r.CreatedAt = make([]byte, 100*(i+1)), at([]int{1, 2, 2, 3, 4}[i])
		rs = append(rs, r)
	}
	put(s, quire.Tx.PutReceipt, rs[3], rs[1], rs[4], rs[0], rs[2])
	trim := func(size int64, left int) {
		t.Helper()
		s.update(func(ctx context.Context, tx quire.Tx) error { return tx.TrimReceipts(ctx, "u1", size) })
		for i, r := range rs {
			if i < len(rs)-left {
				missing(s, receiptByKey, keyOf(r))
			} else {
				equal(t, r.Key, get(s, receiptByKey, keyOf(r)), r)
			}
		}
	}
	const each = quire.ReceiptOverhead
	trim(1500+5*each, 5)
	trim(1500+5*each-1, 4)
	trim(1399+4*each, 3)
	trim(0, 1)
	trim(0, 1)
	equal(t, "of another user", get(s, receiptByKey, keyOf(other)), other)
}

func receiptsDelete(t *testing.T, s *store) {
	old, at5, late := sampleReceipt("u1", "r", "old"), sampleReceipt("u1", "r", "at 5"), sampleReceipt("u2", "r", "late")
	old.CreatedAt, at5.CreatedAt = at(5).Add(-time.Microsecond), at(5)
	late.CreatedAt = time.Date(2025, 7, 1, 0, 30, 0, 1999, time.FixedZone("west", -7*3600))
	put(s, quire.Tx.PutReceipt, old, at5, late)
	checkTime(t, "CreatedAt", get(s, receiptByKey, keyOf(late)).CreatedAt, late.CreatedAt)

	put(s, quire.Tx.DeleteReceipts, at(4))
	equal(t, "kept", get(s, receiptByKey, keyOf(old)), old)
	put(s, quire.Tx.DeleteReceipts, at(5).In(time.FixedZone("east", 3600)))
	missing(s, receiptByKey, keyOf(old))
	equal(t, "created at the moment", get(s, receiptByKey, keyOf(at5)), at5)
	put(s, quire.Tx.PutReceipt, old) // a new one of the same key
	equal(t, "put again", get(s, receiptByKey, keyOf(old)), old)
	put(s, quire.Tx.DeleteReceipts, at(10_000_000))
	for _, r := range []quire.Receipt{old, at5, late} {
		missing(s, receiptByKey, keyOf(r))
	}
}
