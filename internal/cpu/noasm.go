//go:build noasm

package cpu

const assembly = false
