//go:build race

package racedetector

// Enabled is whether the program was built with -race.
const Enabled = true
