package results

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var noon = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

func sample() Row {
	seed := uint64(math.MaxUint64)
	return Row{
		Model: "wrn-40-2", Dataset: "cifar10-c", Corruption: "gaussian_noise", Severity: 3, Metric: "error",
		Value:    0.25,
		Interval: &Interval{0.24, 0.26, 0.95}, N: 10000, Seed: &seed, Versions: map[string]string{"augmix": "v0.1.0"},
		Time: noon, Origin: Measured,
	}
}

const sampleLine = `{"v":2,"model":"wrn-40-2","dataset":"cifar10-c","corruption":"gaussian_noise","severity":3,` +
	`"metric":"error","value":0.25,"interval":{"lo":0.24,"hi":0.26,"level":0.95},"n":10000,` +
	`"seed":18446744073709551615,` +
	`"versions":{"augmix":"v0.1.0"},"time":"2024-05-01T12:00:00Z","origin":"measured"}` + "\n"

func line(t testing.TB, r Row) string {
	t.Helper()
	b, err := r.AppendLine(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestLineIsFrozen: the format is a contract with files that exist.
func TestLineIsFrozen(t *testing.T) {
	if got := line(t, sample()); got != sampleLine {
		t.Errorf("got  %swant %s", got, sampleLine)
	}
	r := Row{
		Model: "m", Dataset: "d", Metric: "mce", Value: math.NaN(), Origin: Published, Source: "AugMix, table 2",
		Difficulty: 2, View: View{Group: "noise"},
	}
	want := `{"v":2,"model":"m","dataset":"d","difficulty":2,"group":"noise","metric":"mce","value":null,"n":0,` +
		`"origin":"published","source":"AugMix, table 2"}` + "\n"
	if got := line(t, r); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	full := sample()
	full.Severity, full.Metric, full.Interval, full.Seed, full.Versions = 0, AUROC, nil, nil, nil
	full.View = View{
		Group: "g", OOD: "svhn", Score: "energy", Attack: AttackPGD, Fourier: true, Epoch: 3, Part: "p", Preprocess: "nlm",
		TenCrop: true, Among: 200, Limit: 9, Against: "other",
	}
	full.Data, full.Over = "sha256:0123", []string{"blobs", "svhn"}
	wantFull := `{"v":2,"model":"wrn-40-2","dataset":"cifar10-c","corruption":"gaussian_noise","group":"g","ood":"svhn",` +
		`"score":"energy","attack":"pgd","fourier":true,"epoch":3,"part":"p","preprocess":"nlm","ten_crop":true,"among":200,"limit":9,` +
		`"against":"other","metric":"auroc","value":0.25,"n":10000,"data":"sha256:0123","over":["blobs","svhn"],` +
		`"time":"2024-05-01T12:00:00Z","origin":"measured"}` + "\n"
	if got := line(t, full); got != wantFull {
		t.Errorf("got  %swant %s", got, wantFull)
	}
	back, err := ParseLine([]byte(want))
	if err != nil || !math.IsNaN(back.Value) || !back.Equal(&r) {
		t.Errorf("%+v, %v", back, err)
	}
}

func drawRow(t *rapid.T) Row {
	text := rapid.String().Filter(func(s string) bool { return s != "" })
	r := Row{
		Model: text.Draw(t, "model"), Dataset: text.Draw(t, "dataset"), Corruption: rapid.String().Draw(t,
			"corruption"),
		Severity: float64(rapid.IntRange(0, 5).Draw(t, "severity")), Difficulty: rapid.IntRange(0, 3).Draw(t, "difficulty"),
		Metric: text.Draw(t, "metric"),
		Value:  rapid.Float64().Filter(func(v float64) bool { return !math.IsInf(v, 0) }).Draw(t, "value"),
		N:      rapid.Int64Min(0).Draw(t, "n"), Origin: Measured,
		Time: time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "s"), rapid.Int64Range(0, 999999999).Draw(t, "ns")),
	}
	drawView(t, &r)
	if least, most := r.bounds(); !math.IsInf(least, 0) {
		r.Value = rapid.Float64Range(least, most).Draw(t, "fraction")
	}
	if rapid.Bool().Draw(t, "published") {
		r.Origin, r.Source = Published, text.Draw(t, "source")
	}
	if rapid.Bool().Draw(t, "interval") {
		lo := rapid.Float64Range(-1, 1).Draw(t, "lo")
		r.Interval = &Interval{lo, lo + rapid.Float64Range(0, 1).Draw(t, "width"), 0.9}
	}
	if rapid.Bool().Draw(t, "seeded") {
		r.Seed = rapid.Ptr(rapid.Uint64(), false).Draw(t, "seed")
	}
	r.Data = rapid.String().Draw(t, "data")
	r.Over = rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "over")
	if rapid.Bool().Draw(t, "versioned") {
		r.Versions = rapid.MapOfN(text, rapid.String(), 1, 3).Draw(t, "versions")
	}
	return r
}

