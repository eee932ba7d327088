package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A flat folder with a list of labels does for every command that reads data.
func TestLabelsOfFlatFolder(t *testing.T) {
	dir := t.TempDir()
	val, list := filepath.Join(dir, "val"), filepath.Join(dir, "val.txt")
	text := ""
	for i := range 6 {
		name := fmt.Sprintf("ILSVRC2012_val_%08d.png", i+1)
		write(t, filepath.Join(val, name), testImage(t, i, 36, 34))
		text += fmt.Sprintf("%s %s\n", name, []string{"tench", "shark"}[i%2])
	}
	write(t, list, []byte(text))
	o := augmix(t, exitDone, "data", "info", val, "--labels", list)
	if !strings.Contains(o.out, "2 classes") || !strings.Contains(o.out, "shark") {
		t.Error(o.out)
	}
	out := filepath.Join(dir, "C")
	augmix(t, exitDone, "corrupt", val, "--labels", list, "--subset", "fog", "--severity", "1", "-o", out)
	if files := tree(t, out); files["fog/1/tench/ILSVRC2012_val_00000001.jpg"] == "" || files["fog/1/shark/ILSVRC2012_val_00000006.jpg"] == "" {
		t.Error("the tree has no classes")
	}
	augmix(t, exitDone, "augment", val, "--labels", list, "--crop", "32", "-o", filepath.Join(dir, "x.npy"))
	if l := arrayOf(t, filepath.Join(dir, "labels.npy")); fmt.Sprint(l) != "[1 0 1 0 1 0]" {
		t.Errorf("labels %q", l)
	}
	net := filepath.Join(dir, "net")
	augmix(t, exitDone, "train", "--data", val, "--labels", list, "--val", val, "--val-labels", list, "--model", "densenet-7-2", "--crop", "16", "--batch", "3",
		"--epochs", "1", "-o", net, "-q")
	args := []string{"eval", filepath.Join(net, "model.safetensors"), val, "--labels", list, "--suite", "c,calibration", "--subset", "fog", "--severity", "2", "-q"}
	short := augmix(t, exitDone, args...).out
	all := augmix(t, exitDone, append(args, "--all")...).out
	if strings.Contains(short, "brier") || !strings.Contains(all, "brier, fog 2") || !strings.Contains(short, "fog") {
		t.Errorf("%s\nand with --all\n%s", short, all)
	}
	write(t, list, []byte(text+"none.png tench\n"))
	o = augmix(t, exitFailed, "verify", val, "--decode", "--labels", list)
	if !strings.Contains(o.err, `val.txt line 7: bad data: there is no image "none.png"`) {
		t.Error(o.err)
	}
	o = augmix(t, exitFailed, "data", "info", filepath.Join(val, "ILSVRC2012_val_00000001.png"), "--labels", list)
	if !strings.Contains(o.err, "(allowed with: npy, npz, folder)") {
		t.Error(o.err)
	}
}
