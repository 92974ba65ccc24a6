package sqlite

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quirelib/quire"
)

func packedSample(t testing.TB) (quire.ElementalRecord, []byte) {
	t.Helper()
	e := quire.ElementalRecord{
		ID: "e", OwnerID: "u", Title: "Title\x00é", Visibility: quire.Unlisted, TypeID: -3, TopicIDs: []int{1, 2},
		Price: new(int64(1 << 62)), IsPremium: true, Settings: quire.Settings{System: true},
		TutorialSteps: []quire.TutorialStep{{Title: "one"}}, TagIDs: []int64{9, 8}, Version: 1 << 60,
	}
	b, err := pack(shortValues(e))
	if err != nil {
		t.Fatal(err)
	}
	return e, b
}

func TestPackedRow(t *testing.T) {
	t.Parallel()
	e, b := packedSample(t)
	var got quire.ElementalRecord
	if ok, err := unpack(b, shortFields(&got)); !ok || err != nil {
		t.Fatal(ok, err)
	}
	got.CreatedAt = e.CreatedAt // zero times are the Store's matter
	if diff := cmp.Diff(e, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if ok, err := unpack(b, shortFields(&got)[1:]); ok || err != nil {
		t.Errorf("a row of another version: %t, %v", ok, err)
	}
	if _, err := pack([]any{1.5}); err == nil {
		t.Error("a float was packed")
	}
}

// Whatever the bytes are, unpacking them ends, and what is wrong is ErrCorrupt.
func FuzzUnpack(f *testing.F) {
	_, b := packedSample(f)
	f.Add(b)
	for i := range b {
		f.Add(b[:i])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var e quire.ElementalRecord
		if _, err := unpack(b, shortFields(&e)); err != nil && !errors.Is(err, quire.ErrCorrupt) {
			t.Errorf("%v", err)
		}
	})
}
