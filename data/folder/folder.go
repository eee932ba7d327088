// Package folder reads and writes image files in folders: one folder for each class, as torchvision's ImageFolder has
// them, or a flat folder of images without labels.
//
// Classes are the folders directly below the root, numbered in the order in which Python sorts their names (by code
// point). A class holds every image below its folder at any depth, in the order of torchvision: by the path of the
// folder, then by the name of the file. Names that begin with a dot are left out, folders and files, unlike in
// torchvision, which makes a class of .ipynb_checkpoints. Images are known by their extension (see
// [data.IsImageName]); links are followed, but for one to a folder that holds it. Images that
// lie beside the class folders are left out and counted in [data.Info]. If no class folder holds an image, the images directly in the root are
// the data set, without labels.
//
// A file classes.txt in the root, one name a line, gives the classes another order or other names. It is written when a
// sink needs it and counts only if every class folder is the folder of exactly one of its lines; a file of that name
// that means something else is ignored, as torchvision ignores it. [data.Info] has a note of one that names some of the folders and not
// all. Where it is the list of a sink's numbered folders, [Open] returns an error that wraps [data.ErrLabel]: it cannot say which label a
// folder beside them has.
//
// [OpenUnlabeled] takes every image and gives none a label.
//
// [OpenLabeled] takes the labels from a text file instead, see [data.LabelList], for a flat folder of labeled images. Every
// image below the root is a sample then, in the order of the paths; classes.txt gives the names and the order of the classes.
//
// Random access is by file. A file that cannot be read or decoded is the error of one sample; a store that fails is not.
package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// Name is the name of the format in the table.
const Name = "folder"

// classesFile is the list of classes in the root.
const classesFile = "classes.txt"

// MaxFileSize is the largest image file that is read: 1 GiB.
const MaxFileSize = 1 << 30

// Source is an open folder. Its methods Len and Read may be called from several goroutines at once.
type Source struct {
	info   data.Info
	paths  []string // as the user would open them
	keys   []string
	labels []int  // nil for a flat folder
	list   string // file of the labels, "" where folders say them
	cursor data.Cursor
}

var (
	_ data.Indexed = (*Source)(nil)
	_ data.Filer   = (*Source)(nil)
)

// Open lists the folder at root. It opens no image. A folder in it that cannot be listed is an error.
func Open(root string) (*Source, error) { return open(root, false) }

// OpenUnlabeled lists the folder at root like [Open], for those who want images alone: no sample has a label, and the images that lie
// beside the class folders come last.
func OpenUnlabeled(root string) (*Source, error) { return open(root, true) }

func open(root string, unlabeled bool) (*Source, error) {
	st, err := storage.Stat(root)
	if err != nil {
		return nil, fmt.Errorf("cannot open the image folder: %w", err)
	}
	if !st.IsDir() {
		return nil, fmt.Errorf("%w: %s is not a folder", data.ErrFormat, root)
	}
	found, err := walkRoot(root)
	if err != nil {
		return nil, fmt.Errorf("cannot list the image folder: %w", err)
	}
	classes, note, err := orderClasses(root, found.classes)
	if unlabeled && errors.Is(err, data.ErrLabel) {
		classes, err = found.classes, nil // nobody asks for labels
	}
	if err != nil {
		return nil, err
	}
	s := &Source{info: data.Info{Format: Name}}
	var rel []string // slash-separated, below the root
	for label, c := range classes {
		s.info.Classes = append(s.info.Classes, c.name)
		for _, f := range c.files {
			rel = append(rel, f)
			s.labels = append(s.labels, label)
		}
	}
	if unlabeled || len(rel) == 0 && len(found.flat) > 0 {
		rel, s.labels, s.info.Classes, found.flat, note = append(rel, found.flat...), nil, nil, nil, ""
	}
	s.info.Note = note
	s.info.Ignored = len(found.flat)
	if len(rel) == 0 && found.others.n > 0 {
		s.info.Note = fmt.Sprintf("no file in %s is an image by its name (read are %s)", root, strings.Join(data.ImageExtensions(), ", ")) +
			found.others.howRead(root)
	}
	s.files(root, rel)
	return s, nil
}

