package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/raster"
)

// expansions are runs of both commands in every form.
var expansions = []struct {
	name string
	args []string
}{
	{"corrupt to npy", []string{"corrupt", "--size", "36", "--crop", "32", "--subset", "noise,pixelate", "--output-format", "npy"}},
	{"corrupt to folder", []string{"corrupt", "--subset", "digital,cbar", "--severity", "2,5", "--output-format", "folder"}},
	{"corrupt to wds", []string{"corrupt", "--subset", "fog,spatter", "--output-format", "wds", "--per-shard", "8", "--image", "png"}},
	{"perturb to npy", []string{"perturb", "--size", "36", "--crop", "32", "--subset", "snow,shot_noise", "--difficulty", "1-3", "--output-format", "npy"}},
	{"perturb to folder", []string{"perturb", "--subset", "rotate", "--output-format", "folder"}},
	{"perturb to gif", []string{"perturb", "--subset", "tilt,scale", "--output-format", "gif", "--size", "20"}},
}

// Same bytes when the process is killed again and again.
func TestExpandKilled(t *testing.T) {
	in := photos(t, 24)
	for _, e := range expansions {
		t.Run(e.name, func(t *testing.T) {
			whole, dir := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "out")
			args := append(e.args, in, "--seed", "3")
			augmix(t, exitDone, append(args, "-o", whole, "-j", "1")...)
			killedAtJournals(t, filepath.Join(dir, ".augmix", "journal.json"), append(args, "-o", dir, "--checkpoint", "3ms")...)
			sameTree(t, tree(t, dir), tree(t, whole))
			augmix(t, exitDone, "verify", dir)
		})
	}
}

// Same bytes for any number of workers and of shards.
func TestExpandWorkersAndShards(t *testing.T) {
	in := photos(t, 10)
	for _, e := range expansions {
		t.Run(e.name, func(t *testing.T) {
			base := t.TempDir()
			args := append(e.args, in, "-o")
			augmix(t, exitDone, append(args, filepath.Join(base, "1"), "-j", "1")...)
			augmix(t, exitDone, append(args, filepath.Join(base, "7"), "-j", "7")...)
			want := tree(t, filepath.Join(base, "1"))
			sameTree(t, tree(t, filepath.Join(base, "7")), want)
			out := filepath.Join(base, "shards")
			for _, i := range []string{"2", "0", "1"} {
				o := augmix(t, exitDone, append(args, out, "--shard", i+"/3")...)
				if wait := i != "1"; strings.Contains(o.err, "to come") != wait || strings.Contains(o.err, "all parts are done") == wait {
					t.Errorf("shard %s says %q", i, o.err)
				}
			}
			sameTree(t, tree(t, out), want)
			augmix(t, exitDone, "verify", out)
		})
	}
}

func arrayShape(t *testing.T, path string) string {
	t.Helper()
	a, err := npy.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%T %v", a.Data, a.Shape)
}

