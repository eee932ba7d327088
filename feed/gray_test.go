package feed

import (
	"math"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/transform"
)

// mostlyGray is images, of which every third is in color and the others have one channel.
type mostlyGray struct{ *images }

func (p mostlyGray) Read(i int, s *data.Sample) error {
	if err := p.images.Read(i, s); err != nil || i%3 == 0 {
		return err
	}
	s.Form, s.Data = data.GrayForm, s.Data[:s.W*s.H]
	return nil
}

func (p mostlyGray) Next(s *data.Sample) error { return new(data.Cursor).Next(p, s) } // one sample tells what New asks

// TestGray: what is made of gray images that stay gray is the luma of what is made of them otherwise, whether or not labels are mixed, of
// corruptions and in floats; color images stay.
func TestGray(t *testing.T) {
	plan := &transform.Corruptions{Names: []string{"impulse_noise", "contrast"}, Severities: []float64{2}}
	for name, o := range map[string]Options{
		"noise": {Mix: method(t, "gaussian"), Views: 2}, "mixup": {Mix: method(t, "mixup+gaussian")}, "corruptions": {Corruptions: plan},
	} {
		o.Batch, o.Epochs, o.InOrder, o.Layout = 6, 1, true, NHWC
		norm := mix.Normalization{Mean: [3]float32{0.1, 0.2, 0.3}, Std: [3]float32{0.3, 0.2, 0.1}}
		o.Norm = &norm
		gray := func(o Options) (*Loader, []made) {
			return all(t, data.Reading{Gray: true}.Of(mostlyGray{newImages(12)}), o)
		}
		plain, was := all(t, mostlyGray{newImages(12)}, o)
		l, now := gray(o)
		o.DType, o.Layout = Float32, NCHW
		fl, floated := gray(o)
		colored := false
		for b := range was {
			for i := range was[b].N {
				before, after, planes := rows(plain, &was[b], "images", i), rows(l, &now[b], "images", i), floats(rows(fl, &floated[b], "images", i))
				size := len(before) / max(l.options.Views, 1) / 3
				for p := 0; p < len(before); p += 3 {
					m := raster.New(1, 1)
					m.Set(0, 0, raster.RGB{R: before[p], G: before[p+1], B: before[p+2]})
					colored = colored || before[p] != before[p+1]
					if (6*b+i)%3 != 0 {
						m.SetLuma(m)
					}
					for c := range 3 {
						if after[p+c] != m.Pix[c] {
							t.Fatalf("%s: sample %d, value %d: %d, want %d", name, 6*b+i, p+c, after[p+c], m.Pix[c])
						}
						view, pixel := p/3/size, p/3%size
						v := 255 * (float64(planes[(3*view+c)*size+pixel])*float64(norm.Std[c]) + float64(norm.Mean[c]))
						if math.Abs(v-float64(m.Pix[c])) > 1.01 {
							t.Fatalf("%s: sample %d, value %d: %v in floats, want about %d", name, 6*b+i, p+c, v, m.Pix[c])
						}
					}
				}
			}
		}
		if !colored {
			t.Errorf("%s: nothing colors images, so that the test says nothing", name)
		}
	}
}
