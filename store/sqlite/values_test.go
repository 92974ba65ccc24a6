package sqlite

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzPlainStrings holds the short way of decoding an array against json, which must accept
// what it does, with the same result; and what this package writes must come back.
func FuzzPlainStrings(f *testing.F) {
	for _, seed := range []string{
		``, `[]`, `[""]`, `["a"]`, `["a","b"]`, `["","",""]`, `["a" ,"b"]`, `["a", "b"]`, `["a,b"]`, `["a\"","b"]`, `["a\\","b"]`,
		`["a"]"]`, `["a","b"`, `["\u003c"]`, "[\"\x01\"]", "[\"\xff\"]", `[1,"2"]`, `["a"],["b"]`, `["`, `["]`, `"]`, `["é","日本"]`, `null`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := plainStrings(s)
		var want []string
		if err := json.Unmarshal([]byte(s), &want); ok && err != nil {
			t.Errorf("%q is %q, but json says %v", s, got, err)
		}
		if diff := cmp.Diff(want, got); ok && diff != "" {
			t.Errorf("%q (-json +plain):\n%s", s, diff)
		}
		whole := string([]rune(s)) // json replaces what is no UTF-8
		stored := []string{whole, "b", whole}
		var back []string
		if err := (arrayTo[string]{&back}).Scan(array(stored)); err != nil || !cmp.Equal(stored, back) {
			t.Errorf("%q came back as %q, %v", stored, back, err)
		}
	})
}

// BenchmarkVector decodes a vector of 384 numbers.
func BenchmarkVector(b *testing.B) {
	blob := vectorBlob(make([]float32, 384))
	var v []float32
	for b.Loop() {
		if err := (vectorTo{&v}).Scan(blob); err != nil {
			b.Fatal(err)
		}
	}
}