// The shapes and types of the published files.
func TestPublishedArrays(t *testing.T) {
	dir := t.TempDir()
	set := filepath.Join(dir, "set.npy")
	augmix(t, exitDone, "data", "convert", photos(t, 4), "--crop", "32", "-o", set)
	c, bar, p := filepath.Join(dir, "C"), filepath.Join(dir, "bar"), filepath.Join(dir, "P")
	augmix(t, exitDone, "corrupt", set, "-o", c)
	augmix(t, exitDone, "corrupt", set, "-o", bar, "--subset", "cbar")
	augmix(t, exitDone, "perturb", set, "-o", p, "--difficulty", "1-2")
	for path, want := range map[string]string{
		filepath.Join(c, "labels.npy"):           "[]uint8 [20]",
		filepath.Join(c, "saturate.npy"):         "[]uint8 [20 32 32 3]",
		filepath.Join(c, "frost.npy"):            "[]uint8 [20 32 32 3]",
		filepath.Join(bar, "labels.npy"):         "[]int64 [20]",
		filepath.Join(bar, "ripple.npy"):         "[]uint8 [20 32 32 3]",
		filepath.Join(p, "labels.npy"):           "[]uint8 [4]",
		filepath.Join(p, "translate.npy"):        "[]uint8 [4 16 32 32 3]",
		filepath.Join(p, "motion_blur.npy"):      "[]uint8 [4 21 32 32 3]",
		filepath.Join(p, "gaussian_noise_2.npy"): "[]uint8 [4 31 32 32 3]",
	} {
		if got := arrayShape(t, path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	for dir, count := range map[string]int{c: 19, bar: 10, p: 12} {
		if n := len(tree(t, dir)); n != count+4 { // labels, classes, manifest, options
			t.Errorf("%s holds %d files, want %d", dir, n, count+4)
		}
	}
	text, err := os.ReadFile(filepath.Join(c, "manifest.json"))
	if err != nil || !strings.Contains(string(text), "generated ice crystals") {
		t.Errorf("the manifest does not say which frost was used: %v", err)
	}
	// The options that a run leaves are those of the same run.
	again := filepath.Join(dir, "again")
	augmix(t, exitDone, "corrupt", set, "-o", again, "--config", filepath.Join(bar, "args.yaml"))
	sameTree(t, tree(t, again), tree(t, bar))
	// Each is a data set by itself.
	o := augmix(t, exitDone, "data", "info", filepath.Join(c, "fog.npy"), "--json")
	var info struct{ Samples int }
	if err := json.Unmarshal([]byte(o.out), &info); err != nil || info.Samples != 20 {
		t.Errorf("data info: %s", o.out)
	}
}

func TestCorruptUsage(t *testing.T) {
	in := photos(t, 2)
	out := filepath.Join(t.TempDir(), "out")
	// Of a tar file on standard input nobody knows how many images it holds.
	shards := filepath.Join(t.TempDir(), "shards")
	augmix(t, exitDone, "data", "convert", in, "-o", shards, "--output-format", "wds")
	stream, err := os.ReadFile(filepath.Join(shards, "data-000000.tar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		says string
	}{
		{"corrupt IN -o OUT --severity 5.5", "0 to 5"},
		{"corrupt IN -o OUT --severity 6", "0 to 5"},
		{"corrupt IN -o OUT --subset hail", "gaussian_noise"},
		{"corrupt IN -o OUT --subset ripple --bar-profile imagenet", "imagenet"},
		{"corrupt IN -o OUT --profile 48", "224"},
		{"corrupt IN -o OUT --shard 3/3", "I/N"},
		{"corrupt IN -o OUT --quality 0", "1 to 100"},
		{"corrupt IN -o OUT --crop -1", "--crop"},
		{"corrupt IN -o OUT.npy", "folder"},
		{"corrupt IN -o OUT.png", "--subset fog --severity 3"},
		{"corrupt IN -o OUT --shard 0/2 --force", "shards"},
		{"corrupt - -o OUT --output-format npy", "standard input"},
		{"corrupt - -o OUT --subset cbar", "standard input"},
		{"perturb IN -o OUT --subset wobble", "translate"},
		{"perturb IN -o OUT --difficulty 4", "1 to 3"},
		{"perturb IN -o OUT --subset tilt --difficulty 2", "noises"},
		{"perturb IN -o OUT.gif", "folder"},
		{"perturb IN -o OUT --delay 2h", "1m"},
		{"perturb - -o OUT --output-format npy", "standard input"},
	} {
		content := stream
		args := strings.Fields(strings.NewReplacer("IN", in, "OUT", out).Replace(c.args))
		if o := augmixIn(t.Context(), content, args...); o.code != exitUsage || !strings.Contains(o.err, c.says) {
			t.Errorf("%s: exit code %d, says %q, want %q", c.args, o.code, o.err, c.says)
		}
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("%s: something was written", c.args)
		}
	}
}

func TestCorruptRefuses(t *testing.T) {
	in := photos(t, 3)
	write(t, filepath.Join(in, "dog", "tiny.png"), testImage(t, 1, 5, 5))
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"corrupt", in, "-o", out, "--subset", "digital", "--severity", "1"}
	o := augmix(t, exitFailed, args...)
	for _, word := range []string{"tiny.png", "elastic_transform", "5x5", "at least 6", "--on-error skip"} {
		if !strings.Contains(o.err, word) {
			t.Errorf("%q lacks %s", o.err, word)
		}
	}
	augmix(t, exitRejected, append(args, "--on-error", "skip")...)
	augmix(t, exitDone, "verify", out)
	if n := len(tree(t, out)); n != 5*3+2 {
		t.Errorf("%d files", n)
	}
	// Arrays hold one size.
	o = augmix(t, exitFailed, "corrupt", photos(t, 3), "-o", out+"2", "--subset", "fog", "--output-format", "npy")
	if !strings.Contains(o.err, "--size and --crop") || strings.Contains(o.err, "panic") {
		t.Errorf("several sizes: %q", o.err)
	}
	for name := range tree(t, out+"2") {
		if strings.HasSuffix(name, ".npy") {
			t.Errorf("%s is there", name)
		}
	}
	o = augmix(t, exitFailed, "corrupt", filepath.Join(in, "nowhere"), "-o", out+"3")
	if !strings.Contains(o.err, "nowhere") {
		t.Errorf("no input: %q", o.err)
	}
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, nil)
	if o := augmix(t, exitFailed, "corrupt", in, "-o", filepath.Join(file, "out")); !strings.Contains(o.err, "file") {
		t.Errorf("no folder can be made: %q", o.err)
	}
}

