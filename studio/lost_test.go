package studio

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/results"
)

// recordRun writes a run whose model gets the images of wrong wrong under fog, 3, of n that were looked at. sum is the fingerprint of
// the data that its rows say.
func recordRun(t *testing.T, dir, model, sum string, n, limit int, wrong ...int) {
	t.Helper()
	var text strings.Builder
	for severity := range 6 {
		fmt.Fprintf(&text, `{"v":2,"model":%q,"dataset":"scenes-c","corruption":"fog","severity":%d,"metric":"error","value":%g,"n":%d,"seed":7,`+
			`"data":%q,"time":"2026-01-02T03:04:05Z","origin":"measured"%s}`+"\n", model, severity, float64(len(wrong))/float64(n), n, sum,
			map[bool]string{true: fmt.Sprintf(`,"limit":%d`, limit)}[limit > 0])
	}
	put(t, filepath.Join(dir, rowsName), []byte(text.String()))
	w, err := records.Create(filepath.Join(dir, records.FileName))
	if err != nil {
		t.Fatal(err)
	}
	s := records.Samples{Classes: 10}
	for i := range n {
		rank := uint32(1)
		if slices.Contains(wrong, i) {
			rank = 2
		}
		s.Rank, s.Confidence = append(s.Rank, rank), append(s.Confidence, 0.5)
		s.NLL, s.Brier = append(s.NLL, 1), append(s.Brier, 0.5)
	}
	if err := w.Add(records.Cell{Model: model, Dataset: "scenes-c", Corruption: "fog", Severity: 3, View: results.View{Limit: limit}}, &s); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// The images that one run loses and another keeps, from their records, where both saw the images of the data set.
func TestLost(t *testing.T) {
	src, err := formats.Open(small, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := data.Sign(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if src, err = formats.Open(small, formats.Options{}); err != nil {
		t.Fatal(err)
	}
	half, err := data.Sign(t.Context(), data.Limit(src, 6))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	recordRun(t, filepath.Join(dir, "a"), "bad net", all.Samples, 12, 0, 1, 4, 5, 11)
	recordRun(t, filepath.Join(dir, "b"), "good", all.Samples, 12, 0, 4, 7)
	recordRun(t, filepath.Join(dir, "c"), "other data", "sha256:0000000000000000", 12, 0, 1)
	recordRun(t, filepath.Join(dir, "d"), "half", half.Samples, 6, 6, 0, 5)
	recordRun(t, filepath.Join(dir, "e"), "better half", half.Samples, 6, 6, 0)
	rows(t, filepath.Join(dir, "f"), "none")
	_, do := serve(t, Options{Data: small, Runs: []string{dir}})

	var models []recordedModel
	if err := json.Unmarshal(do("GET", "api/records", nil, nil).Body.Bytes(), &models); err != nil {
		t.Fatal(err)
	}
	if len(models) != 6 || models[0].Of != "0/bad%20net" || models[0].Sets[0] != (recordedSet{"scenes-c", false}) ||
		!strings.Contains(models[5].Problem, "kept no record") {
		t.Errorf("recorded: %+v", models)
	}
	const at = "&dataset=scenes-c&name=fog&severity=3"
	var got lostImages
	if err := json.Unmarshal(do("GET", "api/lost?lost=0/bad%2520net&kept=1/good"+at, nil, nil).Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	ids := func() (ids []string) {
		for _, s := range got.Samples {
			ids = append(ids, s.ID)
		}
		return ids
	}
	if !slices.Equal(ids(), []string{"d1", "d5", "d11"}) || got.N != 12 || got.Lost != 3 || got.Back != 1 || got.Both != 1 || got.Next != -1 || *got.Seed != 7 {
		t.Errorf("lost: %+v", got)
	}
	if err := json.Unmarshal(do("GET", "api/lost?lost=3/half&kept=4/better%2520half"+at, nil, nil).Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(ids(), []string{"d10"}) { // the last of six that are spread over twelve
		t.Errorf("of half of the images: %+v", got)
	}
	for query, want := range map[string]string{
		"lost=0/bad%2520net&kept=2/other+data" + at:                           "measured on other images",
		"lost=0/bad%2520net&kept=3/half" + at:                                 "12 and 6 predictions",
		"lost=0/bad%2520net&kept=5/none" + at:                                 "kept no record",
		"lost=0/bad%2520net&kept=9/none" + at:                                 "run 9",
		"lost=0/bad%2520net&kept=1/good&dataset=scenes-c&name=fog&severity=2": "no record of bad net on scenes-c, fog at severity 2",
		"lost=0&kept=1/good" + at:                                             "allowed: the number of a run",
	} {
		if w := do("GET", "api/lost?"+query, nil, nil); w.Code/100 != 4 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
	if w := do("GET", "report", nil, nil); !strings.Contains(w.Body.String(), `data-of="0/bad%20net/scenes-c/fog/3"`) {
		t.Error("no mark of the report says that it is of fog, 3")
	}
}
