//go:build long

package conformance

// TestFuzz sends fuzzRequests to each of fuzzSites.
const fuzzRequests, fuzzSites = 250_000, 4
