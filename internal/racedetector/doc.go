// Package racedetector tells tests whether they run under Go's race detector, which allocates by itself and takes ten
// times as long.
package racedetector
