package image2image

import (
	"runtime"
	"sync"

	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/raster"
)

// Styles are the styles of a number of images, numbered from 0, and the network that gives them to others. All methods are
// safe for concurrent use.
type Styles struct {
	net   *Style
	name  string
	codes []Code
	once  []sync.Once // of codes that are predicted when they are first used; nil: all are there
	image func(dst *raster.Image, i int)
}

// NewStyles returns the styles of n images, each of which image makes, or reads, when its style is first used. The images
// are not kept. Predicting a style from 256 by 256 pixels takes about 30 ms.
func NewStyles(net *Style, name string, n int, image func(dst *raster.Image, i int)) *Styles {
	return &Styles{net: net, name: name, codes: make([]Code, n), once: make([]sync.Once, n), image: image}
}

// ReadStyles is NewStyles for images that may fail to be read: all are read at once, by that many workers (0: one a core).
// The error is that of the first that fails.
func ReadStyles(net *Style, name string, n, workers int, image func(dst *raster.Image, i int) error) (*Styles, error) {
	s := &Styles{net: net, name: name, codes: make([]Code, n)}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	scratches := make([]Scratch, workers)
	err := parallel.Try(n, workers, func(worker, i int) error {
		w := &scratches[worker]
		if err := image(&w.image, i); err != nil {
			return err
		}
		net.Predict(&s.codes[i], &w.image, w)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// String returns the name.
func (s *Styles) String() string { return s.name }

// Len returns the number of styles.
func (s *Styles) Len() int { return len(s.codes) }

// Apply gives an image style i: v are 3*h*w values in [0, 1] in planes, which are replaced. The style lies strength, 0 to
// 1, of the way from the image's own to style i. At 0 the network still changes the colors.
func (s *Styles) Apply(v []float32, w, h, i int, strength float32, m *Scratch) {
	if s.once != nil {
		s.once[i].Do(func() {
			s.image(&m.image, i)
			s.net.Predict(&s.codes[i], &m.image, m)
		})
	}
	code, own := &m.codes[0], &m.codes[1]
	*code = s.codes[i]
	if strength < 1 {
		s.net.PredictPlanes(own, v, w, h, m)
		code.Mix(own, strength)
	}
	s.net.Apply(v, w, h, code, m)
}
