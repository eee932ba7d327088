//go:build race

package transform

// raceDetector is whether this test runs under the race detector, which allocates by itself.
const raceDetector = true
