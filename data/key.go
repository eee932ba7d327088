package data

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/augmix-go/augmix/data/storage"
)

// imageExts are the file name extensions of the image formats that are read, in lower case.
var imageExts = []string{".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp", ".bmp", ".gif", ".tif", ".tiff"}

// ImageExtensions returns the extensions by which image files are known: .jpg, .jpeg, .jpe, .jfif, .png, .webp, .bmp, .gif,
// .tif, .tiff.
func ImageExtensions() []string { return slices.Clone(imageExts) }

// IsImageName reports whether a file name ends in one of [ImageExtensions], in any case.
func IsImageName(name string) bool {
	return slices.Contains(imageExts, strings.ToLower(path.Ext(name)))
}

// TrimImageExt returns name without a final extension that [IsImageName] knows; other names stay as they are.
func TrimImageExt(name string) string {
	if IsImageName(name) {
		return name[:len(name)-len(path.Ext(name))]
	}
	return name
}

// CheckKey returns an error that wraps [ErrUnsafe] unless key can be a [Sample.Key] and part of a file name: not empty,
// slash-separated elements of which none is empty, "." or "..", no backslash, no control character, no colon at its
// second byte (a Windows drive), valid UTF-8, at most 1024 bytes.
func CheckKey(key string) error {
	if why := badKey(key); why != "" {
		return fmt.Errorf("%w: key %.80q %s (allowed: a relative slash-separated path)", ErrUnsafe, key, why)
	}
	return nil
}

func badKey(key string) string {
	switch {
	case key == "":
		return "is empty"
	case len(key) > 1024:
		return "is longer than 1024 bytes"
	case !utf8.ValidString(key):
		return "is not UTF-8"
	case len(key) > 1 && key[1] == ':':
		return "begins with a drive letter"
	}
	for _, r := range key {
		if r < ' ' || r == 0x7f || r == '\\' {
			return "holds a backslash or a control character"
		}
	}
	for elem := range strings.SplitSeq(key, "/") {
		if elem == "" || elem == "." || elem == ".." {
			return fmt.Sprintf("holds the path element %q", elem)
		}
	}
	return ""
}

// maxElem is the longest name that file systems hold, in bytes.
const maxElem = 255

// CheckFileName returns an error that wraps [ErrUnsafe] where a file system cannot hold the slash-separated path name: an
// element of more than 255 bytes, or a last one that the hidden temporary name makes longer than that.
func CheckFileName(name string) error {
	dir, base := path.Split(name)
	most := maxElem - len(".") - len(storage.TempSuffix)
	if len(base) > most {
		return fmt.Errorf("%w: a file named %.80q of %d bytes (allowed: %d)", ErrUnsafe, base, len(base), most)
	}
	for elem := range strings.SplitSeq(dir, "/") {
		if len(elem) > maxElem {
			return fmt.Errorf("%w: a folder named %.80q of %d bytes (allowed: %d)", ErrUnsafe, elem, len(elem), maxElem)
		}
	}
	return nil
}

// UniqueKeys makes the keys of files from their slash-separated paths relative to the data set: the extension goes,
// and comes back only where two files would otherwise share a key (a.png beside a.jpg become "a.png" and "a.jpg").
// Bytes that a key cannot hold become %XX. The keys depend on nothing but the paths. Equal paths get numbers.
func UniqueKeys(paths []string) []string {
	long := distinct(paths)
	keys := make([]string, len(paths))
	full := make([]bool, len(paths))
	owner := make(map[string]int, len(paths)) // key -> first path that has it
	for i, p := range long {
		keys[i] = TrimImageExt(p)
	}
	// Each round lengthens every member of a clash that is not at its full length; those are distinct, so that no clash
	// is without such a member, and the rounds end. In practice there are one or two.
	for clash := true; clash; {
		clash = false
		clear(owner)
		for i, k := range keys {
			j, taken := owner[k]
			if !taken {
				owner[k] = i
				continue
			}
			clash = true
			full[i], full[j] = true, true
		}
		for i := range keys {
			if full[i] {
				keys[i] = long[i]
			}
		}
	}
	return keys
}

// distinct escapes paths and numbers those that are equal then.
func distinct(paths []string) []string {
	out := make([]string, len(paths))
	seen := make(map[string]bool, len(paths))
	for i, p := range paths {
		p = EscapeKey(p)
		out[i] = p
		for n := 2; seen[out[i]]; n++ {
			out[i] = fmt.Sprintf("%s~%d", p, n)
		}
		seen[out[i]] = true
	}
	return out
}

// EscapeKey replaces the bytes that [CheckKey] rejects by %XX, as in keys that are made of paths.
func EscapeKey(p string) string {
	if badKey(p) == "" {
		return p
	}
	var b strings.Builder
	for i, r := range p {
		_, size := utf8.DecodeRuneInString(p[i:])
		if r < ' ' || r == 0x7f || r == '\\' || r == utf8.RuneError && size == 1 || r == ':' && i == 1 {
			fmt.Fprintf(&b, "%%%02X", p[i])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
