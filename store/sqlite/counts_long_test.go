//go:build long

package sqlite

import "time"

// See counts_short_test.go.
const (
	damagedFiles = 1000
	powerCuts    = 1000
	writingTime  = 5 * time.Second
)
