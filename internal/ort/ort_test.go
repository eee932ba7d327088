package ort_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/ort"
)

func TestLibrary(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "libonnxruntime.so")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, env, want, says string }{
		{"", "", "", "is named: give the path of libonnxruntime by flag or in ONNXRUNTIME_LIB"},
		{file, "", file, ""},
		{"", file, file, ""},
		{file, dir, file, ""},
		{"", dir, "", "at the path of ONNXRUNTIME_LIB: " + dir + " is not a file"},
		{file + "x", file, "", "at the path of the flag"},
	} {
		t.Setenv(ort.EnvLibrary, c.env)
		got, err := ort.Library(c.path)
		if got != c.want || (err == nil) != (c.says == "") ||
			err != nil && (!errors.Is(err, ort.ErrNoLibrary) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%q, %q: %q %v, want %q %q", c.path, c.env, got, err, c.want, c.says)
		}
	}
}
