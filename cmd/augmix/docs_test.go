package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every command of the README and of the pages in docs parses.
func TestDocsCommands(t *testing.T) {
	root := filepath.Join("..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var c cli
	parser := newParser(&c, nil) // one for all: making it takes as long as a hundred lines
	count := 0
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range shellCommands(string(text)) {
			count++
			c = cli{}
			if _, err := parser.Parse(strings.Fields(line)); err != nil {
				t.Errorf("%s: augmix %s: %v", filepath.Base(page), line, err)
			}
		}
	}
	if count < 30 {
		t.Errorf("only %d commands found", count)
	}
}

// shellCommands returns the arguments of every line of a code block that calls augmix.
func shellCommands(text string) (lines []string) {
	inside := false
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		if strings.HasPrefix(line, "```") {
			inside = !inside
			continue
		}
		line, ok := strings.CutPrefix(strings.TrimPrefix(line, "time "), "augmix ")
		if !inside || !ok {
			continue
		}
		for _, end := range []string{"  #", " # ", " < ", " > ", " | ", " && "} {
			line, _, _ = strings.Cut(line, end)
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}
