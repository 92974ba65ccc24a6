package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

var mediaCases = []testCase{
	{"missing", mediaMissing},
	{"round trip", mediaRoundTrip},
	{"awkward text", mediaText},
	{"any bytes", mediaBytes},
	{"times", mediaTimes},
	{"copied", mediaCopied},
	{"order", mediaOrder},
	{"many owners", mediaMany},
	{"replace", mediaReplace},
	{"without its owner", mediaOfNobody},
	{"delete", mediaDelete},
	{"deleted with their owner", mediaCascade},
	{"kept when their owner is replaced", mediaOwnerReplaced},
}

// ofElemental and ofList are the owners of media.
func ofElemental(id string) quire.MediaOwner { return quire.MediaOwner{ElementalID: id} }
func ofList(id int64) quire.MediaOwner       { return quire.MediaOwner{ListID: id} }

func sampleMedia(id int64, owner quire.MediaOwner) quire.Media {
	return quire.Media{
		ID:        id,
		Owner:     owner,
		Kind:      quire.MediaImage,
		Name:      fmt.Sprintf("Picture %d.png", id),
		MIMEType:  "image/png",
		Size:      1 << 40,
		Width:     640,
		Height:    480,
		Blur:      "LEHV6nWB2yk8pyo0adR*.7kCMdnj",
		Ordinal:   2,
		CreatedAt: at(18),
	}
}

// dataOf is what putMedia stores for a file.
func dataOf(id int64) []byte { return fmt.Appendf(nil, "\x00data of %d\xff", id) }

// putMedia writes files with the bytes of dataOf, all in one Update.
func putMedia(s *store, ms ...quire.Media) {
	s.tb.Helper()
	s.update(func(ctx context.Context, tx quire.Tx) error {
		for _, m := range ms {
			if err := tx.PutMedia(ctx, m, dataOf(m.ID)); err != nil {
				return err
			}
		}
		return nil
	})
}

// seedOwners writes the elementals a and b and the lists 1 and 2.
func seedOwners(s *store) {
	s.tb.Helper()
	putElementals(s, bareElemental("a", "u1"), bareElemental("b", "u1"))
	putLists(s, plainList(1, "u1"), plainList(2, "u1"))
}

func mediaMissing(t *testing.T, s *store) {
	missing(s, quire.ReadTx.Media, 404)
	missing(s, quire.ReadTx.MediaData, 404)
	seedOwners(s)
	owners := []quire.MediaOwner{ofElemental("a"), ofElemental("nothing"), ofList(1), ofList(404)}
	equal(t, "of no owners", get(s, quire.ReadTx.MediaOf, nil), nil)
	equal(t, "of owners without any", get(s, quire.ReadTx.MediaOf, owners), nil)
	put(s, quire.Tx.DeleteMedia, 404)
}

func mediaRoundTrip(t *testing.T, s *store) {
	seedOwners(s)
	full, other := sampleMedia(1<<53-1, ofElemental("a")), sampleMedia(7, ofList(1))
	bare := quire.Media{ID: 1, Owner: ofElemental("a"), CreatedAt: epoch}
	putMedia(s, full, other, bare)
	for _, want := range []quire.Media{full, other, bare} {
		equal(t, fmt.Sprint("file ", want.ID), get(s, quire.ReadTx.Media, want.ID), want)
		equal(t, fmt.Sprint("bytes of ", want.ID), get(s, quire.ReadTx.MediaData, want.ID), dataOf(want.ID))
	}
	equal(t, "MediaOf", get(s, quire.ReadTx.MediaOf, []quire.MediaOwner{ofElemental("a"), ofList(1), ofList(2), ofElemental("a")}),
		map[quire.MediaOwner][]quire.Media{ofElemental("a"): {bare, full}, ofList(1): {other}})
}

func mediaText(t *testing.T, s *store) {
	seedOwners(s)
	id := int64(1)
	for name, text := range awkward {
		m := sampleMedia(id, ofList(1))
		m.Kind, m.Name, m.MIMEType, m.Blur = quire.MediaKind(text), text, text, text
		putMedia(s, m)
		equal(t, name, get(s, quire.ReadTx.Media, id), m)
		id++
	}
}

