package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/results"
)

// TestOutputIsInput: no command writes over what it reads, however the output and the input are spelled, nor into a folder that it would
// read the next time. Nothing is touched then.
func TestOutputIsInput(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	photos := photos(t, 6)
	augmix(t, exitDone, "data", "convert", photos, "-o", "d", "--output-format", "folder")
	augmix(t, exitDone, "data", "convert", photos, "-o", "tars", "--output-format", "wds")
	augmix(t, exitDone, "data", "convert", photos, "--size", "36", "--crop", "32", "-o", "eq.npy")
	augmix(t, exitDone, "corrupt", "d", "-o", "c", "--subset", "fog", "--severity", "1")
	link := func(to, name string) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.Symlink(to, name)); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	link("d", "linked")
	link("eq.npy", "linked.npy")
	link(filepath.Join(root, "d", "cat", "0000.png"), "links/cat/1.png") // a selection, as of ImageNet
	state := func() map[string]string {                                  // without the links to folders, which are no files
		files := map[string]string{}
		for _, path := range []string{"d", "tars", "c", "eq.npy", "links"} {
			for name, text := range tree(t, path) {
				files[path+"/"+name] = text
			}
		}
		names, err := filepath.Glob("*")
		if err != nil {
			t.Fatal(err)
		}
		files[""] = strings.Join(names, " ")
		return files
	}
	before := state()
	inside := "and would be read with it the next time"
	for _, c := range []struct{ command, want string }{
		{"augment d -o d", "d is read and written"},
		{"augment d -o d --epochs 2", inside},
		{"data convert ./d -o " + root + "/d --output-format folder", "is read and written"},
		{"data convert d -o linked --output-format folder", "is read and written"},
		{"data convert linked -o d --output-format wds", "is read and written"},
		{"corrupt d -o d --subset fog", "d is read and written"},
		{"corrupt c/fog/1 -o c --subset fog --severity 2", "lies in the output c"},
		{"perturb d -o ./d --subset tilt --output-format folder", "is read and written"},
		{"stream d -o d --subset fog", "is read and written"},
		{"augment links -o d", "links/cat/1.png, which is read, lies in the output d"},
		{"data convert tars/data-000000.tar -o tars --output-format wds", "data-000000.tar, which is read, lies in the output tars"},
		{"data convert tars -o tars/more --output-format wds", "tars/more lies in tars, " + inside},
		{"augment d -o d/augmented", "d/augmented lies in d, " + inside},
		{"augment . -o aug", "aug lies in ., " + inside},
		{"augment d/cat -o d", "which is read, lies in the output d"},
		{"augment eq.npy -o eq.npy", "eq.npy, which is read, would be replaced"},
		{"augment eq.npy -o ./linked.npy", "eq.npy, which is read, would be replaced"},
		{"augment linked.npy -o eq.npy", "linked.npy, which is read, would be replaced"},
		{"augment tars -o d --mix pixmix --crop 32 --mixset d/cat", "d/cat, which is read, lies in the output d"},
	} {
		o := augmix(t, exitFailed, append(strings.Fields(c.command), "--force")...)
		if !strings.Contains(o.err, c.want) || strings.Count(o.err, "error:") != 1 {
			t.Errorf("%s: %s", c.command, o.err)
		}
		if got := state(); !maps.Equal(got, before) {
			t.Fatalf("%s has changed files", c.command)
		}
	}
	// What is no danger: a place beside the input, one that no format looks at, and one beside the file that is read.
	for _, ok := range []string{"augment d -o d2", "augment d -o d/.made/aug", "augment eq.npy -o eq2.npy", "data convert d/cat/0000.png -o d/cat2.png"} {
		augmix(t, exitDone, strings.Fields(ok)...)
		augmix(t, exitDone, append(strings.Fields(ok), "--force")...)
	}
}

// TestRemoteOutputIsInput is TestOutputIsInput in a store.
func TestRemoteOutputIsInput(t *testing.T) {
	bucket := remote(t)
	augmix(t, exitDone, "data", "convert", "s3://bucket/in", "-o", "s3://bucket/ee", "--output-format", "folder")
	before := tree(t, bucket)
	for _, c := range []struct{ in, out, want string }{
		{"s3://bucket/ee", "s3://bucket/ee", "s3://bucket/ee is read and written"},
		{"s3://bucket/ee/", "s3://bucket/ee", "s3://bucket/ee is read and written"},
		{"s3://bucket/ee/cat", "s3://bucket/ee", "which is read, lies in the output s3://bucket/ee"},
		{"s3://bucket/ee", "s3://bucket/ee/more", "s3://bucket/ee/more lies in s3://bucket/ee"},
	} {
		if o := augmix(t, exitFailed, "augment", c.in, "-o", c.out, "--force"); !strings.Contains(o.err, c.want) {
			t.Errorf("%s to %s: %s", c.in, c.out, o.err)
		}
		if got := tree(t, bucket); !maps.Equal(got, before) {
			t.Fatalf("%s to %s has changed objects", c.in, c.out)
		}
	}
	augmix(t, exitDone, "augment", "s3://bucket/ee", "-o", "s3://bucket/ee2")
}

