package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// errLicense is returned for a module without a license file, or with one of an unknown kind.
var errLicense = errors.New("no license that is known")

// systems are those that augmix is released for. What is linked depends on the system, not on the architecture.
var systems = []string{"linux", "darwin", "windows"}

// text is a license and what it covers.
type text struct {
	id      string   // as SPDX calls it
	covers  []string // modules, or parts of them
	content string
}

// notice returns the text of NOTICE for a program.
func notice(program string) (string, error) {
	texts, err := licenses(program)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(`augmix
Copyright the augmix authors. Licensed under the Apache License 2.0, see LICENSE.

The released programs contain the software below, under the licenses that follow. This file is written by
"go run ./tools/notice".

`)
	var lines []string
	for _, t := range texts {
		for _, name := range t.covers {
			lines = append(lines, fmt.Sprintf("%-54s %s\n", name, t.id))
		}
	}
	slices.Sort(lines)
	b.WriteString(strings.Join(lines, ""))
	for _, t := range texts {
		fmt.Fprintf(&b, "\n%s\n%s (%s)\n\n%s\n", strings.Repeat("-", 78), strings.Join(t.covers, "\n"), t.id, t.content)
	}
	return b.String(), nil
}

// licenses returns the licenses of what is linked into a program, each text once, by what it covers.
func licenses(program string) ([]*text, error) {
	files := map[string]string{} // by what they cover
	for _, system := range systems {
		if err := addFiles(files, program, system); err != nil {
			return nil, err
		}
	}
	byContent := map[string]*text{}
	for name, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		content := strings.TrimSpace(strings.ReplaceAll(string(raw), "\r\n", "\n"))
		t := byContent[content]
		if t == nil {
			t = &text{id: kind(content), content: content}
			byContent[content] = t
		}
		if t.id == "" {
			return nil, fmt.Errorf("%s: %w", file, errLicense)
		}
		t.covers = append(t.covers, name)
	}
	var out []*text
	for _, t := range byContent {
		slices.Sort(t.covers)
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b *text) int { return strings.Compare(a.covers[0], b.covers[0]) })
	return out, nil
}

// addFiles adds the license files of what is linked on a system: of every module, of the parts of modules that have one
// of their own, and of the standard library.
func addFiles(files map[string]string, program, system string) error {
	list, err := goCommand(system, "list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", program)
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(list, "\n") {
		module, dirs, found := strings.Cut(strings.TrimSpace(line), "\t")
		if !found {
			continue
		}
		root, dir, _ := strings.Cut(dirs, "\t")
		for ; len(dir) >= len(root); dir = filepath.Dir(dir) {
			file := licenseIn(dir)
			if file == "" && dir == root {
				return fmt.Errorf("%s: %w", root, errLicense)
			}
			if file != "" {
				files[module+filepath.ToSlash(strings.TrimPrefix(dir, root))] = file
			}
		}
	}
	// The standard library has the license of the Go project's modules. A toolchain need not come with the file.
	files["Go standard library"] = files["golang.org/x/sys"]
	return nil
}

func goCommand(system string, args ...string) (string, error) {
	c := exec.Command("go", args...)
	c.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=-mod=readonly")
	var talk bytes.Buffer
	c.Stderr = &talk
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w: %s", args[0], err, talk.String())
	}
	return string(out), nil
}

var licenseName = regexp.MustCompile(`(?i)^(un)?licen[cs]e(\.(txt|md))?$|^copying$`)

// licenseIn returns the license file of a folder, empty for none.
func licenseIn(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if licenseName.MatchString(e.Name()) && e.Type().IsRegular() {
			return filepath.Join(dir, e.Name())
		}
	}
	return ""
}

// kind tells a license by words that only it has; empty for none that is known. A file with several is of all of them.
func kind(content string) string {
	content = strings.Join(strings.Fields(content), " ")
	has := func(s string) bool { return strings.Contains(content, s) }
	var ids []string
	if has("Apache License Version 2.0") || has("Apache License, Version 2.0") {
		ids = append(ids, "Apache-2.0")
	}
	if has("Redistribution and use in source and binary forms") {
		id := "BSD-2-Clause"
		if has("endorse or promote products") {
			id = "BSD-3-Clause"
		}
		ids = append(ids, id)
	}
	if has("Permission is hereby granted, free of charge") {
		ids = append(ids, "MIT")
	}
	if has("This is free and unencumbered software released into the public domain") {
		ids = append(ids, "Unlicense")
	}
	return strings.Join(ids, " AND ")
}
