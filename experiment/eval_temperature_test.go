package experiment

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/train"
)

// TestTemperature: a temperature fitted on other images keeps every error; the test set
// itself and another set under the same name are refused.
func TestTemperature(t *testing.T) {
	dir := t.TempDir()
	c := train.Default()
	c.Data, c.Val, c.Model, c.Epochs, c.Batch, c.Workers, c.LR = "scenes:n=400,size=16", NoValidation, "wrn-10-1", 6, 20, 1, 0.1
	if _, err := (&Train{Config: c, Dir: filepath.Join(dir, "net")}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	e := Eval{
		File: filepath.Join(dir, "net", train.ModelName), In: "scenes:n=150,size=16,split=test,seed=9", Dir: filepath.Join(dir, "eval"),
		Suites: []string{"clean", "calibration"}, Workers: 1, NoRecords: true,
	}
	of := func(rows []results.Row, metric string) results.Row {
		r, err := oneRow(rows, metric)
		if err != nil {
			t.Fatal(metric, err)
		}
		return r
	}
	plain, err := e.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e.TemperatureOn = "scenes:n=150,size=16,split=test,seed=8"
	scaled, err := e.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	T := of(scaled, results.Temperature)
	if T.Value == 1 || T.N != 150 || T.Model != "net, temperature scaled" {
		t.Errorf("%+v", T)
	}
	if a, b := of(plain, results.Top1Error), of(scaled, results.Top1Error); a.Value != b.Value || a.Model == b.Model {
		t.Errorf("error %v of %s, %v of %s", a.Value, a.Model, b.Value, b.Model)
	}
	e.TemperatureOn = e.In
	if _, err := e.Run(t.Context()); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "test set itself") {
		t.Error(err)
	}
	e.In, e.Dir, e.TemperatureOn = "scenes:n=150,size=16,split=test,seed=9", filepath.Join(dir, "eval"), "scenes:n=150,size=16,split=test,seed=7"
	if _, err := e.Run(t.Context()); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "another model") {
		t.Error(err)
	}
}

// TestTemperatureParts: a set that has parts but none that validates is refused in words that name an option there is.
func TestTemperatureParts(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"train.bin", "test.bin"} { // CIFAR-100
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, 3074), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, err := (&evaluation{Eval: &Eval{TemperatureOn: dir}}).temperatureSource()
	if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "temperature-on: "+dir+" has the parts train, test, and of a data set") {
		t.Error(err)
	}
}
