package generate

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/digest"
	"github.com/augmix-go/augmix/internal/parallel"
)

// Build names the program that made an output.
type Build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
}

// Manifest is the record of a complete output. It holds nothing that differs between two runs of the same program with
// the same options on the same input: no time, no host, no number of workers.
type Manifest struct {
	Version  int               `json:"version"` // of this layout
	Build    Build             `json:"build"`
	Options  map[string]string `json:"options"`
	Seed     uint64            `json:"seed"`
	Plan     map[string]string `json:"plan,omitempty"`  // settings of what was made, as far as the program knew them; earlier versions have none
	Source   string            `json:"source"`          // format of the input
	Classes  []string          `json:"classes"`         // class names by label, null when the input has none
	Samples  int               `json:"samples"`         // read from the input, the rejected among them
	Items    int               `json:"items"`           // images written
	Rejected []data.Rejected   `json:"rejected"`        // samples left out, in the source's order
	Records  []string          `json:"records"`         // files laid beside this one
	Files    []File            `json:"files"`           // everything else, by path
	Bytes    int64             `json:"bytes,omitempty"` // sum of the files' sizes
	// RecordSums are the SHA-256 of the records by their names, in hexadecimal. args.yaml, which is for people to edit, has none; in
	// manifests of earlier versions no record has one.
	RecordSums map[string]string `json:"record_sums,omitempty"`
	// OptionSums are the job's, Labels is the SHA-256 of its file of labels, in hexadecimal. Earlier versions have neither.
	OptionSums map[string]string `json:"option_sums,omitempty"`
	Labels     string            `json:"labels,omitempty"`
	// Annotations are the files of an annotated input, by their paths there, that were rewritten with its images.
	Annotations []File `json:"annotations,omitempty"`
	// Parts are the job's, sorted; null for an output that gets no more of them.
	Parts []string `json:"parts,omitempty"`
	// Content tells the input from another one: the sum of 64-bit hashes of key, label and bytes of each sample.
	Content string `json:"content,omitempty"`

	// Of a part of a run alone, for Join: the input that the run read, which shard of it the part is, as Shard.String has it, the job's
	// PerShard, and whether each file of the output lies in one part as it is to be. Earlier versions have no Shard.
	Input    *data.Fingerprint `json:"input,omitempty"`
	Shard    string            `json:"shard,omitempty"`
	PerShard int               `json:"per_shard,omitempty"`
	AsIs     bool              `json:"as_is,omitempty"`
}

// File is one file of an output.
type File struct {
	Path   string `json:"path"` // slash-separated, relative to the directory that holds the manifest
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // in hexadecimal
}

const manifestVersion = 1

// ReadManifest returns the manifest of the output at p. The error wraps fs.ErrNotExist when there is none.
func ReadManifest(p Output) (*Manifest, error) {
	path := p.Record(ManifestName)
	m := new(Manifest)
	if err := readJSON(path, m); err != nil {
		return nil, err
	}
	if m.Version != manifestVersion {
		return nil, fmt.Errorf("%w: %s is of version %d, this program reads version %d",
			ErrRecord, path, m.Version, manifestVersion)
	}
	for _, f := range slices.Concat(m.Files, m.Annotations) {
		if err := checkPath(path, f.Path); err != nil {
			return nil, err
		}
	}
	if err := checkNames(path, m.Records); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Manifest) write(p Output) error {
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	return data.WriteFileAtomic(p.Record(ManifestName), append(text, '\n'))
}

