//go:build !long

package conformance

// TestFuzz sends fuzzRequests to each of fuzzSites.
const fuzzRequests, fuzzSites = 20_000, 1