// drawView draws a view that the row can have, and for some views a metric that has them.
func drawView(t *rapid.T, r *Row) {
	text := rapid.String()
	r.View = View{
		Group: text.Draw(t, "group"), OOD: text.Draw(t, "ood"), Attack: text.Draw(t, "attack"), Part: text.Draw(t, "part"),
		Preprocess: text.Draw(t, "preprocess"), Fourier: rapid.Bool().Draw(t, "fourier"),
		TenCrop: rapid.Bool().Draw(t, "ten crops"), Among: rapid.IntRange(0, 1000).Draw(t, "among"), Epoch: rapid.IntRange(0, 300).Draw(t, "epoch"),
		Limit: rapid.IntRange(0, 10000).Draw(t, "limit"), Against: text.Filter(func(s string) bool { return s != r.Model }).Draw(t, "against"),
	}
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		r.Metric, r.Bins = BinAccuracy, rapid.IntRange(1, maxBins).Draw(t, "bins")
		r.Bin = rapid.IntRange(1, r.Bins).Draw(t, "bin")
	case 1:
		r.Metric, r.Score = AUPR, text.Draw(t, "score")
	case 2:
		r.Metric, r.SkipLast = RMSCalibration, rapid.Bool().Draw(t, "skip last")
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRow(t)
		b, err := r.AppendLine(nil)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Count(b, []byte("\n")) != 1 {
			t.Fatalf("not one line: %q", b)
		}
		back, err := ParseLine(b)
		if err != nil || !back.Equal(&r) {
			t.Fatalf("%v\nwrote %+v\nread  %+v", err, r, back)
		}
	})
}

