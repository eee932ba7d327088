package stats_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/stats"
	"github.com/augmix-go/augmix/raster"
)

// images is a source of raw images in memory.
type images struct {
	list    []data.Sample
	classes []string
	cursor  data.Cursor
}

func (m *images) Info() data.Info {
	return data.Info{Format: "images", Classes: m.classes, Len: len(m.list)}
}
func (m *images) Len() int                  { return len(m.list) }
func (m *images) Close() error              { return nil }
func (m *images) Next(s *data.Sample) error { return m.cursor.Next(m, s) }

func (m *images) Read(i int, s *data.Sample) error {
	*s = m.list[i]
	return nil
}

// Mean and standard deviation by hand: two pixels, 0 and 255 in red, 51 and 51 in green, 0 and 102 in blue.
func TestPixelsByHand(t *testing.T) {
	src := &images{list: []data.Sample{{Label: 3, Form: data.RGB, W: 2, H: 1, Data: []byte{0, 51, 0, 255, 51, 102}}}}
	sum, err := stats.Measure(t.Context(), src, stats.Options{Pixels: true})
	if err != nil {
		t.Fatal(err)
	}
	for ch, want := range [][2]float64{{0.5, 0.5}, {0.2, 0}, {0.2, 0.2}} {
		if math.Abs(sum.Mean[ch]-want[0]) > 1e-12 || math.Abs(sum.Std[ch]-want[1]) > 1e-12 {
			t.Errorf("channel %d: mean %v, standard deviation %v, want %v", ch, sum.Mean[ch], sum.Std[ch], want)
		}
	}
	if sum.Bytes != 6 || sum.Samples != 1 || !reflect.DeepEqual(sum.Classes, []stats.Class{{Label: 3, Count: 1}}) {
		t.Errorf("%+v", sum)
	}
}

func TestMeasure(t *testing.T) {
	src := func() *images {
		m := &images{classes: []string{"cat", "dog", "fish"}}
		for i := range 20 {
			w := 1 + i%4
			m.list = append(m.list, data.Sample{
				Key: fmt.Sprint("k", i), Name: fmt.Sprint("image ", i), Label: i%3 - 1, Form: data.GrayForm, W: w, H: 2,
				Data: make([]byte, 2*w),
			})
		}
		m.list[7].Form, m.list[9].Form = data.Encoded, data.Encoded // which they are not
		return m
	}
	want, err := stats.Measure(t.Context(), src(), stats.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want.Samples != 20 || want.Unlabeled != 6 || len(want.Rejected) != 2 || want.Rejected[1].Index != 9 || want.Mean != nil ||
		!reflect.DeepEqual(want.Classes, []stats.Class{{Label: 0, Name: "cat", Count: 6}, {Label: 1, Name: "dog", Count: 6}, {Label: 2, Name: "fish"}}) {
		t.Errorf("%+v", want)
	}
	if *want.Width != (stats.Range{Min: 1, Median: 2, Max: 4}) || *want.Height != (stats.Range{Min: 2, Median: 2, Max: 2}) {
		t.Errorf("width %+v, height %+v", want.Width, want.Height)
	}
	reports := 0
	got, err := stats.Measure(t.Context(), src(), stats.Options{Workers: 5, Report: func(done, _ int) { reports = done }})
	if err != nil || !reflect.DeepEqual(got, want) || reports != 20 {
		t.Errorf("on five workers: %+v, %v, %d reported", got, err, reports)
	}
	empty, err := stats.Measure(t.Context(), &images{}, stats.Options{Pixels: true})
	if err != nil || empty.Width != nil || empty.Mean != nil || empty.Samples != 0 {
		t.Errorf("of no images: %+v, %v", empty, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := stats.Measure(ctx, src(), stats.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// Sizes are those of the upright images, or as stored where a source says so, whether images are decoded or not.
func TestOrientation(t *testing.T) {
	const exif = "\xff\xe1\x00\x22Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00"
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2)), nil); err != nil {
		t.Fatal(err)
	}
	turned := slices.Concat(b.Bytes()[:2], []byte(exif), b.Bytes()[2:])
	for _, pixels := range []bool{false, true} {
		for stored, want := range map[bool][2]int{false: {2, 3}, true: {3, 2}} {
			src := &images{list: []data.Sample{{Form: data.Encoded, Data: turned, AsStored: stored}}}
			sum, err := stats.Measure(t.Context(), src, stats.Options{Pixels: pixels})
			if err != nil || sum.Width.Max != want[0] || sum.Height.Max != want[1] {
				t.Errorf("as stored %v, decoded %v: %+v, %v, want %v", stored, pixels, sum, err, want)
			}
		}
	}
}

func ExampleMeasure() {
	src := &images{classes: []string{"dark", "bright"}, list: []data.Sample{
		{Key: "a", Label: 0, Form: data.GrayForm, W: 2, H: 2, Data: []byte{0, 0, 0, 0}},
		{Key: "b", Label: 1, Form: data.GrayForm, W: 2, H: 2, Data: []byte{255, 255, 255, 255}},
	}}
	s, err := stats.Measure(context.Background(), src, stats.Options{Pixels: true})
	if err != nil {
		panic(err)
	}
	fmt.Println(s.Samples, "samples; mean", s.Mean, "std", s.Std)
	for _, c := range s.Classes {
		fmt.Println(c.Name, c.Count)
	}
	// Output:
	// 2 samples; mean [0.5 0.5 0.5] std [0.5 0.5 0.5]
	// dark 1
	// bright 1
}

func TestNoSource(t *testing.T) {
	if _, err := stats.Measure(t.Context(), nil, stats.Options{}); !errors.Is(err, data.ErrUnsupported) {
		t.Errorf("error %v", err)
	}
}

// TestImage: every image is handed over once, but for those that are too large, which are counted.
func TestImage(t *testing.T) {
	m := &images{}
	for i := range 9 {
		m.list = append(m.list, data.Sample{Key: fmt.Sprint(i), Label: data.NoLabel, Form: data.GrayForm, W: 1 + i, H: 1, Data: make([]byte, 1+i)})
	}
	m.list[4].Data = nil // which cannot be decoded
	var seen [9]atomic.Int64
	sum, err := stats.Measure(t.Context(), m, stats.Options{
		Workers: 3, Large: func(s *data.Sample) bool { return s.W > 7 },
		Image: func(worker, i int, s *data.Sample, image *raster.Image) {
			if seen[i].Add(1); worker < 0 || worker > 2 || s.Key != fmt.Sprint(i) || image.W != 1+i {
				t.Error(worker, i, s.Key, image.W)
			}
		},
	})
	if err != nil || sum.Mean != nil || len(sum.Rejected) != 1 || sum.Rejected[0].Index != 4 || sum.Width.Max != 9 || sum.Unlabeled != 8 {
		t.Errorf("%+v, %v", sum, err)
	}
	for i := range seen {
		if want := int64(1); seen[i].Load() != want && i != 4 && i < 7 || seen[i].Load() > 0 && (i == 4 || i > 6) {
			t.Errorf("image %d was handed over %d times", i, seen[i].Load())
		}
	}
}