// files makes the samples of the slash-separated paths below the root.
func (s *Source) files(root string, rel []string) {
	s.keys = data.UniqueKeys(rel)
	s.paths = make([]string, len(rel))
	for i, f := range rel {
		s.paths[i] = storage.Join(root, filepath.FromSlash(f))
	}
	s.info.Len = len(rel)
}

// maxClassesFile bounds classes.txt, in bytes.
const maxClassesFile = 64 << 20

// orderClasses applies classes.txt, where it fits. note says where it names only some of the folders.
func orderClasses(root string, found []class) (classes []class, note string, err error) {
	list := storage.Join(root, classesFile)
	text, err := data.ReadFile(nil, list, maxClassesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return found, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("cannot read the list of classes: %w", err)
	}
	lines := data.DecodeLines(text)
	ordered, strangers := listed(lines, found)
	switch known := len(found) - len(strangers); {
	case ordered == nil || known == 0 && len(found) > 0: // it means something else
		return found, "", nil
	case len(strangers) == 0:
		return ordered, "", nil
	case numbersAlone(lines) && slices.ContainsFunc(found, class.holds): // which nobody but a sink writes
		return nil, "", fmt.Errorf("%w: %s lists the class folders %s to %s, and beside it is a folder %s, so that the labels cannot be told "+
			"(allowed: a list of all class folders, or none)", data.ErrLabel, list, lines[0], lines[len(lines)-1], strangers[0])
	default:
		return found, fmt.Sprintf("%s names %d of the %d class folders, not %s, and is not used: labels are numbered as the folders sort",
			list, known, len(found), strangers[0]), nil
	}
}

// listed returns the classes of the lines, nil where lines cannot be classes, and the folders found that are none of them.
func listed(lines []string, found []class) (ordered []class, strangers []string) {
	byFolder := make(map[string][]string, len(found))
	for _, c := range found {
		byFolder[c.folder] = c.files
	}
	seen := map[string]bool{}
	for _, name := range lines {
		dir, err := data.ClassFolder(name)
		if err != nil || seen[dir] {
			return nil, nil
		}
		seen[dir] = true
		ordered = append(ordered, class{name: name, folder: dir, files: byFolder[dir]})
	}
	for _, c := range found {
		if !seen[c.folder] {
			strangers = append(strangers, c.folder)
		}
	}
	return ordered, strangers
}

// numbersAlone reports whether lines are the names of numbered folders, from 0.
func numbersAlone(lines []string) bool {
	for label, line := range lines {
		if line != numbered(label) {
			return false
		}
	}
	return true
}

// Info describes the data set.
func (s *Source) Info() data.Info {
	info := s.info
	info.Classes = slices.Clone(info.Classes)
	return info
}

// Files returns the paths of the images, and before them that of the list of labels, if there is one.
func (s *Source) Files() []string {
	if s.list != "" {
		return append([]string{s.list}, s.paths...)
	}
	return slices.Clone(s.paths)
}

// Len returns the number of images.
func (s *Source) Len() int { return len(s.paths) }

// Next reads the next file into sample. Every error is that of one sample.
func (s *Source) Next(sample *data.Sample) error { return s.cursor.Next(s, sample) }

// Read reads the i-th file into sample. It panics if there is none.
func (s *Source) Read(i int, sample *data.Sample) error {
	s.Describe(i, sample)
	var err error
	if sample.Data, err = data.ReadFile(sample.Data[:0], s.paths[i], MaxFileSize); storage.Failed(err) {
		return err
	} else if err != nil {
		return &data.SampleError{Name: sample.Name, Key: sample.Key, Err: err}
	}
	return nil
}

// Describe implements [data.Describer].
func (s *Source) Describe(i int, sample *data.Sample) {
	if i < 0 || i >= len(s.paths) {
		panic(fmt.Sprintf("folder: sample %d of %d", i, len(s.paths)))
	}
	sample.Key, sample.Index, sample.Name = s.keys[i], i, s.paths[i]
	sample.Label = data.NoLabel
	if s.labels != nil {
		sample.Label = s.labels[i]
	}
	sample.Ext = filepath.Ext(s.paths[i])
	sample.Form, sample.W, sample.H = data.Encoded, 0, 0
}

// Close does nothing: no file is open between calls.
func (s *Source) Close() error { return nil }
