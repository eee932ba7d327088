package generate

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/folder"
	"github.com/augmix-go/augmix/data/npyset"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// translucent is a folder of images whose alpha channel, which is kept, is their red channel.
func translucent(t *testing.T, n int) data.Source {
	t.Helper()
	return data.Reading{KeepAlpha: true}.Of(openTranslucent(t, n))
}

func openTranslucent(t *testing.T, n int) data.Source {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		m := image.NewNRGBA(image.Rect(0, 0, 40, 33))
		r := rng.New(uint64(i))
		for j := range m.Pix {
			if m.Pix[j] = uint8(r.Uint64()); j%4 == 3 {
				m.Pix[j] = m.Pix[j-3]
			}
		}
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("%d.png", i)))
		if err == nil {
			err = errors.Join(png.Encode(f, m), f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	src, err := folder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// checkTranslucent returns how many files are below dir, each with an alpha channel that is its red one.
func checkTranslucent(t *testing.T, dir string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".png" {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		m, err := png.Decode(f)
		if err != nil {
			return err
		}
		at, ok := m.(*image.NRGBA)
		if !ok {
			t.Errorf("%s: a %T", path, m)
			return nil
		}
		for i := 0; i < len(at.Pix); i += 4 {
			if at.Pix[i] != at.Pix[i+3] {
				t.Errorf("%s: byte %d is red %d, alpha %d", path, i, at.Pix[i], at.Pix[i+3])
				return nil
			}
		}
		n++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestKeepAlpha: an alpha channel goes through the resize, crop and flip that its image goes through, by the same draws.
func TestKeepAlpha(t *testing.T) {
	src := translucent(t, 5)
	for name, plan := range map[string]*transform.Pipeline{
		"as it is":                {},
		"resized, middle cropped": {Size: 24, Filter: augment.Bicubic, Crop: transform.Crop{Kind: transform.CenterCrop, N: 20}},
		"part decoded":            {Crop: transform.Crop{Kind: transform.ResizedCrop, N: 16}, Filter: augment.Bilinear, Flip: true, Views: 2},
		"padded":                  {Crop: transform.Crop{Kind: transform.RandomCrop, N: 48, Pad: 12}, Flip: true},
		"affine":                  {Shared: 3},
	} {
		for kind, task := range map[string]func(open func([]byte) (data.Sink, error)) Task{
			"images": func(open func([]byte) (data.Sink, error)) Task {
				return Images{Transform: plan.Transform, Views: plan.Suffixes(), Open: open}
			},
			"soft": func(open func([]byte) (data.Sink, error)) Task {
				return SoftImages{Transform: plan.SoftTransform, Views: plan.Suffixes(), Open: open}
			},
		} {
			out := filepath.Join(t.TempDir(), "out")
			open := func(state []byte) (data.Sink, error) {
				return folder.Create(out, nil, folder.SinkOptions{Overwrite: true}, state)
			}
			res, err := Run(context.Background(), Job{Source: src, Task: task(open), Out: Output{Path: out}})
			if err != nil || res.Alpha != 0 {
				t.Fatalf("%s, %s: %d dropped, %v", name, kind, res.Alpha, err)
			}
			if n := checkTranslucent(t, out); n != 5*max(plan.Views, 1) {
				t.Errorf("%s, %s: %d files", name, kind, n)
			}
		}
	}
}

// TestReportAlpha: who watches a run is told of the dropped alpha channels as its result tells.
func TestReportAlpha(t *testing.T) {
	dir := t.TempDir()
	var last Progress
	j := brightness(1).Job(openTranslucent(t, 3), Output{Path: dir}, -1)
	j.Report = func(p Progress) { last = p }
	if res := mustRun(t, j); last.Alpha != 3 || last != res.Progress {
		t.Errorf("reported %+v, want %+v with 3 dropped", last, res.Progress)
	}
}

// TestKeepAlphaVariants: the same beside corruptions, whatever sinks hold PNG files; what holds none refuses the image.
func TestKeepAlphaVariants(t *testing.T) {
	src := translucent(t, 2)
	plan := &transform.Corruptions{Names: []string{"brightness"}, Severities: []float64{0, 1}, Size: 20, Filter: augment.Bilinear, Crop: 18}
	only := func(v transform.Variant) bool { return v.Severity == 0 } // the image itself
	still := *plan
	still.Only = only
	run := func(plan *transform.Corruptions, open func(dir string, state []byte) (PartSink, error)) (string, error) {
		dir := t.TempDir()
		_, err := Run(context.Background(), Job{Source: src, Out: Output{Path: dir}, Task: Variants{
			Transform: plan.Transform, Open: func(state []byte) (PartSink, error) { return open(dir, state) },
		}})
		return dir, err
	}
	tree := func(ext string, plan *transform.Corruptions) func(string, []byte) (PartSink, error) {
		return func(dir string, state []byte) (PartSink, error) {
			return OpenTree(TreeOptions{Dir: dir, Variants: plan.Variants(), Ext: ext, Quality: 85}, state)
		}
	}
	dir, err := run(&still, tree(".png", &still))
	if n := checkTranslucent(t, dir); err != nil || n != 2 {
		t.Errorf("%d files, %v", n, err)
	}
	for kind, open := range map[string]func(string, []byte) (PartSink, error){
		"JPEG": tree(".jpg", plan),
		"an array": func(dir string, state []byte) (PartSink, error) {
			return OpenArrays(ArrayOptions{Dir: dir, Variants: plan.Variants(), Samples: 2}, state)
		},
	} {
		if _, err := run(plan, open); !errors.Is(err, data.ErrUnsupported) || !strings.Contains(err.Error(), kind+" cannot hold") {
			t.Errorf("%s: %v", kind, err)
		}
	}
	for kind, transformer := range map[string]func() transform.Transform{
		"this output cannot hold": new(transform.Pipeline).Transform,
		"does not say":            func() transform.Transform { return struct{ transform.Transform }{} },
	} {
		out := filepath.Join(t.TempDir(), "x.npy")
		_, err := Run(context.Background(), Job{Source: src, Out: Output{Path: out, File: true}, Task: Images{
			Transform: transformer,
			Open: func(state []byte) (data.Sink, error) {
				return npyset.CreateNPY(out, nil, npyset.SinkOptions{}, state)
			},
		}})
		if err == nil || !strings.Contains(err.Error(), kind) {
			t.Errorf("want %q: %v", kind, err)
		}
	}
	var a alpha
	a.plane = make([]uint8, 4)
	a.mask.Reset(2, 2)
	if _, err := a.with(data.Encoding{}.Append)(nil, raster.New(3, 2)); !errors.Is(err, ErrSize) {
		t.Errorf("an image of another size: %v", err)
	}
}
