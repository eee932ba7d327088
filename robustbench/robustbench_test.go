package robustbench

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/results"
)

func row(model, dataset, corruption string, severity int, metric string, value float64) results.Row {
	return results.Row{
		Model: model, Dataset: dataset, Corruption: corruption, Severity: float64(severity), Metric: metric, Value: value, N: 100,
		Origin: results.Measured,
	}
}

// rows are a whole measurement: error 0.06 when clean, 0.1 times the severity under every corruption.
func rows(model, dataset string) []results.Row {
	out := []results.Row{row(model, dataset, "", 0, results.Top1Error, 0.06), row(model, dataset+"-c", "", 0, results.Top1Error, 0.3)}
	for _, c := range corruptions {
		for s := range severities {
			out = append(out, row(model, dataset+"-c", c, s+1, results.Top1Error, 0.1*float64(s+1)))
		}
	}
	out = append(out, row(model, dataset+"-c", "speckle_noise", 1, results.Top1Error, 0.9)) // of the extra ones
	between := row(model, dataset+"-c", "fog", 2, results.Top1Error, 0.9)
	between.Severity = 2.5
	out = append(out, between)
	if dataset == "imagenet" {
		out = append(out, row(model, dataset+"-c", "", 0, results.MeanCE, 0.65))
	}
	return out
}

func about() About {
	return About{Link: "https://example.org", Name: "A paper", Authors: "A, B", ForwardPasses: 1, Architecture: "ResNet-18"}
}

func mustWrite(t *testing.T, dir string, r []results.Row) {
	t.Helper()
	e, err := FromRows(r, about())
	if err == nil {
		err = Write(dir, e)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	mustWrite(t, dir, rows("Ours", "cifar10"))
	mustWrite(t, dir, rows("Big", "imagenet"))
	for name, want := range map[string]string{
		"cifar10/corruptions/Ours.json": `{
  "link": "https://example.org",
  "name": "A paper",
  "authors": "A, B",
  "additional_data": false,
  "number_forward_passes": 1,
  "dataset": "cifar10",
  "venue": "",
  "architecture": "ResNet-18",
  "eps": null,
  "clean_acc": "94.00",
  "reported": null,
  "corruptions_acc": "70.00"
}
`,
		"imagenet/corruptions/Big.json": `"corruptions_mce": "65.00"`,
		"cifar10/corruptions/unaggregated_results.csv": "elastic_transform\n," + strings.TrimSuffix(strings.Repeat("1,2,3,4,5,", 15), ",") +
			"\nOurs," + strings.TrimSuffix(strings.Repeat("0.9,0.8,0.7,0.6,0.5,", 15), ",") + "\n",
	} {
		text, err := os.ReadFile(filepath.Join(dir, "model_info", name))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s, %v:\n%s", name, err, text)
		}
	}
	models, problems, err := Check(dir)
	if models != 2 || len(problems) > 0 || err != nil {
		t.Errorf("%d models, %v, %v", models, problems, err)
	}
}

// The other lines of a table stay as they are, and the order of its columns.
func TestTableStays(t *testing.T) {
	dir := t.TempDir()
	mustWrite(t, dir, rows("Ours", "cifar10"))
	path := filepath.Join(folder(dir, "cifar10"), tableName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// Two columns change places, and another model stands there, in Python's digits.
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i := range lines {
		f := strings.Split(lines[i], ",")
		f[1], f[75] = f[75], f[1]
		lines[i] = strings.Join(f, ",")
	}
	other := "Other" + strings.Repeat(",0.9390000000000001", 75)
	before := strings.Join(slices.Insert(lines, 2, other), "\n") + "\n"
	if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, dir, rows("Ours", "cifar10"))
	if after, err := os.ReadFile(path); err != nil || string(after) != before {
		t.Errorf("%v:\n%s", err, after)
	}
}