// A file of the input is gone when its turn comes: it was listed, as a link that leads nowhere is.
func TestCorruptVanishedInput(t *testing.T) {
	in := photos(t, 12)
	if err := os.Remove(filepath.Join(in, "dog", "0004.png")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(in, "nothing"), filepath.Join(in, "dog", "0004.png")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"corrupt", in, "-o", out, "--subset", "fog"}
	if o := augmix(t, exitFailed, args...); !strings.Contains(o.err, "0004.png") {
		t.Errorf("says %q", o.err)
	}
	if _, err := os.Stat(filepath.Join(out, "manifest.json")); err == nil {
		t.Error("there is a manifest")
	}
	augmix(t, exitRejected, append(args, "--on-error", "skip")...)
	augmix(t, exitDone, "verify", out)
}

// A gray image is corrupted as the color image that looks the same.
func TestCorruptGray(t *testing.T) {
	m := raster.New(32, 32)
	for i := range 32 * 32 {
		v := uint8(i * 7)
		m.Set(i%32, i/32, raster.RGB{R: v, G: v, B: v})
	}
	dir := t.TempDir()
	color, err := data.Encoding{}.Append(nil, m)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "color", "a", "x.png"), color)
	gray := image.NewGray(image.Rect(0, 0, 32, 32))
	for i := range gray.Pix {
		gray.Pix[i] = m.Pix[4*i]
	}
	var file bytes.Buffer
	if err := png.Encode(&file, gray); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "gray", "a", "x.png"), file.Bytes())
	for _, what := range []string{"color", "gray"} {
		augmix(t, exitDone, "corrupt", filepath.Join(dir, what), "-o", filepath.Join(dir, what+"-C"), "--image", "png", "--severity", "3")
	}
	for _, name := range []string{"fog", "gaussian_noise", "jpeg_compression"} {
		sameTree(t, tree(t, filepath.Join(dir, "gray-C", name)), tree(t, filepath.Join(dir, "color-C", name)))
	}
}

