//go:build long

package conformance

// fuzzRequests is how many requests TestFuzz sends.
const fuzzRequests = 200_000
