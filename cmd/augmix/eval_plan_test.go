package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEvalPlan: --plan says what goes through the model and what logits take, for people and as JSON, and makes no folder.
func TestEvalPlan(t *testing.T) {
	set := cifarFolder(t, 40)
	net, out := trainedNet(t, set), filepath.Join(t.TempDir(), "out")
	args := []string{"eval", net, set, "--suite", "clean,c", "--subset", "fog,contrast", "--severity", "1,3", "--logits", "-o", out, "--plan"}
	o := augmix(t, exitDone, args...)
	for _, want := range []string{"c      2             ", " through the model, about ", "; logits of ", "what " + out + " has already is not measured again"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("no %q in %s", want, o.out)
		}
	}
	var plan evalPlan
	if err := json.Unmarshal([]byte(augmix(t, exitDone, append(args, "--json")...).out), &plan); err != nil {
		t.Fatal(err)
	}
	if len(plan.Suites) != 2 || plan.Images == 0 || plan.Passes != 5*plan.Images || plan.Logits != int64(plan.Passes)*40 || plan.Seconds <= 0 {
		t.Errorf("%+v", plan)
	}
	if _, err := os.Lstat(out); err == nil {
		t.Error("a folder was made")
	}
}