// TestCorruptNamesOfImageNet: every path CORRUPTION/SEVERITY/CLASS/NAME.JPEG of a list of validation images, as RobustBench's
// loader joins it, is in the tree that is made of them. (With its own list of 5,000 images and the 19 corruptions all 475,000
// paths were found.)
func TestCorruptNamesOfImageNet(t *testing.T) {
	dir := t.TempDir()
	list := "n00000010/ILSVRC2012_val_00000007.JPEG\nn00000002/ILSVRC2012_val_00049999.JPEG\nn00000010/ILSVRC2012_val_00012345.JPEG"
	var file bytes.Buffer
	if err := jpeg.Encode(&file, image.NewRGBA(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(list, "\n") {
		write(t, filepath.Join(dir, "val", filepath.FromSlash(line)), file.Bytes())
	}
	augmix(t, exitDone, "corrupt", filepath.Join(dir, "val"), "-o", filepath.Join(dir, "C"), "--subset", "common", "-q")
	found := 0
	names, err := corrupt.Names("common")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		for severity := range 5 {
			for line := range strings.SplitSeq(list, "\n") {
				path := filepath.Join(dir, "C", name, strconv.Itoa(severity+1), filepath.FromSlash(line))
				if content, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(content, []byte("\xff\xd8")) {
					t.Errorf("%s: %v", path, err)
				} else {
					found++
				}
			}
		}
	}
	if found != 15*5*3 {
		t.Errorf("%d paths", found)
	}
}

func TestCorruptOneImage(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "cat.png")
	file := testImage(t, 1, 48, 40)
	write(t, in, file)
	out := filepath.Join(dir, "foggy.png")
	augmix(t, exitDone, "corrupt", in, "-o", out, "--subset", "fog", "--severity", "4")
	augmix(t, exitDone, "verify", out)
	m, err := png.Decode(strings.NewReader(tree(t, dir)["foggy.png"]))
	if err != nil || m.Bounds().Dx() != 48 {
		t.Errorf("%v", err)
	}
	o := augmixIn(t.Context(), file, "corrupt", "-", "-o", "-", "--subset", "fog", "--severity", "4")
	if _, err := png.Decode(strings.NewReader(o.out)); err != nil || o.code != exitDone {
		t.Errorf("a pipe: exit code %d, %v, %q", o.code, err, o.err)
	}
	augmix(t, exitDone, "corrupt", in, "-o", filepath.Join(dir, "x.jpg"), "--subset", "snow", "--severity", "1")
	if !strings.HasPrefix(tree(t, dir)["x.jpg"], "\xff\xd8") {
		t.Error("x.jpg is no JPEG file")
	}
}

func TestFrostDir(t *testing.T) {
	dir, in := t.TempDir(), photos(t, 2)
	frost := filepath.Join(dir, "frost")
	out := filepath.Join(dir, "out")
	args := []string{"corrupt", in, "-o", out, "--subset", "frost", "--severity", "3", "--image", "png", "--frost-dir", frost}
	if o := augmix(t, exitFailed, args...); !strings.Contains(o.err, "frost1.png") {
		t.Errorf("no photographs: %q", o.err)
	}
	names := []string{"frost1.png", "frost2.png", "frost3.png", "frost4.jpg", "frost5.jpg"}
	for i, name := range names {
		write(t, filepath.Join(frost, name), testImage(t, i, 60, 70)) // PNG inside, whatever the name says
	}
	augmix(t, exitDone, args...)
	files := tree(t, out)
	if !strings.Contains(files["manifest.json"], "five photographs of --frost-dir") {
		t.Error("the manifest does not say which frost was used")
	}
	generated := filepath.Join(dir, "generated")
	augmix(t, exitDone, "corrupt", in, "-o", generated, "--subset", "frost", "--severity", "3", "--image", "png")
	if name := "frost/3/cat/0000.png"; files[name] == "" || files[name] == tree(t, generated)[name] {
		t.Error("the photographs make no difference")
	}
	// Others of the same name are another run.
	write(t, filepath.Join(frost, names[0]), testImage(t, 9, 60, 70))
	if o := augmix(t, exitFailed, args...); !strings.Contains(o.err, "frost: was the five") {
		t.Errorf("other photographs: %q", o.err)
	}
}

// A task of an array does all of IN unless it asks for a part: arrays may well be over seeds, with an output each.
func TestNoShardByItself(t *testing.T) {
	in, dir := photos(t, 4), t.TempDir()
	for name, env := range map[string]map[string]string{
		"k8s": {"JOB_COMPLETION_INDEX": "0", "JOB_COMPLETIONS": "2"},
		"slurm": {
			"SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "1",
			"SLURM_ARRAY_TASK_STEP": "1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			for k, v := range env {
				t.Setenv(k, v)
			}
			for command, args := range map[string][]string{
				"corrupt": {"--subset", "fog", "--severity", "1"}, "perturb": {"--subset", "tilt"}, "augment": {"--mix", "augmix-m1"},
			} {
				out := filepath.Join(dir, name+command)
				augmix(t, exitDone, append([]string{command, in, "-o", out, "-q"}, args...)...)
				augmix(t, exitDone, "verify", out)
				if m := tree(t, out)["manifest.json"]; !strings.Contains(m, `"samples": 4`) {
					t.Errorf("%s did not do all four samples: %.300s", command, m)
				}
			}
		})
	}
}

