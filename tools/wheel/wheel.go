package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// system is what a wheel is for.
type system struct {
	goos, goarch string
	// tags are the platforms of pip that the program runs on. It is static, so that one wheel does for glibc and musl.
	tags []string
}

// systems lists all wheels. The last is for what has no program here: it finds one in AUGMIX_BIN or PATH. macOS 12 is the
// oldest that programs of Go 1.26 run on.
var systems = []system{
	{"linux", "amd64", []string{"manylinux2014_x86_64", "manylinux_2_17_x86_64", "musllinux_1_1_x86_64"}},
	{"linux", "arm64", []string{"manylinux2014_aarch64", "manylinux_2_17_aarch64", "musllinux_1_1_aarch64"}},
	{"darwin", "amd64", []string{"macosx_12_0_x86_64"}},
	{"darwin", "arm64", []string{"macosx_12_0_arm64"}},
	{"windows", "amd64", []string{"win_amd64"}},
	{"windows", "arm64", []string{"win_arm64"}},
	{"", "", []string{"any"}},
}

// name is the system in Go's words.
func (s system) name() string { return s.goos + "/" + s.goarch }

// program is the file name of augmix.
func (s system) program() string {
	if s.goos == "windows" {
		return "augmix.exe"
	}
	return "augmix"
}

// file is one file of a wheel.
type file struct {
	name string
	data []byte
	mode fs.FileMode
}

// wheel is one file for pip: a zip archive (PEP 427).
type wheel struct {
	version  string
	system   system
	files    []file // the package
	licenses []file
	program  []byte // nil for none
}

// fileName is NAME-VERSION-PYTHON-ABI-PLATFORM.whl.
func (w wheel) fileName() string {
	return fmt.Sprintf("augmix-%s-py3-none-%s.whl", w.version, strings.Join(w.system.tags, "."))
}

// write writes the wheel into a folder under a temporary name, and returns its name.
func (w wheel) write(dir string) (string, error) {
	data, err := w.pack()
	if err != nil {
		return "", err
	}
	at := filepath.Join(dir, w.fileName())
	if err := os.WriteFile(at+".tmp", data, 0o666); err != nil {
		return "", err
	}
	return at, os.Rename(at+".tmp", at)
}

// pack returns the bytes of the wheel. RECORD, the list of all other files with their sums, comes last.
func (w wheel) pack() ([]byte, error) {
	info := fmt.Sprintf("augmix-%s.dist-info/", w.version)
	files := slices.Clone(w.files)
	if w.program != nil {
		files = append(files, file{"augmix/bin/" + w.system.program(), w.program, 0o755})
	}
	description := []byte{}
	for _, f := range w.files {
		if f.name == readme {
			description = f.data
		}
	}
	files = slices.DeleteFunc(files, func(f file) bool { return f.name == readme })
	files = append(files,
		file{info + "METADATA", metadata(w.version, description), 0o644},
		file{info + "WHEEL", w.tags(), 0o644},
		file{info + "entry_points.txt", []byte("[console_scripts]\naugmix = augmix.__main__:main\n"), 0o644},
	)
	for _, f := range w.licenses {
		files = append(files, file{info + "licenses/" + f.name, f.data, 0o644})
	}
	files = append(files, file{info + "RECORD", record(files, info+"RECORD"), 0o644})
	return archive(files)
}

// tags is the file WHEEL.
func (w wheel) tags() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Wheel-Version: 1.0\nGenerator: augmix tools/wheel\nRoot-Is-Purelib: %t\n", w.program == nil)
	for _, tag := range w.system.tags {
		fmt.Fprintf(&b, "Tag: py3-none-%s\n", tag)
	}
	return b.Bytes()
}

// record lists the files with their SHA-256 and sizes, as pip checks them; its own line has neither.
func record(files []file, own string) []byte {
	var b bytes.Buffer
	for _, f := range files {
		sum := sha256.Sum256(f.data)
		fmt.Fprintf(&b, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
	}
	fmt.Fprintf(&b, "%s,,\n", own)
	return b.Bytes()
}

// archive packs files into a zip with one fixed time, so that the same files give the same bytes.
func archive(files []file) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		h.SetMode(f.mode)
		entry, err := z.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// readme is the page that package indexes show; in a wheel it is part of METADATA.
const readme = "README.md"

// packageFiles returns the Python package in order of names.
func packageFiles(from fs.FS) ([]file, error) {
	var files []file
	err := fs.WalkDir(from, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(from, path)
		files = append(files, file{path, data, 0o644})
		return err
	})
	return files, err
}

// versionLine is how _version.py says it.
var versionLine = regexp.MustCompile(`(?m)^__version__ = "([0-9][0-9A-Za-z.+]*)"$`)

// packageVersion reads the version out of the package.
func packageVersion(files []file) (string, error) {
	for _, f := range files {
		if f.name == "augmix/_version.py" {
			if m := versionLine.FindSubmatch(f.data); m != nil {
				return string(m[1]), nil
			}
		}
	}
	return "", fmt.Errorf("python/augmix/_version.py has no line __version__ = \"…\"")
}

// readLicenses reads the texts that must go with the program.
func readLicenses(root string) ([]file, error) {
	var files []file
	for _, name := range []string{"LICENSE", "NOTICE"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, fmt.Errorf("%w (run from the root of the module)", err)
		}
		files = append(files, file{name, data, 0o644})
	}
	return files, nil
}