func TestFromRowsRefuses(t *testing.T) {
	whole := rows("Ours", "cifar10")
	few := rows("Ours", "cifar10")
	for i := range few {
		few[i].View.Limit = 20
	}
	own := row("Big", "imagenet-c", "", 0, results.MeanCE, 0.65)
	own.Versions = map[string]string{results.VersionBaseline: "imA (1a2b)"}
	large := rows("Ours", "cifar10")
	large[5].Versions = map[string]string{results.VersionImages: "as they are, profile 299, JPEG 85"}
	for name, c := range map[string]struct {
		rows []results.Row
		want string
	}{
		"nothing":       {nil, "no measured errors"},
		"few images":    {few, "but those of limit 20"},
		"large images":  {large, "cifar10-c have the parameters of profile 299 (allowed: auto, 32)"},
		"no clean":      {whole[1:], "clean images"},
		"a severity":    {slices.Delete(slices.Clone(whole), 3, 4), "shot_noise 2"},
		"a corruption":  {slices.Delete(slices.Clone(whole), 2, 7), "no error of shot_noise"},
		"two models":    {append(slices.Clone(whole), row("Theirs", "cifar10", "", 0, results.Top1Error, 0.1)), `"Ours" and "Theirs"`},
		"two data sets": {append(slices.Clone(whole), row("Ours", "cifar100", "", 0, results.Top1Error, 0.1)), "cifar10 and of cifar100"},
		"no mce":        {rows("Big", "imagenet")[:78], "mean corruption error"},
		"two seeds":     {append(slices.Clone(whole), row("Ours", "cifar10-c", "fog", 2, results.Top1Error, 0.5)), "fog 2 twice, the second is 0.5"},
		"clean twice":   {append(slices.Clone(whole), row("Ours", "cifar10", "", 0, results.Top1Error, 0.5)), "clean images twice"},
		"own baseline":  {append(rows("Big", "imagenet")[:78], own), "figures of imA (1a2b)"},
		"mce twice":     {append(rows("Big", "imagenet"), row("Big", "imagenet-c", "", 0, results.MeanCE, 0.5)), "mean corruption error twice"},
	} {
		if _, err := FromRows(c.rows, about()); !errors.Is(err, ErrRows) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if _, err := FromRows(append(slices.Clone(whole), whole...), about()); err != nil {
		t.Errorf("the same rows twice: %v", err)
	}
	e, err := FromRows(rows("../Ours", "cifar10"), about())
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(t.TempDir(), nil); !errors.Is(err, ErrAbout) {
		t.Errorf("no entry: %v", err)
	}
	if err := Write(t.TempDir(), e); !errors.Is(err, ErrAbout) {
		t.Errorf("a model called ../Ours: %v", err)
	}
}

// TestNotes: what the leaderboard's files have no place for is said.
func TestNotes(t *testing.T) {
	all := rows("Ours", "cifar10")
	for i := range all {
		all[i].N = 10000
		all[i].Versions = map[string]string{results.VersionImages: "as they are, profile auto"}
	}
	if e, err := FromRows(all, about()); err != nil || len(e.Notes) > 0 {
		t.Errorf("%+v, %v", e, err)
	}
	all[0].N = 300
	for i := range all {
		if all[i].Corruption == "frost" {
			all[i].Versions[results.VersionFrost] = results.FrostGenerated
		}
		if all[i].Corruption != "" {
			all[i].Versions[results.VersionTrainedOn] = "fog, snow"
		}
	}
	e, err := FromRows(all, about())
	want := []string{
		"the clean error is of 300 images, and that of the leaderboard of 10000",
		"the network was trained on fog, snow, which is among what it is scored on: say so in footnote",
		"frost is of generated ice crystals, not of the published photographs",
	}
	if err != nil || !slices.Equal(e.Notes, want) {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestReadAbout(t *testing.T) {
	const good = `{"link": "", "name": "n", "authors": "a", "additional_data": true, "number_forward_passes": 1, "venue": "", "architecture": "x", "reported": "88.8"}`
	if a, err := ReadAbout(strings.NewReader(good)); err != nil || !a.AdditionalData || *a.Reported != "88.8" {
		t.Errorf("%+v, %v", a, err)
	}
	number := strings.Replace(good, `"88.8"`, `88.8`, 1)
	if a, err := ReadAbout(strings.NewReader(number)); err != nil || *a.Reported != "88.8" {
		t.Errorf("%+v, %v", a, err)
	}
	for text, want := range map[string]string{
		strings.Replace(number, `88.8`, `188.8`, 1):               `reported is "188.8" (allowed: a percentage`,
		strings.Replace(number, `88.8`, `[]`, 1):                  `reported has a value of type array (allowed: text in quotes)`,
		strings.Replace(good, `true`, `"no"`, 1):                  `additional_data has a value of type string (allowed: true or false)`,
		strings.Replace(good, `"x"`, `18`, 1):                     `architecture has a value of type number (allowed: text in quotes)`,
		`[]`:                                                      "cannot unmarshal",
		strings.Replace(good, `"venue": "", `, "", 1):             "venue is missing",
		strings.Replace(good, `"venue"`, `"year": 1, "venue"`, 1): `unknown field "year"`,
		strings.Replace(good, `88.8`, `0.888e2`, 1):               "reported",
		strings.Replace(good, `passes": 1`, `passes": 0`, 1):      "number_forward_passes",
		strings.Replace(good, `"n"`, `" "`, 1):                    "name is empty",
		strings.Replace(good, `true`, `null`, 1):                  "additional_data is null",
	} {
		if _, err := ReadAbout(strings.NewReader(text)); !errors.Is(err, ErrAbout) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestCheck(t *testing.T) {
	const file, lines = "Ours.json", tableName
	for name, c := range map[string]struct{ file, old, new, want string }{
		"wrong mean":      {file, `"70.00"`, `"71.00"`, "the mean of the line"},
		"a number":        {file, `"94.00"`, `94`, "clean_acc has a value of type number (allowed: text in quotes)"},
		"a fraction":      {file, `"94.00"`, `"194"`, "clean_acc"},
		"another set":     {file, `"dataset": "cifar10"`, `"dataset": "cifar100"`, "in the folder of cifar10"},
		"a key":           {file, `"venue": "",`, ``, "venue is missing"},
		"an unknown key":  {file, `"venue": "",`, `"venue": "", "year": 1,`, "unknown field"},
		"no line":         {lines, "Ours,", "Other,", "has no line of Ours"},
		"a cell":          {lines, "0.9,", "9,", "allowed: 0 to 1"},
		"a column":        {lines, "fog,fog", "fog,smog", "column"},
		"a column twice":  {lines, ",1,2,", ",1,1,", "once"},
		"a shorter table": {lines, "\nOurs", "\nOurs,1\nOurs", "wrong number of fields"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			mustWrite(t, dir, rows("Ours", "cifar10"))
			path := filepath.Join(folder(dir, "cifar10"), c.file)
			text, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(text), c.old) {
				t.Fatal(err, string(text))
			}
			if err := os.WriteFile(path, []byte(strings.Replace(string(text), c.old, c.new, 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			_, problems, err := Check(dir)
			if err != nil || !slices.ContainsFunc(problems, func(p Problem) bool { return strings.Contains(p.What, c.want) }) {
				t.Errorf("%v, %v, want %s", problems, err, c.want)
			}
		})
	}
}
