package quire

import (
	"reflect"
	"sync"
)

// usedParts are the Stores and indexes that Engines of this process work with. An index that
// a second Engine fills loses what the first has put there, and of two Engines over one Store
// each knows of its own commits only.
var usedParts = struct {
	mu  sync.Mutex
	all map[any]bool
}{all: make(map[any]bool)}

// namedPart is a part and what messages call it.
type namedPart struct {
	name string
	part any
}

// partsClaim are parts that are in use until release.
type partsClaim []any

// claimParts notes parts as used; ErrConflict names one that is. Parts that are nil are left
// out, and so are those that cannot be told apart: values, and pointers to nothing.
func claimParts(named ...namedPart) (partsClaim, error) {
	usedParts.mu.Lock()
	defer usedParts.mu.Unlock()
	var claim partsClaim
	for _, n := range named {
		if t := reflect.TypeOf(n.part); t == nil || t.Kind() != reflect.Pointer || t.Elem().Size() == 0 {
			continue
		}
		if usedParts.all[n.part] {
			return nil, Errorf(CodeConflict, "the %s is in use by another engine; give each engine one of its own, or close that engine first", n.name)
		}
		claim = append(claim, n.part)
	}
	for _, part := range claim {
		usedParts.all[part] = true
	}
	return claim, nil
}

func (c partsClaim) release() {
	usedParts.mu.Lock()
	defer usedParts.mu.Unlock()
	for _, part := range c {
		delete(usedParts.all, part)
	}
}
