package generate

import (
	"runtime"
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

func noise(seed uint64, w, h int) *raster.Image {
	m := raster.New(w, h)
	r := rng.New(seed)
	for i := range m.Pix {
		if i%4 != 3 {
			m.Pix[i] = uint8(r.Uint64())
		}
	}
	return m
}

// nullSink takes everything.
type nullSink struct{}

func (nullSink) Put(*data.Item) error        { return nil }
func (nullSink) Checkpoint() ([]byte, error) { return []byte{}, nil }
func (nullSink) Close() error                { return nil }
func (nullSink) Abort() error                { return nil }

// rawSource yields n copies of one image.
type rawSource struct {
	n, w, h int
	pixels  []byte
}

func (s *rawSource) Info() data.Info         { return data.Info{Format: "raw", Len: s.n} }
func (s *rawSource) Len() int                { return s.n }
func (s *rawSource) Close() error            { return nil }
func (s *rawSource) Next(*data.Sample) error { panic("read at random") }
func (s *rawSource) Read(i int, d *data.Sample) error {
	*d = data.Sample{
		Key: "k", Index: i, Label: data.NoLabel, Form: data.RGB, W: s.w, H: s.h, Data: append(d.Data[:0], s.pixels...),
	}
	return nil
}

func benchmarkRun(b *testing.B, side int, new func() transform.Transform) {
	src := &rawSource{n: b.N, w: side, h: side, pixels: noise(1, side, side).AppendRGB(nil)}
	b.ReportAllocs()
	b.ResetTimer()
	_, err := Run(b.Context(), Job{
		Source: src, Workers: runtime.GOMAXPROCS(0),
		Task: Images{Transform: new, Open: func([]byte) (data.Sink, error) { return nullSink{}, nil }},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
}

// What the pipeline itself costs: reading and copying an image.
func BenchmarkCopy32(b *testing.B) {
	benchmarkRun(b, 32, func() transform.Transform { return copying{} })
}

func BenchmarkAugMix32(b *testing.B) {
	benchmarkRun(b, 32, (&transform.Pipeline{Crop: transform.Crop{Kind: transform.RandomCrop, N: 32, Pad: 4}, Flip: true, Mix: mustMix(b, "augmix")}).Transform)
}

func BenchmarkAugMix224(b *testing.B) {
	benchmarkRun(b, 224, (&transform.Pipeline{Flip: true, Mix: mustMix(b, "augmix")}).Transform)
}

// All of CIFAR-10-C into a sink that keeps nothing: reading, corrupting, and what the pipeline costs.
func BenchmarkCorrupt32(b *testing.B) {
	names, err := transform.ExpandCorruptions([]string{"all"}, 0)
	if err != nil {
		b.Fatal(err)
	}
	frost, err := corrupt.NewFrostSet(noise(9, 900, 600))
	if err != nil {
		b.Fatal(err)
	}
	c := &transform.Corruptions{Names: names, Severities: []float64{1, 2, 3, 4, 5}, Frost: frost}
	src := &rawSource{n: b.N, w: 32, h: 32, pixels: noise(1, 32, 32).AppendRGB(nil)}
	b.ReportAllocs()
	b.ResetTimer()
	res, err := Run(b.Context(), Job{
		Source: src, Workers: runtime.GOMAXPROCS(0),
		Task: Variants{Transform: c.Transform, Open: func([]byte) (PartSink, error) { return nullParts{}, nil }},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(res.Items)/b.Elapsed().Seconds(), "images/s")
}

// nullParts takes everything.
type nullParts struct{ nullSink }

func (nullParts) AppendPart(dst []byte, m *raster.Image) ([]byte, error) {
	return m.AppendRGB(dst), nil
}
func (nullParts) PutParts(*data.Sample, []transform.Part) error { return nil }
