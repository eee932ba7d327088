package studio

import (
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/corrupt/all"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// network writes a small network with random weights that says itself what it is.
func network(t *testing.T, side int) string {
	t.Helper()
	return networkOf(t, side, []string{"cat", "dog", "fish"})
}

func networkOf(t *testing.T, side int, names []string) string {
	t.Helper()
	in := graph.Shape{H: side, W: side, C: 3}
	g, err := models.Build("wrn-10-1", in, len(names))
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.New(g, nn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(rng.NewKey(5))
	var ts []weights.Tensor
	for _, x := range net.Tensors() {
		ts = append(ts, weights.Tensor{Name: x.Name, Shape: x.Shape, Data: x.Data})
	}
	half, path := []float64{0.5, 0.5, 0.5}, filepath.Join(t.TempDir(), "net.safetensors")
	info := weights.Info{Model: "wrn-10-1", Input: in, Classes: len(names), Mean: half, Std: half, Names: names}
	if err := weights.WriteFile(path, ts, info.Metadata()); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestForeignModel: weights that do not say what they are are shown once somebody says it.
func TestForeignModel(t *testing.T) {
	src, err := formats.Open(small, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	path := networkOf(t, 32, src.Info().Classes)
	ts, _, err := weights.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := weights.WriteFile(path, ts, nil); err != nil {
		t.Fatal(err)
	}
	o := Options{Data: small, Model: path}
	if _, err := New(o); !errors.Is(err, eval.ErrNoNetwork) {
		t.Error(err)
	}
	o.Arch = "wrn-10-1"
	if _, err := New(o); !errors.Is(err, eval.ErrNoNorm) {
		t.Error(err)
	}
	o.Norm = &mix.Half
	_, do := serve(t, o)
	w := do("GET", "api/predict?image=d0", nil, nil)
	if w.Code != 200 {
		t.Error(w.Code, w.Body)
	}
	var said predicted // classes of the model by their numbers, the data's label by both
	if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil || strings.Trim(said.Clean[0].Class, "0123456789") != "" || said.Label != "disc (0)" {
		t.Errorf("%v: %s", err, w.Body)
	}
}

// What the page says of an image is what augmix predict says.
func TestPredictions(t *testing.T) {
	path := network(t, 24)
	_, do := serve(t, Options{Data: small, Model: path}) // images of 32, which are resized
	net, err := eval.LoadNetwork(path, eval.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	src, err := formats.Open(small, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	i := 0
	err = eval.Predict(t.Context(), eval.Model{Predictor: net}, src, eval.Prepare{Size: 24, Filter: 1, Crop: 24}, 3, 1, func(want *eval.Prediction) error {
		var got predicted
		if err := json.Unmarshal(do("GET", fmt.Sprintf("api/predict?image=d%d", i), nil, nil).Body.Bytes(), &got); err != nil {
			return err
		}
		i++
		for k, top := range want.Top {
			if len(got.Clean) != 3 || got.Clean[k].Class != top.Name || math.Abs(got.Clean[k].P-top.Probability) > 1e-5 || got.Now[k] != got.Clean[k] {
				t.Errorf("image %d: %+v, want %+v", i, got, want.Top)
			}
		}
		return nil
	})
	if err != nil || i != 12 {
		t.Errorf("%d images, %v", i, err)
	}
}

// events returns what a stream sent, by kind.
func events(text string) map[string][]string {
	all := map[string][]string{}
	for event := range strings.SplitSeq(text, "\n\n") {
		if kind, text, ok := strings.Cut(strings.TrimPrefix(event, "event: "), "\ndata: "); ok {
			all[kind] = append(all[kind], text)
		}
	}
	return all
}

// The curves and the hits of a search agree with single predictions.
func TestFlips(t *testing.T) {
	_, do := serve(t, Options{Data: small, Model: network(t, 32)})
	said := events(do("GET", "api/flips?image=d4", nil, nil).Body.String())
	if len(said["curve"]) != len(all.Names()) || len(said["result"]) != 1 || len(said["failed"]) != 0 {
		t.Fatalf("%d curves, %v", len(said["curve"]), said["failed"])
	}
	predict := func(image int, name string, severity int) (p predicted) {
		t.Helper()
		text := do("GET", fmt.Sprintf("api/predict?image=d%d&name=%s&severity=%d", image, name, severity), nil, nil).Body.Bytes()
		if err := json.Unmarshal(text, &p); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return p
	}
	flips := 0
	for _, text := range said["curve"] {
		var c flipCurve
		if err := json.Unmarshal([]byte(text), &c); err != nil || c.Problem != "" || len(c.P) != 6 {
			t.Fatalf("%v: %s", err, text)
		}
		first := 0
		for severity := 5; severity > 0; severity-- {
			if predict(4, c.Name, severity).Flips {
				first = severity
			}
		}
		if c.Flip != first {
			t.Errorf("%s flips at %d, single predictions say %d", c.Name, c.Flip, first)
		}
		if c.Flip > 0 {
			flips++
		}
	}
	if flips == 0 || flips == len(all.Names()) {
		t.Errorf("%d flips: they show nothing", flips)
	}
	hits := map[string]bool{}
	found := events(do("GET", "api/search?name=contrast&severity=3", nil, nil).Body.String())
	if want := fmt.Sprintf(`{"hits":%d,"looked":12,"images":12,"full":false}`, len(found["hit"])); !slices.Equal(found["searched"], []string{want}) {
		t.Errorf("a search came to %q, want %s", found["searched"], want)
	}
	for _, text := range found["hit"] {
		var h hit
		if err := json.Unmarshal([]byte(text), &h); err != nil {
			t.Fatal(err)
		}
		if hits[h.ID] = true; h.From == h.To || h.From == "" || h.To == "" {
			t.Errorf("image %s flips from %q to %q", h.ID, h.From, h.To)
		}
	}
	for i := range 12 {
		want := predict(i, "contrast", 1).Flips || predict(i, "contrast", 2).Flips || predict(i, "contrast", 3).Flips
		if hits[fmt.Sprintf("d%d", i)] != want {
			t.Errorf("image %d: found %v, flips %v", i, hits[fmt.Sprintf("d%d", i)], want)
		}
	}
	if said := events(do("GET", "api/search?severity=3", nil, nil).Body.String()); len(said["failed"]) != 1 {
		t.Errorf("a search without a corruption: %v", said)
	}
}

// An attack stays within its radius, is the same again, and makes the class less probable.
func TestAttack(t *testing.T) {
	_, do := serve(t, Options{Data: small, Model: network(t, 32)})
	get := func(query string) (m raster.Image, p predicted) {
		t.Helper()
		decoded, err := png.Decode(do("GET", "image/model?image=d1&"+query, nil, nil).Body)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.SetImage(decoded); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(do("GET", "api/predict?image=d1&"+query, nil, nil).Body.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		return m, p
	}
	clean, before := get("name=fog&severity=1")
	for _, eps := range []int{1, 8} {
		m, after := get(fmt.Sprintf("name=fog&severity=1&eps=%d", eps))
		again, _ := get(fmt.Sprintf("name=fog&severity=1&eps=%d", eps))
		if !raster.Equal(&m, &again) {
			t.Error("another image the second time")
		}
		most := 0
		for i := range m.Pix {
			most = max(most, int(m.Pix[i])-int(clean.Pix[i]), int(clean.Pix[i])-int(m.Pix[i]))
		}
		if most == 0 || most > eps {
			t.Errorf("eps %d changes by %d", eps, most)
		}
		p := func(list []classShare) float64 {
			for _, c := range list {
				if c.Class == before.Now[0].Class {
					return c.P
				}
			}
			return 0
		}
		if p(after.Now) >= p(before.Now) {
			t.Errorf("eps %d: %v is no less probable than %v", eps, after.Now, before.Now)
		}
	}
}

// A model that looks at the top left corner alone is shown to do so.
func TestOcclusion(t *testing.T) {
	s, do := serve(t, Options{Data: small})
	corner := &eval.Func{H: 32, W: 32, Class: 2, Batch: 50, Norm: mix.Unit, Do: func(dst, x []float32, n int) error {
		for i := range n {
			v := float32(0)
			for y := range 4 {
				for k := range 4 {
					v += float32(math.Abs(float64(x[i*3*32*32+y*32+k] - 128.0/255)))
				}
			}
			dst[2*i], dst[2*i+1] = v, 0
		}
		return nil
	}}
	s.model = &model{gate: newGate(1), predictor: corner, w: 32, h: 32}
	decoded, err := png.Decode(do("GET", "image/occlusion?image=d0&name=brightness&severity=5", nil, nil).Body)
	if err != nil {
		t.Fatal(err)
	}
	var m raster.Image
	if err := m.SetImage(decoded); err != nil {
		t.Fatal(err)
	}
	color := func(x, y int) int { c := m.At(x, y); return int(c.R) - int(c.B) } // the image below is gray
	far := color(30, 30)
	if d := color(1, 1) - far; d > -40 && d < 40 {
		t.Errorf("the corner is as the rest: %v and %v", m.At(1, 1), m.At(30, 30))
	}
	for _, at := range [][2]int{{30, 2}, {2, 30}, {16, 16}} {
		if d := color(at[0], at[1]) - far; d > 2 || d < -2 {
			t.Errorf("%v stands out: %v", at, m.At(at[0], at[1]))
		}
	}
	if w := do("GET", "image/model?image=d0&eps=2", nil, nil); w.Code != 422 || !strings.Contains(w.Body.String(), "adversarial") {
		t.Errorf("an attack without gradients: %d %s", w.Code, w.Body)
	}
}

func TestNoModel(t *testing.T) {
	_, do := serve(t, Options{Data: small})
	if w := do("GET", "api/predict?image=d0", nil, nil); w.Code != 404 || !strings.Contains(w.Body.String(), "--model") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if _, err := New(Options{Data: small, Model: "no-such-file.safetensors"}); err == nil {
		t.Error("a model that is not there is no error")
	}
}
