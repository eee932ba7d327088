package feed

import (
	"fmt"
	"math"
	"math/bits"
)

// Align is what fields begin at multiples of: the width of a cache line and of AVX-512's registers.
const Align = 64

// Field is an array in a slot.
type Field struct {
	Name  string `json:"name"`  // images, labels, index, targets
	DType string `json:"dtype"` // uint8, float32, float16, bfloat16, int64
	Shape []int  `json:"shape"` // of a full batch
	// Axis is the axis whose length is the number of samples. A batch of fewer is packed from Offset on.
	Axis   int `json:"axis"`
	Offset int `json:"offset"` // bytes from the beginning of the slot
}

// Slot says where the arrays of a batch lie.
type Slot struct {
	Fields []Field
	Bytes  int // of all
}

// Form is one of the forms of an image that Corruptions and Perturbations give.
type Form struct {
	Name     string  `json:"name"`     // of the corruption or of the published file of a perturbation
	Severity float64 `json:"severity"` // 0 for perturbations
	Frame    int     `json:"frame"`    // of a perturbation
}

// layout returns where the arrays of batches of n samples lie. classes is the length of a soft label, 0 for none.
func (o *Options) layout(w, h, classes int) (*Slot, error) {
	n := o.Batch
	shape, axis := []int{n, 3, h, w}, 0
	if o.Layout == NHWC {
		shape = []int{n, h, w, 3}
	}
	if o.Views > 1 || o.variants() != nil { // a single form too: what reads forms need not know how many there are
		shape, axis = append([]int{o.Views}, shape...), 1
	}
	s := new(Slot)
	err := s.add(Field{Name: "images", DType: o.DType.String(), Shape: shape, Axis: axis}, o.DType.size())
	for _, name := range []string{"labels", "index"} {
		if err == nil {
			err = s.add(Field{Name: name, DType: "int64", Shape: []int{n}}, 8)
		}
	}
	if err == nil && classes > 0 {
		err = s.add(Field{Name: "targets", DType: "float32", Shape: []int{n, classes}}, 4)
	}
	return s, err
}

// mostSlot is the most bytes of an array; a batch of more is a mistake.
const mostSlot uint64 = 1 << 38

// add places a field after those before it.
func (s *Slot) add(f Field, size int) error {
	bytes := uint64(size)
	for _, d := range f.Shape {
		hi, lo := bits.Mul64(bytes, uint64(d))
		if bytes = lo; hi != 0 || bytes > min(mostSlot, math.MaxInt/4) {
			return fmt.Errorf("%w: a batch of %v %s is too large; make it smaller", ErrOption, f.Shape, f.DType)
		}
	}
	f.Offset = s.Bytes
	s.Fields = append(s.Fields, f)
	s.Bytes = (s.Bytes + int(bytes) + Align - 1) &^ (Align - 1)
	return nil
}

// field returns the array of that name, of n samples, within a slot.
func (s *Slot) field(name string, slot []byte, n int) []byte {
	for _, f := range s.Fields {
		if f.Name != name {
			continue
		}
		bytes := map[string]int{"uint8": 1, "int64": 8, "float32": 4, "float16": 2, "bfloat16": 2}[f.DType] * n
		for i, d := range f.Shape {
			if i != f.Axis {
				bytes *= d
			}
		}
		return slot[f.Offset:][:bytes]
	}
	return nil
}
