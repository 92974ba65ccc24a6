package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
)

// watchedStore knows how many write transactions are open.
type watchedStore struct {
	quire.Store
	open atomic.Int32
}

func (s *watchedStore) Update(ctx context.Context, fn func(tx quire.Tx) error) error {
	return s.Store.Update(ctx, func(tx quire.Tx) error {
		s.open.Add(1)
		defer s.open.Add(-1)
		return fn(tx)
	})
}

// TestRenderedAhead creates large elementals with and without a key: with a key too,
// nothing is rendered while a write transaction is open, each text once, and the answer is
// what it is without a key.
func TestRenderedAhead(t *testing.T) {
	t.Parallel()
	long := func(i int) string {
		return strings.Repeat(fmt.Sprintf("Some *words* of line #%d & more.\n\n", i), 2000)
	}
	short := func(i int) string { return strings.Repeat(fmt.Sprintf("A *few* of #%d.\n\n", i), 250) }
	elemental := func(i int, body string) string {
		return encoded(t, map[string]any{"title": fmt.Sprintf("  A document of number %d ", i), "type_id": 3, "category_id": 18, "template": body, "description": "What *it* is about"})
	}
	var hundred []string
	for i := range 20 {
		hundred = append(hundred, elemental(i, short(i)))
	}
	stored := encoded(t, map[string]any{"files": []any{map[string]any{"file_name": "x", "file_buffer": "AAAA"}}})
	for _, tc := range []struct {
		name, path, body string
		rendered         int32 // texts and knowledge texts
		inside           int32 // of these, those inside of the transaction
	}{
		{"create", "/v1/user/elemental", elemental(1, long(1)), 2, 0},
		{"create many", "/v1/user/elementals", "[" + elemental(1, long(1)) + "," + elemental(2, long(2)) + "]", 4, 0},
		{"create many, some refused", "/v1/user/elementals", "[" + elemental(1, long(1)) + `,{"title":"x"}]`, 2, 0},
		{"create many, the first refused", "/v1/user/elementals", "[" + strings.Replace(elemental(1, long(1)), `"type_id":3`, `"type_id":9`, 1) + "," + elemental(2, long(2)) + "]", 4, 0},
		{"create many that are small", "/v1/user/elementals", "[" + strings.Join(hundred, ",") + "]", 20, 0},
		{"table", "/v1/user/table", encoded(t, map[string]any{"title": "A table of long texts", "description": "What it is about", "columns": []string{"a", "b"}, "rows": []string{"r"}, "cells": [][]string{{long(1), long(2)}}}), 4, 0},
		{"files", "/v1/user/elemental/stored/files", stored, 2, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			watched := &watchedStore{Store: store.NewMemory()}
			f := newFixtureOn(t, watched, nil)
			if _, err := f.lib.CreateElemental(t.Context(), f.ann.Actor(), quire.ElementalInput{ID: "stored", Title: "A stored document", TypeID: 3, CategoryID: 18, Body: long(3)}); err != nil {
				t.Fatal(err)
			}
			var rendered, inside atomic.Int32
			f.h.(*server).rendering = func() {
				rendered.Add(1)
				inside.Add(watched.open.Load())
			}
			first := f.do(f.ann.key, "POST", tc.path, tc.body, "Idempotency-Key", "k").replayed(false)
			if first.status != 201 && first.status != 206 {
				t.Fatalf("status %d: %.300s", first.status, first.body)
			}
			if rendered.Load() != tc.rendered || inside.Load() != tc.inside {
				t.Errorf("%d were rendered, %d of them inside of a transaction; want %d and %d", rendered.Load(), inside.Load(), tc.rendered, tc.inside)
			}
			again := f.do(f.ann.key, "POST", tc.path, tc.body, "Idempotency-Key", "k").replayed(true)
			if diff := cmp.Diff(first.sent(), again.sent()); diff != "" {
				t.Errorf("the answer again (-first +again):\n%.1000s", diff)
			}
			if rendered.Load() != tc.rendered {
				t.Error("a repetition renders")
			}
			if tc.name == "files" {
				return // sent again it would add more
			}
			without := f.do(f.ann.key, "POST", tc.path, tc.body).want(first.status)
			if diff := cmp.Diff(sameButIDs(t, without.body), sameButIDs(t, first.body)); diff != "" {
				t.Errorf("with a key (-without +with):\n%.1000s", diff)
			}
		})
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sameButIDs is an answer without what differs from one elemental to the next.
func sameButIDs(t *testing.T, body string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatal(err)
	}
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, key := range []string{"id", "url", "created_at", "updated_at", "table_id"} {
				delete(v, key)
			}
			for _, inner := range v {
				strip(inner)
			}
		case []any:
			for _, inner := range v {
				strip(inner)
			}
		}
	}
	strip(v)
	return v
}

// What is packed is the same text wherever it is written, and a writer that fails ends it.
func TestPacked(t *testing.T) {
	t.Parallel()
	one := newPacker()
	if _, err := one.Write([]byte("inner ")); err != nil {
		t.Fatal(err)
	}
	inner, err := one.end()
	if err != nil {
		t.Fatal(err)
	}
	outer := newPacker()
	for _, step := range []func() error{
		func() error { return outer.writePacked(inner) },
		func() error { _, err := outer.Write([]byte("outer ")); return err },
		func() error { return outer.writePacked(inner) },
		func() error { return outer.writePacked(inner) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	all, err := outer.end()
	if err != nil {
		t.Fatal(err)
	}
	const want = "inner outer inner inner "
	var b bytes.Buffer
	if err := all.unpackTo(&b); err != nil || b.String() != want || all.size != len(want) {
		t.Errorf("%q of %d bytes, error %v", &b, all.size, err)
	}
	full := errors.New("the disk is full")
	if err := all.unpackTo(&counter{limit: 3, then: func() error { return full }}); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	if err := (packed{data: all.data[:len(all.data)-3]}).unpackTo(&b); err == nil {
		t.Error("damaged text is no error")
	}
}
