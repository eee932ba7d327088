package golden

import (
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/raster"
)

// replays are the functions that the tests below hand to Run, in a process of their own.
var replays = map[string]map[string]Func{
	"good": {
		"invert": invert,
		"sum": func(t *testing.T, c *Case) {
			var sum float64
			for _, v := range c.Float64s(c.Inputs[0]) {
				sum += c.Float("factor") * v
			}
			CompareValue(t, c, sum, "float64", "sum")
		},
	},
	"unknown op": {"invert": invert},
	"compares nothing": {
		"invert": invert,
		"sum":    func(*testing.T, *Case) {},
	},
	"skips": {
		"invert": invert,
		"sum":    func(t *testing.T, _ *Case) { t.Skip("not today") },
	},
	"wrong": {
		"invert": func(t *testing.T, c *Case) { CompareImages(t, c, c.Images(0), 0) },
		"sum":    invert,
	},
	"missing file": {
		"invert": invert,
		"sum":    func(_ *testing.T, c *Case) { c.Float64s("in/none.npy") },
	},
	"missing parameter": {
		"invert": invert,
		"sum":    func(_ *testing.T, c *Case) { c.Float("size") },
	},
	"elsewhere":  {"invert": invert, "sum": Elsewhere("internal/npy")},
	"some:good":  {"invert": invert},
	"some:stale": {"invert": invert, "sharpen": invert}, // no case has sharpen
	"ops:listed": {"invert": invert},
	"ops:built":  {"invert": invert, "unbuilt": invert},
}

func invert(t *testing.T, c *Case) {
	images := c.Images(0)
	for _, m := range images {
		for i := range m.Pix {
			if i%4 != 3 {
				m.Pix[i] = 255 - m.Pix[i]
			}
		}
	}
	CompareImages(t, c, images, 0)
}

// writeGroup makes a golden folder with one group.
func writeGroup(t *testing.T, manifest string) string {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "self")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	in, out := make([]uint8, 2*3*4*3), make([]uint8, 2*3*4*3)
	for i := range in {
		in[i], out[i] = uint8(3*i), 255-uint8(3*i)
	}
	for name, a := range map[string]*npy.Array{
		"in.npy":      {Shape: []int{2, 3, 4, 3}, Data: in},
		"out.npy":     {Shape: []int{2, 3, 4, 3}, Data: out},
		"numbers.npy": {Shape: []int{3}, Data: []float32{1, 2, 3.5}},
	} {
		if err := npy.WriteFile(filepath.Join(dir, name), a); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

const goodManifest = `{"group": "self", "cases": [
{"case": "a", "op": "invert", "params": {}, "inputs": ["in.npy"], "expected": ["out.npy"],
 "tolerance": {"max_abs": 0, "mean_abs": 0}, "note": ""},
{"case": "b", "op": "sum", "params": {"factor": 2}, "inputs": ["numbers.npy"], "expected": [],
 "tolerance": {"max_abs": 1e-12}, "note": "", "values": {"float64": {"sum": 13}}}]}`

const childEnv = "AUGMIX_GOLDEN_SELFTEST"

// TestChild is the test that TestVerdicts runs in a process of its own and whose outcome it examines.
func TestChild(t *testing.T) {
	name := os.Getenv(childEnv)
	if name == "" {
		return
	}
	group := "self"
	if g, _, ok := strings.Cut(name, ":"); ok {
		group = g
	}
	if group == "some" {
		RunSome(t, "self", replays[name])
		return
	}
	Run(t, group, replays[name])
}

// child runs TestChild with the given replay functions and golden folder and returns whether it passed, and its output.
func child(t *testing.T, dir, name, root string) (bool, string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestChild$", "-test.v")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), childEnv+"="+name, EnvDir+"="+root)
	out, err := cmd.CombinedOutput()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		t.Fatal(err)
	}
	return err == nil, string(out)
}