func TestValidate(t *testing.T) {
	for name, change := range map[string]func(*Row){
		"no model":           func(r *Row) { r.Model = "" },
		"no dataset":         func(r *Row) { r.Dataset = "" },
		"no metric":          func(r *Row) { r.Metric = "" },
		"severity 6":         func(r *Row) { r.Severity = 6 },
		"severity -1":        func(r *Row) { r.Severity = -1 },
		"difficulty -1":      func(r *Row) { r.Difficulty = -1 },
		"value +Inf":         func(r *Row) { r.Value = math.Inf(1) },
		"n -1":               func(r *Row) { r.N = -1 },
		"interval [2, 1]":    func(r *Row) { r.Interval = &Interval{2, 1, 0.95} },
		"level 95":           func(r *Row) { r.Interval = &Interval{1, 2, 95} },
		"interval [NaN":      func(r *Row) { r.Interval = &Interval{math.NaN(), 1, 0.95} },
		"interval [-Inf":     func(r *Row) { r.Interval = &Interval{math.Inf(-1), 1, 0.95} },
		`origin ""`:          func(r *Row) { r.Origin = "" },
		"without its time":   func(r *Row) { r.Time = time.Time{} },
		"without its source": func(r *Row) { r.Origin = Published },
		"not UTF-8":          func(r *Row) { r.Part = "\xff" },
		`"\xfe" is`:          func(r *Row) { r.Data = "\xfe" },
		`"\xfd" is`:          func(r *Row) { r.Over = []string{"a", "\xfd"} },
		"limit -1":           func(r *Row) { r.Limit = -1 },
		"epoch -1":           func(r *Row) { r.Epoch = -1 },
		"bin 1 of 2":         func(r *Row) { r.Bin, r.Bins = 1, 2 },
		"bin 3 of 2":         func(r *Row) { r.Metric, r.Bin, r.Bins = BinAccuracy, 3, 2 },
		"bin 0 of 0":         func(r *Row) { r.Metric = BinConfidence },
		`score "energy"`:     func(r *Row) { r.Score = "energy" },
		"skip_last of error": func(r *Row) { r.SkipLast = true },
		"the model itself":   func(r *Row) { r.Against = r.Model },
		"without the other":  func(r *Row) { r.Metric = Agreement },
		`version ""`:         func(r *Row) { r.Versions = map[string]string{"": "1"} },
		"years 1 to 9999":    func(r *Row) { r.Time = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"allowed: 1048576":   func(r *Row) { r.Part = strings.Repeat("x", MaxLine) },
	} {
		r := sample()
		change(&r)
		if b, err := r.AppendLine(nil); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), name) ||
			len(b) > 0 {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
}

func TestStrictReader(t *testing.T) {
	change := func(old, new string) string {
		s := strings.Replace(sampleLine, old, new, 1)
		if s == sampleLine {
			t.Fatalf("%q is not in the line", old)
		}
		return s
	}
	for _, c := range []struct {
		line  string
		want  error
		words string
	}{
		{change(`"v":2`, `"v":3`), ErrVersion, "unknown version 3 (this program knows 1 to 2)"},
		{change(`"v":2`, `"v":3,"color":"blue"`), ErrVersion, "3"},
		{change(`"v":2`, `"v":0`), ErrVersion, "0"},
		{change(`"v":2`, `"v":2,"view":"pgd"`), ErrFormat, `unknown field "view"`},
		{change(`"v":2`, `"v":1,"attack":"pgd"`), ErrFormat, `unknown field "attack"`},
		{change(`"v":2`, `"v":2,"ten_crop":null`), ErrFormat, `"ten_crop" is null`},
		{change(`"v":2`, `"v":2,"limit":"5"`), ErrFormat, "limit"},
		{change(`"v":2`, `"v":2,"over":"a"`), ErrFormat, `field "over" holds a instead of a list`},
		{change(`"v":2`, `"v":2,"over":["a",1]`), ErrFormat, `field "over" lists 1`},
		{change(`"v":2`, `"v":2,"over":["a",["b"]]`), ErrFormat, `field "over" lists [`},
		{change(`"v":2`, `"v":2,"over":["a"`), ErrFormat, ""},
		{change(`"v":2`, `"v":2,"data":null`), ErrFormat, `"data" is null`},
		{change(`"v":2`, `"v":1,"data":"x"`), ErrFormat, `unknown field "data"`},
		{change(`"v":2`, `"v":2,"bin":5`), ErrFormat, "bin 5 of 0"},
		{change(`"v":2,`, ``), ErrFormat, `no version "v"`},
		{change(`"v":2`, `"V":2`), ErrFormat, "V"},
		{change(`"v":2`, `"v":"2"`), ErrFormat, "v"},
		{change(`"model"`, `"Model"`), ErrFormat, `unknown field "Model"`},
		{change(`"n":10000`, `"n":10000,"n":10000`), ErrFormat, `field "n" twice`},
		{change(`"n":10000`, `"n":1.5`), ErrFormat, "n"},
		{change(`"n":10000`, `"n":null`), ErrFormat, `"n" is null`},
		{change(`"n":10000,`, ``), ErrFormat, `no field "n"`},
		{change(`"value":0.25,`, ``), ErrFormat, `no field "value"`},
		{change(`"value":0.25`, `"value":"0.25"`), ErrFormat, "value"},
		{change(`"value":0.25`, `"value":NaN`), ErrFormat, "invalid character"},
		{change(`"value":0.25`, `"value":1e999`), ErrFormat, "1e999"},
		{change(`"value":0.25`, `"value":[0.25]`), ErrFormat, "value"},
		{change(`"lo":0.24,`, ``), ErrFormat, `no field "interval.lo"`},
		{change(`"lo":0.24`, `"lo":null`), ErrFormat, `"interval.lo" is null`},
		{change(`"lo":0.24`, `"low":0.24`), ErrFormat, `unknown field "interval.low"`},
		{change(`"hi":0.26`, `"hi":0.26,"hi":0.3`), ErrFormat, `"interval.hi" twice`},
		{change(`{"lo":0.24,"hi":0.26,"level":0.95}`, `null`), ErrFormat, "instead of an object"},
		{change(`{"augmix":"v0.1.0"}`, `{"augmix":"v0.1.0","augmix":"v0.1.0"}`), ErrFormat, "twice"},
		{change(`{"augmix":"v0.1.0"}`, `{"augmix":null}`), ErrFormat, "null"},
		{change(`{"augmix":"v0.1.0"}`, `{"augmix":{}}`), ErrFormat, "versions.augmix"},
		{change(`"severity":3`, `"severity":7`), ErrFormat, "severity 7"},
		{change(`2024-05-01T12:00:00Z`, `yesterday`), ErrFormat, "yesterday"},
		{change(`"measured"`, `"guessed"`), ErrFormat, `origin "guessed"`},
		{change("}\n", "} {}\n"), ErrFormat, "after top-level value"},
		{change("}\n", "},\n"), ErrFormat, "after top-level value"},
		{"\n", ErrFormat, ""},
		{"null\n", ErrFormat, "v"},
		{"[]\n", ErrFormat, ""},
		{"\"\xff\"\n", ErrFormat, "UTF-8"},
		{strings.Repeat("x", MaxLine+2) + "\n", ErrFormat, "1048576"},
		{strings.Repeat("x", 3*MaxLine), ErrFormat, "1048576"},
		{sampleLine[:100], ErrTorn, "100 bytes"},
		{strings.TrimSuffix(sampleLine, "\n"), ErrTorn, "newline"},
	} {
		_, err := Read(strings.NewReader(sampleLine+c.line+sampleLine), "runs/a.jsonl")
		if c.want == ErrTorn { // torn is torn at the end only
			_, err = Read(strings.NewReader(sampleLine+c.line), "runs/a.jsonl")
		}
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.words) ||
			!strings.HasPrefix(err.Error(), "runs/a.jsonl:2: ") {
			t.Errorf("%.120q: %v, want %v with %q", c.line, err, c.want, c.words)
		}
	}
}

