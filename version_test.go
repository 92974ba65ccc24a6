package quire

import (
	"testing"

	"pgregory.net/rapid"
)

// Each change has another version than the one before, which an archive can have.
func TestNextVersion(t *testing.T) {
	t.Parallel()
	if NextVersion(1) != 2 || NextVersion(MaxVersion-1) != MaxVersion || NextVersion(MaxVersion) != 1 {
		t.Errorf("%d, %d, %d", NextVersion(1), NextVersion(MaxVersion-1), NextVersion(MaxVersion))
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Int64Range(1, MaxVersion).Draw(t, "version")
		if next := NextVersion(v); next == v || next < 1 || next > MaxVersion {
			t.Fatalf("after %d comes %d", v, next)
		}
	})
}
