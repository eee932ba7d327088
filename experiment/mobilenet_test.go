package experiment

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data/imagenet"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/results"
)

// mobileNet is MobileNet v1 of width 0.25 (Howard et al. 2017) for 224 pixels, batch norm folded in: a convolution, 13 pairs of a
// depthwise and a pointwise one, a mean, a linear layer to the background and ImageNet-1K's classes.
type mobileNet map[string]weights.Tensor

func loadMobileNet(t *testing.T, path string) mobileNet {
	t.Helper()
	ts, _, err := weights.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m := mobileNet{}
	for _, x := range ts {
		m[x.Name] = x
	}
	return m
}

// forward writes the logits of x, [3, 224, 224].
func (m mobileNet) forward(dst, x []float32) {
	side, channels := 224, 3
	for layer := range 27 {
		w, b := m[fmt.Sprint(layer, ".weight")], m[fmt.Sprint(layer, ".bias")]
		out, stride := w.Shape[0], 1
		switch layer {
		case 0, 3, 7, 11, 23:
			stride = 2
		}
		after := side / stride
		y := make([]float32, out*after*after)
		for o := range out {
			plane := y[o*after*after:][:after*after]
			for i := range plane {
				plane[i] = b.Data[o]
			}
			in, area := w.Shape[1], side*side // one plane for a depthwise convolution
			if w.Shape[2] == 1 {
				combine(plane, x, w.Data[o*in:][:in])
			} else {
				for c := range in {
					from := c
					if layer%2 == 1 {
						from = o
					}
					correlate(plane, x[from*area:][:area], w.Data[(o*in+c)*9:][:9], side, stride)
				}
			}
			for i, v := range plane {
				plane[i] = min(max(v, 0), 6)
			}
		}
		x, side, channels = y, after, out
	}
	mean := make([]float64, channels)
	for c := range mean {
		for _, v := range x[c*side*side:][:side*side] {
			mean[c] += float64(v) / float64(side*side)
		}
	}
	w, b := m["27.weight"], m["27.bias"]
	for o := range dst {
		sum := float64(b.Data[o])
		for c, v := range mean {
			sum += v * float64(w.Data[o*channels+c])
		}
		dst[o] = float32(sum)
	}
}

// combine adds to dst the planes of x, each times its weight; there are a multiple of four.
func combine(dst, x, weights []float32) {
	n := len(dst)
	for c := 0; c < len(weights); c += 4 {
		w, p := weights[c:][:4], x[c*n:][:4*n]
		a, b, d, e := p[:n], p[n:][:n], p[2*n:][:n], p[3*n:][:n]
		for i := range dst {
			dst[i] += w[0]*a[i] + w[1]*b[i] + w[2]*d[i] + w[3]*e[i]
		}
	}
}

// correlate adds to dst the plane x under a kernel of 3x3, with TensorFlow's padding: an odd zero comes after the image.
func correlate(dst, x, kernel []float32, side, stride int) {
	after, before := side/stride, 2-stride
	for k, v := range kernel {
		y, x0 := k/3-before, k%3-before
		for i := range after {
			r := i*stride + y
			if r < 0 || r >= side {
				continue
			}
			from, to := x[r*side:][:side], dst[i*after:][:after]
			for j := range to {
				if c := j*stride + x0; c >= 0 && c < side {
					to[j] += v * from[c]
				}
			}
		}
	}
}

