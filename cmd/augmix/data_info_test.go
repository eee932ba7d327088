package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// data info describes every part of a data set, and few of many classes.
func TestDataInfoParts(t *testing.T) {
	dir := t.TempDir()
	set, test := filepath.Join(dir, "set"), filepath.Join(dir, "test")
	for i := range 13 {
		for k := range 1 + i%3 {
			write(t, filepath.Join(set, fmt.Sprintf("class%02d", i), fmt.Sprintf("%d.png", k)), testImage(t, i, 32, 32))
		}
	}
	o := augmix(t, exitDone, "data", "info", set)
	if !strings.Contains(o.out, "13 classes, the 10 largest (--all lists the rest)") || strings.Count(o.out, "class") != 11 ||
		strings.Contains(o.out, "class12") {
		t.Error(o.out)
	}
	if o = augmix(t, exitDone, "data", "info", set, "--all"); !strings.Contains(o.out, "class12") {
		t.Error(o.out)
	}
	cifar := filepath.Join(dir, "cifar")
	augmix(t, exitDone, "augment", set, "--mix", "none", "-o", filepath.Join(cifar, "train"))
	augmix(t, exitDone, "augment", set, "--mix", "none", "--limit", "6", "-o", filepath.Join(cifar, "val"))
	augmix(t, exitDone, "data", "convert", photos(t, 4), "--crop", "32", "-o", test, "--output-format", "cifar10", "--output-split", "test")
	o = augmix(t, exitDone, "data", "info", cifar)
	if !strings.Contains(o.out, "cifar, part train: format folder, 25 samples") || !strings.Contains(o.out, "cifar, part val: format folder, 6 samples") {
		t.Error(o.out)
	}
	var list []infoResult
	o = augmix(t, exitDone, "data", "info", cifar, "--json")
	if err := json.Unmarshal([]byte(o.out), &list); err != nil || len(list) != 2 || list[1].Part != "val" {
		t.Errorf("%v: %s", err, o.out)
	}
	// CIFAR's folder holds both parts.
	train := filepath.Join(dir, "train")
	augmix(t, exitDone, "data", "convert", photos(t, 6), "--crop", "32", "-o", train, "--output-format", "cifar10")
	if err := os.Rename(filepath.Join(test, "test_batch.bin"), filepath.Join(train, "test_batch.bin")); err != nil {
		t.Fatal(err)
	}
	o = augmix(t, exitDone, "data", "info", train)
	if !strings.Contains(o.out, "part train: format cifar10, 6 samples") || !strings.Contains(o.out, "part test: format cifar10, 4 samples") {
		t.Error(o.out)
	}
	if o = augmix(t, exitDone, "data", "info", train, "--split", "test"); strings.Contains(o.out, "part train") {
		t.Error(o.out)
	}
}
