package main

import (
	"bytes"
	"os"
	"testing"
)

// TestFilesAreWhatIsWritten fails where someone edited a generated file, or a generator without running it.
func TestFilesAreWhatIsWritten(t *testing.T) {
	for name, generate := range outputs {
		f := generate()
		for end, want := range map[string][]byte{".s": f.Assembly(), ".go": f.Stubs()} {
			got, err := os.ReadFile("../../" + name + end)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s%s is not what go run ./tools/neon writes", name, end)
			}
		}
	}
}
