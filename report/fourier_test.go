package report

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/results"
)

// hill is a made-up map: the error rises with the frequency, from low in the middle.
func hill(side int, low, slope float64) *FourierMap {
	m := &FourierMap{Side: side, Error: make([]float64, side*side)}
	for i := range m.Error {
		r, c := i/side-side/2, i%side-side/2
		m.Error[i] = min(low+slope*math.Hypot(float64(r), float64(c)), 1)
	}
	return m
}

func writeFourier(t testing.TB, dir string, m *FourierMap) {
	t.Helper()
	a := &npy.Array{Shape: []int{m.Side, m.Side}, Data: m.Error}
	if err := npy.WriteFile(filepath.Join(dir, FourierName), a); err != nil {
		t.Fatal(err)
	}
}

// fourierRun writes a run directory of rows and a map.
func fourierRun(t testing.TB, m *FourierMap, rows ...results.Row) string {
	t.Helper()
	dir := t.TempDir()
	if err := results.WriteFile(filepath.Join(dir, results.FileName), rows); err != nil {
		t.Fatal(err)
	}
	writeFourier(t, dir, m)
	return dir
}

func load(t testing.TB, dir string) *Run {
	t.Helper()
	r, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mapRow(model string, v float64) results.Row {
	r := row(model, "cifar10", "", 0, results.Top1Error, v)
	r.Fourier = true
	return r
}

// figure returns the figure of a title, nil if there is none.
func (r *Report) figure(title string) *Figure {
	for _, s := range r.Sections {
		for _, b := range s.Blocks {
			if b.Figure != nil {
				if have, _ := b.Figure.Chart.Head(); have == title {
					return b.Figure
				}
			}
		}
	}
	return nil
}

func (r *Report) note(part string) bool {
	for _, s := range r.Sections {
		for _, text := range s.Text {
			if s.Title == "What is not here" && strings.Contains(text, part) {
				return true
			}
		}
	}
	return false
}

// TestFourier: the maps of two runs stand side by side on one scale, each with its model, and their thirds are in a
// table.
func TestFourier(t *testing.T) {
	a, b := hill(6, 0.125, 0), hill(7, 0, 0.1)
	b.Error[0] = math.NaN()
	clean := row("flat", "cifar10", "", 0, results.Top1Error, 0.05)
	rep := build(t, load(t, fourierRun(t, a, mapRow("flat", 0.125), clean)),
		load(t, fourierRun(t, b, mapRow("other", 0.5), mapRow("hill", b.ring(0, 7)))))
	f := rep.figure("Fourier sensitivity")
	if f == nil {
		t.Fatal("no figure")
	}
	maps := f.Chart.(*chart.Panels).Charts
	if len(maps) != 2 {
		t.Fatalf("%d maps", len(maps))
	}
	for i, want := range []struct {
		name  string
		side  int
		first int
	}{{"flat", 6, -3}, {"hill", 7, -3}} {
		m := maps[i].(*chart.Map)
		if m.Name != want.name || m.Rows != want.side || m.Cols != want.side || m.FirstRow != want.first ||
			m.FirstCol != want.first || m.Min != 0 || m.Max != 1 || !m.NoKey {
			t.Errorf("map %d: %+v", i, m)
		}
	}
	if _, desc := maps[0].Head(); !strings.Contains(desc, "Mean 12.5 %; low frequencies 12.5 %") {
		t.Errorf("described as %q", desc)
	}
	for _, words := range []string{"After figure 9 of the AugMix paper.", "from 0 to 100 %", "What has no color"} {
		if !strings.Contains(f.Caption, words) {
			t.Errorf("caption %q lacks %q", f.Caption, words)
		}
	}
	md := rep.table(t, "Error by frequency").Markdown()
	if !strings.Contains(md, " **12.5** | 12.5 | **12.5** | **12.5** | low 0 to 1, middle 2 to 2, high 3 to 3 |") ||
		!strings.Contains(md, "| hill |") {
		t.Errorf("got\n%s", md)
	}
	page := html(t, rep)
	if n := strings.Count(page, `<image class="cells" href="data:image/png;base64,`); n != 2 {
		t.Errorf("%d maps in the page", n)
	}
	if n := strings.Count(page, "linearGradient id="); n != 1 {
		t.Errorf("%d scales of colors", n)
	}
	wellFormed(t, page)
}

// TestThirds by hand: a map of 5 by 5 whose values are ten times the greater number of cycles.
func TestThirds(t *testing.T) {
	m := &FourierMap{Side: 5, Error: make([]float64, 25)}
	for i := range m.Error {
		r, c := i/5-2, i%5-2
		m.Error[i] = 0.1 * float64(max(r, -r, c, -c))
	}
	// One cell of 0, 8 of 0.1, 16 of 0.2.
	for _, c := range []struct {
		lo, hi int
		want   float64
	}{{0, 0, 0}, {1, 1, 0.1}, {2, 9, 0.2}, {0, 9, (0.8 + 3.2) / 25}} {
		if got := m.ring(c.lo, c.hi); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%d to %d: %v, want %v", c.lo, c.hi, got, c.want)
		}
	}
	if !math.IsNaN(m.ring(5, 9)) {
		t.Error("a ring without cells has a mean")
	}
}

