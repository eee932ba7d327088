package mixset

import (
	"context"
	"strings"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/raster"
)

// split takes a spec of several sets apart, "fractals+fvis.npy". A file or folder whose name has a plus sign is one set.
func split(spec string) []string {
	if !strings.Contains(spec, "+") {
		return []string{spec}
	}
	if _, err := storage.Stat(spec); err == nil {
		return []string{spec}
	}
	return strings.Split(spec, "+")
}

// openJoined opens several sets as one.
func openJoined(ctx context.Context, specs []string, o Options) (*Set, error) {
	joined := &Set{side: Side(o.Size)}
	var names []string
	for _, spec := range specs {
		one, err := openOne(ctx, spec, o)
		if err != nil {
			_ = joined.Close()
			return nil, err
		}
		joined.parts = append(joined.parts, one)
		names = append(names, one.String())
	}
	joined.spec = strings.Join(names, "+")
	return joined, nil
}

// locate returns the part that image i is of, and its number there.
func (s *Set) locate(i int) (*Set, int) {
	for _, part := range s.parts {
		if i < part.Len() {
			return part, i
		}
		i -= part.Len()
	}
	panic("mixset: there is no such image")
}

// joinedLen is the number of images of all parts.
func (s *Set) joinedLen() int {
	n := 0
	for _, part := range s.parts {
		n += part.Len()
	}
	return n
}

// joinedImage returns image i of all parts, one after the other.
func (s *Set) joinedImage(i int) *raster.Image {
	part, at := s.locate(i)
	return part.Image(at)
}

// closeParts closes every part and returns the first error.
func (s *Set) closeParts() error {
	var first error
	for _, part := range s.parts {
		if err := part.Close(); err != nil && first == nil {
			first = err
		}
	}
	s.parts = nil
	return first
}
