// Package annotated reads data sets that are not classification: images with boxes, polygons or masks in files beside them, in
// the layouts of COCO, YOLO, Pascal VOC and Cityscapes, or any tree of which the user says which files are images.
//
//	COCO        images in folders (images, train2017, ...), annotations in annotations/*.json, *.json or PART/_annotations.coco.json
//	YOLO        images/**, labels/**.txt, or PART/images and PART/labels
//	Pascal VOC  JPEGImages, Annotations/*.xml, SegmentationClass, SegmentationObject, ImageSets
//	Cityscapes  leftImg8bit/**_leftImg8bit.png, gtFine/**
//
// A [Tree] says which of its files are images, which masks, and which neither. Its [Source] gives the images as samples without a
// label, in package generate's way: task generate.Mirror writes trees of the same names. What belongs to an image is found by
// its path: a file of the same path but for its extension and the folders named here, or in the pattern of the images.
package annotated

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// Name is the name of the format in the table.
const Name = "annotated"

// The layouts, as [Tree.Layout] and [Detect] name them.
const (
	COCO       = "coco"
	YOLO       = "yolo"
	VOC        = "voc"
	Cityscapes = "cityscapes"
	Own        = "own" // images are those of a pattern
)

// Tree is what lies in a folder. Paths are slash-separated, below the root, and in order.
type Tree struct {
	Root   string
	Layout string
	Images []string
	Masks  []string // image files that say something of the pixels of an image
	Others []string

	patterns []string       // of the images, of the layout Own
	keys     []string       // of the images
	byKey    map[string]int // images by their keys
}

// Open lists the tree at root, in the layout that [Detect] finds or, where images is not empty, with the files as images whose
// paths are like one of these patterns: * stands for any text, slashes too, ? for one character. Links are followed. Files
// whose names end in [storage.TempSuffix] are left out, and the records of an output of package generate.
func Open(root string, images []string) (*Tree, error) {
	t := &Tree{Root: root, Layout: Own, patterns: images}
	if len(images) == 0 {
		var err error
		if t.Layout, err = detect(root); err != nil {
			return nil, err
		}
		if t.Layout == "" {
			return nil, fmt.Errorf("%w: %s has no layout that is known (COCO, YOLO, Pascal VOC, Cityscapes)", data.ErrFormat, root)
		}
	}
	files, err := list(root)
	if err != nil {
		return nil, fmt.Errorf("cannot list the data set: %w", err)
	}
	for _, name := range files {
		switch t.roleOf(name) {
		case imageFile:
			t.Images = append(t.Images, name)
		case maskFile:
			t.Masks = append(t.Masks, name)
		default:
			t.Others = append(t.Others, name)
		}
	}
	if len(t.Images) == 0 {
		return nil, fmt.Errorf("%w: %s, layout %s, has no images", data.ErrFormat, root, t.Layout)
	}
	t.keys = data.UniqueKeys(t.Images)
	t.byKey = make(map[string]int, len(t.keys))
	for i, key := range t.keys {
		t.byKey[key] = i
	}
	return t, nil
}

// String says what was found: "layout voc: 1464 images, 2913 masks, 17 other files".
func (t *Tree) String() string {
	return fmt.Sprintf("layout %s: %d images, %d masks, %d other files", t.Layout, len(t.Images), len(t.Masks), len(t.Others))
}

// Path returns where the image of that key lies, "" where there is none.
func (t *Tree) Path(key string) string {
	if i, ok := t.byKey[key]; ok {
		return t.Images[i]
	}
	return ""
}

// Key returns the key of the image of that path, which is one of Images.
func (t *Tree) Key(name string) string {
	i, _ := slices.BinarySearch(t.Images, name)
	return t.keys[i]
}

// File returns the path of one of the tree's files as the user would open it.
func (t *Tree) File(name string) string { return filepath.Join(t.Root, filepath.FromSlash(name)) }

