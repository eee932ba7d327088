package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNotice: NOTICE is what the tool writes.
func TestNotice(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the go command what is linked on every system")
	}
	want, err := notice(program)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("..", "..", "NOTICE"))
	if err != nil || strings.ReplaceAll(string(got), "\r\n", "\n") != want {
		t.Errorf("NOTICE is not that of the linked modules: run go run ./tools/notice (%v)", err)
	}
}

func TestKind(t *testing.T) {
	const bsd = "Redistribution and use in source\nand binary forms, with or without modification"
	for content, want := range map[string]string{
		"":                     "",
		"All rights reserved.": "",
		bsd:                    "BSD-2-Clause",
		bsd + " may be used to endorse or promote\n   products":                   "BSD-3-Clause",
		"Permission is hereby granted, free of charge, to any":                    "MIT",
		"Apache License\n  Version 2.0, January 2004":                             "Apache-2.0",
		"Apache License\nVersion 2.0\n" + bsd:                                     "Apache-2.0 AND BSD-2-Clause",
		"This is free and unencumbered software released into the public domain.": "Unlicense",
	} {
		if got := kind(content); got != want {
			t.Errorf("%q is %q, want %q", content, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	if _, err := notice("./none"); err == nil {
		t.Error("a program that is not there has a notice")
	}
	dir := t.TempDir()
	if licenseIn(dir) != "" || licenseIn(filepath.Join(dir, "none")) != "" {
		t.Error("an empty folder has a license")
	}
	if err := os.WriteFile(filepath.Join(dir, "COPYING"), []byte("All rights reserved."), 0o644); err != nil {
		t.Fatal(err)
	}
	if licenseIn(dir) == "" || kind("All rights reserved.") != "" {
		t.Error("a license of an unknown kind is not told")
	}
}
