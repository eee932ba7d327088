package annotated

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
)

// A file of COCO's may be half a gigabyte: it is read an element at a time and never held as a whole.

// field is called with the name of a field of the outermost object. Fields that it does not read it must skip.
type field func(name string, dec *json.Decoder) error

// eachField reads a json file whose outermost value is an object.
func eachField(file string, do field) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	readMark(in)
	dec := json.NewDecoder(in)
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return fmt.Errorf("%w: %s: it does not begin with an object", data.ErrFormat, file)
	}
	for dec.More() {
		tok, err := dec.Token()
		name, ok := tok.(string)
		if err == nil && ok {
			err = do(name, dec)
		}
		if err != nil {
			return damage(err)
		}
	}
	_, err = dec.Token() // the end of the object
	return damage(err)
}

// damage is an error of a file, which wraps [data.ErrFormat] where that ends too early or is no json.
func damage(err error) error {
	var syntax *json.SyntaxError
	switch {
	case err == io.ErrUnexpectedEOF || err == io.EOF:
		return fmt.Errorf("%w: it ends early", data.ErrFormat)
	case errors.As(err, &syntax):
		return fmt.Errorf("%w: byte %d: %v", data.ErrFormat, syntax.Offset, syntax)
	}
	return err
}

// eachElement reads an array. Another value is skipped, and no array.
func eachElement(dec *json.Decoder, do func(i int, element json.RawMessage) error) (array bool, err error) {
	tok, err := dec.Token()
	if err != nil {
		return false, err
	}
	if tok != json.Delim('[') {
		return false, skipRest(dec, tok)
	}
	for i := 0; dec.More(); i++ {
		var element json.RawMessage
		if err := dec.Decode(&element); err != nil {
			return true, err
		}
		if err := do(i, element); err != nil {
			return true, err
		}
	}
	_, err = dec.Token()
	return true, err
}

// skipRest reads to the end of the value that began with tok.
func skipRest(dec *json.Decoder, tok json.Token) error {
	for depth := 0; ; {
		switch tok {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
		var err error
		if tok, err = dec.Token(); err != nil {
			return err
		}
	}
}

// cocoImage is an element of images.
type cocoImage struct {
	ID            *int64
	FileName      string
	Width, Height float64
}

// parseImage reads an element of images, and tells bad of each field of another type, which is empty then.
func parseImage(element json.RawMessage, bad func(field, reason string)) (m cocoImage) {
	var raw struct {
		ID       json.RawMessage `json:"id"`
		FileName json.RawMessage `json:"file_name"`
		Width    json.RawMessage `json:"width"`
		Height   json.RawMessage `json:"height"`
	}
	json.Unmarshal(element, &raw) // what is no object has no id
	parseField(raw.ID, &m.ID)     // without it nothing can be of the image
	parseField(raw.FileName, &m.FileName)
	if !parseField(raw.Width, &m.Width) {
		bad(".width", "no number")
	}
	if !parseField(raw.Height, &m.Height) {
		bad(".height", "no number")
	}
	return m
}

// cocoFields are the fields that a file of COCO's begins with.
var cocoFields = []string{"info", "licenses", "images", "annotations", "categories"}

// isCOCO reports whether the file has images with names, up to the first of which it reads. A file that is damaged before that is an
// error that names it if it begins as those of COCO's do.
//
// Folders of classes hold json files of other kinds, damaged ones too, and are to stay folders of classes. So a file that is whole and
// has no such images is of another kind, whatever its fields, and so is a damaged one whose first field is none of COCO's, whose lists of
// these names hold anything but objects, or whose annotations do not name an image by image_id. An empty file says nothing.
func isCOCO(file string) (bool, error) {
	first, like := true, false // like: what was read is as in a file of COCO's
	err := eachField(file, func(name string, dec *json.Decoder) error {
		known := slices.Contains(cocoFields, name)
		if first {
			like, first = known, false
		}
		_, err := eachElement(dec, func(_ int, element json.RawMessage) error {
			like = like && (!known || isElement(name, element))
			switch {
			case name != "images":
				return nil
			case isElement(name, element):
				return errFound
			}
			return errNone
		})
		return err
	})
	switch {
	case err == errFound:
		return true, nil
	case err == nil || err == errNone || !like:
		return false, nil
	}
	return false, fmt.Errorf("%s begins as a COCO json and is damaged (allowed: a whole file): %w", file, err)
}

// isElement reports whether an element of the list of that name may be one of COCO's: an object, of images one with a name, and of
// annotations one with an image. Which values they have is looked at later, so that a wrong one is an error and no other kind of file.
func isElement(name string, element json.RawMessage) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(element, &fields) != nil {
		return false
	}
	field, wanted := map[string]string{"images": "file_name", "annotations": "image_id"}[name]
	return !wanted || fields[field] != nil
}