func (m *Manifest) options() []Option {
	out := make([]Option, 0, len(m.Options))
	for name, value := range m.Options {
		out = append(out, Option{name, value})
	}
	slices.SortFunc(out, func(a, b Option) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// missing returns the first listed file that is not there with its size, "" when all are.
func (m *Manifest) missing(p Output) (string, error) {
	root, err := os.OpenRoot(p.root())
	if err != nil {
		return "", err
	}
	defer root.Close()
	for _, f := range m.Files {
		st, err := root.Lstat(filepath.FromSlash(f.Path))
		if err != nil || !st.Mode().IsRegular() || st.Size() != f.Size {
			return f.Path, nil
		}
	}
	return "", nil
}

// present returns the listed files that exist.
func (m *Manifest) present(p Output) []string {
	var names []string
	for _, f := range m.Files {
		if exists(p.within(f.Path)) {
			names = append(names, f.Path)
		}
	}
	return names
}

// Outputs returns the complete outputs at path: the one that path is, or those of several epochs, path/epoch-NAME, in
// the order of their numbers. It returns nil where there is no manifest.
func Outputs(path string) []Output { return outputsAt(path, Output.complete) }

// Unfinished returns the outputs at path that a run has begun and not completed, as Outputs does.
func Unfinished(path string) []Output {
	return outputsAt(path, func(p Output) bool { return p.begun() && !p.complete() })
}

// complete reports whether there is a manifest.
func (p Output) complete() bool { return exists(p.Record(ManifestName)) }

// begun reports whether a run has left its journal or, in an object store, its claim, or runs by shards have left parts.
func (p Output) begun() bool {
	state := p.journal()
	if p.remote() {
		state = p.claimPath()
	}
	return exists(state) || Sharded(p)
}

// outputsAt returns the output that path is where it is such a one, otherwise those of several epochs that are.
func outputsAt(path string, such func(Output) bool) []Output {
	path = storage.Clean(path)
	for _, p := range []Output{{Path: path}, {Path: path, File: true}} {
		if such(p) {
			return []Output{p}
		}
	}
	entries, err := storage.ReadDir(path)
	if err != nil {
		return nil // no directory
	}
	var outputs []Output
	for _, e := range entries {
		p := Output{Path: storage.Join(path, e.Name())}
		if strings.HasPrefix(e.Name(), "epoch-") && such(p) {
			outputs = append(outputs, p)
		}
	}
	slices.SortStableFunc(outputs, func(a, b Output) int { return len(a.Path) - len(b.Path) }) // epoch-1000 comes after epoch-999
	return outputs
}

// Damage is what Verify found wrong.
type Damage struct {
	Missing []string `json:"missing"` // listed, not there
	Changed []string `json:"changed"` // listed, with another size or hash
	Extra   []string `json:"extra"`   // there, not listed
	Files   int      `json:"files"`   // listed
	Bytes   int64    `json:"bytes"`   // listed
}

// OK reports whether every listed file is there with its bytes and nothing else lies among them.
func (d *Damage) OK() bool { return len(d.Missing)+len(d.Changed)+len(d.Extra) == 0 }

// Verify hashes the files of the output at p again and compares them with its manifest. workers below 1 means one.
func Verify(ctx context.Context, p Output, workers int) (*Damage, error) {
	m, err := ReadManifest(p)
	if err != nil {
		return nil, err
	}
	var have []string
	if p.File {
		have = m.present(p) // what else lies in the directory is none of this output's business
	} else if have, err = listFiles(p, m.Records); err != nil {
		return nil, err
	}
	d := &Damage{Files: len(m.Files), Bytes: m.Bytes}
	missing, changed, err := m.lostRecords(ctx, p)
	if err != nil {
		return nil, err
	}
	listed := byPath(m.Files)
	var check []string
	for _, path := range have {
		if _, ok := listed[path]; ok {
			check = append(check, path)
		} else {
			d.Extra = append(d.Extra, path)
		}
	}
	for _, f := range m.Files {
		if _, ok := slices.BinarySearch(have, f.Path); !ok {
			d.Missing = append(d.Missing, f.Path)
		}
	}
	d.Missing = append(d.Missing, missing...)
	check, d.Changed, err = regular(p, check)
	if err != nil {
		return nil, err
	}
	got, _, err := hashFiles(ctx, p, check, nil, workers)
	if err != nil {
		return nil, err
	}
	for _, f := range got {
		if f != listed[f.Path] {
			d.Changed = append(d.Changed, f.Path)
		}
	}
	d.Changed = append(d.Changed, changed...)
	slices.Sort(d.Missing)
	slices.Sort(d.Changed)
	return d, nil
}

// root is the directory that the manifest's paths are relative to.
func (p Output) root() string {
	if p.File {
		return storage.Dir(p.Path)
	}
	return p.Path
}

// listFiles returns the files of a complete output, without its records and state, sorted.
func listFiles(p Output, records []string) ([]string, error) {
	if p.File {
		return p.written(), nil
	}
	var files []string
	if p.remote() {
		sizes, err := p.sizes(context.Background())
		for name := range sizes {
			if name != ManifestName && !slices.Contains(records, name) {
				files = append(files, name)
			}
		}
		slices.Sort(files)
		return files, err
	}
	err := filepath.WalkDir(p.folder(), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(p.Path, path)
		if err != nil {
			return err
		}
		switch {
		case e.IsDir() && rel == stateDir:
			return filepath.SkipDir
		case e.IsDir() || rel == ManifestName || slices.Contains(records, rel):
			return nil
		}
		files = append(files, filepath.ToSlash(rel))
		return nil
	})
	slices.Sort(files) // WalkDir's order differs where a name sorts before the separator
	return files, err
}

// within returns the path of a file that the manifest lists.
func (p Output) within(name string) string { return storage.Join(p.root(), filepath.FromSlash(name)) }

// hashFiles returns the size and hash of every named file, in the order given, and what would be noted of it. A file of noted that
// is not what is noted there is an error that wraps ErrDamaged.
func hashFiles(
	ctx context.Context, p Output, names []string, noted map[string]data.FileSum, workers int,
) ([]File, []data.FileSum, error) {
	out, sums := make([]File, len(names)), make([]data.FileSum, len(names))
	open := func(name string) (io.ReadCloser, error) { return storage.Open(p.within(name)) }
	if !p.remote() {
		root, err := os.OpenRoot(p.root())
		if err != nil {
			return nil, nil, err
		}
		defer root.Close()
		open = func(name string) (io.ReadCloser, error) { return openRegular(root, name) }
	}
	err := parallel.Try(len(names), max(workers, 1), func(_, i int) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f, err := open(names[i])
		if err != nil {
			return err
		}
		defer f.Close()
		want, ok := noted[names[i]]
		crc := crcWriter(0)
		sum, size, err := digest.Reader(io.TeeReader(f, &crc))
		out[i] = File{Path: names[i], Size: size, SHA256: sum.String()}
		sums[i] = data.FileSum{Path: names[i], Size: size, CRC: uint32(crc)}
		if ok && err == nil && sums[i] != want {
			err = fmt.Errorf("%w: %s is not what was written", ErrDamaged, p.within(names[i]))
		}
		return err
	})
	return out, sums, err
}

// crcWriter is the CRC-32C of what was written to it.
type crcWriter uint32

func (w *crcWriter) Write(p []byte) (int, error) {
	*w = crcWriter(data.UpdateCRC(uint32(*w), p))
	return len(p), nil
}

// regular parts names into those of regular files that lie beneath the output's folder and all others.
func regular(p Output, names []string) (files, others []string, err error) {
	if p.remote() { // objects are nothing else
		return names, nil, nil
	}
	root, err := os.OpenRoot(p.root())
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	for _, name := range names {
		if st, err := root.Lstat(filepath.FromSlash(name)); err == nil && st.Mode().IsRegular() {
			files = append(files, name)
		} else {
			others = append(others, name)
		}
	}
	return files, others, nil
}