func TestReader(t *testing.T) {
	in := NewReader(strings.NewReader("\ufeff"+sampleLine+strings.Replace(sampleLine, "\n", "\r\n", 1)+"x\n"), "f")
	for i := 1; i <= 2; i++ {
		row, err := in.Next()
		if err != nil || row.Line != i || row.File != "f" || row.Severity != 3 {
			t.Fatalf("%+v, %v", row, err)
		}
	}
	_, err := in.Next()
	if _, again := in.Next(); !errors.Is(err, ErrFormat) || again != err {
		t.Errorf("%v, then %v", err, again)
	}
	if rows, err := Read(strings.NewReader(""), "f"); err != nil || rows != nil {
		t.Errorf("empty file: %v, %v", rows, err)
	}
	if _, err := Read(io.MultiReader(strings.NewReader(sampleLine[:5]), failing{}), "f"); !errors.Is(err, errBroken) {
		t.Errorf("broken disk: %v", err)
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

var errBroken = errors.New("broken")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errBroken }

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "results.jsonl")
	other := sample()
	other.Severity = 4
	want := []Row{sample(), other}
	if err := WriteFile(path, want); err != nil {
		t.Fatal(err)
	}
	check := func() {
		t.Helper()
		got, err := ReadFile(path)
		if err != nil || len(got) != 2 || !got[0].Equal(&want[0]) || !got[1].Equal(&want[1]) ||
			got[1].Place() != path+":2" {
			t.Fatalf("%+v, %v", got, err)
		}
		if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
			t.Fatalf("%v, %v", names, err)
		}
	}
	check()
	bad := sample()
	bad.Value = math.Inf(1)
	if err := WriteFile(path, []Row{sample(), bad}); !errors.Is(err, ErrFormat) ||
		!strings.Contains(err.Error(), "row 1") {
		t.Errorf("infinite value: %v", err)
	}
	check()
	if err := WriteFile(filepath.Join(dir, "no", "such"), want); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

