package studio

import (
	"context"
	"math"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/internal/fft"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// corrupted returns the image under a corruption: itself, its difference from the clean one, or its spectrum.
func (s *Server) corrupted(ctx context.Context, q *request) (*raster.Image, error) {
	clean, err := s.prepared(ctx, q)
	if err != nil {
		return nil, err
	}
	m, err := s.corrupt(clean, q)
	if err != nil {
		return nil, err
	}
	switch q.Look {
	case "difference":
		return difference(m, clean.image), nil
	case "spectrum":
		return spectrum(m), nil
	}
	return m, nil
}

// corrupt returns the prepared image under the corruption of q, with the bytes of augmix corrupt.
func (s *Server) corrupt(clean *sample, q *request) (*raster.Image, error) {
	if q.Severity == 0 || q.Name == "" {
		return clean.image, nil
	}
	plan := transform.Corruptions{
		Names: []string{q.Name}, Severities: []float64{q.Severity}, Profile: q.Profile, Bar: barProfile(q, clean.image),
	}
	if q.Name == "frost" {
		var err error
		if plan.Frost, err = s.frost(); err != nil {
			return nil, err
		}
	}
	var m *raster.Image
	var parts transform.Parts
	parts.Reset(func(dst []byte, made *raster.Image) ([]byte, error) { m = made.Clone(); return dst, nil })
	t := plan.Transform()
	if err := transform.CheckMemory(t, clean.image.W, clean.image.H); err != nil {
		return nil, err
	}
	err := t.Apply(&parts, clean.image, transform.SampleKey(rng.NewKey(q.Seed), clean.key))
	return m, err
}

// barProfile is the profile of a corruption of cbar: that of the profile that is asked for or of the image's shorter side, or the
// other where only that has the corruption.
func barProfile(q *request, m *raster.Image) cbar.Profile {
	p := cbar.ProfileFor(min(m.W, m.H))
	switch q.Profile {
	case corrupt.P224, corrupt.P299:
		p = cbar.ImageNet
	case corrupt.P32, corrupt.P64:
		p = cbar.CIFAR
	}
	if c, err := cbar.ByName(q.Name); err == nil && !c.In(p) {
		if p == cbar.CIFAR {
			return cbar.ImageNet
		}
		return cbar.CIFAR
	}
	return p
}

// difference is gray where the two images are the same; brighter and darker say by how much m is, twice as strong.
func difference(m, clean *raster.Image) *raster.Image {
	d := raster.New(m.W, m.H)
	for i := range d.Pix {
		v := 255
		if i%4 != 3 {
			v = min(max(128+2*(int(m.Pix[i])-int(clean.Pix[i])), 0), 255)
		}
		d.Pix[i] = uint8(v)
	}
	return d
}

// spectrumSide bounds the sides of the middle of an image whose spectrum is shown.
const spectrumSide = 512

// spectrum is the logarithm of the amplitudes of the image's brightness, low frequencies in the middle. White is the largest but for the
// mean, black a millionth of it.
func spectrum(m *raster.Image) *raster.Image {
	w, h := min(m.W, spectrumSide), min(m.H, spectrumSide)
	x0, y0 := (m.W-w)/2, (m.H-h)/2
	plane := make([]complex128, w*h)
	for y := range h {
		for x := range w {
			c := m.At(x0+x, y0+y)
			plane[y*w+x] = complex(0.299*float64(c.R)+0.587*float64(c.G)+0.114*float64(c.B), 0)
		}
	}
	transformLines(plane, w, h, 1, w)
	transformLines(plane, h, w, w, 1)
	plane[0] = 0
	level, most := make([]float64, w*h), 0.0
	for i, v := range plane {
		level[i] = math.Hypot(real(v), imag(v))
		most = max(most, level[i])
	}
	out := raster.New(w, h)
	for y := range h {
		for x := range w {
			v := 0.0
			if l := level[(y+(h+1)/2)%h*w+(x+(w+1)/2)%w]; l > 0 {
				v = max(0, 255*(1+math.Log10(l/most)/6))
			}
			out.Set(x, y, raster.RGB{R: uint8(v), G: uint8(v), B: uint8(v)})
		}
	}
	return out
}

// transformLines takes the Fourier transform of count lines of n values that lie step apart.
func transformLines(plane []complex128, n, count, step, next int) {
	line, in := fft.NewLine(n), make([]complex128, n)
	scratch := line.Scratch()
	for i := range count {
		for k := range n {
			in[k] = plane[i*next+k*step]
		}
		line.Forward(in, scratch)
		for k := range n {
			plane[i*next+k*step] = in[k]
		}
	}
}
