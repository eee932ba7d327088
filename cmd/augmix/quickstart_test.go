package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/recipe"
)

// quickRecorded is what the quick start printed, below the hash of its recipe and its images.
const quickRecorded = "testdata/quickstart.txt"

// quickHash is of the recipe and of the images that it draws.
func quickHash(t *testing.T) string {
	t.Helper()
	r, err := recipe.Read("quickstart")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "recipe", "quickstart.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	h.Write(text)
	for _, path := range []string{r.Config.Data, r.Run.Test} {
		src, err := formats.Open(path, formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var s data.Sample
		for src.Next(&s) == nil {
			h.Write(s.Data)
		}
		if err := src.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil)[:16])
}

func trimLines(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

// The README's table and the first seed of docs/quickstart.md are what the quick start printed for this recipe and these
// images. With AUGMIX_QUICKSTART=1 it runs, five minutes of CPU time, and has to print the same; with =update what it
// prints is recorded.
func TestQuickstartTable(t *testing.T) {
	hash, mode := quickHash(t), os.Getenv("AUGMIX_QUICKSTART")
	var printed string
	if mode != "" {
		o := augmix(t, exitDone, "quickstart", "-o", filepath.Join(t.TempDir(), "quick"))
		if printed = trimLines(o.out); !strings.Contains(o.err, "augmix studio --runs") {
			t.Errorf("it ends with\n%s", o.err)
		}
	}
	if mode == "update" {
		write(t, quickRecorded, []byte(hash+"\n"+printed))
	}
	text, err := os.ReadFile(quickRecorded)
	if err != nil {
		t.Fatal(err)
	}
	recordedHash, table, _ := strings.Cut(string(text), "\n")
	if recordedHash != hash {
		t.Errorf("the recipe or its images changed: %s, recorded are the numbers of %s; record with AUGMIX_QUICKSTART=update", hash, recordedHash)
	}
	if mode != "" && printed != table {
		t.Errorf("it prints\n%s\nrecorded is\n%s", printed, table)
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "```\n"+table+"```\n") {
		t.Errorf("README.md has not the table\n%s", table)
	}
}
