package studio

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/transform"
)

// Limits of the images that are shown.
const (
	maxPixels   = 1 << 25   // of one as it is stored, and resized
	maxRendered = 1 << 22   // of one after resize and crop
	keepBytes   = 256 << 20 // of the images that are kept decoded
	keepTime    = 10 * time.Second
)

// sample is a decoded image and what it is in its data set. It is shared and must not be changed.
type sample struct {
	image *raster.Image
	key   string
	label int
	name  string // of the file, for messages
}

// images keeps the images that were asked for last, so that a page of corruptions decodes its image once. Each is kept for a moment only:
// a file that changes is seen.
type images struct {
	mu      sync.Mutex
	entries []*imageEntry // the oldest first
}

type imageEntry struct {
	id         imageID
	size, crop int
	made       time.Time
	ready      chan struct{}
	sample     *sample
	err        error
}

// get returns the image of that size and crop, made by load unless it is kept. Whoever asks meanwhile waits for the first.
func (c *images) get(ctx context.Context, id imageID, size, crop int, load func() (*sample, error)) (*sample, error) {
	c.mu.Lock()
	for _, e := range c.entries {
		if e.id == id && e.size == size && e.crop == crop && time.Since(e.made) < keepTime {
			c.mu.Unlock()
			select {
			case <-e.ready:
				return e.sample, e.err
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
	e := &imageEntry{id: id, size: size, crop: crop, made: time.Now(), ready: make(chan struct{})}
	c.entries = append(c.entries, e)
	c.mu.Unlock()
	e.sample, e.err = load()
	close(e.ready)
	c.trim()
	return e.sample, e.err
}

// trim forgets what is old, what failed, and the oldest of what takes too much memory.
func (c *images) trim() {
	c.mu.Lock()
	defer c.mu.Unlock()
	bytes, kept := 0, []*imageEntry(nil)
	for i := len(c.entries) - 1; i >= 0; i-- {
		e := c.entries[i]
		select {
		case <-e.ready:
			if e.err != nil || time.Since(e.made) >= keepTime {
				continue
			}
			if bytes += len(e.sample.image.Pix); bytes > keepBytes {
				continue
			}
		default: // in the making
		}
		kept = append([]*imageEntry{e}, kept...)
	}
	c.entries = kept
}

// original returns an image as it is stored.
func (s *Server) original(ctx context.Context, id imageID) (*sample, error) {
	return s.images.get(ctx, id, 0, 0, func() (*sample, error) {
		from, err := s.read(id)
		if err != nil {
			return nil, err
		}
		if err := checkImage(from); err != nil {
			return nil, fmt.Errorf("%s: %w", from.Name, err)
		}
		m := new(raster.Image)
		if err := from.Decode(m); err != nil {
			return nil, err
		}
		return &sample{image: m, key: from.Key, label: from.Label, name: from.Name}, nil
	})
}

// prepared returns an image resized and cropped as the commands do with --size and --crop.
func (s *Server) prepared(ctx context.Context, q *request) (*sample, error) {
	from, err := s.original(ctx, q.Image)
	if err != nil {
		return nil, err
	}
	if err := checkSize(from, q); err != nil {
		return nil, err
	}
	to := from
	if q.Size > 0 || q.Crop > 0 {
		to, err = s.images.get(ctx, q.Image, q.Size, q.Crop, func() (*sample, error) {
			made := *from
			made.image = new(raster.Image)
			return &made, transform.Prepare(q.Size, augment.Bilinear, q.Crop)(made.image, from.image)
		})
		if err != nil {
			return nil, err
		}
	}
	return to, nil
}

// checkSize refuses an image that is too large for the page, before any work: resized, where one side is a thousand times the other, or in
// the end.
func checkSize(one *sample, q *request) error {
	w, h := one.image.W, one.image.H
	if q.Size > 0 {
		w, h = augment.ShorterSide(w, h, q.Size)
	}
	most := maxPixels
	if q.Crop == 0 {
		most = maxRendered
	}
	if w > most/h {
		return fmt.Errorf("%w: %s has %dx%d pixels (allowed here: %d in all; choose a size, or another)", ErrRequest, one.name, w, h, most)
	}
	return nil
}

// read returns an image of the data set or an uploaded one, not decoded.
func (s *Server) read(id imageID) (*data.Sample, error) {
	if id.upload != "" {
		return s.uploads.read(id)
	}
	if id.part >= len(s.parts) || id.index >= s.parts[id.part].source.Len() {
		return nil, fmt.Errorf("%w: image %s of the data set", errGone, id)
	}
	from := new(data.Sample)
	if err := s.parts[id.part].source.Read(id.index, from); err != nil {
		return nil, fmt.Errorf("%w: is the data still where it was? %w", errGone, err)
	}
	return from, nil
}

// imageInfo is what the page says of an image.
type imageInfo struct {
	ID    string `json:"id"`
	Key   string `json:"key"`
	Label string `json:"label"` // class name or number, "" for none
	W     int    `json:"w"`     // as it is stored
	H     int    `json:"h"`
}

func (s *Server) about(ctx context.Context, q *request) (any, error) {
	one, err := s.original(ctx, q.Image)
	if err != nil {
		return nil, err
	}
	return imageInfo{q.Image.String(), one.key, s.className(one.label), one.image.W, one.image.H}, nil
}

// className returns the name of a class, or its number.
func (s *Server) className(label int) string {
	return nameOf(s.parts[0].source.Info().Classes, label)
}

// nameOf returns the name of a class, or its number, "" for none.
func nameOf(classes []string, label int) string {
	switch {
	case label < 0:
		return ""
	case label < len(classes):
		return classes[label]
	}
	return strconv.Itoa(label)
}
