package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/internal/feedwire/wiretest"
)

// TestFeedEvalKilled: an evaluation that is killed, wherever it is, goes on with the same command to the same files, and nothing that
// was answered is made again.
func TestFeedEvalKilled(t *testing.T) {
	suites := []string{"--suite", "clean,c", "--subset", "fog,contrast,pixelate", "--severity", "1,5", "--crop", "32", "--name", "net", "--logits", "-q"}
	model, in, want := judgedNet(t, suites)
	out := filepath.Join(t.TempDir(), "out")
	args := slices.Concat([]string{in, "-o", out, "--dtype", "float32", "--batch", "4"}, suites)
	answered := 0
	for i, after := range []int{1, 7, 13} {
		c, err := startFeed(i%2 == 0, args...)
		if err != nil {
			t.Fatal(err)
		}
		batches := 0
		o := newOutsider(t, &c.Client, model)
		err = o.run(func(_ *wiretest.Message, out []float32) ([]float32, bool) {
			batches++
			return out, batches > after
		})
		if err != nil {
			t.Fatal(err, c.errs.String())
		}
		answered += 4 * after
		waitForAnswers(t, out, answered)
		if err := c.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.end()
	}
	o, end := judged(t, hasRing, model, nil, args...)
	if end.code != exitDone || o.images != 7*30-answered {
		t.Fatalf("status %d, %d images, %d answered before\n%s", end.code, o.images, answered, end.err)
	}
	sameRun(t, out, want)
	if left, _ := filepath.Glob(filepath.Join(out, "*.partial")); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// waitForAnswers waits until the file of answers holds those for n images of 10 classes, with their logits and four a record.
func waitForAnswers(t *testing.T, dir string, n int) {
	t.Helper()
	const magic, frame, head, each = 17, 8, 48, 64 + 4*10
	wait(t, func() bool {
		st, err := os.Stat(filepath.Join(dir, "answers.partial"))
		return err == nil && st.Size() == int64(magic+n/4*(frame+head)+n*each)
	})
}

// TestFeedEvalMemory: an evaluation needs no more memory after many images than after few, but for what it keeps of each
// prediction.
func TestFeedEvalMemory(t *testing.T) {
	for _, ring := range []bool{true, false} {
		c, err := startFeed(ring, "scenes:n=1500,size=16,seed=1", "--suite", "clean,c", "--subset", "brightness,contrast,pixelate", "--batch", "50", "--dtype", "float32")
		if err != nil {
			t.Fatal(err)
		}
		var early, late, images int
		for {
			m, err := c.Next()
			if err != nil {
				t.Fatal(err, c.errs.String())
			}
			if m.Kind == 'Z' {
				break
			}
			if m.Kind != 'B' {
				continue
			}
			if images += int(m.N); images == 3000 { // through clean and into the first corruption
				early, _ = usage(t, c.cmd.Process.Pid)
			}
			late, _ = usage(t, c.cmd.Process.Pid)
			if ring {
				err = c.Free(m)
			}
			outputs := make([]float32, int(m.N)*len(c.Hello.Classes))
			for i := range outputs {
				outputs[i] = float32(i * i % 7)
			}
			if err != nil || c.Answer(m, outputs) != nil {
				t.Fatal(err)
			}
		}
		t.Logf("ring %v: %d KB after 3000 images, %d at the end of %d", ring, early, late, images)
		if images != 16*1500 || late > early+early/2 {
			t.Errorf("ring %v: %d KB after 3000 images, %d at the end of %d", ring, early, late, images)
		}
		if err := c.end(); err != nil {
			t.Error(err, c.errs.String())
		}
	}
}