func mediaBytes(t *testing.T, s *store) {
	seedOwners(s)
	random := make([]byte, 5<<20)
	for i, rnd := 0, rand.New(rand.NewPCG(1, 2)); i < len(random); i++ {
		random[i] = byte(rnd.Uint32())
	}
	for name, data := range map[string][]byte{
		"nil":        nil,
		"empty":      {},
		"one NUL":    {0},
		"NULs":       bytes.Repeat([]byte("\x00a\x00\x00"), 1000),
		"no text":    {0xff, 0xfe, 0x80, 0xc3, 0x28},
		"5 MB":       random,
		"5 MB of 0s": make([]byte, 5<<20),
	} {
		s.update(func(ctx context.Context, tx quire.Tx) error {
			return tx.PutMedia(ctx, sampleMedia(1, ofElemental("a")), data)
		})
		if got := get(s, quire.ReadTx.MediaData, 1); !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes came back changed, as %d", name, len(data), len(got))
		}
	}
}

func mediaTimes(t *testing.T, s *store) {
	seedOwners(s)
	m := sampleMedia(1, ofElemental("a"))
	m.CreatedAt = time.Date(2025, 7, 1, 0, 30, 0, 1999, time.FixedZone("west", -7*3600))
	putMedia(s, m)
	checkTime(t, "CreatedAt", get(s, quire.ReadTx.Media, 1).CreatedAt, m.CreatedAt)
}

func mediaCopied(t *testing.T, s *store) {
	seedOwners(s)
	want := sampleMedia(1, ofElemental("a"))
	s.update(func(ctx context.Context, tx quire.Tx) error {
		data := dataOf(1)
		err := tx.PutMedia(ctx, want, data)
		data[0] = 'X' // before the commit
		return err
	})
	got := get(s, quire.ReadTx.MediaData, 1)
	equal(t, "after a change on the way in", got, dataOf(1))
	got[0] = 'Y'
	equal(t, "after a change on the way out", get(s, quire.ReadTx.MediaData, 1), dataOf(1))
	owners := []quire.MediaOwner{ofElemental("a")}
	get(s, quire.ReadTx.MediaOf, owners)[owners[0]][0].Name = "spoilt"
	equal(t, "after a change of what MediaOf returned", get(s, quire.ReadTx.MediaOf, owners)[owners[0]], []quire.Media{want})
}

func mediaOrder(t *testing.T, s *store) {
	seedOwners(s)
	var want []quire.Media
	for _, m := range []struct {
		id      int64
		kind    quire.MediaKind
		ordinal int
	}{
		{40, quire.MediaAvatar, 9}, {30, quire.MediaCover, 0}, {20, quire.MediaFile, 0}, {5, quire.MediaImage, 0},
		{6, quire.MediaImage, 1}, {100, quire.MediaImage, 1}, {1, quire.MediaImage, 2}, {2, quire.MediaImage, 10},
	} {
		r := sampleMedia(m.id, ofList(1))
		r.Kind, r.Ordinal = m.kind, m.ordinal
		want = append(want, r)
	}
	for _, i := range []int{3, 7, 0, 4, 2, 6, 1, 5} {
		putMedia(s, want[i])
	}
	equal(t, "MediaOf", get(s, quire.ReadTx.MediaOf, []quire.MediaOwner{ofList(1)})[ofList(1)], want)
}

func mediaMany(t *testing.T, s *store) {
	ids, exist := manyIDs(400, "elemental")
	want := map[quire.MediaOwner][]quire.Media{}
	var es []quire.ElementalRecord
	var ls []quire.ListRecord
	var ms []quire.Media
	for i, id := range exist {
		es, ls = append(es, bareElemental(id, "u1")), append(ls, plainList(int64(i+1), "u1"))
		for j, owner := range []quire.MediaOwner{ofElemental(id), ofList(int64(i + 1))} {
			m := sampleMedia(int64(2*i+j+1), owner)
			ms, want[owner] = append(ms, m), []quire.Media{m}
		}
	}
	putElementals(s, es...)
	putLists(s, ls...)
	putMedia(s, ms...)
	var owners []quire.MediaOwner
	for i, id := range ids {
		owners = append(owners, ofElemental(id), ofList(int64(i+1)))
	}
	equal(t, "MediaOf", get(s, quire.ReadTx.MediaOf, owners), want)
}

