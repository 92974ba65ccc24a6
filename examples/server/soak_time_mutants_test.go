//go:build long && mutants

package main

import "time"

// A soak that is short enough for its control: it sees what grows by a half in 10 minutes, not by
// a hundredth.
const (
	soakTime   = 5 * time.Minute
	soakWarm   = 2 * time.Minute
	soakGrowth = 0.2
)