// TestFileIsInput: so it is with commands that write one file, also into a folder that they would look at the next time.
func TestFileIsInput(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	augmix(t, exitDone, "data", "convert", photos(t, 2), "-o", "d", "--output-format", "folder")
	augmix(t, exitDone, "mixset", "fractals", "-n", "2", "--size", "64", "-o", "set")
	write(t, "cat.png", testImage(t, 1, 64, 64))
	write(t, "net.png", []byte("weights"))
	for i, name := range []string{"frost1.png", "frost2.png", "frost3.png", "frost4.jpg", "frost5.jpg"} {
		write(t, filepath.Join("frost", name), testImage(t, i, 64, 64))
	}
	write(t, "cat.html", testImage(t, 1, 64, 64))
	write(t, "d.html", []byte("cat/0000.png cat\ndog/0001.png dog\n"))
	linked := filepath.Join(t.TempDir(), "linked")
	if err := os.Symlink(filepath.Join(root, "d"), linked); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	before := tree(t, ".")
	image := "d/cat/0000.png"
	for _, c := range []struct{ command, want string }{
		{"sheet cat.png -o cat.png", "cat.png, which is read, would be replaced"},
		{"sheet cat.png -o ./d/../cat.png --mix augmix", "cat.png, which is read, would be replaced"},
		{"sheet d -o " + image, "which is read, would be replaced"},
		{"sheet " + linked + " -o d/cat/new.png --severity 1", "d/cat/new.png lies in " + linked + ", and would be read with it the next time"},
		{"sheet d --group-by ^(.) -o d/x.png", "d/x.png lies in d"},
		{"sheet --mixset set --tile 64 -o set/new.png", "set/new.png lies in set"},
		{"sheet cat.png --mix pixmix --mixset fractals+set -o set/new.png", "set/new.png lies in set"},
		{"sheet --corruptions --frost-dir frost -o frost/frost1.png", "frost/frost1.png lies in frost"},
		{"sheet --mix deepaugment --network net.png -o net.png", "net.png, which is read, would be replaced"},
		{"studio cat.html --export cat.html", "cat.html, which is read, would be replaced"},
		{"studio d --labels d.html --export ./d.html", "d.html, which is read, would be replaced"},
		{"export net.png -o net.png", "net.png, which is read, would be replaced"},
		{"augment cat.png -o cat2.npy --mix pixmix --crop 32 --mixset fractals+set -o set", "which is read, lies in the output set"},
	} {
		o := augmix(t, exitFailed, strings.Fields(c.command)...)
		if !strings.Contains(o.err, c.want) {
			t.Errorf("%s: %s", c.command, o.err)
		}
		if got := tree(t, "."); !maps.Equal(got, before) {
			t.Fatalf("%s has changed files", c.command)
		}
	}
	for _, name := range []string{"cat.png", image, "d/cat"} {
		if o := augmix(t, exitUsage, "studio", "d", "--export", name); !strings.Contains(o.err, ".html") || !maps.Equal(tree(t, "."), before) {
			t.Errorf("--export %s: %s", name, o.err)
		}
	}
	augmix(t, exitDone, "studio", "cat.png", "--export", "d/cat/corrupt.html") // no part of the data set
	// An earlier sheet is replaced, and a name that no format looks at is no danger.
	for range 2 {
		augmix(t, exitDone, "sheet", "d", "-o", "sheet.png", "--mix", "augmix", "--samples", "1")
		augmix(t, exitDone, "sheet", "d", "-o", "d/.sheet.png", "--mix", "augmix", "--samples", "1")
	}
}

// TestScoresAreInput: so it is with what is scored and reported; in the folder of a run a report lies well.
func TestScoresAreInput(t *testing.T) {
	t.Chdir(t.TempDir())
	line := "{\"logits\":[1,2],\"label\":0}\n"
	write(t, "p.jsonl", []byte(line+line))
	write(t, "other.jsonl", []byte(line+line))
	write(t, "c/fog/1.jsonl", []byte(line))
	run := reportRun(t, "standard", 0.5, 0.75)
	rows := filepath.Join(run, results.FileName)
	before := tree(t, ".")
	for _, c := range []struct{ command, want string }{
		{"score p.jsonl -o p.jsonl", "p.jsonl, which is read, would be replaced"},
		{"score p.jsonl --records ./p.jsonl", "which is read"},
		{"score p.jsonl --per-class --confusion p.jsonl", "which is read"},
		{"score p.jsonl --compare other.jsonl -o other.jsonl", "other.jsonl, which is read"},
		{"score c -o c/results.jsonl", "c/results.jsonl lies in c"},
		{"report " + rows + " --format csv -o " + rows, "which is read"},
		{"report " + run + " --format md -o " + rows, "which is read"},
	} {
		if o := augmix(t, exitFailed, strings.Fields(c.command)...); !strings.Contains(o.err, c.want) || !maps.Equal(tree(t, "."), before) {
			t.Errorf("%s: %s", c.command, o.err)
		}
	}
	augmix(t, exitDone, "report", run, "-o", filepath.Join(run, "report.html"))
	augmix(t, exitDone, "score", "p.jsonl", "-o", "rows.jsonl")
}

