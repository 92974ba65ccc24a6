//go:build long

package httpapi

import "time"

// The load of TestLoad.
const (
	loadClients = 1_000
	loadStreams = 200
	loadTime    = 5 * time.Minute
	loadPause   = 2 * time.Second // of a client, on average
)