// --shard auto by the environment of clusters.
func TestShardEnvironment(t *testing.T) {
	t.Setenv("JOB_COMPLETION_INDEX", "0")
	t.Setenv("JOB_COMPLETIONS", "2")
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"corrupt", photos(t, 4), "-o", out, "--subset", "contrast", "--shard", "auto"}
	if o := augmix(t, exitDone, args...); !strings.Contains(o.err, "JOB_COMPLETION_INDEX") {
		t.Errorf("says %q", o.err)
	}
	if o := augmix(t, exitFailed, "verify", out); !strings.Contains(o.err, "1/2") {
		t.Errorf("verify of a part: %q", o.err)
	}
	t.Setenv("JOB_COMPLETION_INDEX", "1")
	augmix(t, exitDone, args...)
	augmix(t, exitDone, "verify", out)
	all := filepath.Join(t.TempDir(), "all") // the flag counts more
	augmix(t, exitDone, "corrupt", args[1], "-o", all, "--subset", "contrast", "--shard", "0/1")
	augmix(t, exitDone, "verify", all)
	t.Setenv("JOB_COMPLETIONS", "x")
	if o := augmix(t, exitUsage, args...); !strings.Contains(o.err, "JOB_COMPLETIONS=x") || !strings.Contains(o.err, "--shard I/N") {
		t.Errorf("says %q", o.err)
	}
}

// Severities between the published ones have folders of their own; whole ones keep their bytes, however they are written.
func TestFractionsOfSeverity(t *testing.T) {
	in, dir := photos(t, 3), t.TempDir()
	out := func(name, severity string) map[string]string {
		augmix(t, exitDone, "corrupt", in, "-o", filepath.Join(dir, name), "--subset", "fog,spatter,sparkles", "--severity", severity,
			"--image", "png", "-q")
		return tree(t, filepath.Join(dir, name))
	}
	some, whole := out("some", "0,2.5,3.0"), out("whole", "3")
	n := map[string]int{}
	for path, file := range some {
		parts := strings.Split(path, "/")
		if len(parts) < 3 {
			continue
		}
		if n[parts[1]]++; parts[1] == "3" && file != whole[path] {
			t.Errorf("%s: not the bytes of severity 3", path)
		}
	}
	if n["0"] != 9 || n["2.5"] != 9 || n["3"] != 9 {
		t.Errorf("images by severity: %v", n)
	}
	augmix(t, exitDone, "verify", filepath.Join(dir, "some"))
	if more := out("some", "0,1.5,2.5,3"); len(more) != len(some)+9 {
		t.Errorf("%d files, then with another severity %d", len(some), len(more))
	}
	for _, bad := range []string{"5.5", "2.00001", "1-2:0"} {
		o := augmix(t, exitUsage, "corrupt", in, "-o", filepath.Join(dir, "bad"), "--severity", bad)
		if !strings.Contains(o.err, "severity \""+bad+"\" (allowed: 0 to 5 with up to three decimals") {
			t.Errorf("%s: %s", bad, o.err)
		}
	}
	if o := augmix(t, exitUsage, "perturb", in, "-o", filepath.Join(dir, "bad"), "--difficulty", "1.5"); !strings.Contains(o.err, `difficulty "1.5" (allowed: 1 to 3`) {
		t.Error(o.err)
	}
}

// What has none of the difficulties is named.
func TestPerturbLeavesOut(t *testing.T) {
	out := filepath.Join(t.TempDir(), "p")
	o := augmix(t, exitDone, "perturb", photos(t, 1), "-o", out, "--subset", "tilt,gaussian_noise", "--difficulty", "2", "--size", "40", "--crop", "32")
	if !strings.Contains(o.err, "left out: tilt, as only noises") || tree(t, out)["manifest.json"] == "" {
		t.Error(o.err)
	}
}