// TestArgsOfOthers: a run and an evaluation replace no args.yaml but their own.
func TestArgsOfOthers(t *testing.T) {
	t.Chdir(t.TempDir())
	training := func(out string) []string {
		return slices.Concat([]string{"train", "--data", "scenes:n=20,size=32,split=train", "--epochs", "1", "-o", out}, smallTraining[:6], []string{"-q"})
	}
	const test = "scenes:n=10,size=32,split=test"
	augmix(t, exitDone, training("net")...)
	augmix(t, exitDone, "augment", photos(t, 2), "-o", "set", "-q")
	write(t, "mine/args.yaml", []byte("# my recipe\ndata: "+test+"\nmodel: densenet-7-2\nepochs: 1\n"))
	write(t, "out/b/args.yaml", []byte("# mine\n"))
	write(t, "two.yaml", []byte("data: scenes:n=20,size=32\nmodel: densenet-7-2\nmethods: {a: {}, b: {}}\nrun: {test: '"+test+"'}\n"))
	before := tree(t, ".")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"out/b/args.yaml is not of augmix train,", []string{"run", "two.yaml", "-o", "out"}},
		{"mine/args.yaml is not of augmix train, and would be replaced (allowed: another folder)", []string{"train", "mine/args.yaml", "-o", "mine"}},
		{"set/args.yaml is not of augmix train,", training("set")},
		{"set/args.yaml is not of augmix eval or feed, and would be replaced (allowed: another folder)", []string{"eval", "net", test, "-o", "set"}},
		{"net/args.yaml is not of augmix eval or feed, and would be replaced (allowed: another folder, such as net/eval)", []string{"eval", "net", test, "-o", "net"}},
	} {
		if o := augmix(t, exitUsage, c.args...); !strings.Contains(o.err, "--out: "+c.want) || !maps.Equal(tree(t, "."), before) {
			t.Errorf("%q: %s", c.args, o.err)
		}
	}
	for range 2 {
		augmix(t, exitDone, "eval", "net", test, "-o", "net/eval", "-q")
	}
}

// TestRunIsInput: neither a run nor results lie in a folder of classes that is read, in which they would be classes.
func TestRunIsInput(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"d", "parts/train", "parts/test"} {
		augmix(t, exitDone, "data", "convert", photos(t, 4), "--size", "36", "--crop", "32", "-o", dir, "--output-format", "folder", "-q")
	}
	if err := os.Rename(cifarFolder(t, 20), "cifar"); err != nil {
		t.Fatal(err)
	}
	const recipe = "data: parts\nmodel: densenet-7-2\ncrop: pad4:32\nepochs: 1\nmethods: {a: {}}\nrun: {suites: [clean]}\n"
	write(t, "r.yaml", []byte(recipe))
	write(t, "part.yaml", []byte(recipe+"val-fraction: 0.5\n"))
	training := func(more ...string) []string {
		return slices.Concat([]string{"train"}, smallTraining, []string{"--epochs", "1"}, more)
	}
	augmix(t, exitDone, training("--data", "d", "-o", "net")...)
	before := tree(t, ".")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"d/runs/a lies in d, and would be read with it the next time", training("--data", "d", "-o", "d/runs/a")},
		{"d/runs lies in ./d,", training("--data", "parts/train", "--val", "./d", "-o", "d/runs")},
		{"d/cat/x lies in d,", training("--data", "d", "-o", "d/cat/x")},
		{"parts/runs lies in parts,", training("--data", "parts", "-o", "parts/runs")},
		{"d/ev lies in d,", []string{"eval", "net", "d", "-o", "d/ev"}},
		{"d/ev lies in d,", []string{"eval", "net", "parts/test", "--suite", "calibration", "--temperature-on", "d", "-o", "d/ev"}},
		{"parts/ev lies in parts,", []string{"eval", "net", "parts", "-o", "parts/ev"}},
		{"parts/out/a lies in parts,", []string{"run", "r.yaml", "-o", "parts/out"}},
		{"d/out/a lies in d,", []string{"run", "r.yaml", "--test", "d", "-o", "d/out"}},
		{"d/out/a/eval lies in d,", []string{"run", "part.yaml", "--test", "d", "-o", "d/out"}},
	} {
		if o := augmix(t, exitFailed, c.args...); !strings.Contains(o.err, c.want) || !maps.Equal(tree(t, "."), before) {
			t.Errorf("%q: %s", c.args, o.err)
		}
	}
	augmix(t, exitDone, training("--data", "parts/train", "--val", "parts/test", "-o", "parts/runs")...)
	augmix(t, exitDone, training("--data", "d", "-o", "d/.runs")...)
	for range 2 { // goes by names of files
		augmix(t, exitDone, training("--data", "cifar", "-o", "cifar/runs", "--resume")...)
	}
}
