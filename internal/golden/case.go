package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/raster"
)

// Case is one entry of a manifest. File names are relative to the group's folder; the loading methods take them so.
//
// The methods report what is wrong (a missing file, a parameter of another type) through the test that [Run] started
// for the case and end it, so they return no errors. They must be called from that test's goroutine.
type Case struct {
	Group     string                     `json:"-"`
	Dir       string                     `json:"-"`        // folder of the group
	Name      string                     `json:"case"`     // unique within the group
	Op        string                     `json:"op"`       //
	Params    map[string]json.RawMessage `json:"params"`   // read with Float, Int, ...
	Inputs    []string                   `json:"inputs"`   // files
	Expected  []string                   `json:"expected"` // files
	Tolerance Tolerance                  `json:"tolerance"`
	Note      string                     `json:"note"`

	Draws     map[string]string `json:"draws"`     // random numbers to use, files by name
	Lengths   []int             `json:"lengths"`   // splits concatenated draws by image
	Sampled   json.RawMessage   `json:"sampled"`   // parameters drawn for each image
	Seed      json.RawMessage   `json:"seed"`      // of the private generator
	Choices   json.RawMessage   `json:"choices"`   // of an AugMix or PixMix sample
	Values    json.RawMessage   `json:"values"`    // expected scalars, see Value
	Alt       []string          `json:"alt"`       // files: results under another library's behavior
	Debug     []string          `json:"debug"`     // files: intermediate results
	Stream    []string          `json:"stream"`    // files: encoded JPEG
	ChainsU8  []string          `json:"chains_u8"` // files: the ends of AugMix chains, exact
	Photos    []string          `json:"photos"`    // files: frost photographs
	Picks     [][]int           `json:"picks"`     // photo, row and column of each frost crop
	Matrices  [][]float64       `json:"matrices"`  // affine, output pixel center to source
	Weights   [][2]string       `json:"weights"`   // tensor name, file
	Gradients [][2]string       `json:"gradients"` // tensor name, file
	Names     []string          `json:"names"`     // of the tensors in Expected
	Logits    []string          `json:"logits"`    // files
	Predicted string            `json:"predictions"`

	// Fields holds every field of the entry as it is written, also those above. Number reads a scalar one.
	Fields map[string]json.RawMessage `json:"-"`

	t         *testing.T
	compared  atomic.Int64
	elsewhere string
}

// Tolerance says how far a result may be from the expected one. A nil bound is not checked; a comparison without any
// bound fails.
type Tolerance struct {
	MaxAbs       *float64 `json:"max_abs"`  // of one element; 0 is bit-exact
	MeanAbs      *float64 `json:"mean_abs"` // mean over a file
	AbsZ         *float64 `json:"abs_z"`    // of a statistic, in standard errors; the replay function applies it
	HistogramAbs *float64 `json:"histogram_abs"`
}

// MaxAbs returns a tolerance of v an element; MaxAbs(0) is bit-exact.
func MaxAbs(v float64) Tolerance { return Tolerance{MaxAbs: &v} }

func (c *Case) fatalf(format string, args ...any) {
	c.t.Helper()
	c.t.Fatalf("golden: case %s/%s: %s", c.Group, c.Name, fmt.Sprintf(format, args...))
}

// get decodes raw into a T.
func get[T any](c *Case, what string, raw json.RawMessage) T {
	c.t.Helper()
	var v *T
	if err := json.Unmarshal(raw, &v); err != nil || v == nil {
		c.fatalf("%s is %.80q, want a %T", what, raw, *new(T))
	}
	return *v
}

func param[T any](c *Case, name string) T {
	c.t.Helper()
	raw, ok := c.Params[name]
	if !ok {
		c.fatalf("no parameter %q", name)
	}
	return get[T](c, "parameter "+name, raw)
}

// Has reports whether the case has a parameter called name.
func (c *Case) Has(name string) bool {
	_, ok := c.Params[name]
	return ok
}

// Float returns a parameter.
func (c *Case) Float(name string) float64 { c.t.Helper(); return param[float64](c, name) }

// Int returns a parameter, which must be written as an integer.
func (c *Case) Int(name string) int { c.t.Helper(); return param[int](c, name) }

// Bool returns a parameter.
func (c *Case) Bool(name string) bool { c.t.Helper(); return param[bool](c, name) }

// Text returns a parameter that is a string.
func (c *Case) Text(name string) string { c.t.Helper(); return param[string](c, name) }

// Texts returns a parameter that is a list of strings.
func (c *Case) Texts(name string) []string { c.t.Helper(); return param[[]string](c, name) }

// Ints returns a parameter that is a list of integers.
func (c *Case) Ints(name string) []int { c.t.Helper(); return param[[]int](c, name) }

// Floats returns a parameter that is a list of numbers, or a single number as a list of one.
func (c *Case) Floats(name string) []float64 {
	c.t.Helper()
	var one float64
	if json.Unmarshal(c.Params[name], &one) == nil && c.Has(name) {
		return []float64{one}
	}
	return param[[]float64](c, name)
}

// Param decodes a parameter of any form into dst.
func (c *Case) Param(dst any, name string) {
	c.t.Helper()
	decode(c, dst, "parameter "+name, c.Params[name])
}

// Decode decodes one of the raw fields ([Case.Choices], [Case.Sampled], a member of [Case.Fields], ...) into dst.
// Fields of structs that dst lacks are ignored.
func (c *Case) Decode(dst any, raw json.RawMessage) {
	c.t.Helper()
	decode(c, dst, "field", raw)
}