// TestCrashAtEveryByte: whatever part of the last line is on disk, opening keeps the whole rows and appending goes on.
func TestCrashAtEveryByte(t *testing.T) {
	dir := t.TempDir()
	second := sample()
	second.Severity = 4
	whole := sampleLine + line(t, second)
	for n := range len(whole) + 1 {
		path := filepath.Join(dir, "r.jsonl")
		if err := os.WriteFile(path, []byte(whole[:n]), 0o644); err != nil {
			t.Fatal(err)
		}
		a, err := OpenAppend(path)
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		// A line that lacks only its newline is complete.
		rows := strings.Count(whole[:n], "\n")
		cut := n - strings.LastIndexByte(whole[:n], '\n') - 1
		if n == len(sampleLine)-1 || n == len(whole)-1 {
			rows, cut = rows+1, 0
		}
		if a.Rows() != rows || a.Cut() != int64(cut) {
			t.Fatalf("%d bytes: %d rows, %d cut, want %d, %d", n, a.Rows(), a.Cut(), rows, cut)
		}
		third := sample()
		third.Severity = 5
		if err := errors.Join(a.Append(third), a.Close()); err != nil {
			t.Fatal(err)
		}
		got, err := ReadFile(path)
		if err != nil || len(got) != rows+1 || got[rows].Severity != 5 || rows > 0 && got[0].Severity != 3 {
			t.Fatalf("%d bytes: %v, %v", n, got, err)
		}
	}
}

