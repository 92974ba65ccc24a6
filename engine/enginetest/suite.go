package enginetest

import (
	"testing"

	"go.uber.org/goleak"
)

// suiteCase is one named part of a suite over implementations of T.
type suiteCase[T any] struct {
	name string
	run  func(t *testing.T, open func(tb testing.TB) T)
}

// runCases runs each case as a subtest. After its cleanups no goroutine may be left
// that did not run before.
func runCases[T any](t *testing.T, cases []suiteCase[T], open func(tb testing.TB) T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			t.Cleanup(func() { goleak.VerifyNone(t, before) })
			c.run(t, open)
		})
	}
}