// Holds reports whether path is the tree's root or would lie below it, where links lead.
func (t *Tree) Holds(path string) bool {
	rel, err := filepath.Rel(storage.Resolve(t.Root), storage.Resolve(path))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// Carried returns the files that are not images.
func (t *Tree) Carried() []string {
	all := slices.Concat(t.Masks, t.Others)
	slices.Sort(all)
	return all
}

// role is what a file is.
type role uint8

const (
	otherFile role = iota
	imageFile
	maskFile
)

// maskFolders are folders whose images are masks; so is one that begins with "panoptic".
var maskFolders = []string{"masks", "mask", "labels", "annotations", "stuffthingmaps", "SegmentationClass", "SegmentationObject", "SegmentationClassAug", "gtFine", "gtCoarse"}

// imageFolders are folders of images that a path of an annotation has not.
var imageFolders = []string{"images", "JPEGImages", "leftImg8bit"}

// roleOf returns what the file of that path is.
func (t *Tree) roleOf(name string) role {
	if !data.IsImageName(name) || strings.HasPrefix(path.Base(name), ".") {
		return otherFile
	}
	folders := strings.Split(path.Dir(name), "/")
	masked := slices.ContainsFunc(folders, func(f string) bool { return isMaskFolder(f) })
	switch t.Layout {
	case Own:
		if slices.ContainsFunc(t.patterns, func(pattern string) bool { return data.Like(pattern, name) }) {
			return imageFile
		}
		if masked || strings.EqualFold(path.Ext(name), ".png") {
			return maskFile
		}
		return otherFile
	case Cityscapes:
		if slices.ContainsFunc(folders, func(f string) bool { return strings.HasPrefix(f, "leftImg8bit") || f == "rightImg8bit" }) {
			return imageFile
		}
	case VOC:
		if slices.Contains(folders, "JPEGImages") {
			return imageFile
		}
	case YOLO:
		if !masked && slices.Contains(folders, "images") {
			return imageFile
		}
	case COCO:
		if !masked {
			return imageFile
		}
	}
	if masked {
		return maskFile
	}
	return otherFile
}

func isMaskFolder(folder string) bool {
	return slices.Contains(maskFolders, folder) || strings.HasPrefix(folder, "panoptic")
}

// Stem is what an image and the files about it have in common: the path without its extension, without the folders that say what
// a file is, and without what Cityscapes has after the frame.
func Stem(name string) string {
	dir, base := path.Split(strings.TrimSuffix(name, path.Ext(name)))
	for _, mark := range []string{"_leftImg8bit", "_gtFine_", "_gtCoarse_"} {
		base, _, _ = strings.Cut(base, mark)
	}
	var keep []string
	for folder := range strings.SplitSeq(strings.Trim(dir, "/"), "/") {
		if rest, ok := strings.CutPrefix(folder, "panoptic_"); ok {
			folder = rest
		} else if slices.Contains(imageFolders, folder) || isMaskFolder(folder) || folder == "Annotations" {
			continue
		}
		keep = append(keep, folder)
	}
	return path.Join(append(keep, base)...)
}

// shortStems returns what the files about an image may have in common with it besides its [Stem], where a pattern says which files are
// images: the folders that the pattern names say that too. So masks/s1/x.png is of frames/s1/x.jpg by the pattern "frames/*", and
// set/masks/x.png of set/frames/x.jpg by "*/frames/*.jpg". One folder is left out, or several that follow each other.
func (t *Tree) shortStems(image string) (stems []string) {
	named := map[string]bool{}
	for _, pattern := range t.patterns {
		if data.Like(pattern, image) {
			for folder := range strings.SplitSeq(path.Dir(pattern), "/") {
				named[folder] = true
			}
		}
	}
	parts := strings.Split(image, "/")
	for from := range parts[:len(parts)-1] {
		for to := from; to < len(parts)-1 && named[parts[to]]; to++ {
			stems = append(stems, Stem(path.Join(slices.Concat(parts[:from], parts[to+1:])...)))
		}
	}
	return stems
}

// records of package generate are of the output that they lie in and not of the data set.
var records = []string{"manifest.json", "args.yaml"}

// list returns the regular files below root, sorted.
func list(root string) ([]string, error) {
	w := lister{root: root}
	if err := w.walk("."); err != nil {
		return nil, err
	}
	slices.Sort(w.files)
	both := true
	for _, name := range records {
		both = both && slices.Contains(w.files, name)
	}
	if both {
		w.files = slices.DeleteFunc(w.files, func(name string) bool { return slices.Contains(records, name) })
	}
	return w.files, nil
}

type lister struct {
	root  string
	files []string
	above []fs.FileInfo // the folders from the root to the one being listed: one that links to one of them is not followed
}

func (w *lister) walk(dir string) error {
	abs := filepath.Join(w.root, filepath.FromSlash(dir))
	st, err := os.Stat(abs)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(w.above, func(a fs.FileInfo) bool { return os.SameFile(a, st) }) {
		return nil
	}
	w.above = append(w.above, st)
	defer func() { w.above = w.above[:len(w.above)-1] }()
	entries, err := os.ReadDir(abs)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name, mode := path.Join(dir, e.Name()), e.Type()
		if mode&fs.ModeSymlink != 0 {
			if st, err := os.Stat(filepath.Join(abs, e.Name())); err == nil {
				mode = st.Mode().Type()
			}
		}
		switch {
		case mode.IsDir() && e.Name() != data.StateDir:
			if err := w.walk(name); err != nil {
				return err
			}
		case !mode.IsDir() && !strings.HasSuffix(name, storage.TempSuffix): // what is no file is the error of whoever reads it
			w.files = append(w.files, name)
		}
	}
	return nil
}

