package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/python"
)

// testWheel is the wheel of a system with a script in place of the program.
func testWheel(t *testing.T, s system) wheel {
	t.Helper()
	files, err := packageFiles(python.Files)
	if err != nil {
		t.Fatal(err)
	}
	version, err := packageVersion(files)
	if err != nil {
		t.Fatal(err)
	}
	licenses, err := readLicenses(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	w := wheel{version: version, system: s, files: files, licenses: licenses}
	if s.goos != "" {
		w.program = []byte("#!/bin/sh\necho the program got: \"$@\"\n")
	}
	return w
}

// TestWheel: every file of every wheel is in RECORD with its sum, the program may be run, and packing again gives the
// same bytes.
func TestWheel(t *testing.T) {
	for _, s := range systems {
		w := testWheel(t, s)
		data, err := w.pack()
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := testWheel(t, s).pack(); !bytes.Equal(again, data) {
			t.Errorf("%s: packed twice, two results", w.fileName())
		}
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		contents, lines := map[string][]byte{}, ""
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			if contents[f.Name], err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
			if run := f.Mode()&0o111 != 0; run != strings.HasPrefix(f.Name, "augmix/bin/") {
				t.Errorf("%s: %s has mode %v", w.fileName(), f.Name, f.Mode())
			}
			if sum := sha256.Sum256(contents[f.Name]); !strings.HasSuffix(f.Name, "/RECORD") {
				lines += fmt.Sprintf("%s,sha256=%s,%d\n", f.Name, base64.RawURLEncoding.EncodeToString(sum[:]), f.UncompressedSize64)
			}
		}
		info := "augmix-" + w.version + ".dist-info/"
		if got := string(contents[info+"RECORD"]); got != lines+info+"RECORD,,\n" {
			t.Errorf("%s: RECORD is\n%s", w.fileName(), got)
		}
		for _, name := range []string{"augmix/feed.py", "augmix/py.typed", info + "METADATA", info + "licenses/NOTICE"} {
			if _, ok := contents[name]; !ok {
				t.Errorf("%s has no %s", w.fileName(), name)
			}
		}
		for _, tag := range s.tags {
			if !strings.Contains(w.fileName(), tag) || !strings.Contains(string(contents[info+"WHEEL"]), "Tag: py3-none-"+tag+"\n") {
				t.Errorf("%s: tag %s is missing", w.fileName(), tag)
			}
		}
		if _, has := contents["augmix/bin/"+s.program()]; has != (s.goos != "") {
			t.Errorf("%s: program %t", w.fileName(), has)
		}
	}
}

// TestMetadata: pyproject.toml, from which pip builds a checkout, says what the wheels say.
func TestMetadata(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "python", "pyproject.toml"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`description = "` + summary + `"`, `requires-python = "` + requiresPython + `"`, `dependencies = ["` + requiresNumpy + `"]`,
		`keywords = ["` + strings.ReplaceAll(keywords, ",", `", "`) + `"]`, `augmix = "augmix.__main__:main"`,
	}
	for _, c := range classifiers {
		want = append(want, `    "`+c+`",`)
	}
	for _, line := range want {
		if !strings.Contains(string(text), line+"\n") {
			t.Errorf("pyproject.toml has no line %s", line)
		}
	}
}

// TestRelease: errors of the tool itself.
func TestRelease(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	out := t.TempDir()
	if err := run(out, "", "", "v99.0.0"); err == nil || !strings.Contains(err.Error(), "the tag is v99.0.0") {
		t.Errorf("tag: %v", err)
	}
	if err := run(out, "", "plan9/mips", ""); err == nil || !strings.Contains(err.Error(), "no such system") {
		t.Errorf("system: %v", err)
	}
	if err := run(out, t.TempDir(), "linux/amd64", ""); err == nil || !strings.Contains(err.Error(), "0 files are called") {
		t.Errorf("programs: %v", err)
	}
	if err := run(out, "", "/", ""); err != nil {
		t.Errorf("pure: %v", err)
	}
	if found, _ := filepath.Glob(filepath.Join(out, "*-py3-none-any.whl")); len(found) != 1 {
		t.Errorf("pure wheel: %v", found)
	}
}

// TestInstall installs a wheel with pip into a virtual environment, as a user does, and runs its program.
func TestInstall(t *testing.T) {
	peer := "/usr/bin/python3"
	if exec.Command(peer, "-c", "import numpy, pip, venv").Run() != nil {
		t.Skip("no /usr/bin/python3 with numpy, pip and venv")
	}
	dir := t.TempDir()
	name, err := testWheel(t, systems[0]).write(dir)
	if err != nil {
		t.Fatal(err)
	}
	env := filepath.Join(dir, "env")
	command(t, peer, "-m", "venv", "--without-pip", "--system-site-packages", env)
	command(t, peer, "-m", "pip", "--python", env, "install", "--quiet", "--no-index", "--no-deps", name)
	if got := command(t, filepath.Join(env, "bin", "augmix"), "list", "a b"); got != "the program got: list a b\n" {
		t.Errorf("augmix: %q", got)
	}
	if got := command(t, filepath.Join(env, "bin", "python"), "-m", "augmix", "x"); got != "the program got: x\n" {
		t.Errorf("python -m augmix: %q", got)
	}
	at := command(t, filepath.Join(env, "bin", "python"), "-c", "import augmix; print(augmix.__file__, augmix.__version__)")
	if !strings.HasPrefix(at, env) {
		t.Errorf("imported from %s", at)
	}
}

// command runs a program away from the checkout and without AUGMIX_BIN, and returns what it prints.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = t.TempDir()
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "AUGMIX_BIN=") && !strings.HasPrefix(v, "PYTHONPATH=") {
			c.Env = append(c.Env, v)
		}
	}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
