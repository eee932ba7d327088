package annotated

import (
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/imagefile"
	"github.com/augmix-go/augmix/internal/parallel"
)

// Problem is what is wrong with an annotation, or between it and its image. It wraps [data.ErrFormat].
type Problem struct {
	File   string `json:"file"`            // below the root
	Field  string `json:"field,omitempty"` // "annotations[3].bbox", "line 2", "object[1].bndbox"
	Reason string `json:"reason"`
}

func (p *Problem) Error() string {
	if p.Field == "" {
		return p.File + ": " + p.Reason
	}
	return p.File + ": " + p.Field + ": " + p.Reason
}

// Unwrap returns data.ErrFormat.
func (p *Problem) Unwrap() error { return data.ErrFormat }

// problem makes one.
func problem(file, field, reason string, args ...any) *Problem {
	return &Problem{File: file, Field: field, Reason: fmt.Sprintf(reason, args...)}
}

// slack is by how much a box may reach beyond its image, in pixels: published files are rounded.
const slack = 1

// Annotations is what a tree says of its images.
type Annotations struct {
	tree *Tree
	of   map[string]*about // by [Stem]
	// short are the stems of the images by their short ones, of which several may have the same.
	short map[string][]string
	coco  []*cocoFile
	lists []string
	// classes is the number of classes of YOLO's labels, -1 where no file says it.
	classes int
	pose    bool   // YOLO's labels have keypoints
	ids     []bool // values that masks may hold, nil for all
	loose   []*Problem
	counts  map[string]*Counts // of warped objects, by the kind of the file

	mu       sync.Mutex
	markings map[string]marking // of folders of masks, those that were looked for
}

// about is what is said of one image.
type about struct {
	image              string // "" where there is none
	labels, voc, polys string // files of YOLO, Pascal VOC and Cityscapes
	masks              []string
	coco               []cocoRef
	problems           []*Problem // found in files that are of many images
}

// files returns the files that are about the image alone.
func (m *about) files() []string {
	return append(nonEmpty(m.labels, m.voc, m.polys), m.masks...)
}

