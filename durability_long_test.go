//go:build long

package quire_test

// See durability_short_test.go.
const (
	killCycles     = 1_000
	ingestKills    = 50
	mixedSearches  = 100_000
	modelRuns      = 20
	cancelledCalls = 10_000
)
