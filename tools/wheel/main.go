// Wheel packs the Python package, with the program inside, into wheels for pip: one for each system, and one without
// a program. It needs no network and no Python; the same commit gives the same bytes.
//
//	go run ./tools/wheel -o dist/wheels                      build the programs too
//	go run ./tools/wheel -o dist/wheels -programs dist       take those that GoReleaser has built
//	go run ./tools/wheel -o dist/wheels -only linux/amd64    one system
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/python"
)

func main() {
	out := flag.String("o", "dist/wheels", "folder for the wheels")
	programs := flag.String("programs", "", "GoReleaser's folder of built programs; without, they are built here")
	only := flag.String("only", "", "one system, such as linux/amd64, in place of all")
	tag := flag.String("tag", "", "the release's tag, which must be the Python package's version")
	flag.Parse()
	if err := run(*out, *programs, *only, *tag); err != nil {
		fmt.Fprintln(os.Stderr, "wheel:", err)
		os.Exit(1)
	}
}

// run writes the wheels and prints their names.
func run(out, programs, only, tag string) error {
	files, err := packageFiles(python.Files)
	if err != nil {
		return err
	}
	version, err := packageVersion(files)
	if err != nil {
		return err
	}
	if tag != "" && strings.TrimPrefix(tag, "v") != version {
		return fmt.Errorf("the tag is %s, python/augmix/_version.py says %s", tag, version)
	}
	licenses, err := readLicenses(".")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	found := false
	for _, s := range systems {
		if only != "" && only != s.name() {
			continue
		}
		found = true
		var program []byte
		if s.goos != "" {
			if program, err = readProgram(s, programs); err != nil {
				return err
			}
		}
		w := wheel{version: version, system: s, files: files, licenses: licenses, program: program}
		name, err := w.write(out)
		if err != nil {
			return err
		}
		fmt.Println(name)
	}
	if !found {
		return fmt.Errorf("-only %s: no such system", only)
	}
	return nil
}

// readProgram returns the program for a system: from GoReleaser's folder, or built now as a release is.
func readProgram(s system, programs string) ([]byte, error) {
	if programs != "" {
		pattern := filepath.Join(programs, fmt.Sprintf("augmix_%s_%s*", s.goos, s.goarch), s.program())
		found, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		if len(found) != 1 {
			return nil, fmt.Errorf("%d files are called %s", len(found), pattern)
		}
		return os.ReadFile(found[0])
	}
	dir, err := os.MkdirTemp("", "wheel")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	at := filepath.Join(dir, s.program())
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", at, "./cmd/augmix")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+s.goos, "GOARCH="+s.goarch)
	if said, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building for %s: %w\n%s", s.name(), err, said)
	}
	return os.ReadFile(at)
}
