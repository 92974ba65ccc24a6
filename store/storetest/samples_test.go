package storetest

import (
	"reflect"
	"testing"
)

// A field that a sample leaves empty would be one that no round trip checks.
func TestSamplesAreFilled(t *testing.T) {
	t.Parallel()
	for _, v := range []any{
		sampleUser("u"), sampleKey("k", "u"), sampleTag(1, "u"), sampleElemental("e", "u"),
		sampleList(1, "u"), sampleItem(1, "e", 1), sampleJob("t", "j", "e"), sampleChunk("e", 1),
	} {
		r := reflect.ValueOf(v)
		for i := range r.NumField() {
			if r.Field(i).IsZero() {
				t.Errorf("%T.%s is the zero value", v, r.Type().Field(i).Name)
			}
		}
	}
}
