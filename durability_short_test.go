//go:build !long

package quire_test

// How much the tests of durability and of jobs do with every change. The file with the
// build tag long has the numbers of a release.
const (
	killCycles     = 100
	ingestKills    = 7
	mixedSearches  = 10_000
	modelRuns      = 2 // hundreds
	cancelledCalls = 10_000
)
