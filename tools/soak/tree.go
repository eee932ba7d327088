//go:build unix

package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// readTree returns the SHA-256 of every file beneath root by its path from root, and "folder" for every folder.
//
// Two things are compared in part. A row of results.jsonl holds the time it was measured at, which is left out. Event
// files for TensorBoard are named after the time and hold times; there may be one more for each resume, and they are left
// out altogether.
func readTree(root string) (map[string]string, error) {
	tree := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		name, err := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(entry.Name(), "events.out.tfevents."):
			return nil
		case entry.IsDir():
			tree[name] = "folder"
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		tree[name] = fmt.Sprintf("%x", sha256.Sum256(withoutTimes(entry.Name(), text)))
		return nil
	})
	return tree, err
}

var rowTime = regexp.MustCompile(`"time":"[^"]*"`)

func withoutTimes(name string, text []byte) []byte {
	if name != "results.jsonl" {
		return text
	}
	return rowTime.ReplaceAll(text, nil)
}

// differences lists what got has besides want, lacks, and holds with other bytes.
func differences(want, got map[string]string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		switch sum, ok := got[name]; {
		case !ok:
			out = append(out, "missing "+name)
		case sum != want[name]:
			out = append(out, "differs "+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok {
			out = append(out, "left over "+name)
		}
	}
	return out
}

// wrong lists the files of an unfinished output that have a final name and other than the final bytes.
func wrong(want, got map[string]string) []string {
	var out []string
	for _, line := range differences(want, got) {
		if strings.HasPrefix(line, "differs ") {
			out = append(out, line)
		}
	}
	return out
}
