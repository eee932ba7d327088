package experiment

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/trainedon"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/train"
)

// made is what training images were made with, as the manifests of the program's outputs say it.
type made struct {
	marks     map[string]string // by the keys of results.Row.Versions
	manifests []string          // that have such
	err       error             // a manifest that cannot be read, such as one of another program
}

// madeWith looks for the manifest of the training data: where they are an output of this program, or lie in one.
func (t *Train) madeWith(c *train.Config) made {
	found, err := manifestsOf(c.Data)
	if len(found) == 0 && err == nil && c.Split != "" {
		found, err = manifestsOf(storage.Join(c.Data, c.Split))
	}
	m := made{err: err}
	for _, f := range found {
		if marks := f.marks(); len(marks) > 0 {
			m.marks, m.manifests = results.JoinVersions(m.marks, marks), append(m.manifests, f.path)
		}
	}
	return m
}

// say says what the manifests of the data at path say.
func (m *made) say(say func(string, ...any), path string) {
	if m.err != nil {
		logf(say, "%s: what its images were made with is not known: %v", path, m.err)
	}
	if len(m.manifests) > 0 {
		logf(say, "%s: its images were made with %s, says %s", path,
			strings.Join(slices.Sorted(maps.Values(m.marks)), ", "), strings.Join(m.manifests, ", "))
	}
}

// manifest is that of an output which training data are, or are a part of.
type manifest struct {
	*generate.Manifest
	path string // its file
	part string // of the output, slash-separated; empty: all of it
}

// mostAbove is how many folders above a part of an output its manifest may lie: corrupt writes NAME/SEVERITY, with parts such as train.
const mostAbove = 3

// manifestsOf returns the manifests of the data set at path: one, or that of each epoch, or none.
func manifestsOf(path string) ([]manifest, error) {
	var found []manifest
	for _, out := range generate.Outputs(path) {
		m, err := generate.ReadManifest(out)
		if err != nil {
			return nil, err
		}
		found = append(found, manifest{Manifest: m, path: out.Record(generate.ManifestName)})
	}
	if len(found) > 0 {
		return found, nil
	}
	full, err := storage.Abs(path)
	if err != nil {
		return nil, err
	}
	dir := full
	for range mostAbove {
		dir = storage.Dir(dir)
		out := generate.Output{Path: dir}
		m, err := generate.ReadManifest(out)
		if err != nil { // there is none, or it is of another program, whose data may lie anywhere below
			continue
		}
		part := strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(full, dir)), "/")
		if lists(m, part) {
			return []manifest{{m, out.Record(generate.ManifestName), part}}, nil
		}
	}
	return nil, nil
}

// lists reports whether an output has files at a path or below it, which may be a pattern of tar files.
func lists(m *generate.Manifest, part string) bool {
	prefix, _, pattern := strings.Cut(part, "{")
	return slices.ContainsFunc(m.Files, func(f generate.File) bool {
		rest, ok := strings.CutPrefix(f.Path, prefix)
		return ok && (pattern || rest == "" || rest[0] == '/')
	})
}

// marks returns what the images were made with of the benchmarks' corruptions.
func (m *manifest) marks() map[string]string {
	switch m.Options["command"] {
	case "augment":
		var ops []string
		for _, op := range words(m.Options["op"]) {
			name, _, _ := strings.Cut(strings.ReplaceAll(op, "@", ":"), ":") // of NAME:PARAM or NAME@LEVEL
			ops = append(ops, name)
		}
		return results.JoinVersions(trainedon.OfMix(m.Options["mix"]), trainedon.OfOperations(ops))
	case "corrupt", "perturb", "stream":
		return trainedon.OfCorruptions(m.corruptions())
	}
	return nil
}

// corruptions are those of the part, where it has one of its own: NAME/SEVERITY, or NAME.npy.
func (m *manifest) corruptions() []string {
	names := words(m.Options["subset"])
	for _, part := range m.Parts { // those that the output got later too
		name, _, _ := strings.Cut(part, "/")
		names = append(names, name)
	}
	own, _, _ := strings.Cut(m.part, "/")
	if own = strings.TrimSuffix(own, path.Ext(own)); slices.Contains(names, own) {
		return []string{own}
	}
	return names
}

// words returns the elements of a list among a manifest's options, which is written as [a b].
func words(list string) []string { return strings.Fields(strings.Trim(list, "[]")) }
