package storetest

import (
	"reflect"
	"testing"

	"github.com/quirelib/quire"
)

// A field that a sample leaves empty would be one that no round trip checks.
func TestSamplesAreFilled(t *testing.T) {
	t.Parallel()
	comment, rate := sampleComment("e", 1), sampleRate(onList(1), "u")
	comment.ID, rate.ID = 1, 1 // which a Store gives
	for _, v := range []any{
		sampleUser("u"), sampleKey("k", "u"), sampleTag(1, "u"), sampleElemental("e", "u"),
		sampleList(1, "u"), sampleItem(1, "e", 1), sampleJob("t", "j", "e"), sampleChunk("e", 1),
		sampleCounters(0), sampleMedia(1, ofList(1)), sampleMark(onList(1), "u"), sampleReceipt("u", "r", "k"),
		comment, rate,
	} {
		r := reflect.ValueOf(v)
		for i := range r.NumField() {
			if r.Field(i).IsZero() {
				t.Errorf("%T.%s is the zero value", v, r.Type().Field(i).Name)
			}
		}
	}
}

// The calls with a cancelled context are to cover every method.
func TestCallsCoverTheTransactions(t *testing.T) {
	t.Parallel()
	read, write := reflect.TypeFor[quire.ReadTx](), reflect.TypeFor[quire.Tx]()
	for m := range read.Methods() {
		if reads[m.Name] == nil {
			t.Errorf("reads does not call %s", m.Name)
		}
	}
	for m := range write.Methods() {
		if _, ok := read.MethodByName(m.Name); !ok && writes[m.Name] == nil {
			t.Errorf("writes does not call %s", m.Name)
		}
	}
}
