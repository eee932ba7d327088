//go:build !linux

package memtemp

func inMemory() string { return "" }
