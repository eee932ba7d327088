package tables_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/tables"
	"github.com/augmix-go/augmix/internal/corruption/corruptiontest"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// A published profile, printed and read back, makes the same images at every severity.
func TestRoundTrip(t *testing.T) {
	src, s := corruptiontest.Image(40, 36), new(corrupt.Scratch)
	names, err := corrupt.Names("all")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []corrupt.Profile{corrupt.P32, corrupt.P64, corrupt.P224, corrupt.P299} {
		whole, err := corrupt.TablesOf(p)
		if err != nil {
			t.Fatal(err)
		}
		read, err := tables.Parse([]byte(whole.String()))
		if err != nil {
			t.Fatal(err)
		}
		if read.Sum() != whole.Sum() || read.String() != whole.String() || read.Base() != p {
			t.Errorf("%s is read back as\n%s", p, read)
		}
		for _, name := range names {
			c, err := corrupt.ByName(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, severity := range []float64{0.5, 1, 2.5, 3, 5} {
				var got, want raster.Image
				if err := c.WithTables(read).Apply(&got, src, severity, rng.New(2), s); err != nil {
					t.Fatal(err)
				}
				if err := c.WithProfile(p).Apply(&want, src, severity, rng.New(2), s); err != nil {
					t.Fatal(err)
				}
				if !raster.Equal(&got, &want) {
					t.Errorf("%s of %s at %v: other bytes", name, p, severity)
				}
			}
		}
	}
}

// What is wrong is told in one line that names the field.
func TestBad(t *testing.T) {
	for text, want := range map[string]string{
		"corruptions: {fog: {amount: [1,2,3,4], decay: [2,2,2,2,2]}}":      "fog: amount: 4 values (allowed: 5",
		"corruptions: {fog: {amount: [1,2,3,4,5]}}":                        "fog: decay: 0 values (allowed: 5",
		"corruptions: {fog: {amount: [1,2,3,4,500], decay: [2,2,2,2,2]}}":  "fog: amount: 500 at severity 5 (allowed: 0 to 100)",
		"corruptions: {jpeg_compression: {quality: [1,2,3,4.5,5]}}":        "quality: 4.5 at severity 4 (allowed: whole numbers, 1 to 100)",
		"corruptions: {fog: {amount: [1,2,3,4,.nan], decay: [2,2,2,2,2]}}": "amount: NaN at severity 5",
		"corruptions: {fog: {amuont: [1,2,3,4,5], decay: [2,2,2,2,2]}}":    `parameter "amuont"`,
		"corruptions: {frog: {amount: [1,2,3,4,5]}}":                       `corruption "frog"`,
		"base: 65\ncorruptions: {brightness: {add: [0,0,0,0,0]}}":          `base "65" (allowed: auto`,
		"basis: 64\ncorruptions: {brightness: {add: [0,0,0,0,0]}}":         `key "basis" (allowed: base, corruptions)`,
		"base: 64\nbase: 32":              "",
		"foo: 1":                          `key "foo" (allowed: base, corruptions)`,
		"fog":                             `"fog" (allowed: keys base and corruptions)`,
		"corruptions: [fog]":              `"[fog]" (allowed: corruptions: names with`,
		"corruptions: {fog: 3}":           `"3" (allowed: fog: names of parameters with`,
		"corruptions: {fog: {amount: 3}}": `fog: amount: "3" (allowed: a list of 5 numbers`,
		"corruptions: {fog: }":            "fog: amount: 0 values",
		"base: 64":                        "no corruptions",
		"":                                "no corruptions",
		"corruptions: {brightness: {add: [0,0,0,0,x]}}":     `brightness: add: "x" at severity 5 (allowed: numbers)`,
		"corruptions: {brightness: {add: [0,0,0,0,1e999]}}": `"1e999" at severity 5 (allowed: numbers of 64 bits)`,
		"corruptions: [": "",
	} {
		_, err := tables.Parse([]byte(text))
		if !errors.Is(err, corrupt.ErrTables) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", text, err)
		}
	}
	path := filepath.Join(t.TempDir(), "my.yaml")
	if err := os.WriteFile(path, []byte("base: 9"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := tables.Open(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if _, err := tables.Open("65"); !errors.Is(err, corrupt.ErrTables) {
		t.Error(err)
	}
}

// Numbers may be written as YAML 1.2 has them.
func TestPowersOfTen(t *testing.T) {
	for _, text := range []string{"[1e-2, 4E-2, 0.08, 8e-2, .1]", "[0.01, 0.04, 0.08, 0.08, 0.1]"} {
		s, err := tables.Parse([]byte("corruptions: {brightness: {add: " + text + "}}"))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if other, err := tables.Parse([]byte("corruptions: {brightness: {add: [0.01, 0.04, 0.08, 0.08, 0.1]}}")); err != nil || s.Sum() != other.Sum() {
			t.Errorf("%s is not the same numbers: %v", text, err)
		}
	}
}

// Every corruption can be had at both ends of its ranges.
func TestEnds(t *testing.T) {
	src, s := corruptiontest.Image(12, 9), new(corrupt.Scratch)
	for name, ends := range corrupt.Ranges() {
		c, err := corrupt.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, end := range []int{0, 1} {
			values := map[string][]float64{}
			for parameter, r := range ends {
				values[parameter] = []float64{r[end], r[end], r[end], r[end], r[end]}
			}
			own, err := corrupt.NewTables(corrupt.Auto, corrupt.Values{name: values})
			if err != nil {
				t.Fatal(err)
			}
			for _, severity := range []float64{0.5, 1, 1.5} {
				if err := c.WithTables(own).Apply(new(raster.Image), src, severity, rng.New(2), s); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

func ExampleParse() {
	mild, err := tables.Parse([]byte("base: 224\ncorruptions: {contrast: {factor: [0.9, 0.8, 0.7, 0.6, 0.5]}}"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"contrast", "brightness"} {
		c, err := corrupt.ByName(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		p, err := c.WithTables(mild).Parameters(2.5, 32)
		fmt.Println(name, p, err)
	}
	// Output:
	// contrast [{factor 0.75}] <nil>
	// brightness [{add 0.25}] <nil>
}
