package annotated

import (
	"fmt"
	"path"
	"slices"

	"github.com/augmix-go/augmix/data"
)

// Source gives the images of a tree in the order of their paths, without labels. Its methods Len and Read may be called from
// several goroutines at once.
type Source struct {
	tree   *Tree
	cursor data.Cursor
}

var (
	_ data.Describer = (*Source)(nil)
	_ data.Filer     = (*Source)(nil)
)

// Source returns the images as a data set.
func (t *Tree) Source() *Source { return &Source{tree: t} }

// Info says what was found in a note.
func (s *Source) Info() data.Info {
	return data.Info{Format: Name, Len: s.Len(), Note: s.tree.String()}
}

// Len returns the number of images.
func (s *Source) Len() int { return len(s.tree.Images) }

// Files returns the paths of the images, then those of all other files.
func (s *Source) Files() []string {
	files := slices.Concat(s.tree.Images, s.tree.Carried())
	for i, name := range files {
		files[i] = s.tree.File(name)
	}
	return files
}

// Next reads the next image.
func (s *Source) Next(sample *data.Sample) error { return s.cursor.Next(s, sample) }

// maxImage is the largest image file that is read, in bytes.
const maxImage = 1 << 30

// Read reads the i-th image. Its pixels are wanted as they are stored, for annotations are of those. It panics if there is none.
func (s *Source) Read(i int, sample *data.Sample) error {
	s.Describe(i, sample)
	var err error
	if sample.Data, err = data.ReadFile(sample.Data[:0], sample.Name, maxImage); err != nil {
		return &data.SampleError{Name: sample.Name, Key: sample.Key, Err: err}
	}
	return nil
}

// Describe implements [data.Describer].
func (s *Source) Describe(i int, sample *data.Sample) {
	if i < 0 || i >= s.Len() {
		panic(fmt.Sprintf("annotated: sample %d of %d", i, s.Len()))
	}
	name := s.tree.Images[i]
	sample.Key, sample.Index, sample.Name, sample.Label = s.tree.keys[i], i, s.tree.File(name), data.NoLabel
	sample.Ext, sample.Form, sample.W, sample.H = path.Ext(name), data.Encoded, 0, 0
	sample.AsStored = true
}

// Close does nothing: no file is open between calls.
func (s *Source) Close() error { return nil }
