package studio

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Trainings that run, are done, and are none: epochs, what is left, and a chart for each metric.
func TestTrain(t *testing.T) {
	dir, now := t.TempDir(), time.Now().UTC()
	training := func(name string, epochs, done int, end time.Time) {
		var text strings.Builder
		for e := 1; e <= done; e++ {
			at := end.Add(time.Duration(e-done) * 20 * time.Second).Format(time.RFC3339Nano)
			for _, metric := range []string{"train_loss", "error"} {
				fmt.Fprintf(&text, `{"v":2,"model":%q,"dataset":"scenes","epoch":%d,"metric":%q,"value":%g,"n":10,"seed":1,"time":%q,"origin":"measured"}`+"\n",
					name, e, metric, 1/float64(e), at)
			}
		}
		put(t, filepath.Join(dir, name, rowsName), []byte(text.String()))
		put(t, filepath.Join(dir, name, "args.yaml"), fmt.Appendf(nil, "model: x\nepochs: %d\n", epochs))
	}
	training("a", 10, 4, now)
	torn, err := os.OpenFile(filepath.Join(dir, "a", rowsName), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = torn.WriteString(`{"v":2,"mod`) // in the writing
	if err := torn.Close(); err != nil {
		t.Fatal(err)
	}
	training("b", 3, 3, now.Add(-time.Hour))
	training("c", 9, 3, now.Add(-time.Hour))
	rows(t, filepath.Join(dir, "d"), "no training")
	s, do := serve(t, Options{Data: small, Runs: []string{dir}})
	var got trainings
	text := do("GET", "api/train", nil, nil).Body.String()
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Runs) != 3 || len(got.Charts) != 2 {
		t.Fatalf("%d runs, %d charts: %s", len(got.Runs), len(got.Charts), text)
	}
	for i, want := range []training0{{"a", 4, 10, true}, {"b", 3, 3, false}, {"c", 3, 9, false}} {
		r := got.Runs[i]
		if r.Name != want.name || r.Epoch != want.epoch || r.Epochs != want.epochs || (r.Left > 0) != want.runs || r.Seconds < 19.9 || r.Seconds > 20.1 {
			t.Errorf("%+v, want %+v", r, want)
		}
	}
	if left := got.Runs[0].Left; left < 90 || left > 121 {
		t.Errorf("%v seconds are left, want 120 but for those that passed", left)
	}
	if !strings.Contains(got.Charts[0][0], "<svg") || got.Charts[0][0] == got.Charts[0][1] || strings.Contains(text, "style=") {
		t.Error("a chart with styles of its own, which the page's policy forbids")
	}
	put(t, filepath.Join(s.runs[1], rowsName), []byte("no rows\n"))
	if text := do("GET", "api/train", nil, nil).Body.String(); !strings.Contains(text, `"problem"`) {
		t.Errorf("a broken run: %s", text)
	}
}

type training0 struct {
	name          string
	epoch, epochs int
	runs          bool
}

// TestShortEpochs: rows say whole seconds, and epochs that take less take some time.
func TestShortEpochs(t *testing.T) {
	now := time.Unix(5, 0)
	one := training{Epoch: 3, Epochs: 3}
	if one.time([]time.Time{now, now, now}, now); one.Seconds <= 0 || one.Seconds >= 1 {
		t.Errorf("an epoch takes %v s", one.Seconds)
	}
}
