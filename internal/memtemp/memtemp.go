// Package memtemp has tests keep their temporary files in memory, where the disk would be what they wait for: programs that sync what
// they write wait for the writes of every other program.
package memtemp

import (
	"os"
	"testing"
)

// Main is the TestMain of a package whose tests write much.
func Main(m *testing.M) {
	Use()
	os.Exit(m.Run())
}

// Use makes the folder of temporary files one in memory, where there is one with room and TMPDIR does not say otherwise.
func Use() {
	if os.Getenv("TMPDIR") != "" {
		return
	}
	if dir := inMemory(); dir != "" {
		_ = os.Setenv("TMPDIR", dir)
	}
}