// errFound and errNone end the search for images.
var (
	errFound = errors.New("found")
	errNone  = errors.New("not found")
)

// cocoFile is a file of COCO's, without its annotations.
type cocoFile struct {
	name       string
	images     map[int64]cocoRef // by id
	categories map[int64]bool    // nil where it has none
}

// cocoRef is an image as a file of COCO's has it.
type cocoRef struct {
	file  *cocoFile
	path  string // of the image in the tree
	index int    // in images
	w, h  float64
}

// cocoAnnotation is an element of annotations, as far as it is checked.
type cocoAnnotation struct {
	ImageID      *int64
	CategoryID   *int64
	BBox         []float64
	Segmentation json.RawMessage
	SegmentsInfo json.RawMessage
	Keypoints    []float64 // x, y and visibility in turn
}

// parseAnnotation reads an element of annotations. A field that is missing or null is nil; bad is told of each that is of another type,
// which is nil too. Fields are read one by one, so that one that is wrong hides neither the others nor whose annotation it is.
func parseAnnotation(element json.RawMessage, bad func(field, reason string)) (one cocoAnnotation) {
	var raw struct {
		ImageID      json.RawMessage `json:"image_id"`
		CategoryID   json.RawMessage `json:"category_id"`
		BBox         json.RawMessage `json:"bbox"`
		Segmentation json.RawMessage `json:"segmentation"`
		SegmentsInfo json.RawMessage `json:"segments_info"`
		Keypoints    json.RawMessage `json:"keypoints"`
		Area         json.RawMessage `json:"area"`
	}
	json.Unmarshal(element, &raw) // what is no object has no image_id
	one.Segmentation, one.SegmentsInfo = unlessNull(raw.Segmentation), unlessNull(raw.SegmentsInfo)
	parseField(raw.ImageID, &one.ImageID) // without it there is no image to tell
	if !parseField(raw.CategoryID, &one.CategoryID) {
		bad(".category_id", "no whole number (allowed: the id of a category)")
	}
	if !parseField(raw.BBox, &one.BBox) {
		bad(".bbox", "no list of numbers (allowed: x, y, width, height)")
	}
	if !parseField(raw.Keypoints, &one.Keypoints) {
		bad(".keypoints", "no list of numbers (allowed: x, y and visibility of each)")
	}
	if !parseField(raw.Area, new(float64)) {
		bad(".area", "no number")
	}
	return one
}

