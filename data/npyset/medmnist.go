package npyset

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/npy"
)

// NameMedMNIST is the layout of MedMNIST's .npz files (Yang and others, "MedMNIST v2", Scientific Data 2023): for each part the arrays
// PART_images, uint8 [N, S, S] or [N, S, S, 3], and PART_labels, [N, 1], or [N, k] of zeros and ones where an image has several labels.
// The files of MedMNIST-C have the part test alone.
const NameMedMNIST = "medmnist"

var medParts = []string{"train", "val", "test"}

const (
	medImages = "_images"
	medLabels = "_labels"
)

// IsMedMNIST reports whether the file at path is an .npz file in MedMNIST's layout.
func IsMedMNIST(path string) bool {
	z, err := npy.OpenZip(path)
	if err != nil {
		return false
	}
	defer z.Close()
	return len(partsOf(z)) > 0
}

// partsOf returns the parts that have images and labels.
func partsOf(z *npy.Zip) (parts []string) {
	names := z.Names()
	for _, part := range medParts {
		if slices.Contains(names, part+medImages) && slices.Contains(names, part+medLabels) {
			parts = append(parts, part)
		}
	}
	return parts
}

// OpenMedMNIST opens a part of the file at path. split "" takes the only one; with several it is a [data.ErrSplit]. A sample of several
// labels has none of its own and [data.Sample].Multi.
func OpenMedMNIST(path, split string, o Options) (data.Source, error) {
	src, err := openMedMNIST(path, split, o)
	if err != nil && !strings.Contains(err.Error(), path) {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return src, err
}

func openMedMNIST(path, split string, o Options) (data.Source, error) {
	z, err := npy.OpenZip(path)
	if err != nil {
		return nil, wrapZip(err)
	}
	defer z.Close()
	parts := partsOf(z)
	switch {
	case split == "" && len(parts) == 1:
		split = parts[0]
	case split == "":
		return nil, fmt.Errorf("%w: %s", data.ErrSplit, strings.Join(parts, ", "))
	case !slices.Contains(parts, split):
		return nil, fmt.Errorf("%w: split %q (allowed: %s)", data.ErrUnsupported, split, strings.Join(parts, ", "))
	}
	o.ImagesName, o.LabelsName = split+medImages, split+medLabels
	multi, columns, err := readMulti(z, o.LabelsName)
	if err != nil {
		return nil, err
	}
	o.Unlabeled, o.classes = columns > 0, medClasses(path)
	src, err := Open(path, o)
	if err != nil {
		return nil, err
	}
	var s *set
	switch src := src.(type) {
	case *Source:
		s = &src.set
	case *Stream:
		s = &src.set
	}
	s.info.Format, s.info.Part = NameMedMNIST, split
	if columns > 0 {
		err = s.setMulti(multi, columns, o.LabelsName)
	}
	if err != nil {
		return nil, errors.Join(err, src.Close())
	}
	return src, nil
}

// readMulti reads labels of several columns, which are zeros and ones; no columns mean that an image has one label.
func readMulti(z *npy.Zip, name string) (rows []uint8, columns int, err error) {
	a, err := z.Read(name)
	if err != nil {
		return nil, 0, wrapZip(err)
	}
	if len(a.Shape) != 2 || a.Shape[1] < 2 {
		return nil, 0, nil
	}
	values, err := toLabels(&npy.Array{Shape: []int{a.Len()}, Data: a.Data}, fmt.Sprintf("array %q", name))
	if err != nil {
		return nil, 0, err
	}
	columns = a.Shape[1]
	rows = make([]uint8, len(values))
	for i, v := range values {
		if v != 0 && v != 1 {
			return nil, 0, fmt.Errorf("%w: array %q row %d column %d is %d (allowed with several labels an image: 0 and 1)", data.ErrLabel,
				name, i/columns, i%columns, v)
		}
		rows[i] = uint8(v)
	}
	return rows, columns, nil
}

// setMulti gives samples several labels.
func (s *set) setMulti(rows []uint8, columns int, name string) error {
	if len(rows) != s.n*columns {
		return fmt.Errorf("%w: %d labels in array %q for %d samples", data.ErrFormat, len(rows)/columns, name, s.n)
	}
	s.multi, s.columns, s.info.Classes = rows, columns, nil
	s.info.Note = fmt.Sprintf("%d labels an image, none of which is its class: they are kept where OUT has MedMNIST's layout, and by no other format", columns)
	return nil
}

// medClasses returns the published class names of the set that a file is called after, such as pathmnist_64.npz, or nil.
func medClasses(path string) []string {
	stem, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), "_")
	return slices.Clone(medNames[strings.ToLower(stem)])
}

