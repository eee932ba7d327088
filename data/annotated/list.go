package annotated

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
)

// imageSets is the folder of Pascal VOC's lists. Their lines begin with the name of an image, without its folder and extension; lines of
// other lists, such as train.txt of YOLO, with the path of one.
const imageSets = "ImageSets"

// Lists returns the texts that are lists of images, such as ImageSets/Main/train.txt: a line of them names an image of the tree, or one
// that it has files about.
func (a *Annotations) Lists() []string { return slices.Clone(a.lists) }

// readList takes a text if it is a list of images, with the first of its lines whose image is not there.
func (a *Annotations) readList(name string) {
	_, text, err := a.tree.readText(name)
	if err != nil {
		return // it is too large for a list, or the error of whoever carries it
	}
	list, number, lacking := false, 0, 0
	var first *Problem
	for line := range bytes.Lines(text) {
		number++
		named, image, known := a.named(name, string(line))
		list = list || known
		if named == "" || image != "" {
			continue
		}
		if lacking++; first == nil {
			first = problem(name, fmt.Sprintf("line %d", number), "there is no image %s", named)
		}
	}
	if !list {
		return
	}
	a.lists = append(a.lists, name)
	if lacking > 1 {
		first.Reason += fmt.Sprintf(" (other lines without one: %d)", lacking-1)
	}
	if first != nil {
		a.loose = append(a.loose, first)
	}
}

// WriteList writes a list of Lists without the lines that name an image that is not kept, or none of the tree. The others stay byte for
// byte.
func (a *Annotations) WriteList(w io.Writer, name string, kept func(image string) bool) error {
	mark, text, err := a.tree.readText(name)
	if err != nil {
		return err
	}
	out := bytes.NewBuffer(mark)
	for line := range bytes.Lines(text) {
		if named, image, _ := a.named(name, string(line)); named == "" || image != "" && kept(image) {
			out.Write(line)
		}
	}
	_, err = out.WriteTo(w)
	return err
}

// named returns what a line of a list names, "" for nothing, and that image of the tree, "" where there is none. known: the tree has it,
// or files about it.
func (a *Annotations) named(list, line string) (named, image string, known bool) {
	names, find := beginnings(line), a.findPath
	folders := strings.Split(path.Dir(list), "/")
	if i := slices.Index(folders, imageSets); i >= 0 {
		list, find = path.Join(folders[:i]...), a.findName
	} else {
		names = slices.DeleteFunc(names, func(name string) bool { return !data.IsImageName(name) })
	}
	for _, named = range names {
		if image, known = find(list, named); known {
			return named, image, true
		}
	}
	return named, "", false
}

// beginnings returns what may be the name that a line begins with, which may hold spaces and which columns may follow: the line and
// its first words, the longest ones first.
func beginnings(line string) []string {
	const most = 8 // words, lest long lines take long
	line = strings.TrimSpace(line)
	names := []string{line}
	for i, c := range line {
		if (c == ' ' || c == '\t') && len(names) <= most {
			names = slices.Insert(names, 1, line[:i])
		}
	}
	return names
}

// findName finds an image by the name that a list of Pascal VOC has for it, whose folder ImageSets lies in base.
func (a *Annotations) findName(base, name string) (image string, known bool) {
	const ext = ".jpg" // names may have dots
	m := a.of[a.stemOf(path.Join(base, data.TrimImageExt(name))+ext)]
	if m == nil {
		return "", false
	}
	return m.image, true
}

// findPath finds an image by the path that a list has for it: below the list's folder, below the root, or, as lists come from other
// places, below folders that the tree does not have.
func (a *Annotations) findPath(list, name string) (image string, known bool) {
	near := path.Join(path.Dir(list), name)
	parts := strings.Split(path.Clean(name), "/")
	paths := []string{near}
	for i := range parts {
		paths = append(paths, path.Join(parts[i:]...))
	}
	for _, p := range paths {
		if _, ok := slices.BinarySearch(a.tree.Images, p); ok {
			return p, true
		}
	}
	for _, p := range []string{near, path.Join(parts...)} {
		if m := a.of[a.stemOf(p)]; m != nil {
			return m.image, true
		}
	}
	return "", false
}
