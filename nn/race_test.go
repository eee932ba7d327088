//go:build race

package nn

// raceDetector says that the race detector is at work, which allocates by itself.
const raceDetector = true
