package main

import (
	"encoding/json"
	"strings"
	"testing"

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
