//go:build race

package httpapi

// raceDetector reports whether the tests run under the race detector.
const raceDetector = true