func decode(c *Case, dst any, what string, raw json.RawMessage) {
	c.t.Helper()
	if len(raw) == 0 {
		c.fatalf("%s is absent", what)
	}
	if err := json.Unmarshal(raw, dst); err != nil {
		c.fatalf("%s: %v", what, err)
	}
}

// Number returns a scalar field of the entry outside params, for example "float32_max_abs".
func (c *Case) Number(field string) float64 {
	c.t.Helper()
	raw, ok := c.Fields[field]
	if !ok {
		c.fatalf("no field %q", field)
	}
	return get[float64](c, field, raw)
}

// Value returns an expected scalar from Values; keys walk down nested tables.
func (c *Case) Value(keys ...string) float64 {
	c.t.Helper()
	raw := c.Values
	for i, k := range keys {
		raw = get[map[string]json.RawMessage](c, "values."+strings.Join(keys[:i], "."), raw)[k]
		if len(raw) == 0 {
			c.fatalf("no expected value %s", strings.Join(keys[:i+1], "."))
		}
	}
	return get[float64](c, "value "+strings.Join(keys, "."), raw)
}

// Path returns where a file of the case lies. It must not lead out of the group's folder.
func (c *Case) Path(file string) string {
	c.t.Helper()
	if !filepath.IsLocal(file) {
		c.fatalf("file name %q leads out of the folder", file)
	}
	return filepath.Join(c.Dir, filepath.FromSlash(file))
}

// File returns the content of a file.
func (c *Case) File(file string) []byte {
	c.t.Helper()
	b, err := os.ReadFile(c.Path(file))
	if err != nil {
		c.fatalf("%v", err)
	}
	return b
}

// JSON decodes a .json file into dst.
func (c *Case) JSON(dst any, file string) {
	c.t.Helper()
	decode(c, dst, file, c.File(file))
}

// Array returns the array of an .npy file.
func (c *Case) Array(file string) *npy.Array {
	c.t.Helper()
	a, err := npy.ReadFile(c.Path(file))
	if err != nil {
		c.fatalf("%v", err)
	}
	return a
}

// Float64s returns the elements of an .npy file of any type as float64.
func (c *Case) Float64s(file string) []float64 { c.t.Helper(); return c.Array(file).Float64s() }

// Draw returns the elements of the draws called name as float64.
func (c *Case) Draw(name string) []float64 {
	c.t.Helper()
	if c.Draws[name] == "" {
		c.fatalf("no draws %q", name)
	}
	return c.Float64s(c.Draws[name])
}

// Uint8s returns the bytes of an image file, .npy or .png, with their shape: interleaved RGB, or one byte a pixel for
// a gray image. An .npy file must hold uint8.
func (c *Case) Uint8s(file string) (shape []int, data []uint8) {
	c.t.Helper()
	if filepath.Ext(file) != ".png" {
		a := c.Array(file)
		d, ok := a.Data.([]uint8)
		if !ok {
			c.fatalf("%s holds %T, want []uint8", file, a.Data)
		}
		return a.Shape, d
	}
	m, gray := c.decodePNG(file)
	data = m.AppendRGB(nil)
	if !gray {
		return []int{m.H, m.W, 3}, data
	}
	for i := range m.W * m.H {
		data[i] = data[3*i]
	}
	return []int{m.H, m.W}, data[:m.W*m.H]
}

func (c *Case) decodePNG(file string) (m *raster.Image, gray bool) {
	c.t.Helper()
	src, err := png.Decode(bytes.NewReader(c.File(file)))
	if err != nil {
		c.fatalf("%s: %v", file, err)
	}
	m = new(raster.Image)
	if err := m.SetImage(src); err != nil {
		c.fatalf("%s: %v", file, err)
	}
	return m, isGray(src.ColorModel())
}

// Images returns the images of input i. See [Case.ImagesOf].
func (c *Case) Images(i int) []*raster.Image {
	c.t.Helper()
	return c.ImagesOf(c.input(i))
}

func (c *Case) input(i int) string {
	c.t.Helper()
	if i >= len(c.Inputs) {
		c.fatalf("input %d asked for, there are %d", i, len(c.Inputs))
	}
	return c.Inputs[i]
}

// ExpectedFile returns the name of expected file i.
func (c *Case) ExpectedFile(i int) string {
	c.t.Helper()
	if i >= len(c.Expected) {
		c.fatalf("expected file %d asked for, there are %d", i, len(c.Expected))
	}
	return c.Expected[i]
}

// ImagesOf returns the images of a file: a .png, or a uint8 .npy of shape H,W,3 or N,H,W,3, where more leading axes
// may take the place of N and are flattened, or of gray images, H,W or N,H,W. Gray becomes RGB with three equal
// channels.
func (c *Case) ImagesOf(file string) []*raster.Image {
	c.t.Helper()
	if filepath.Ext(file) == ".png" {
		m, _ := c.decodePNG(file)
		return []*raster.Image{m}
	}
	shape, data := c.Uint8s(file)
	rest, channels := shape, 1
	if d := len(shape); d > 2 && shape[d-1] == 3 {
		rest, channels = shape[:d-1], 3
	}
	if len(rest) < 2 || len(data) == 0 {
		c.fatalf("%s has shape %v, want images", file, shape)
	}
	h, w := rest[len(rest)-2], rest[len(rest)-1]
	var out []*raster.Image
	for step := channels * w * h; len(data) > 0; data = data[step:] {
		m := new(raster.Image)
		if channels == 3 {
			m.SetRGB(w, h, data[:step])
		} else {
			m.SetGray(w, h, data[:step])
		}
		out = append(out, m)
	}
	return out
}
