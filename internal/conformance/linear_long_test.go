//go:build long

package conformance

// How many histories TestListsAreLinearizable checks, and the calls of one.
const (
	linearHistories = 200
	linearCalls     = 500
)
