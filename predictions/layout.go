package predictions

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data/storage"
)

// Layout is how the predictions of a benchmark lie in files.
type Layout string

const (
	// Auto tells the layout by what there is.
	Auto Layout = "auto"
	// Single is one file: clean images, or any one set of images.
	Single Layout = "single"
	// CIFARC is a folder with a file for each corruption, gaussian_noise.npy and so on, whose rows are the images at
	// severity 1, then all at severity 2, up to 5, as the published CIFAR-10-C files are ordered. labels.npy holds the
	// labels of the images once or five times; or each file has labels of its own, in it or beside it as
	// gaussian_noise.labels.npy.
	CIFARC Layout = "cifar-c"
	// ImageNetC is a folder with a file for each corruption and severity: gaussian_noise/1.npy, or a file of any name
	// in gaussian_noise/1/, or gaussian_noise_1.npy, all severities or the same ones of all corruptions. labels.npy holds the labels; all
	// files have the same images in the same order.
	ImageNetC Layout = "imagenet-c"
	// P is a folder with a file for each perturbation: an array [videos, frames, classes], or of predicted classes
	// [videos, frames], or any file of rows with the number of frames given. Files of a difficulty of its own, those of noise, are
	// named after it, gaussian_noise_2.npy; see [Set.Choose]. There are no labels.
	P Layout = "p"
)

// Layouts lists the layouts.
func Layouts() []Layout { return []Layout{Auto, Single, CIFARC, ImageNetC, P} }

// Severities is the number of severities of the -C layouts.
const Severities = 5

// Names of files in a folder that are no corruption: labels, and predictions of clean images.
const (
	labelsName = "labels"
	cleanName  = "clean"
	// labelsSuffix ends the name of the labels of one file: fog.labels.npy beside fog.npy.
	labelsSuffix = ".labels"
)

// besides returns the labels' file beside a file, if there is one. among is what its folder holds, nil where that is not known: no other
// names are looked for, as in a store each takes two requests.
func besides(path string, among []fs.DirEntry) string {
	stem := strings.TrimSuffix(path, filepath.Ext(path)) + labelsSuffix
	for _, ext := range append(Extensions(), ".txt") {
		name := stem + ext
		if among != nil && !slices.ContainsFunc(among, func(e fs.DirEntry) bool { return strings.EqualFold(e.Name(), filepath.Base(name)) }) {
			continue
		}
		if st, err := storage.Stat(name); err == nil && !st.IsDir() {
			return name
		}
	}
	return ""
}

// Part is a file of a benchmark.
type Part struct {
	Path string
	Name string // corruption or perturbation, by the file's or folder's name; empty for clean images
	// Severity from 1 to 5; 0 for clean images, and for files that hold all severities. Of a perturbation, the difficulty that its
	// file is named after, 0 for none.
	Severity int
	// Labels is the file NAME.labels.npy (or of another format) beside the file NAME.npy; empty if there is none.
	Labels string
	// Array names the array of a file that holds several parts; empty for a file that is one part.
	Array string
}

// String names the part in messages: its file, and the array in it.
func (p *Part) String() string {
	if p.Array == "" {
		return p.Path
	}
	return fmt.Sprintf("%s: array %q", p.Path, p.Array)
}

// Set is the files of a benchmark.
type Set struct {
	Layout Layout
	Parts  []Part // clean images first, then by name and severity
	Labels string // path of the labels' file in the folder, empty if there is none
}

// Find finds the files of a benchmark at a path, a file or a folder. An .npz file, or a dict of tensors of torch.save, with
// an array for each corruption is as a folder with a file for each: fog, or fog_1 to fog_5, and labels. In folders of the layouts, clean.npy (or of
// another format) holds the predictions of the clean images. Files of other extensions and those whose names begin
// with a dot are passed over. The error wraps [ErrLayout] for a folder that is not of the layout, that lacks
// a severity of some corruptions, or that has one twice; which corruptions there must be is for the caller to say.
func Find(path string, layout Layout) (*Set, error) {
	st, err := storage.Stat(path)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(Layouts(), layout) {
		return nil, fmt.Errorf("%w: %q (allowed: %v)", ErrLayout, layout, Layouts())
	}
	s := &Set{Layout: layout}
	if !st.IsDir() {
		if layout != Single {
			if err := s.listArchive(path, layout != Auto); err != nil && (layout != Auto || errors.Is(err, ErrLayout)) {
				return nil, err // of another error a single file is asked again what it holds
			}
		}
		if s.Parts == nil {
			return &Set{Layout: Single, Parts: []Part{{Path: path, Labels: besides(path, nil)}}}, nil
		}
		return s, s.check(path)
	}
	if layout == Single {
		return nil, fmt.Errorf("%w: %s is a folder; layout %s is a file", ErrLayout, path, layout)
	}
	if err := s.list(path); err != nil {
		return nil, err
	}
	if s.Layout == Auto {
		if err := s.guess(path); err != nil {
			return nil, err
		}
	}
	return s, s.check(path)
}

