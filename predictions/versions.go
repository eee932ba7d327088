package predictions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/augmix-go/augmix/data/storage"
)

// mostVersions bounds a file of versions, in bytes: all of it goes into a line of results.
const mostVersions = 1 << 16

// VersionsPath returns the name of the file beside the predictions at path that says what they are of: fog.versions.json beside
// fog.npy. Its content is that of the field versions of rows of results: {"trained_on": "fog"}.
func VersionsPath(path string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + ".versions.json"
}

// MarshalVersions returns the content of such a file.
func MarshalVersions(versions map[string]string) ([]byte, error) {
	if versions == nil {
		versions = map[string]string{}
	}
	text, err := json.MarshalIndent(versions, "", " ")
	return append(text, '\n'), err
}

// ReadVersions returns what the file of [VersionsPath] says of the predictions at path, nil where there is none. The error wraps
// [ErrContent] for a file that is damaged, and names it.
func ReadVersions(path string) (map[string]string, error) {
	name := VersionsPath(path)
	text, err := storage.ReadFile(name, mostVersions)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var versions map[string]string
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&versions); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrContent, name, err)
	}
	if _, empty := versions[""]; empty || versions == nil || d.More() || !utf8.Valid(text) {
		return nil, fmt.Errorf("%w: %s is not one object of names and texts in UTF-8", ErrContent, name)
	}
	return versions, nil
}
