//go:build !long

package httpapi

import "time"

// The load of TestLoad.
const (
	loadClients = 100
	loadStreams = 20
	loadTime    = 3 * time.Second
	loadPause   = 100 * time.Millisecond // of a client, on average
)