// unlessNull returns nil for null, which stands for a field that is missing.
func unlessNull(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// parseField reads a field into v and reports whether it is of v's type. Otherwise v becomes its zero value. One that is missing, and
// null, leave v as it is; null in a list of numbers is of another type.
func parseField[T any](raw json.RawMessage, v *T) bool {
	if raw == nil {
		return true
	}
	if json.Unmarshal(raw, v) != nil || bytes.HasPrefix(raw, []byte("[")) && bytes.Contains(raw, []byte("null")) {
		*v = *new(T)
		return false
	}
	return true
}

// readJSON reads a json file that may be one of COCO's.
func (a *Annotations) readJSON(name string) error {
	found, err := isCOCO(a.tree.File(name))
	if found {
		return a.readCOCO(name)
	}
	return err
}

// sameID adds the problem of two images with one id to each of them.
func (a *Annotations) sameID(f *cocoFile, id int64, refs ...cocoRef) {
	for i, ref := range refs {
		p := problem(f.name, fmt.Sprintf("images[%d].id", ref.index), "%d is the id of two images (allowed: one)", id)
		switch {
		case ref.path != "":
			to := a.about(ref.path)
			to.problems = append(to.problems, p)
		case i > 0: // the first is a problem already
			a.loose = append(a.loose, p)
		}
	}
}

// readCOCO reads a file of COCO's twice, because annotations may come before images, and checks the first against the second.
func (a *Annotations) readCOCO(name string) error {
	f := &cocoFile{name: name, images: map[int64]cocoRef{}}
	loose := func(field, reason string, args ...any) {
		a.loose = append(a.loose, problem(name, field, reason, args...))
	}
	bases := map[string][]string{} // images by their base names
	for _, m := range a.tree.Images {
		bases[path.Base(m)] = append(bases[path.Base(m)], m)
	}
	image := func(i int, element json.RawMessage) error {
		field := fmt.Sprintf("images[%d]", i)
		var found []*Problem
		m := parseImage(element, func(name, reason string) { found = append(found, problem(f.name, field+name, "%s", reason)) })
		if m.ID == nil {
			loose(field, "no id, or one that is no whole number")
			return nil
		}
		first, twice := f.images[*m.ID]
		ref := cocoRef{f, pick(bases[path.Base(m.FileName)], name, m.FileName), i, m.Width, m.Height}
		if ref.path == "" {
			loose(field+".file_name", "%q is no image of %s, or several", m.FileName, a.tree.Root)
		} else if to := a.about(ref.path); found != nil {
			to.problems = append(to.problems, found...)
			ref.path = "" // of no known size, which annotations could be compared with
		} else {
			to.coco = append(to.coco, ref)
		}
		if twice { // nobody can say whose the annotations are
			a.sameID(f, *m.ID, first, ref)
			ref.path = ""
		}
		f.images[*m.ID] = ref
		return nil
	}
	category := func(i int, element json.RawMessage) error {
		var c struct {
			ID *int64 `json:"id"`
		}
		if err := json.Unmarshal(element, &c); err != nil || c.ID == nil {
			loose(fmt.Sprintf("categories[%d].id", i), "no number")
			return nil
		}
		f.categories[*c.ID] = true
		return nil
	}
	annotation := func(i int, element json.RawMessage) error {
		a.checkCOCO(f, i, element)
		return nil
	}
	for pass := range 2 {
		err := eachField(a.tree.File(name), func(field string, dec *json.Decoder) error {
			do := func(int, json.RawMessage) error { return nil }
			switch {
			case pass == 0 && field == "images":
				do = image
			case pass == 0 && field == "categories":
				f.categories, do = map[int64]bool{}, category
			case pass == 1 && field == "annotations":
				do = annotation
			}
			_, err := eachElement(dec, do)
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", a.tree.File(name), err)
		}
	}
	a.coco = append(a.coco, f)
	return nil
}

// pick returns the image that a json file means: of those of its base name the one whose path ends in the name, and of several the one
// in a folder that the json file lies in or is named after, as instances_val2017.json is after val2017. It returns "" for none or
// several.
func pick(images []string, file, name string) string {
	ends := func(m string) bool { return m == name || strings.HasSuffix(m, "/"+strings.TrimPrefix(name, "./")) }
	beside := func(m string) bool { return path.Dir(m) == path.Dir(file) }
	named := func(m string) bool { return strings.Contains(path.Base(file), path.Base(path.Dir(m))) }
	for _, ok := range []func(string) bool{ends, beside, named} {
		var some []string
		for _, m := range images {
			if ok(m) {
				some = append(some, m)
			}
		}
		if len(some) == 1 {
			return some[0]
		}
		if len(some) > 1 {
			images = some
		}
	}
	return ""
}

// checkCOCO looks for what is wrong with the i-th annotation of f.
func (a *Annotations) checkCOCO(f *cocoFile, i int, element json.RawMessage) {
	field := fmt.Sprintf("annotations[%d]", i)
	var found []*Problem
	bad := func(name, reason string, args ...any) {
		found = append(found, problem(f.name, field+name, reason, args...))
	}
	one := parseAnnotation(element, func(name, reason string) { bad(name, "%s", reason) })
	if one.ImageID == nil {
		a.loose = append(a.loose, problem(f.name, field, "no image_id, or one that is no whole number"))
		return
	}
	m, ok := f.images[*one.ImageID]
	if !ok {
		a.loose = append(a.loose, problem(f.name, field+".image_id", "%d is the id of no image", *one.ImageID))
		return
	}
	if m.path == "" {
		return // the image was said to be missing, or of no size
	}
	if one.CategoryID != nil && f.categories != nil && !f.categories[*one.CategoryID] {
		bad(".category_id", "%d is the id of no category", *one.CategoryID)
	}
	if b := one.BBox; b != nil {
		switch {
		case len(b) != 4 || !isFinite(b...):
			bad(".bbox", "%v (allowed: x, y, width, height)", b)
		case b[2] <= 0 || b[3] <= 0 || !inside(b[0], b[1], b[0]+b[2], b[1]+b[3], m.w, m.h):
			bad(".bbox", "%v of %s, which is %gx%g (allowed: a box within the image)", b, m.path, m.w, m.h)
		}
	}
	if len(one.Keypoints)%3 != 0 || !isFinite(one.Keypoints...) {
		bad(".keypoints", "%d numbers (allowed: x, y and visibility of each)", len(one.Keypoints))
	}
	if one.Segmentation != nil {
		if _, reason := parseSegmentation(one.Segmentation, int(m.w), int(m.h)); reason != "" {
			bad(".segmentation", "%s", reason)
		}
	}
	to := a.about(m.path)
	to.problems = append(to.problems, found...)
}
