package storetest

import (
	"bytes"
	"context"
	"testing"

	"github.com/quirelib/quire"
)

var metaCases = []testCase{
	{"missing", func(t *testing.T, s *store) { missing(s, quire.ReadTx.Meta, "never put") }},
	{"round trip", metaRoundTrip},
	{"replace", metaReplace},
	{"copied", metaCopied},
	{"names are exact", metaNames},
}

func putMeta(s *store, name string, value []byte) {
	s.tb.Helper()
	s.update(func(ctx context.Context, tx quire.Tx) error { return tx.PutMeta(ctx, name, value) })
}

func metaRoundTrip(t *testing.T, s *store) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for name, value := range map[string][]byte{
		"every byte":  all,
		"nil":         nil,
		"empty":       {},
		"a megabyte":  bytes.Repeat(all, 1<<12),
		"not a text":  {0xff, 0xfe, 0x00},
		"json object": []byte(`{"a":1}`),
	} {
		putMeta(s, name, value)
		if got := get(s, quire.ReadTx.Meta, name); !bytes.Equal(got, value) {
			t.Errorf("%s: %d bytes came back changed, as %d", name, len(value), len(got))
		}
	}
}

func metaReplace(t *testing.T, s *store) {
	putMeta(s, "name", []byte("a long first value"))
	putMeta(s, "name", []byte("second"))
	equal(t, "value", get(s, quire.ReadTx.Meta, "name"), []byte("second"))
}

func metaCopied(t *testing.T, s *store) {
	value := []byte("value")
	putMeta(s, "name", value)
	value[0] = 'X'
	got := get(s, quire.ReadTx.Meta, "name")
	equal(t, "after a change on the way in", got, []byte("value"))
	got[0] = 'Y'
	equal(t, "after a change on the way out", get(s, quire.ReadTx.Meta, "name"), []byte("value"))
}

func metaNames(t *testing.T, s *store) {
	names := []string{"", "a", "A", "a ", " a", "é", "e\u0301"}
	for _, n := range names {
		putMeta(s, n, []byte("value of "+n))
	}
	for _, n := range names {
		equal(t, n, get(s, quire.ReadTx.Meta, n), []byte("value of "+n))
	}
}