// AddClean adds the file of the clean images of a folder that has none. The error wraps [ErrLayout] where it has one.
func (s *Set) AddClean(path string) error {
	if len(s.Parts) > 0 && s.Parts[0].Name == "" {
		return fmt.Errorf("%w: %s and %s are both of clean images", ErrLayout, &s.Parts[0], path)
	}
	s.Parts = slices.Insert(s.Parts, 0, Part{Path: path, Labels: besides(path, nil)})
	return nil
}

// list finds all files.
func (s *Set) list(dir string) error {
	entries, err := storage.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		path := storage.Join(dir, name)
		if strings.HasPrefix(name, ".") {
			continue
		}
		if st, err := storage.Stat(path); err != nil {
			return err
		} else if st.IsDir() {
			if err := s.listSeverities(path, name); err != nil {
				return err
			}
			continue
		}
		stem, ok := stemOf(name)
		switch {
		case !ok || strings.HasSuffix(stem, labelsSuffix):
		case stem == labelsName:
			if s.Labels != "" {
				return fmt.Errorf("%w: %s and %s are both labels", ErrLayout, s.Labels, path)
			}
			s.Labels = path
		case stem == cleanName:
			s.Parts = append(s.Parts, Part{Path: path, Labels: besides(path, entries)})
		default:
			s.Parts = append(s.Parts, partOf(path, stem, besides(path, entries)))
		}
	}
	s.sort()
	return nil
}

// sort orders the parts: clean images first, then by name and severity.
func (s *Set) sort() {
	slices.SortFunc(s.Parts, func(a, b Part) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return a.Severity - b.Severity
	})
}

// partOf reads corruption_severity, or a name alone.
func partOf(path, stem, labels string) Part {
	if i := strings.LastIndexByte(stem, '_'); i > 0 {
		if n, err := strconv.Atoi(stem[i+1:]); err == nil && len(stem)-i == 2 {
			return Part{Path: path, Name: stem[:i], Severity: n, Labels: labels}
		}
	}
	return Part{Path: path, Name: stem, Labels: labels}
}

// stemOf returns a file's name without its extension, if that is one of predictions, or of a text file of labels.
func stemOf(name string) (string, bool) {
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	return stem, slices.Contains(Extensions(), strings.ToLower(ext)) || stem == labelsName && ext == ".txt"
}

// listSeverities finds NAME/1.npy or NAME/1/anything.npy. A folder without either is passed over.
func (s *Set) listSeverities(dir, name string) error {
	entries, err := storage.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := storage.Join(dir, e.Name())
		stem, ok := e.Name(), true
		if !e.IsDir() {
			stem, ok = stemOf(e.Name())
		}
		severity, err := strconv.Atoi(stem)
		if !ok || err != nil {
			continue
		}
		among := entries
		if e.IsDir() {
			if path, among, err = onlyFile(path); err != nil {
				return err
			}
		}
		s.Parts = append(s.Parts, Part{Path: path, Name: name, Severity: severity, Labels: besides(path, among)})
	}
	return nil
}

// onlyFile returns the file of predictions in a folder, and what else the folder holds.
func onlyFile(dir string) (path string, entries []fs.DirEntry, err error) {
	if entries, err = storage.ReadDir(dir); err != nil {
		return "", nil, err
	}
	found := ""
	for _, e := range entries {
		stem, ok := stemOf(e.Name())
		if !ok || e.IsDir() || stem == labelsName || strings.HasSuffix(stem, labelsSuffix) || strings.HasPrefix(stem, ".") {
			continue
		}
		if found != "" {
			return "", nil, fmt.Errorf("%w: %s holds %s and %s (allowed: one file of predictions)", ErrLayout, dir, found,
				e.Name())
		}
		found = e.Name()
	}
	if found == "" {
		return "", nil, fmt.Errorf("%w: %s holds no file of predictions", ErrLayout, dir)
	}
	return storage.Join(dir, found), entries, nil
}

// guess tells the layout of a folder: severities in names mean ImageNet-C, a file of sequences -P, and else CIFAR-C. Integers of two
// axes are sequences only without labels.
func (s *Set) guess(dir string) error {
	var first *Part
	for i := range s.Parts {
		p := &s.Parts[i]
		if p.Severity > 0 {
			s.Layout = ImageNetC
			if holdsVideos(p) {
				s.Layout = P
			}
			return nil
		}
		if first == nil && p.Name != "" {
			first = p
		}
	}
	if first == nil {
		return fmt.Errorf("%w: %s has no file named after a corruption or a perturbation", ErrLayout, dir)
	}
	r, err := Open(first.Path, Options{Predicted: true, Unlabeled: true})
	switch {
	case errors.Is(err, ErrKind):
		s.Layout = CIFARC // whose files are asked again what they hold
		return nil
	case err != nil:
		return err
	}
	s.Layout = CIFARC
	if r.Frames() > 0 {
		s.Layout = P
	}
	integers := s.Layout == P && r.Kind() == Classes
	if err := r.Close(); err != nil || !integers {
		return err
	}
	return s.notLabeled(first)
}