// Parameters of one's own: printed, changed, used, and part of what is recorded and resumed.
func TestOwnParameters(t *testing.T) {
	in, dir := photos(t, 2), t.TempDir()
	mine := filepath.Join(dir, "my.yaml")
	text := augmix(t, exitDone, "list", "corruptions", "contrast", "--profile", "224").out
	write := func(text string) {
		if err := os.WriteFile(mine, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out := func(name, profile string, code int) outcome {
		return augmix(t, code, "corrupt", in, "-o", filepath.Join(dir, name), "--subset", "contrast,brightness", "--severity", "1,2.5",
			"--profile", profile, "--image", "png", "-q")
	}
	images := func(name string) map[string]string {
		files := tree(t, filepath.Join(dir, name))
		delete(files, "args.yaml")
		delete(files, "manifest.json")
		return files
	}
	write(text)
	out("published", "224", exitDone)
	out("same", mine, exitDone)
	sameTree(t, images("same"), images("published"))
	write(strings.Replace(text, "[0.4, 0.3,", "[0.9, 0.8,", 1))
	if o := out("same", mine, exitFailed); !strings.Contains(o.err, "parameters: was ") {
		t.Error(o.err)
	}
	out("other", mine, exitDone)
	other, published := images("other"), images("published")
	for path, file := range other {
		if changed := file != published[path]; changed != strings.HasPrefix(path, "contrast/") {
			t.Errorf("%s: changed %v", path, changed)
		}
	}
	write("corruptions: {contrast: {factor: [1, 1, 1, 1]}}")
	if o := out("bad", mine, exitUsage); !strings.Contains(o.err, mine+": bad parameters: contrast: factor: 4 values (allowed: 5") {
		t.Error(o.err)
	}
}

// Frames of a clip share fog and not noise, in files as in a feed.
func TestGroupBy(t *testing.T) {
	from, in, dir := photos(t, 1), t.TempDir(), t.TempDir()
	var photo []byte
	ext := ""
	for name, file := range tree(t, from) { // the only one
		photo, ext = []byte(file), filepath.Ext(name)
	}
	for _, name := range []string{"a/1", "a/2", "b/1"} {
		if err := os.MkdirAll(filepath.Join(in, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(in, name+ext), photo)
	}
	args := []string{in, "--group-by", "^[^/]+", "--seed", "3", "--severity", "2"}
	augmix(t, exitDone, append([]string{"corrupt", "-o", filepath.Join(dir, "out"), "--subset", "fog,gaussian_noise", "--image", "png", "-q"}, args...)...)
	files := tree(t, filepath.Join(dir, "out"))
	at := func(path string) string {
		if files[path] == "" {
			t.Fatalf("no %s", path)
		}
		return files[path]
	}
	if at("fog/2/a/1.png") != at("fog/2/a/2.png") || at("fog/2/a/1.png") == at("fog/2/b/1.png") || at("gaussian_noise/2/a/1.png") == at("gaussian_noise/2/a/2.png") {
		t.Error("frames of a clip share other draws than those of fog")
	}
	f := feedAll(t, false, nil, append([]string{"--corrupt", "fog,gaussian_noise", "--batch", "3", "--epochs", "1", "--no-shuffle"}, args...)...)
	images := f.array("images") // two forms of each
	n := len(images) / 6
	form := func(i int) []byte { return images[i*n : (i+1)*n] }
	fog, noise := 0, 1
	if f.Hello.Forms[0].Name != "fog" {
		fog, noise = 1, 0
	}
	if !bytes.Equal(form(fog), form(2+fog)) || bytes.Equal(form(fog), form(4+fog)) || bytes.Equal(form(noise), form(2+noise)) {
		t.Errorf("in a feed frames of a clip share other draws: %s", f.errs.String())
	}
	write(t, filepath.Join(in, "a/3.png"), testImage(t, 1, 30, 20))
	for crop, warns := range map[string]bool{"0": true, "20": false} {
		o := augmix(t, exitDone, append([]string{"corrupt", "-o", filepath.Join(dir, "sizes"+crop), "--subset", "fog", "--crop", crop}, args...)...)
		if strings.Contains(o.err, "warning: frames of a clip differ in size") != warns {
			t.Errorf("crop %s: %s", crop, o.err)
		}
	}
	none := []string{"corrupt", in, "-o", filepath.Join(dir, "none"), "--subset", "fog", "--severity", "2", "--group-by", "^a"}
	if o := augmix(t, exitUsage, none...); !strings.Contains(o.err, `key "b/1" is in no group`) || !strings.Contains(o.err, "--on-error skip leaves it out") {
		t.Error(o.err)
	}
	if _, err := os.Stat(none[3]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left behind an output: %v", err)
	}
	augmix(t, exitRejected, append(none, "--on-error", "skip")...)
}
