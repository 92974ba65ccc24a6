package id_test

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/quirelib/quire/internal/id"
)

func TestNewIsOrderedByTime(t *testing.T) {
	t.Parallel()
	last := ""
	for range 1000 {
		n := id.New()
		if u, err := uuid.Parse(n); err != nil || u.Version() != 7 || n <= last {
			t.Fatalf("%q after %q: %v", n, last, err)
		}
		last = n
	}
}

// Stored chunks keep their ids only as long as these values stay.
func TestPointIsFixed(t *testing.T) {
	t.Parallel()
	if got, want := id.Point("a", "b"), "5e6d738b-f783-559a-be6a-34db99762ab2"; got != want {
		t.Errorf("Point(a, b) = %s, want %s", got, want)
	}
	seen := map[string][]string{}
	for _, parts := range [][]string{{}, {""}, {"", ""}, {"a"}, {"a", ""}, {"a", "b"}, {"ab"}, {"a", "bc"}, {"ab", "c"}, {"\x01a"}} {
		p := id.Point(parts...)
		if other, taken := seen[p]; taken {
			t.Errorf("%q and %q have the same id", parts, other)
		}
		seen[p] = parts
	}
}

func TestInt53(t *testing.T) {
	t.Parallel()
	seen := map[int64]bool{}
	for range 10_000 {
		n := id.Int53()
		if n < 1 || n >= 1<<53 || seen[n] {
			t.Fatalf("%d", n)
		}
		seen[n] = true
	}
}

func TestSecret(t *testing.T) {
	t.Parallel()
	a, b := id.Secret("qk_"), id.Secret("qk_")
	if a == b || !strings.HasPrefix(a, "qk_") || len(a) != 3+43 {
		t.Errorf("%q, %q", a, b)
	}
}

// TestPointsAreApart makes ids of all places whose parts are numbers, which are the same
// when they are written one behind the other: no two places have the same id.
func TestPointsAreApart(t *testing.T) {
	t.Parallel()
	elementals := 100
	if testing.Short() {
		elementals = 10
	}
	var all []uuid.UUID
	for e := range elementals {
		for item := range 100 {
			for _, source := range []string{"", "1", "11", "file", "document"} {
				for ordinal := range 20 {
					point, err := uuid.Parse(id.Point(strconv.Itoa(e), strconv.Itoa(item), source, strconv.Itoa(ordinal)))
					if err != nil || point.Version() != 5 {
						t.Fatalf("%v: %v", point, err)
					}
					all = append(all, point)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	places := len(all)
	all = slices.Compact(all)
	if len(all) != places {
		t.Fatalf("%d places have %d ids", places, len(all))
	}
	t.Logf("G9: %d places of passages whose parts look alike have %d ids: %d collisions", places, len(all), places-len(all))
}