// TestVerdicts checks what passes and, above all, what fails and says why.
func TestVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name, manifest string
		pass           bool
		want           string // regular expression that the output must match
	}{
		{"good", goodManifest, true, `(?s)PASS: TestChild/external/a .*PASS: TestChild/external/b `},
		{"unknown op", goodManifest, false, `operation "sum" of group "self" has no replay function`},
		{"compares nothing", goodManifest, false, `operation "sum" compared nothing`},
		{"skips", goodManifest, false, `operation "sum" skipped`},
		{"wrong", goodManifest, false, `out.npy: beyond the tolerance: max abs 255 \(allowed 0\), ` +
			`mean abs .* \(allowed 0\), 72 of 72 elements differ, first image 0, x 0, y 0, channel 0 = 0, want 255`},
		{"missing file", goodManifest, false, `self/b: .*none.npy: no such file`},
		{"missing parameter", goodManifest, false, `self/b: no parameter "size"`},
		{"some:good", goodManifest, true, `1 cases of other operations left out: sum 1`},
		{"some:stale", goodManifest, true, `no case has the operation "sharpen"`},
		{"elsewhere", goodManifest, false, `no test in internal/npy replays the operation "sum"`},
		{"good", strings.Replace(goodManifest, `"sum": 13`, `"sum": 13.1`, 1), false, `max abs 0.1 \(allowed 1e-12\)`},
		{"good", strings.Replace(goodManifest, `"sum": 13`, `"total": 13`, 1), false, `no expected value float64.sum`},
		{"good", strings.Replace(goodManifest, `{"max_abs": 1e-12}`, `{"abs_z": 4}`, 1), false, `no tolerance`},
		{"good", strings.Replace(goodManifest, `"in.npy"`, `"../in.npy"`, 1), false, `leads out of the folder`},
		{"good", strings.Replace(goodManifest, `"case": "b"`, `"case": "a"`, 1), false, `given twice`},
		{"good", strings.Replace(goodManifest, `"self"`, `"other"`, 1), false, `group "other" with 2 cases`},
		{"good", `{"group": "self", "cases": []}`, false, `with 0 cases`},
		{"good", `{"group": "self", "cases"`, false, `manifest.json: unexpected end`},
	} {
		pass, out := child(t, ".", tt.name, writeGroup(t, tt.manifest))
		if pass != tt.pass || !regexp.MustCompile(tt.want).MatchString(out) {
			t.Errorf("%s: passed %v, want %v and output like %q:\n%s", tt.name, pass, tt.pass, tt.want, out)
		}
	}
}

