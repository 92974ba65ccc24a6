//go:build !long

package conformance

// How many histories TestListsAreLinearizable checks, and the rounds of one.
const (
	linearHistories = 10
	linearRounds    = 4
)