// Annotations reads the files that are of many images, and finds those that are of one. maskIDs are the values that masks may hold,
// nil for all. Problems are kept for [Annotations.Check] and [Annotations.Loose]; the error is that of a file that cannot be read.
func (t *Tree) Annotations(maskIDs []int) (*Annotations, error) {
	a := &Annotations{
		tree: t, of: map[string]*about{}, short: map[string][]string{}, classes: -1, counts: map[string]*Counts{},
		markings: map[string]marking{},
	}
	for _, kind := range []string{COCO, YOLO, VOC, Cityscapes} {
		a.counts[kind] = new(Counts)
	}
	for _, id := range maskIDs {
		for len(a.ids) <= id {
			a.ids = append(a.ids, false)
		}
		a.ids[id] = true
	}
	for _, name := range t.Images {
		a.about(name).image = name
	}
	for _, name := range t.Images { // when all of them are known: a whole stem counts more than a short one
		a.addShort(name)
	}
	for _, name := range t.Masks {
		m := a.about(name)
		m.masks = append(m.masks, name)
	}
	var texts []string
	for _, name := range t.Others {
		folders := strings.Split(path.Dir(name), "/")
		switch ext := path.Ext(name); {
		case ext == ".txt" && slices.Contains(folders, "labels") && path.Base(name) != "classes.txt": // which names them
			a.set(&a.about(name).labels, name)
		case ext == ".txt":
			texts = append(texts, name)
		case ext == ".xml" && slices.Contains(folders, "Annotations"):
			a.set(&a.about(name).voc, name)
		case ext == ".json" && strings.HasSuffix(name, "_polygons.json"):
			a.set(&a.about(name).polys, name)
		case ext == ".json":
			if err := a.readJSON(name); err != nil {
				return nil, err
			}
		case (ext == ".yaml" || ext == ".yml") && t.Layout == YOLO:
			if err := a.readClasses(name); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range texts { // when all is known that they may name
		a.readList(name)
	}
	for stem, m := range a.of {
		if m.image == "" {
			for _, name := range m.files() {
				a.loose = append(a.loose, a.noImage(name, stem))
			}
		}
	}
	slices.SortStableFunc(a.loose, func(p, q *Problem) int { return strings.Compare(p.File, q.File) })
	return a, nil
}

// set takes a file of an image of which there is to be one of its kind.
func (a *Annotations) set(file *string, name string) {
	if *file != "" {
		m := a.about(name)
		m.problems = append(m.problems, problem(name, "", "%s is of the same image (allowed: one of them)", *file))
	}
	*file = name
}

// noImage is the problem of a file of that stem, which is of no image.
func (a *Annotations) noImage(name, stem string) *Problem {
	if of := a.short[stem]; len(of) > 1 {
		return problem(name, "", "it may be of %s and of %s (allowed: one image)", a.of[of[0]].image, a.of[of[1]].image)
	}
	return problem(name, "", "there is no image of it")
}

// addShort takes the short stems of an image.
func (a *Annotations) addShort(image string) {
	stem := Stem(image)
	for _, short := range a.tree.shortStems(image) {
		if a.of[short] == nil && !slices.Contains(a.short[short], stem) {
			a.short[short] = append(a.short[short], stem)
		}
	}
}

// about returns what is said of the image that a file is, or is about.
func (a *Annotations) about(name string) *about {
	stem := a.stemOf(name)
	if a.of[stem] == nil {
		a.of[stem] = new(about)
	}
	return a.of[stem]
}

// stemOf returns the stem of the image that a file is, or is about.
func (a *Annotations) stemOf(name string) string {
	stem := Stem(name)
	if of := a.short[stem]; len(of) == 1 {
		return of[0]
	}
	return stem
}

// Loose returns the problems that are not of an image of the tree: missing images, annotations and lines
// of lists of none.
func (a *Annotations) Loose() []*Problem { return slices.Clone(a.loose) }

// kinds are the files about one image: what one is called, a name that one may have, and which they are.
var kinds = []struct {
	what, name string
	of         func(m *about) []string
}{
	{"mask", "masks/%s.png", func(m *about) []string { return m.masks }},
	{"file of labels", "labels/%s.txt", func(m *about) []string { return nonEmpty(m.labels) }},
	{"file of boxes", "Annotations/%s.xml", func(m *about) []string { return nonEmpty(m.voc) }},
	{"file of polygons", "gtFine/%s_gtFine_polygons.json", func(m *about) []string { return nonEmpty(m.polys) }},
}

// nonEmpty returns the names that are not "".
func nonEmpty(names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// Lost is the error of a tree none of whose masks, or none of whose files of another kind, is of an image. Such a tree has another rule
// for their names, and all of them would be left out; the error says which names were expected. It is a [*Problem].
func (a *Annotations) Lost() error {
	for _, kind := range kinds {
		var lost []string
		kept := false
		for _, m := range a.of {
			files := kind.of(m)
			kept = kept || m.image != "" && len(files) > 0
			lost = append(lost, files...)
		}
		if !kept && len(lost) > 0 {
			image := a.tree.Images[0]
			return problem(slices.Min(lost), "", "no %s is of an image (expected: "+kind.name+" of %s)", kind.what, a.shortest(image), image)
		}
	}
	return nil
}

// shortest returns the shortest stem that means that image and no other.
func (a *Annotations) shortest(image string) string {
	best := Stem(image)
	for _, stem := range a.tree.shortStems(image) {
		if len(a.short[stem]) == 1 && len(stem) < len(best) {
			best = stem
		}
	}
	return best
}

// Check returns what is wrong with the annotations of the image of that path, whose file is given: other sizes, boxes outside of it,
// masks of another size, and, where maskIDs or the classes are known, values and classes that are none of them.
func (a *Annotations) Check(name string, file []byte) []*Problem {
	m := a.about(name)
	info, err := imagefile.Inspect(file)
	if err != nil {
		return []*Problem{problem(name, "", "%v", err)}
	}
	found := slices.Clone(m.problems)
	if m.image != name && len(a.Files(name)) > 0 {
		found = append(found, problem(name, "", "%s has the same annotations (allowed: one image of a name in a folder)", m.image))
	}
	for _, ref := range m.coco {
		turned := info.Orientation >= 5 && ref.w == float64(info.H) && ref.h == float64(info.W)
		if (ref.w != float64(info.W) || ref.h != float64(info.H)) && !turned {
			found = append(found, problem(ref.file.name, fmt.Sprintf("images[%d]", ref.index), "%gx%g, and %s is %dx%d", ref.w, ref.h, name, info.W, info.H))
		}
	}
	add := func(p *Problem) { found = append(found, p) }
	if m.labels != "" {
		a.checkYOLO(m.labels, add)
	}
	if m.voc != "" {
		a.checkVOC(m.voc, info.W, info.H, add)
	}
	if m.polys != "" {
		a.checkPolygons(m.polys, info.W, info.H, add)
	}
	for _, mask := range m.masks {
		a.checkMask(mask, info.W, info.H, add)
	}
	return found
}

// Verify checks the annotations of all images, on several goroutines, and returns all problems: of each file in order, and of no
// image last. report, which may be nil, is told how many images are done and how many have a problem.
func (a *Annotations) Verify(ctx context.Context, workers int, report func(done, bad int)) ([]*Problem, error) {
	found := make([][]*Problem, len(a.tree.Images))
	var mu sync.Mutex
	done, bad := 0, 0
	err := parallel.Try(len(found), max(workers, 1), func(_, i int) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		name := a.tree.Images[i]
		file, err := data.ReadFile(nil, a.tree.File(name), maxImage)
		if err != nil {
			found[i] = []*Problem{problem(name, "", "%v", err)}
		} else {
			found[i] = a.Check(name, file)
		}
		mu.Lock()
		defer mu.Unlock()
		if done++; len(found[i]) > 0 {
			bad++
		}
		if report != nil {
			report(done, bad)
		}
		return nil
	})
	return append(slices.Concat(found...), a.loose...), err
}

// inside reports whether a box lies within an image of w by h pixels.
func inside(x0, y0, x1, y1, w, h float64) bool {
	return x0 >= -slack && y0 >= -slack && x1 <= w+slack && y1 <= h+slack
}

// isFinite reports whether all values are numbers.
func isFinite(values ...float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