var organs = []string{
	"bladder", "femur-left", "femur-right", "heart", "kidney-left", "kidney-right", "liver", "lung-left", "lung-right",
	"pancreas", "spleen",
}

// medNames are the classes of MedMNIST's twelve sets of images, by its info.py.
var medNames = map[string][]string{
	"pathmnist": {
		"adipose", "background", "debris", "lymphocytes", "mucus", "smooth muscle", "normal colon mucosa",
		"cancer-associated stroma", "colorectal adenocarcinoma epithelium",
	},
	"chestmnist": {
		"atelectasis", "cardiomegaly", "effusion", "infiltration", "mass", "nodule", "pneumonia", "pneumothorax",
		"consolidation", "edema", "emphysema", "fibrosis", "pleural", "hernia",
	},
	"dermamnist": {
		"actinic keratoses and intraepithelial carcinoma", "basal cell carcinoma", "benign keratosis-like lesions",
		"dermatofibroma", "melanoma", "melanocytic nevi", "vascular lesions",
	},
	"octmnist":       {"choroidal neovascularization", "diabetic macular edema", "drusen", "normal"},
	"pneumoniamnist": {"normal", "pneumonia"},
	"retinamnist":    {"0", "1", "2", "3", "4"},
	"breastmnist":    {"malignant", "normal, benign"},
	"bloodmnist": {
		"basophil", "eosinophil", "erythroblast", "immature granulocytes(myelocytes, metamyelocytes and promyelocytes)",
		"lymphocyte", "monocyte", "neutrophil", "platelet",
	},
	"tissuemnist": {
		"Collecting Duct, Connecting Tubule", "Distal Convoluted Tubule", "Glomerular endothelial cells",
		"Interstitial endothelial cells", "Leukocytes", "Podocytes", "Proximal Tubule Segments", "Thick Ascending Limb",
	},
	"organamnist": organs,
	"organcmnist": organs,
	"organsmnist": organs,
}

// CreateMedMNIST begins an .npz file in MedMNIST's layout, or resumes one if state is not nil, of the part o.Split. The arrays of the
// file o.Like that are not of that part are copied at the end, in that file's order.
func CreateMedMNIST(path string, classes []string, o SinkOptions, state []byte) (*Sink, error) {
	if !slices.Contains(medParts, o.Split) {
		return nil, fmt.Errorf("%w: part %q of MedMNIST's layout (allowed: %s)", data.ErrUnsupported, o.Split, strings.Join(medParts, ", "))
	}
	if slices.Equal(classes, medClasses(path)) {
		classes = nil // the file's name says them
	}
	return create(NameMedMNIST, path, classes, o, state)
}

// finishMedMNIST writes the arrays of the part, and those of the other parts where there are any.
func (s *Sink) finishMedMNIST(z *npy.ZipWriter, labels *npy.Array) error {
	own := map[string]func() error{
		s.o.Split + medImages: func() error { return s.writeImages(z, s.o.Split+medImages) },
		s.o.Split + medLabels: func() error { return z.Write(s.o.Split+medLabels, labels) },
	}
	names := []string{s.o.Split + medImages, s.o.Split + medLabels}
	var like *npy.Zip
	if s.o.Like != "" {
		var err error
		if like, err = npy.OpenZip(s.o.Like); err != nil {
			return fmt.Errorf("cannot copy the other parts: %w", wrapZip(err))
		}
		defer like.Close()
		names = append(like.Names(), slices.DeleteFunc(names, func(name string) bool { return slices.Contains(like.Names(), name) })...)
	}
	for _, name := range names {
		write := own[name]
		if write == nil {
			write = func() error { return copyArray(z, like, name) }
		}
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

// copyArray copies an array byte for byte.
func copyArray(z *npy.ZipWriter, from *npy.Zip, name string) error {
	h, r, err := from.Open(name)
	if err != nil {
		return wrapZip(err)
	}
	defer r.Close()
	w, err := z.Create(name, h)
	if err == nil {
		_, err = io.Copy(w, r)
	}
	return err
}