// A file has one appender at a time.
func TestOpenAppendBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	a, err := OpenAppend(path)
	if err != nil {
		t.Fatal(err)
	}
	switch runtime.GOOS {
	case "linux", "darwin", "windows", "freebsd", "netbsd", "openbsd", "dragonfly":
		if _, err := OpenAppend(path); !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), path) {
			t.Errorf("a second appender: %v", err)
		}
	}
	if _, err := ReadFile(path); err != nil {
		t.Errorf("reading beside an appender: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if a, err = OpenAppend(path); err != nil {
		t.Fatalf("after the first is closed: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

func TestOpenAppendZeros(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	for _, before := range []string{"", sampleLine} {
		if err := os.WriteFile(path, append([]byte(before), make([]byte, 300)...), 0o644); err != nil {
			t.Fatal(err)
		}
		a, err := OpenAppend(path)
		if err != nil || a.Cut() != 300 || a.Close() != nil {
			t.Fatalf("%v", err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != before {
			t.Errorf("%q, %v", b, err)
		}
	}
}

func TestOpenAppendRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	for _, content := range []string{
		"hello", "hello\n", `{"a":1}`, sampleLine + "hello\n" + sampleLine,
		strings.Replace(sampleLine, `"v":2`, `"v":9`, 1), strings.Repeat("x", 2*MaxLine),
	} {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenAppend(path); !errors.Is(err, ErrFormat) && !errors.Is(err, ErrVersion) {
			t.Errorf("%.40q: %v", content, err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != content {
			t.Errorf("%.40q was changed to %.40q, %v", content, b, err)
		}
	}
}

func TestAppender(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	a, err := OpenAppend(path)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 25 {
				r := sample()
				r.N = int64(100*w + i)
				if err := a.Append(r, r); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	bad := sample()
	bad.Model = ""
	if err := a.Append(sample(), bad); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "row 2 of 2") {
		t.Errorf("no model: %v", err)
	}
	if err := errors.Join(a.Sync(), a.Append(), a.Close()); err != nil {
		t.Fatal(err)
	}
	if a.Close() == nil || a.Append(sample()) == nil || a.Sync() == nil {
		t.Error("a closed appender goes on")
	}
	rows, err := ReadFile(path)
	if err != nil || len(rows) != 200 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i := 0; i < 200; i += 2 {
		if rows[i].N != rows[i+1].N {
			t.Error("rows of one call are apart")
		}
	}
	a, err = OpenAppend(path)
	if err != nil || a.Rows() != 200 || a.Cut() != 0 {
		t.Fatalf("%v", err)
	}
	// The disk goes away.
	if err := a.f.Close(); err != nil {
		t.Fatal(err)
	}
	first := a.Append(sample())
	if !errors.Is(first, fs.ErrClosed) || !errors.Is(a.Append(), fs.ErrClosed) || a.Close() == nil {
		t.Errorf("after a failed write: %v", first)
	}
}

func at(file string, n int, change ...func(*Row)) Located {
	r := sample()
	for _, c := range change {
		c(&r)
	}
	return Located{r, file, n}
}

func TestMerge(t *testing.T) {
	severity := func(s int) func(*Row) { return func(r *Row) { r.Severity = float64(s) } }
	later := func(r *Row) { r.Time = r.Time.Add(time.Hour); r.Versions = map[string]string{"augmix": "v9"} }
	value := func(v float64) func(*Row) { return func(r *Row) { r.Value = v } }
	noSeed := func(r *Row) { r.Seed = nil }
	published := func(r *Row) { r.Origin, r.Source = Published, "PixMix, table 7" }
	got, err := Merge(
		[]Located{at("a", 1, later), at("a", 2, severity(1), value(math.NaN()))},
		[]Located{at("b", 1), at("b", 2, severity(1), value(math.NaN())), at("b", 3, severity(2))},
		[]Located{at("c", 1, noSeed, value(0.9)), at("c", 2, published, value(0.3))},
	)
	if err != nil {
		t.Fatal(err)
	}
	var places []string
	for _, r := range got {
		places = append(places, r.Place())
	}
	if want := []string{"b:1", "a:2", "b:3", "c:1", "c:2"}; !slices.Equal(places, want) {
		t.Errorf("kept %v, want %v", places, want)
	}
	for name, change := range map[string]func(*Row){
		"0.26 (n 10000": value(0.26),
		"NaN (n":        value(math.NaN()),
		"n 9999":        func(r *Row) { r.N = 9999 },
		"0.2, 0.26":     func(r *Row) { r.Interval = &Interval{0.2, 0.26, 0.95} },
		"(n 10000) at":  func(r *Row) { r.Interval = nil },
	} {
		_, err := Merge([]Located{at("a", 7)}, []Located{at("b", 9, later, change)})
		var conflict *ConflictError
		if !errors.Is(err, ErrConflict) || !errors.As(err, &conflict) || conflict.A.Line != 7 || conflict.B.Line != 9 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, words := range []string{
			name, "a:7", "b:9",
			"error of wrn-40-2 on cifar10-c, gaussian_noise, severity 3",
		} {
			if !strings.Contains(err.Error(), words) {
				t.Errorf("%q lacks %q", err, words)
			}
		}
	}
	on := func(data string) func(*Row) { return func(r *Row) { r.Data = data } }
	_, err = Merge([]Located{at("a", 7, on("one"))}, []Located{at("b", 9, on("two"))})
	if !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "data one) at a:7") ||
		!strings.Contains(err.Error(), "data two) at b:9") {
		t.Errorf("equal numbers on other data: %v", err)
	}
	if _, err = Merge([]Located{at("a", 7, on("one"))}, []Located{at("b", 9)}); err != nil {
		t.Errorf("without a fingerprint: %v", err)
	}
	over := func(v float64, sets ...string) func(*Row) { return func(r *Row) { r.Value, r.Over = v, sets } }
	few, all := at("a", 1, over(0.8, "blobs")), at("a", 2, over(0.7, "blobs", "svhn"))
	for _, rows := range [][]Located{{few, all}, {all, few}, {few, all, few}} {
		if got, err := Merge(rows); err != nil || len(got) != 1 || got[0].Line != 2 {
			t.Errorf("means over one set and over that and another: %v, %v", got, err)
		}
	}
	if _, err := Merge([]Located{all, at("a", 3, over(0.7, "blobs", "textures"))}); !errors.Is(err, ErrConflict) {
		t.Errorf("means over sets of which neither has all of the other: %v", err)
	}
	some, other := at("a", 1, over(0.8, "blobs")), at("a", 2, over(0.9, "svhn"))
	anyOrder([]Located{some, other, at("a", 3, over(0.7, "blobs", "svhn"))}, func(rows []Located) {
		if got, err := Merge(rows); err != nil || len(got) != 1 || got[0].Line != 3 {
			t.Errorf("means over one set, over another and over both: %v, %v", got, err)
		}
	})
	none, x, y := at("a", 1), at("a", 2, on("x"), later), at("a", 3, on("y"), later)
	anyOrder([]Located{none, x, y}, func(rows []Located) {
		if got, err := Merge(rows); !errors.Is(err, ErrConflict) {
			t.Errorf("equal numbers on other data beside a row without a fingerprint: %v, %v", got, err)
		}
	})
	anyOrder([]Located{none, x}, func(rows []Located) {
		if got, err := Merge(rows); err != nil || len(got) != 1 || got[0].Line != 1 || got[0].Data != "x" {
			t.Errorf("the earlier row has no fingerprint: %v, %v", got, err)
		}
	})
	var many []Located
	for i := range 30 {
		many = append(many, at("a", i, value(float64(i))))
	}
	if _, err := Merge(many); err == nil || !strings.Contains(err.Error(), "9 more pairs") {
		t.Errorf("29 contradictions: %v", err)
	}
}

// anyOrder calls f with the rows in each order.
func anyOrder(rows []Located, f func([]Located)) {
	if len(rows) < 2 {
		f(rows)
		return
	}
	for i := range rows {
		rest := slices.Delete(slices.Clone(rows), i, i+1)
		anyOrder(rest, func(tail []Located) { f(append([]Located{rows[i]}, tail...)) })
	}
}

func TestMergeIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		var rows []Located
		for i := range n {
			r := sample()
			r.Severity, r.Difficulty = float64(i%6), i/6
			rows = append(rows, Located{r, "a", i + 1})
		}
		cut := rapid.IntRange(0, n).Draw(t, "cut")
		got, err := Merge(rows[:cut], rows, rows[cut:])
		if err != nil || len(got) != n {
			t.Fatalf("%d rows, %v, want %d", len(got), err, n)
		}
		again, err := Merge(got, got)
		if err != nil || len(again) != n {
			t.Fatalf("%d rows, %v, want %d", len(again), err, n)
		}
	})
}

func TestMergeFiles(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	other := sample()
	other.Metric = "brier"
	if err := errors.Join(WriteFile(a, []Row{sample()}), WriteFile(b, []Row{sample(), other})); err != nil {
		t.Fatal(err)
	}
	rows, err := MergeFiles(a, b)
	if err != nil || len(rows) != 2 || rows[1].Place() != b+":2" {
		t.Fatalf("%v, %v", rows, err)
	}
	if _, err := MergeFiles(a, filepath.Join(dir, "c")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestGroups(t *testing.T) {
	var rows []Located
	for i, model := range []string{"b", "a", "b", "a", "c"} {
		rows = append(rows, at("f", i, func(r *Row) {
			r.Model = model
			if i < 2 {
				r.Metric = "brier"
			}
		}))
	}
	groups := GroupBy(rows, ByModel)
	if len(groups) != 3 || groups[0].Key != "b" || len(groups[0].Rows) != 2 || groups[0].Rows[1].Line != 2 ||
		groups[2].Key != "c" {
		t.Errorf("%+v", groups)
	}
	if cells := GroupBy(rows, ByCell); len(cells) != 2 || len(cells[1].Rows) != 3 {
		t.Errorf("%+v", cells)
	}
	for _, key := range []func(*Row) string{ByDataset, ByCorruption} {
		if g := GroupBy(rows, key); len(g) != 1 {
			t.Errorf("%+v", g)
		}
	}
	row, err := One(rows, Is(ByModel, "a"), Is(ByMetric, "error"))
	if err != nil || row.Line != 3 {
		t.Errorf("%+v, %v", row, err)
	}
	if _, err := One(rows, Is(ByModel, "a")); !errors.Is(err, ErrConflict) ||
		!strings.Contains(err.Error(), "f:1 and f:3") {
		t.Errorf("two rows: %v", err)
	}
	if _, err := One(rows, Is(ByModel, "z")); !errors.Is(err, ErrMissing) {
		t.Errorf("no row: %v", err)
	}
	if got := Rows(rows); len(got) != 5 || got[4].Model != "c" {
		t.Errorf("%+v", got)
	}
}

// FuzzReader: no input makes the reader panic; what it accepts is written as it was understood.
func FuzzReader(f *testing.F) {
	f.Add([]byte(sampleLine))
	f.Add([]byte(sampleLine + sampleLine))
	f.Add([]byte(sampleLine[:80]))
	f.Add([]byte(strings.Replace(sampleLine, "0.25", "null", 1)))
	f.Add([]byte(strings.Replace(sampleLine, `"v":1`, `"v":2`, 1)))
	f.Add([]byte(strings.Replace(sampleLine, "12:00:00Z", "12:00:00.5+14:00", 1)))
	f.Add([]byte(`{"v":1,"model":"m","dataset":"d","metric":"e","value":1e-400,"n":0,` +
		`"origin":"published","source":"s"}` + "\n"))
	f.Add([]byte(strings.Repeat("[", 20000) + "\n"))
	f.Add([]byte("\x00\n\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		rows, err := Read(bytes.NewReader(b), "f")
		if err != nil {
			if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrVersion) && !errors.Is(err, ErrTorn) {
				t.Fatalf("an error of no kind: %v", err)
			}
			return
		}
		if len(rows) != bytes.Count(b, []byte("\n")) {
			t.Fatalf("%d rows of %d lines", len(rows), bytes.Count(b, []byte("\n")))
		}
		for i := range rows {
			out, err := rows[i].AppendLine(nil)
			if errors.Is(err, ErrFormat) && strings.Contains(err.Error(), "bytes") {
				continue // escapes made a line of almost MaxLine too long
			}
			if err != nil {
				t.Fatalf("a row that was read cannot be written: %v", err)
			}
			back, err := ParseLine(out)
			if err != nil || !back.Equal(&rows[i].Row) {
				t.Fatalf("%v: %q", err, out)
			}
		}
	})
}
