//go:build !long

package sqlite

import "time"

// How much these tests do with every change. The file with the build tag long has the
// numbers of a release.
const (
	damagedFiles = 200
	powerCuts    = 100
	writingTime  = 2 * time.Second // of TestReadModifyWrite
)

// nextFailing is the call that fails in the next run of TestFailingCalls.
func nextFailing(n int) int { return 5 * n }
