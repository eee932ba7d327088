package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestListModels(t *testing.T) {
	o := augmix(t, exitDone, "list", "models", "--json")
	var rows []modelRow
	if err := json.Unmarshal([]byte(o.out), &rows); err != nil {
		t.Fatal(err)
	}
	want := map[string][3]int64{ // classes, parameters, thousands of multiply-adds
		"wrn-40-2":                 {10, 2243546, 327599},
		"densenet-bc-100-12":       {10, 769162, 287929},
		"resnet20":                 {10, 269722, 40551},
		"resnet50":                 {1000, 25557032, 4089184},
		"densenet121":              {1000, 7978856, 2834161},
		"msdnet-small-7-2":         {10, 2986690, 75407},
		"msdnet-5-7":               {1000, 62314472, 3246180},
		"condensenet-c8-converted": {1000, 2935416, 261545},
		"rmg34":                    {1000, 32899176, 5760277},
		"alexnet":                  {1000, 61100840, 714188},
	}
	for _, r := range rows {
		w, ok := want[r.Spec]
		if ok && (r.Classes != int(w[0]) || r.Parameters != w[1] || r.MultiplyAdds/1000 != w[2]) {
			t.Errorf("%s has %d classes, %d parameters, %d thousand multiply-adds, want %v",
				r.Spec, r.Classes, r.Parameters, r.MultiplyAdds/1000, w)
		}
		if r.Paper == "" || r.Form == "" || r.Layers == 0 {
			t.Errorf("%+v is not complete", r)
		}
		delete(want, r.Spec)
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}

	o = augmix(t, exitDone, "list", "models")
	for _, line := range []string{
		"SPEC", "wrn-40-2", "32x32x3", "2.24", "resnet18|34|50|101|152[-blurN][-zerogamma]: ", "  blurN ",
	} {
		if !strings.Contains(o.out, line) {
			t.Errorf("the list has no %q:\n%s", line, o.out)
		}
	}
	o = augmix(t, exitDone, "list", "models", "--spec", "wrn-10-1", "--classes", "100")
	lines := strings.Split(strings.TrimSpace(o.out), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[1], "wrn-10-1 ") {
		t.Errorf("one network:\n%s", o.out)
	}
	for _, bad := range [][]string{
		{"--spec", "resnet51"}, {"--spec", "wrn-41-2"}, {"--classes=-1"}, {"--classes", "99999999"},
	} {
		o := augmix(t, exitUsage, append([]string{"list", "models"}, bad...)...)
		if !strings.Contains(o.err, "wrn-DEPTH-WIDTH") && !strings.Contains(o.err, "allowed: 1") {
			t.Errorf("%v: %s", bad, o.err)
		}
	}
}
