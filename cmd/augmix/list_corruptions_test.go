package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/corrupt/tables"
	"github.com/augmix-go/augmix/transform"
)

// What severities stand for: by name as a table, and for all of them in JSON.
func TestListCorruptionParameters(t *testing.T) {
	o := augmix(t, exitDone, "list", "corruptions", "glass_blur", "ripple")
	for _, want := range []string{
		"glass_blur\n", "sigma  delta  iters", "299      5         1.6    5      2", "cifar    5         8",
		"delta      rounded; below 1 as at 1", "level      linear; at 0 0",
	} {
		if !strings.Contains(o.out, want) {
			t.Errorf("no %q in\n%s", want, o.out)
		}
	}
	if o := augmix(t, exitUsage, "list", "corruptions", "rain"); !strings.Contains(o.err, "rain: no such corruption") {
		t.Error(o.err)
	}
	var rows []transform.CorruptionInfo
	if err := json.Unmarshal([]byte(augmix(t, exitDone, "list", "corruptions", "--json").out), &rows); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Set == "cbar" {
			if len(r.Levels) != 5 || len(r.Between) != 1 {
				t.Errorf("%s: levels %v", r.Name, r.Levels)
			}
			continue
		}
		for _, p := range r.Profiles {
			if v := r.Values[p]; len(v) != 5 || len(v[0]) != len(r.Parameters) || len(r.Parameters) == 0 || len(r.Between) != len(r.Parameters) {
				t.Errorf("%s, profile %s: %v of %v", r.Name, p, v, r.Parameters)
			}
		}
	}
}

// A profile is printed as a file, or in JSON, which is such a file too.
func TestListProfileJSON(t *testing.T) {
	for _, c := range []struct{ name, base, corruption, parameter string }{
		{"medmnist-c/pathmnist", "224", "bubble", "radius"}, {"64", "64", "fog", "decay"},
	} {
		o := augmix(t, exitDone, "list", "corruptions", "--profile", c.name, "--json")
		var f profileFile
		if err := json.Unmarshal([]byte(o.out), &f); err != nil || f.Base != c.base || len(f.Corruptions[c.corruption][c.parameter]) != 5 {
			t.Errorf("%s: %v in %.300s", c.name, err, o.out)
		}
		dir := t.TempDir()
		inJSON, inYAML := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "b.yaml")
		write(t, inJSON, []byte(o.out))
		write(t, inYAML, []byte(augmix(t, exitDone, "list", "corruptions", "--profile", c.name).out))
		a, err := tables.Open(inJSON)
		if err != nil {
			t.Fatal(err)
		}
		b, err := tables.Open(inYAML)
		if err != nil {
			t.Fatal(err)
		}
		if a.Sum() != b.Sum() || a.Profile != b.Profile || !slices.Equal(a.Names, b.Names) {
			t.Errorf("%s: the two files differ", c.name)
		}
	}
}