// TestFourierOfNoModel: a map whose mean is no row's is not drawn under anybody's name; a run of one model without such
// rows is that model's.
func TestFourierOfNoModel(t *testing.T) {
	m := hill(4, 0.25, 0)
	rep := build(t, load(t, fourierRun(t, m, mapRow("a", 0.3), mapRow("b", 0.2))))
	if rep.figure("Fourier sensitivity") != nil || !rep.note("its mean, 0.25, is no row's") {
		t.Error("a map was given to a model of other numbers")
	}
	rep = build(t, load(t, fourierRun(t, m, row("a", "cifar10", "", 0, results.Top1Error, 0.05))))
	if rep.figure("Fourier sensitivity") == nil {
		t.Error("the map of the only model is not drawn")
	}
	rep = build(t, runOf(t, "r", row("a", "cifar10", "", 0, results.Top1Error, 0.05)))
	if !rep.note("Fourier sensitivity of CIFAR-10: no run directory has fourier.npy") {
		t.Error("nothing is said about a map that is not there")
	}
}

// TestHostileFourier: what is no map is an error that names the file.
func TestHostileFourier(t *testing.T) {
	good := row("a", "cifar10", "", 0, results.Top1Error, 0.05)
	dir := fourierRun(t, hill(4, 0, 0.1), good)
	path := filepath.Join(dir, FourierName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	array := func(shape []int, data any) []byte {
		var b bytes.Buffer
		if err := npy.Write(&b, &npy.Array{Shape: shape, Data: data}); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	nan := math.NaN()
	for name, c := range map[string]struct {
		file  []byte
		words string
	}{
		"empty":     {nil, "cut short"},
		"truncated": {whole[:len(whole)-1], "want 128"},
		"head only": {whole[:20], "cut short"},
		"text":      {[]byte("model,error\n12345"), "bad file"},
		"gigantic":  {bytes.Replace(whole, []byte("(4, 4)"), []byte("(1<<30, 4)"), 1), FourierName},
		"declared":  {bytes.Replace(whole, []byte("(4, 4), }    "), []byte("(9999, 9999),"), 1), FourierName},
		"one axis":  {array([]int{4}, make([]float64, 4)), "allowed: [n, n]"},
		"oblong":    {array([]int{2, 3}, make([]float64, 6)), "allowed: [n, n]"},
		"no cells":  {array([]int{0, 0}, []float64{}), "allowed: [n, n]"},
		"wide":      {array([]int{1025, 1025}, make([]float32, 1025*1025)), "1 to 1024"},
		"integers":  {array([]int{1, 1}, []int32{0}), "allowed: float32, float64"},
		"percent":   {array([]int{1, 1}, []float64{42}), "42 at [0, 0]"},
		"negative":  {array([]int{2, 2}, []float64{0, 0, -0.1, 0}), "at [1, 0]"},
		"infinite":  {array([]int{1, 1}, []float64{math.Inf(1)}), "from 0 to 1"},
		"nothing":   {array([]int{1, 1}, []float64{nan}), "every value is NaN"},
		"too large": {make([]byte, maxFourierFile+1), "allowed: 9437184"},
	} {
		if err := os.WriteFile(path, c.file, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), path) ||
			!strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v, want %q", name, err, c.words)
		}
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o755)); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), path+" is not a regular file") {
		t.Errorf("a directory: %v", err)
	}
}

// FuzzFourier: any bytes are a map or an error.
func FuzzFourier(f *testing.F) {
	for _, a := range []*npy.Array{
		{Shape: []int{2, 2}, Data: []float64{0, 0.5, math.NaN(), 1}},
		{Shape: []int{1, 1}, Data: []float32{0.5}},
		{Shape: []int{1, 2}, Data: []float64{0, 0}},
	} {
		var b bytes.Buffer
		if err := npy.Write(&b, a); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parseFourier(b)
		if err != nil {
			if !errors.Is(err, errFourier) && !errors.Is(err, npy.ErrFormat) && !errors.Is(err, npy.ErrUnsupported) {
				t.Fatal(err)
			}
			return
		}
		if mean := m.ring(0, m.Side); m.Side*m.Side != len(m.Error) || !(mean >= 0 && mean <= 1) || m.thirds() == "" {
			t.Fatalf("%+v", m)
		}
	})
}