// Detect returns the layout of the folder at root, "" where it is none of those that are known. It looks at the folders near the
// root and, for COCO, into json files there. Of one that is damaged it is COCO, and [Open] says which.
func Detect(root string) string {
	layout, _ := detect(root)
	return layout
}

// detect is Detect with the error of a damaged file that the layout is known by.
func detect(root string) (string, error) {
	switch {
	case storage.Remote(root):
		return "", nil
	case isFolder(root, "leftImg8bit"):
		return Cityscapes, nil
	case anyFolder(root, "JPEGImages", ".", "VOC*", "VOCdevkit/VOC*"):
		return VOC, nil
	}
	switch found, err := holdsCOCO(root); {
	case found || err != nil:
		return COCO, err
	case holdsYOLO(root):
		return YOLO, nil
	}
	return "", nil
}

func isFolder(elems ...string) bool {
	st, err := os.Stat(filepath.Join(elems...))
	return err == nil && st.IsDir()
}

func anyFolder(root, name string, patterns ...string) bool {
	for _, pattern := range patterns {
		if slices.ContainsFunc(glob(root, pattern), func(dir string) bool { return isFolder(dir, name) }) {
			return true
		}
	}
	return false
}

// glob returns what is like the pattern below root, whose own name may hold anything.
func glob(root, pattern string) []string {
	found, _ := fs.Glob(os.DirFS(root), pattern)
	for i, name := range found {
		found[i] = filepath.Join(root, filepath.FromSlash(name))
	}
	return found
}

// parts are folders of parts of a data set, which alone are looked into for layouts that lie in them: there may be a thousand others.
var parts = []string{"train", "valid", "val", "test"}

// holdsCOCO looks for a json file of COCO's, among the first ones where there are many. Where there is none the error is that of a
// damaged one in a place that is COCO's alone: beside folders of classes lies json of all kinds.
func holdsCOCO(root string) (bool, error) {
	var files []string
	for _, part := range parts {
		files = append(files, filepath.Join(root, part, "_annotations.coco.json"))
	}
	found := glob(root, "annotations/*.json")
	files = append(files, found[:min(len(found), 100)]...)
	var damaged error
	for _, file := range files {
		found, err := isCOCO(file)
		if found {
			return true, nil
		}
		if damaged == nil {
			damaged = err
		}
	}
	found = glob(root, "*.json")
	for _, file := range found[:min(len(found), 100)] {
		if found, _ := isCOCO(file); found {
			return true, nil
		}
	}
	return false, damaged
}

// holdsYOLO looks for a text file that lies to an image as YOLO's labels do: folders named images and labels are of other sets too.
func holdsYOLO(root string) bool {
	patterns := []string{"labels/*.txt", "labels/*/*.txt"}
	for _, part := range parts {
		patterns = append(patterns, part+"/labels/*.txt")
	}
	for _, pattern := range patterns {
		found, _ := fs.Glob(os.DirFS(root), pattern)
		for _, name := range found[:min(len(found), 1000)] {
			folders := strings.Split(name, "/")
			folders[slices.Index(folders, "labels")] = "images"
			stem := strings.TrimSuffix(path.Join(folders...), ".txt")
			for _, ext := range []string{".jpg", ".png", ".jpeg", ".JPG", ".JPEG", ".PNG", ".bmp", ".webp"} {
				if st, err := os.Stat(filepath.Join(root, filepath.FromSlash(stem+ext))); err == nil && st.Mode().IsRegular() {
					return true
				}
			}
		}
	}
	return false
}
