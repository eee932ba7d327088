package experiment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRunChecksEvaluations: what an evaluation refuses by its options alone is refused when a run is planned, before anything is trained.
func TestRunChecksEvaluations(t *testing.T) {
	for run, want := range map[string]string{
		"suites: [clean, cc]": "suite: cc", "suites: [c], eval: {subset: [smog]}": "smog", `suites: [c], eval: {severity: "9"}`: `severity "9"`,
		"suites: [p], eval: {perturbation: [tlit]}": "tlit", "suites: [clean], eval: {quality: 3}": "quality: without suite c",
		"suites: [c], eval: {profile: nowhere.yaml}": "nowhere.yaml", "suites: [clean, c, p, ood], eval: {subset: [fog, weather]}": "",
	} {
		path := filepath.Join(t.TempDir(), "r.yaml")
		text := "data: scenes:n=60,size=16\nval: scenes:n=40,size=16,seed=5\nmodel: wrn-10-1\nepochs: 1\nmethods: {a: {mix: none}}\nrun: {" + run + "}\n"
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := New(path, Options{Dir: t.TempDir()})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "measuring a: ")) {
			t.Errorf("%s: %v, want %q", run, err, want)
		}
	}
}