func mediaReplace(t *testing.T, s *store) {
	seedOwners(s)
	putMedia(s, sampleMedia(1, ofElemental("a")), sampleMedia(2, ofElemental("a")))
	changed := quire.Media{ID: 1, Owner: ofList(2), Kind: quire.MediaFile, Name: "New", CreatedAt: at(70)}
	s.update(func(ctx context.Context, tx quire.Tx) error { return tx.PutMedia(ctx, changed, []byte("new")) })
	equal(t, "the replaced", get(s, quire.ReadTx.Media, 1), changed)
	equal(t, "its bytes", get(s, quire.ReadTx.MediaData, 1), []byte("new"))
	equal(t, "MediaOf", get(s, quire.ReadTx.MediaOf, []quire.MediaOwner{ofElemental("a"), ofList(2)}),
		map[quire.MediaOwner][]quire.Media{ofElemental("a"): {sampleMedia(2, ofElemental("a"))}, ofList(2): {changed}})
}

// mediaOfNobody checks that a refused file changes nothing and that the same
// transaction goes on.
func mediaOfNobody(t *testing.T, s *store) {
	seedOwners(s)
	putMedia(s, sampleMedia(1, ofElemental("a")))
	s.update(func(ctx context.Context, tx quire.Tx) error {
		for _, id := range []int64{1, 2} { // one that exists and a new one
			for _, owner := range []quire.MediaOwner{ofElemental("nothing"), ofList(404)} {
				if err := tx.PutMedia(ctx, sampleMedia(id, owner), []byte("new")); !errors.Is(err, quire.ErrNotFound) {
					return fmt.Errorf("PutMedia of %+v: got error %v, want ErrNotFound", owner, err)
				}
			}
		}
		return tx.PutMedia(ctx, sampleMedia(3, ofList(1)), dataOf(3))
	})
	equal(t, "the one before", get(s, quire.ReadTx.Media, 1), sampleMedia(1, ofElemental("a")))
	equal(t, "its bytes", get(s, quire.ReadTx.MediaData, 1), dataOf(1))
	missing(s, quire.ReadTx.Media, 2)
	equal(t, "the one after", get(s, quire.ReadTx.Media, 3), sampleMedia(3, ofList(1)))
}

func mediaDelete(t *testing.T, s *store) {
	seedOwners(s)
	kept := sampleMedia(2, ofElemental("a"))
	putMedia(s, sampleMedia(1, ofElemental("a")), kept)
	put(s, quire.Tx.DeleteMedia, 1)
	put(s, quire.Tx.DeleteMedia, 1) // twice is no error
	missing(s, quire.ReadTx.Media, 1)
	missing(s, quire.ReadTx.MediaData, 1)
	equal(t, "MediaOf", get(s, quire.ReadTx.MediaOf, []quire.MediaOwner{ofElemental("a")})[ofElemental("a")], []quire.Media{kept})
	equal(t, "the elemental", get(s, quire.ReadTx.Elemental, "a"), bareElemental("a", "u1"))
}

func mediaCascade(t *testing.T, s *store) {
	seedOwners(s)
	owners := []quire.MediaOwner{ofElemental("a"), ofList(1), ofElemental("b"), ofList(2)}
	for i, o := range owners {
		putMedia(s, sampleMedia(int64(10*i+1), o), sampleMedia(int64(10*i+2), o))
	}
	put(s, quire.Tx.DeleteElemental, "a")
	put(s, quire.Tx.DeleteList, 1)
	for _, id := range []int64{1, 2, 11, 12} {
		missing(s, quire.ReadTx.Media, id)
		missing(s, quire.ReadTx.MediaData, id)
	}
	want := map[quire.MediaOwner][]quire.Media{
		owners[2]: {sampleMedia(21, owners[2]), sampleMedia(22, owners[2])},
		owners[3]: {sampleMedia(31, owners[3]), sampleMedia(32, owners[3])},
	}
	equal(t, "MediaOf", get(s, quire.ReadTx.MediaOf, owners), want)
	seedOwners(s) // new ones of the same ids begin afresh
	equal(t, "MediaOf new ones", get(s, quire.ReadTx.MediaOf, slices.Clone(owners)), want)
}

func mediaOwnerReplaced(t *testing.T, s *store) {
	seedOwners(s)
	putMedia(s, sampleMedia(1, ofElemental("a")), sampleMedia(2, ofList(1)))
	putElementals(s, sampleElemental("a", "u2"))
	putLists(s, sampleList(1, "u2"))
	equal(t, "MediaOf", get(s, quire.ReadTx.MediaOf, []quire.MediaOwner{ofElemental("a"), ofList(1)}),
		map[quire.MediaOwner][]quire.Media{
			ofElemental("a"): {sampleMedia(1, ofElemental("a"))}, ofList(1): {sampleMedia(2, ofList(1))},
		})
}
