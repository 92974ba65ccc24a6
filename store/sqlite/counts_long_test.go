//go:build long

package sqlite

import "time"

// See counts_short_test.go.
const (
	damagedFiles = 1000
	powerCuts    = 1000
	writingTime  = 5 * time.Second
)

// nextFailing is the call that fails in the next run of TestFailingCalls.
func nextFailing(n int) int { return n + 1 }