// TestRoots checks where the goldens are looked for and what is said when they are not there.
func TestRoots(t *testing.T) {
	empty := t.TempDir()
	if pass, out := child(t, ".", "good", filepath.Join(empty, "none")); pass || !strings.Contains(out, "not a folder") {
		t.Errorf("%s names no folder: passed %v:\n%s", EnvDir, pass, out)
	}
	if pass, out := child(t, ".", "good", empty); pass || !strings.Contains(out, "manifest.json: no such file") {
		t.Errorf("group in no folder: passed %v:\n%s", pass, out)
	}

	// A module of the same name in a place with nothing beside it, then with its own goldens, then with external ones.
	module := filepath.Join(t.TempDir(), "module")
	sub := filepath.Join(module, "deep", "er")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	if pass, out := child(t, sub, "good", ""); pass || !strings.Contains(out, "no go.mod of the project") {
		t.Errorf("no module: passed %v:\n%s", pass, out)
	}
	modfile := []byte("module github.com/augmix-go/augmix\n")
	if err := os.WriteFile(filepath.Join(module, "go.mod"), modfile, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(sub, "go.mod"), []byte("module nested\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	pass, out := child(t, sub, "good", "")
	if !pass || !strings.Contains(out, "SKIP: TestChild/external") || !strings.Contains(out, "is not set and") {
		t.Errorf("nothing anywhere: passed %v:\n%s", pass, out)
	}
	place(t, writeGroup(t, goodManifest), filepath.Join(module, "testdata", "golden"))
	pass, out = child(t, sub, "good", "")
	if !pass || !strings.Contains(out, "SKIP: TestChild/external") || !strings.Contains(out, "PASS: TestChild/own/b") {
		t.Errorf("own only: passed %v:\n%s", pass, out)
	}
	pass, out = child(t, sub, "good", empty)
	if !pass || !strings.Contains(out, `group "self" is the project's own`) || !strings.Contains(out, "PASS: TestChild/own/b") {
		t.Errorf("group only among the own: passed %v:\n%s", pass, out)
	}
	place(t, writeGroup(t, goodManifest), filepath.Join(filepath.Dir(module), "shared", "golden"))
	pass, out = child(t, sub, "good", "")
	if !pass || !strings.Contains(out, "PASS: TestChild/external/a") || !strings.Contains(out, "PASS: TestChild/own/b") {
		t.Errorf("both: passed %v:\n%s", pass, out)
	}
	pass, out = child(t, sub, "some:stale", "")
	if pass || !strings.Contains(out, `no case has the operation "sharpen"`) {
		t.Errorf("a function without a case: passed %v:\n%s", pass, out)
	}
}

func place(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// TestNotBuilt checks that listed operations are counted, and may not be listed once they have a replay function.
func TestNotBuilt(t *testing.T) {
	for key, why := range NotBuilt {
		if why == "" || !regexp.MustCompile(`^(ops|augmix)/[a-z0-9_]+$`).MatchString(key) {
			t.Errorf("entry %q: %q", key, why)
		}
	}
	// A module without goldens of its own, so that only the folder made here is replayed.
	module := t.TempDir()
	modfile := []byte("module github.com/augmix-go/augmix\n")
	if err := os.WriteFile(filepath.Join(module, "go.mod"), modfile, 0o600); err != nil {
		t.Fatal(err)
	}
	manifest := strings.Replace(goodManifest, `"op": "sum"`, `"op": "unbuilt"`, 1)
	root := writeGroup(t, strings.Replace(manifest, `"self"`, `"ops"`, 1))
	if err := os.Rename(filepath.Join(root, "self"), filepath.Join(root, "ops")); err != nil {
		t.Fatal(err)
	}
	pass, out := child(t, module, "ops:listed", root)
	if !pass || !strings.Contains(out, "1 cases not built yet: unbuilt 1") {
		t.Errorf("listed operation: passed %v:\n%s", pass, out)
	}
	pass, out = child(t, module, "ops:built", root)
	if pass || !strings.Contains(out, `remove "ops/unbuilt" from NotBuilt`) {
		t.Errorf("listed and built: passed %v:\n%s", pass, out)
	}
}

// TestCheckElsewhere checks what counts as a replay in another package.
func TestCheckElsewhere(t *testing.T) {
	module := t.TempDir()
	c := &Case{Op: "sum", elsewhere: "there"}
	if err := os.Mkdir(filepath.Join(module, "there"), 0o755); err != nil {
		t.Fatal(err)
	}
	for text, ok := range map[string]bool{
		`golden.Run(t, "g", map[string]golden.Func{"sum": sum})`:     true,
		`golden.RunSome(t, "g", map[string]golden.Func{"sum": sum})`: true,
		`golden.Run(t, "g", map[string]golden.Func{"sums": sum})`:    false,
		`harness.Start("sum")`: false,
		`golden.Run(t, "g", map[string]golden.Func{"sum":  golden.Elsewhere("and/so/forth")})`: false,
	} {
		if err := os.WriteFile(filepath.Join(module, "there", "x_test.go"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := checkElsewhere(module, c); (err == nil) != ok {
			t.Errorf("%s: error %v, want none: %v", text, err, ok)
		}
	}
}

// testCase returns a case of a folder that holds the given files, for calls outside Run.
func testCase(t *testing.T, write func(dir string)) *Case {
	t.Helper()
	c := &Case{Group: "self", Name: "x", Dir: t.TempDir(), Tolerance: MaxAbs(0), t: t}
	write(c.Dir)
	return c
}

func writeArray(t *testing.T, path string, a *npy.Array) {
	t.Helper()
	if err := npy.WriteFile(path, a); err != nil {
		t.Fatal(err)
	}
}

func writePNG(t *testing.T, path string, m image.Image) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, m); err != nil {
		t.Fatal(err)
	}
}

// TestImages loads images of every layout.
func TestImages(t *testing.T) {
	bytesTo := func(n int) []uint8 {
		b := make([]uint8, n)
		for i := range b {
			b[i] = uint8(i)
		}
		return b
	}
	c := testCase(t, func(dir string) {
		for name, shape := range map[string][]int{
			"hwc.npy": {2, 4, 3}, "nhwc.npy": {2, 2, 4, 3}, "nmhwc.npy": {2, 3, 2, 4, 3}, "hw.npy": {2, 4}, "nhw.npy": {3, 2, 4},
		} {
			n := 1
			for _, d := range shape {
				n *= d
			}
			writeArray(t, filepath.Join(dir, name), &npy.Array{Shape: shape, Data: bytesTo(n)})
		}
		rgb := image.NewRGBA(image.Rect(0, 0, 2, 1))
		rgb.Set(1, 0, color.RGBA{1, 2, 3, 255})
		writePNG(t, filepath.Join(dir, "rgb.png"), rgb)
		writePNG(t, filepath.Join(dir, "gray.png"), &image.Gray{Pix: []uint8{5, 6}, Stride: 1, Rect: image.Rect(0, 0, 1, 2)})
	})
	for _, tt := range []struct {
		file     string
		n, w, h  int
		lastOfIt raster.RGB // bottom right pixel of the last image
	}{
		{"hwc.npy", 1, 4, 2, raster.RGB{R: 21, G: 22, B: 23}},
		{"nhwc.npy", 2, 4, 2, raster.RGB{R: 45, G: 46, B: 47}},
		{"nmhwc.npy", 6, 4, 2, raster.RGB{R: 141, G: 142, B: 143}},
		{"hw.npy", 1, 4, 2, raster.RGB{R: 7, G: 7, B: 7}},
		{"nhw.npy", 3, 4, 2, raster.RGB{R: 23, G: 23, B: 23}},
		{"rgb.png", 1, 2, 1, raster.RGB{R: 1, G: 2, B: 3}},
		{"gray.png", 1, 1, 2, raster.RGB{R: 6, G: 6, B: 6}},
	} {
		got := c.ImagesOf(tt.file)
		last := got[len(got)-1]
		if len(got) != tt.n || last.W != tt.w || last.H != tt.h || last.At(tt.w-1, tt.h-1) != tt.lastOfIt {
			t.Errorf("%s: %d images, last %dx%d ends with %v", tt.file, len(got), last.W, last.H, last.At(last.W-1, last.H-1))
		}
		CompareImagesFile(t, c, got, tt.file, MaxAbs(0))
	}
	if shape, data := c.Uint8s("gray.png"); len(shape) != 2 || len(data) != 2 || data[1] != 6 {
		t.Errorf("gray.png: %v %v", shape, data)
	}
	CompareU8File(t, c, []uint8{0, 0, 0, 1, 2, 3}, "rgb.png", MaxAbs(0))
	if n := c.compared.Load(); n != 8 {
		t.Errorf("%d comparisons counted, want 8", n)
	}
}

// TestFields decodes every kind of field and parameter.
func TestFields(t *testing.T) {
	dir := writeGroup(t, `{"group": "self", "cases": [{"case": "a", "op": "x",
		"params": {"f": 0.5, "i": 3, "b": true, "s": "box", "fs": [1, 2.5], "is": [1, 2], "ss": ["u", "v"], "t": {"k": 7}},
		"inputs": ["in.npy"], "expected": ["numbers.npy"], "tolerance": {"max_abs": 1, "mean_abs": 0.25},
		"draws": {"normal": "numbers.npy"}, "lengths": [1, 2], "choices": [{"m": 0.5}], "seed": 7, "sampled": [{"q": 1}],
		"values": {"a": {"b": 2}, "c": 3}, "weights": [["w", "numbers.npy"]], "float32_max_abs": 2e-6,
		"matrices": [[1, 0, 0, 0, 1, 0]]}]}`)
	cases, err := load(dir, "self")
	if err != nil {
		t.Fatal(err)
	}
	c := cases[0]
	c.t = t
	var table struct{ K int }
	c.Param(&table, "t")
	var choices []struct{ M float64 }
	c.Decode(&choices, c.Choices)
	for i, ok := range []bool{
		c.Float("f") == 0.5, c.Float("i") == 3, c.Int("i") == 3, c.Bool("b"), c.Text("s") == "box", c.Has("f"), !c.Has("g"),
		len(c.Floats("fs")) == 2 && c.Floats("fs")[1] == 2.5, len(c.Floats("f")) == 1 && c.Floats("f")[0] == 0.5,
		len(c.Ints("is")) == 2 && c.Ints("is")[1] == 2, len(c.Texts("ss")) == 2 && c.Texts("ss")[1] == "v",
		table.K == 7, choices[0].M == 0.5, *c.Tolerance.MaxAbs == 1, *c.Tolerance.MeanAbs == 0.25, c.Tolerance.AbsZ == nil,
		len(c.Draw("normal")) == 3 && c.Draw("normal")[2] == 3.5, c.Lengths[1] == 2, string(c.Seed) == "7",
		c.Value("a", "b") == 2, c.Value("c") == 3, c.Weights[0] == [2]string{"w", "numbers.npy"},
		c.Number("float32_max_abs") == 2e-6, c.Matrices[0][4] == 1, string(c.Sampled) == `[{"q": 1}]`,
	} {
		if !ok {
			t.Errorf("check %d", i)
		}
	}
	CompareFloat(t, c, []float32{1, 2, 4}, 0)
}

// TestDiff checks the numbers in the verdicts.
func TestDiff(t *testing.T) {
	tol := func(maxAbs, mean float64) Tolerance { return Tolerance{MaxAbs: &maxAbs, MeanAbs: &mean} }
	inf, nan := math.Inf(1), math.NaN()
	for _, tt := range []struct {
		got, want []float64
		tol       Tolerance
		err       string // part of the error, empty for none
	}{
		{[]float64{1, inf, nan}, []float64{1, inf, nan}, MaxAbs(0), ""},
		{[]float64{1, 2}, []float64{1, 2.5}, MaxAbs(0.5), ""},
		{[]float64{1, 2}, []float64{1, 2.5}, tol(0.5, 0.25), ""},
		{[]float64{1, 2}, []float64{1, 2.5}, tol(0.5, 0.2), "max abs 0.5 (allowed 0.5), mean abs 0.25 (allowed 0.2), 1 of 2"},
		{[]float64{1, 2, 9}, []float64{1, 2.5, 3}, MaxAbs(1), "first [1] = 2, want 2.5, first beyond max_abs [2] = 9"},
		{[]float64{nan}, []float64{1}, MaxAbs(100), "max abs +Inf"},
		{[]float64{1}, []float64{nan}, MaxAbs(100), "max abs +Inf"},
		{[]float64{inf}, []float64{-inf}, MaxAbs(100), "max abs +Inf"},
		{[]float64{1}, []float64{1, 2}, MaxAbs(100), "1 elements, want 2"},
		{nil, nil, MaxAbs(0), "nothing to compare"},
		{[]float64{1}, []float64{1}, Tolerance{}, "no tolerance"},
	} {
		err := diff(tt.got, tt.want, tt.tol).err
		if (err == nil) != (tt.err == "") || (err != nil && !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("%v, %v: error %v, want %q", tt.got, tt.want, err, tt.err)
		}
	}
	a, b := raster.New(3, 2), raster.New(3, 2)
	b.Set(2, 1, raster.RGB{G: 4})
	pair := func(m *raster.Image) []*raster.Image { return []*raster.Image{raster.New(1, 1), m} }
	for _, tt := range []struct {
		got, want []*raster.Image
		tol       Tolerance
		err       string
	}{
		{pair(b), pair(b), MaxAbs(0), ""},
		{pair(a), pair(b), MaxAbs(4), ""},
		{pair(a), pair(b), MaxAbs(3), "1 of 21 elements differ, first image 1, x 2, y 1, channel 1 = 0, want 4"},
		{pair(a), pair(raster.New(2, 3)), MaxAbs(3), "image 1 is 3x2, want 2x3"},
		{pair(a), pair(b)[:1], MaxAbs(3), "2 images, want 1"},
		{nil, nil, MaxAbs(0), "nothing to compare"},
		{pair(&raster.Image{Pix: make([]uint8, 24), W: 3, H: 2}), pair(a), MaxAbs(0), "fourth byte of pixel 0 is 0"},
	} {
		err := diffImages(tt.got, tt.want, tt.tol).err
		if (err == nil) != (tt.err == "") || (err != nil && !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("error %v, want %q", err, tt.err)
		}
	}
}

// FuzzManifest checks that no manifest, however damaged, does more than give an error.
func FuzzManifest(f *testing.F) {
	f.Add(goodManifest)
	f.Add(`{"group": "self", "cases": [null, 1, {"case": 1}]}`)
	f.Fuzz(func(t *testing.T, manifest string) {
		cases, err := parse([]byte(manifest), "self", ".")
		if err == nil && len(cases) == 0 {
			t.Error("no cases and no error")
		}
	})
}

func init() { NotBuilt["ops/unbuilt"] = "an operation of these tests" }