// holdsVideos reports whether a file holds logits or probabilities of sequences. Class numbers of two axes may be those of images.
func holdsVideos(p *Part) bool {
	o := Options{Predicted: true, Unlabeled: true, Array: p.Array}
	r, err := Open(p.Path, o)
	if errors.Is(err, ErrKind) { // which of both does not matter
		o.Kind = Logits
		r, err = Open(p.Path, o)
	}
	if err != nil {
		return false // who reads it says why
	}
	videos := r.Frames() > 0 && r.Kind() != Classes
	return r.Close() == nil && videos
}

// notLabeled refuses to take integers of two axes beside labels for sequences unasked: they may be logits.
func (s *Set) notLabeled(p *Part) error {
	labels := s.Labels
	if labels == "" {
		labels = p.Labels
	}
	if labels == "" && p.Array == "" {
		r, err := Open(p.Path, Options{Predicted: true})
		if err != nil {
			return err
		}
		if r.Labeled() {
			labels = p.Path
		}
		if err := r.Close(); err != nil {
			return err
		}
	}
	if labels == "" {
		return nil
	}
	return fmt.Errorf("%w: %s has integers of two axes, as class numbers of sequences have, and %s labels, which these do not need "+
		"(allowed: layout %s, named, or logits as floats)", ErrLayout, p, labels, P)
}

// Choose leaves of a set of layout [P] the files of a difficulty, and takes the numbers off their parts: NAME_2 for 2. A file
// without a number is of difficulty 1, and of any where its perturbation has no numbered ones. The error wraps [ErrLayout] for a
// perturbation that has other difficulties alone.
func (s *Set) Choose(difficulty int) error {
	have := map[string][]int{}
	for _, p := range s.Parts {
		have[p.Name] = append(have[p.Name], max(p.Severity, 1))
	}
	numbered := map[string]bool{}
	for _, p := range s.Parts {
		numbered[p.Name] = numbered[p.Name] || p.Severity > 0
	}
	var chosen []Part
	for _, p := range s.Parts {
		if got := have[p.Name]; numbered[p.Name] && !slices.Contains(got, difficulty) {
			return fmt.Errorf("%w: no file of %s is of difficulty %d, %s is of %d (allowed: one of %v)", ErrLayout, p.Name, difficulty, &p,
				max(p.Severity, 1), got)
		}
		if !numbered[p.Name] || max(p.Severity, 1) == difficulty {
			p.Severity = 0
			chosen = append(chosen, p)
		}
	}
	s.Parts = chosen
	return nil
}

func (s *Set) check(dir string) error {
	if len(s.Parts) == 0 {
		return fmt.Errorf("%w: %s has no files of predictions (extensions: %s)", ErrLayout, dir,
			strings.Join(Extensions(), " "))
	}
	have := map[string][]int{}
	for i, p := range s.Parts {
		if i > 0 && p.Name == s.Parts[i-1].Name && p.Severity == s.Parts[i-1].Severity {
			return fmt.Errorf("%w: %s and %s are of one corruption and severity", ErrLayout, &s.Parts[i-1], &p)
		}
		switch {
		case s.Layout == CIFARC && p.Severity != 0:
			return fmt.Errorf("%w: %s is of one severity; in layout %s one has all of them", ErrLayout, &p, s.Layout)
		case s.Layout == ImageNetC && p.Name != "" && p.Severity == 0:
			return fmt.Errorf("%w: %s is of no severity from 1 to %d, and in layout %s each file is of one (allowed: NAME_1 to NAME_%d)",
				ErrLayout, &p, Severities, s.Layout, Severities)
		case s.Layout == ImageNetC && p.Name != "" && (p.Severity < 1 || p.Severity > Severities):
			return fmt.Errorf("%w: %s has severity %d (allowed: 1 to %d, in layout %s)", ErrLayout, &p, p.Severity,
				Severities, s.Layout)
		case s.Layout == ImageNetC && p.Name != "":
			have[p.Name] = append(have[p.Name], p.Severity)
		}
	}
	first := ""
	for _, p := range s.Parts {
		switch got := have[p.Name]; {
		case got == nil:
		case first == "":
			first = p.Name
		case !slices.Equal(got, have[first]): // a file is missing, or was not copied
			return fmt.Errorf("%w: %s has severities %v of %s and %v of %s (allowed: the same of all)", ErrLayout, dir, have[first], first, got,
				p.Name)
		}
	}
	return nil
}