// TestPublishedNetwork: a published network of ImageNet-1K without names, on photographs in folders that are wnids of some of its
// classes, has the logits that PyTorch computed, and the error that these logits have among the classes that are there.
func TestPublishedNetwork(t *testing.T) {
	photos, files := golden.NeedBeside(t, "photos"), golden.NeedBeside(t, "models")
	net := loadMobileNet(t, filepath.Join(files, "mobilenet", "mobilenet_v1_0.25_224.npz"))
	said, err := npy.ReadFile(filepath.Join(files, "mobilenet", "logits_photos.npy"))
	if err != nil {
		t.Fatal(err)
	}
	all := said.Data.([]float32)
	labels := photoLabels(t, filepath.Join(photos, "labels.csv"))
	paths, err := filepath.Glob(filepath.Join(photos, "*.png"))
	if err != nil || len(paths)*1001 != len(all) {
		t.Fatalf("%d photographs, %d logits, %v", len(paths), len(all), err)
	}

	set, wnids := t.TempDir(), imagenet.Classes()
	present := map[int]bool{}
	type expected struct {
		label  int
		logits []float32 // the background first
	}
	want := map[string]expected{}
	for i := 0; i < len(paths); i += 7 {
		name := filepath.Base(paths[i])
		label := labels[name]
		present[label] = true
		key := wnids[label] + "/" + name[:len(name)-len(".png")]
		want[key] = expected{label, all[i*1001:][:1001]}
		m := square224(t, paths[i], filepath.Join(set, wnids[label], name))
		if i == 0 {
			net.alike(t, m, all[:1001])
		}
	}
	wrong, wrongOfAll, alone := 0, 0, 0
	for _, e := range want {
		best, bestOfAll := -1, 0
		for k, v := range e.logits {
			if present[k-1] && (best < 0 || v > e.logits[best]) {
				best = k
			}
			if v > e.logits[bestOfAll] {
				bestOfAll = k
			}
		}
		if best != e.label+1 {
			wrong++
		}
		if bestOfAll != e.label+1 {
			wrongOfAll++
		}
		if best != bestOfAll {
			alone++
		}
	}
	if alone == 0 {
		t.Fatal("leaving classes out changes no prediction: nothing is shown")
	}

	p := &eval.Func{H: 224, W: 224, Class: 1001, Batch: 16, Norm: mix.Half, Do: func(dst, x []float32, n int) error {
		parallel.Do(n, 0, func(_, i int) { net.forward(dst[i*1001:][:1001], x[i*3*224*224:][:3*224*224]) })
		return nil
	}}
	for among, count := range map[string]int{amongData: wrong, amongModel: wrongOfAll} {
		r := &evaluation{Eval: &Eval{In: set, Among: among}}
		src, err := r.rawSource()
		if err != nil {
			t.Fatal(err)
		}
		measured, err := r.setClasses(src, p)
		if err != nil {
			t.Fatal(err)
		}
		if err := src.Close(); err != nil {
			t.Fatal(err)
		}
		if src, err = r.source(); err != nil {
			t.Fatal(err)
		}
		e := &eval.Evaluator{Model: eval.Model{Predictor: measured, Name: "mobilenet"}, Dataset: "photos"}
		if err := e.Clean(t.Context(), src, eval.Prepare{}); err != nil {
			t.Fatal(err)
		}
		row, err := oneRow(e.Rows, results.Top1Error)
		if err != nil || row.N != int64(len(want)) || math.Abs(row.Value-float64(count)/float64(len(want))) > 1e-9 {
			t.Errorf("among those of the %s: error %v of %d, PyTorch's logits say %d of %d (%v)", among, row.Value, row.N, count, len(want), err)
		}
		_ = src.Close()
	}
}

// alike compares the logits of an image with those of PyTorch.
func (m mobileNet) alike(t *testing.T, img *raster.Image, want []float32) {
	t.Helper()
	x, got := make([]float32, 3*224*224), make([]float32, len(want))
	for i, v := range img.AppendPlanar(nil) {
		x[i] = float32(v)/127.5 - 1
	}
	m.forward(got, x)
	for i, v := range want {
		if math.Abs(float64(got[i]-v)) > 1e-3 {
			t.Fatalf("logit %d is %v, PyTorch's %v", i, got[i], v)
		}
	}
}

// oneRow returns the row of a metric.
func oneRow(rows []results.Row, metric string) (results.Row, error) {
	for i := range rows {
		if rows[i].Metric == metric {
			return rows[i], nil
		}
	}
	return results.Row{}, results.ErrMissing
}

// photoLabels reads class numbers by file name.
func photoLabels(t *testing.T, path string) map[string]int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for _, line := range lines[1:] {
		if out[line[0]], err = strconv.Atoi(line[1]); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// square224 writes the center square of an image, resized to 224, and returns it.
func square224(t *testing.T, from, to string) *raster.Image {
	t.Helper()
	file, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	src, err := raster.FromImage(decoded)
	if err != nil {
		t.Fatal(err)
	}
	side := min(src.W, src.H)
	at := image.Pt((src.W-side)/2, (src.H-side)/2)
	var dst raster.Image
	new(augment.Resizer).ResizeBox(&dst, src, image.Rectangle{Min: at, Max: at.Add(image.Pt(side, side))}, 224, 224, augment.Bicubic)
	var b bytes.Buffer
	err = errors.Join(png.Encode(&b, dst.RGBA()), os.MkdirAll(filepath.Dir(to), 0o777))
	if err == nil {
		err = os.WriteFile(to, b.Bytes(), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &dst
}
