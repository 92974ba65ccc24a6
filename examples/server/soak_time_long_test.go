//go:build long && !mutants

package main

import "time"

// How long the soak takes, after what time the server has everything that it keeps, and by
// what part of it that may grow in 10 minutes.
const (
	soakTime   = 30 * time.Minute
	soakWarm   = 10 * time.Minute
	soakGrowth = 0.01
)
