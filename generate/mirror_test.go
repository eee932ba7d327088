package generate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/annotated"
	"github.com/augmix-go/augmix/internal/imagefile"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// yolo makes a tree of n images, JPEG and PNG in turn, with labels, and opens it.
func yolo(t testing.TB, n int) *annotated.Tree {
	t.Helper()
	root := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	put("data.yaml", "names: [cat]\n")
	for i := range n {
		m := raster.New(24+i, 20)
		m.Fill(raster.RGB{R: uint8(40 * i), G: 90})
		e := data.Encoding{JPEG: i%2 == 0}
		file, err := e.Append(nil, m)
		if err != nil {
			t.Fatal(err)
		}
		put(fmt.Sprintf("images/val/%d%s", i, map[bool]string{true: ".JPG", false: ".png"}[e.JPEG]), string(file))
		put(fmt.Sprintf("labels/val/%d.txt", i), fmt.Sprintf("0 0.5 0.5 0.%d 0.25\n", 1+i))
	}
	tree, err := annotated.Open(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// The draws that samples of a group share are the group's own in trees too.
func TestMirrorGroups(t *testing.T) {
	in := yolo(t, 2)
	made := func(pattern string) string {
		groups, err := transform.ParseGroups(pattern, 5)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		plan := &transform.Corruptions{Names: []string{"fog"}, Severities: []float64{2}, Groups: groups}
		j := mirrorJob(in, dir)
		j.Task = Mirror{Tree: in, Dir: dir, Variants: plan.Variants(), Quality: 90, Transform: plan.Transform}
		mustRun(t, j)
		return tree(t, dir)["fog/2/images/val/1.png"]
	}
	if clip, image := made("^[^/]+"), made("[0-9]$"); clip == "" || clip == image {
		t.Error("two groups have the same fog")
	}
}

// mirrorJob makes trees of two corruptions.
func mirrorJob(tree *annotated.Tree, dir string) Job {
	plan := &transform.Corruptions{Names: []string{"brightness", "jpeg_compression"}, Severities: []float64{2}}
	return Job{
		Source: tree.Source(), Task: Mirror{Tree: tree, Dir: dir, Variants: plan.Variants(), Quality: 90, Transform: plan.Transform},
		Out: Output{Path: dir}, Options: []Option{{"seed", "5"}}, Seed: 5, Workers: 2, CheckpointEvery: 2,
	}
}

func TestMirror(t *testing.T) {
	in, dir := yolo(t, 5), t.TempDir()
	res := mustRun(t, mirrorJob(in, dir))
	got, want := tree(t, dir), tree(t, in.Root)
	if res.Items != 10 || len(got) != 2*len(want)+1 {
		t.Errorf("%d images, %d files", res.Items, len(got))
	}
	for name, text := range want {
		for _, variant := range []string{"brightness/2/", "jpeg_compression/2/"} {
			copied, ok := got[variant+name]
			was, err := imagefile.Inspect([]byte(text))
			is, _ := imagefile.Inspect([]byte(copied))
			if !ok || err != nil && copied != text || err == nil && copied == text || was.Format != is.Format || was.W != is.W {
				t.Errorf("%s%s: %v, %+v of %+v", variant, name, ok, is, was)
			}
		}
	}
	linked := t.TempDir()
	j := mirrorJob(in, linked)
	m := j.Task.(Mirror)
	m.Link = true
	j.Task = m
	mustRun(t, j)
	sameTree(t, tree(t, linked), got)
	a, err1 := os.Stat(filepath.Join(linked, "brightness/2/data.yaml"))
	b, err2 := os.Stat(filepath.Join(linked, "jpeg_compression/2/data.yaml"))
	if err := errors.Join(err1, err2); err != nil || !os.SameFile(a, b) {
		t.Errorf("no link (%v)", err)
	}
}

// A run that is cut off resumes to the same bytes, among images and among the files beside them.
func TestMirrorResumes(t *testing.T) {
	in, whole := yolo(t, 5), t.TempDir()
	mustRun(t, mirrorJob(in, whole))
	at := time.Unix(1e9, 0) // of a file that is away for a while
	if err := os.Chtimes(in.File("labels/val/4.txt"), time.Time{}, at); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	j := mirrorJob(in, dir)
	j.Workers = 1
	j.Report = func(p Progress) {
		if p.Done >= 2 {
			cancel()
		}
	}
	if res, err := Run(ctx, j); err == nil || res.Done == 5 {
		t.Fatalf("not cut off: %+v, %v", res, err)
	}
	last := in.File("labels/val/4.txt")
	text, err := os.ReadFile(last)
	if err := errors.Join(err, os.Remove(last), os.Symlink("nothing", last)); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	fresh := t.TempDir()
	if _, err := Run(t.Context(), mirrorJob(in, fresh)); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), last) {
		t.Fatalf("with a file that cannot be carried: %v", err)
	}
	if err := errors.Join(os.Remove(last), os.WriteFile(last, text, 0o666)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(last, time.Time{}, at); err != nil {
		t.Fatal(err)
	}
	// What a run leaves that is cut off while it carries: whole files, and one that is not.
	carried := filepath.Join(dir, "brightness", "2", "labels", "val")
	err = errors.Join(os.MkdirAll(carried, 0o777), os.WriteFile(filepath.Join(carried, "4.txt"), text, 0o666),
		os.WriteFile(temporary(filepath.Join(carried, "3.txt")), []byte("0 0."), 0o666))
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, mirrorJob(in, dir))
	sameTree(t, tree(t, dir), tree(t, whole))
}

// Shards, of which one carries, make the same.
func TestMirrorShards(t *testing.T) {
	in, whole, dir := yolo(t, 5), t.TempDir(), t.TempDir()
	for _, name := range []string{"depth.npy", "old.tar", "classes.txt"} { // which are no parts of a benchmark's here
		if err := os.WriteFile(in.File(name), []byte("the user's "+name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	in, err := annotated.Open(in.Root, nil)
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, mirrorJob(in, whole))
	for i := range 2 {
		j := mirrorJob(in, dir)
		task := j.Task.(Mirror)
		_, _, err := RunShard(t.Context(), j, Shard{i, 2}, 5, func(dir string, _ int) Task {
			task.Dir, task.Bare = dir, i > 0
			return task
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	sameTree(t, tree(t, dir), tree(t, whole))
}

// A file that would take the place of a record is refused before any work.
func TestMirrorRecords(t *testing.T) {
	in := yolo(t, 1)
	if err := os.WriteFile(in.File(ArgsName), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	in, err := annotated.Open(in.Root, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), shared(t, in, t.TempDir())); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), ArgsName) {
		t.Error(err)
	}
	mustRun(t, mirrorJob(in, t.TempDir())) // where it lies in a folder of its own
}

// What cannot be an image of the tree is rejected alone: a file of no image, one in a format that is not written, one of another size.
func TestMirrorRejects(t *testing.T) {
	in := yolo(t, 3)
	broken := in.File("images/val/1.png")
	if err := os.WriteFile(broken, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	j := mirrorJob(in, t.TempDir())
	j.OnError = Skip
	if res := mustRun(t, j); res.Items != 4 || len(res.Rejected) != 1 || res.Rejected[0].Name != broken {
		t.Errorf("%+v", res)
	}
	j = mirrorJob(in, t.TempDir())
	task := j.Task.(Mirror)
	task.Transform = func() transform.MultiTransform { return halving{} }
	j.Task = task
	if _, err := Run(t.Context(), j); !errors.Is(err, ErrSize) || !strings.Contains(err.Error(), "12x10 made of 24x20") {
		t.Errorf("another size: %v", err)
	}
}

// halving makes images of half the size.
type halving struct{}

func (halving) Apply(dst *transform.Parts, src *raster.Image, _ rng.Key) error {
	return dst.Add(0, 0, raster.New(src.W/2, src.H/2))
}

// Each frame is a tree.
func TestMirrorFrames(t *testing.T) {
	in, dir := yolo(t, 2), t.TempDir()
	plan := &transform.Perturbations{Names: []string{"brightness"}, Difficulties: []int{1}}
	j := mirrorJob(in, dir)
	j.Task = Mirror{Tree: in, Dir: dir, Variants: plan.Variants(), Frames: true, Quality: 90, Transform: plan.Transform}
	mustRun(t, j)
	got := tree(t, dir)
	for _, frame := range []string{"brightness/frame-00/", "brightness/frame-30/"} {
		for name := range tree(t, in.Root) {
			if got[frame+name] == "" {
				t.Errorf("%s%s is missing", frame, name)
			}
		}
	}
}

// shared is mirrorJob with one affine for images and labels.
func shared(t testing.TB, in *annotated.Tree, dir string) Job {
	t.Helper()
	list, err := in.Annotations(nil)
	if err != nil {
		t.Fatal(err)
	}
	plan := &transform.Pipeline{Shared: 5, Epoch: 1}
	j := mirrorJob(in, dir)
	j.Task = Mirror{
		Tree: in, Dir: dir, Variants: []transform.Variant{{}}, Quality: 90, Transform: plan.Single, Annotations: list,
		Options: annotated.WarpOptions{MinVisible: 0.1, MaskFill: -1},
		Warp:    PipelineWarp(plan, j.Seed),
	}
	return j
}

// Lists of images lose those that are left out where annotations are rewritten, and are carried elsewhere.
func TestMirrorLists(t *testing.T) {
	in := yolo(t, 3)
	text := "./images/val/0.JPG\r\n./images/val/1.png\n./images/val/2.JPG"
	if err := errors.Join(os.WriteFile(in.File("val.txt"), []byte(text), 0o666), os.WriteFile(in.File("labels/val/1.txt"), []byte("0 2 2 1 1\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	in, err := annotated.Open(in.Root, nil)
	if err != nil {
		t.Fatal(err)
	}
	j := shared(t, in, t.TempDir())
	j.OnError = Skip
	mustRun(t, j)
	if got := tree(t, j.Out.Path)["val.txt"]; got != "./images/val/0.JPG\r\n./images/val/2.JPG" {
		t.Errorf("%q", got)
	}
	j = mirrorJob(in, t.TempDir())
	mustRun(t, j)
	if got := tree(t, j.Out.Path)["brightness/2/val.txt"]; got != text {
		t.Errorf("%q is carried", got)
	}
}

// A tree whose masks would all be left out is refused before any work.
func TestMirrorLost(t *testing.T) {
	in := yolo(t, 1)
	if err := errors.Join(os.Mkdir(in.File("masks"), 0o777), os.WriteFile(in.File("masks/0_seg.png"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	in, err := annotated.Open(in.Root, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), shared(t, in, t.TempDir())); err == nil || err.Error() != "masks/0_seg.png: no mask is of an image (expected: masks/val/0.png of images/val/0.JPG)" {
		t.Error(err)
	}
	mustRun(t, mirrorJob(in, t.TempDir())) // which carries them
}

// Files about one image and about many are rewritten, whatever the number of workers and interruptions, and those about an image that is
// rejected are left out.
func TestMirrorWarps(t *testing.T) {
	in, dir := yolo(t, 4), t.TempDir()
	text := `{"images": [`
	for i := range 4 {
		text += fmt.Sprintf(`{"id": %d, "file_name": "%d%s", "width": %d, "height": 20},`, i, i, []string{".JPG", ".png"}[i%2], 24+i)
	}
	text = text[:len(text)-1] + `], "annotations": [{"image_id": 2, "bbox": [2, 2, 8, 8]}, {"image_id": 1, "bbox": [0, 0, 1, 1]}]}`
	if err := errors.Join(os.WriteFile(in.File("boxes.json"), []byte(text), 0o666), os.WriteFile(in.File("labels/val/1.txt"), []byte("0 2 2 1 1\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	in, err := annotated.Open(in.Root, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), shared(t, in, t.TempDir())); err == nil || !strings.Contains(err.Error(), "labels/val/1.txt: line 1: box") {
		t.Fatalf("a box outside of its image: %v", err)
	}
	j := shared(t, in, dir)
	j.OnError = Skip
	if res := mustRun(t, j); res.Items != 3 || len(res.Rejected) != 1 {
		t.Errorf("%+v", res)
	}
	got := tree(t, dir)
	if len(got) != 9 || got["images/val/1.png"] != "" || got["labels/val/1.txt"] != "" || got["data.yaml"] == "" || got["labels/val/0.txt"] == string(tree(t, in.Root)["labels/val/0.txt"]) {
		t.Errorf("%d files", len(got))
	}
	if s := got["boxes.json"]; strings.Contains(s, "[2, 2, 8, 8]") || strings.Contains(s, `"image_id": 1`) || strings.Count(s, "file_name") != 3 {
		t.Error(s)
	}
	again := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	j = shared(t, in, again)
	j.OnError, j.Workers, j.Report = Skip, 1, func(Progress) { cancel() }
	if _, err := Run(ctx, j); err == nil {
		t.Error("not cut off")
	}
	j = shared(t, in, again)
	j.OnError = Skip
	mustRun(t, j)
	sameTree(t, tree(t, again), got)
}

// A pipeline that moves pixels from under the annotations is refused before any work, and one that moves nothing is not.
func TestMirrorMoving(t *testing.T) {
	in := yolo(t, 2)
	for says, plan := range map[string]*transform.Pipeline{
		"flip (allowed:":     {Flip: true},
		"crop pad2:20":       {Crop: transform.Crop{Kind: transform.RandomCrop, N: 20, Pad: 2}},
		"crop rrc:20":        {Crop: transform.Crop{Kind: transform.ResizedCrop, N: 20}},
		"rotate:9":           {Ops: []transform.OpSpec{mustOp(t, "rotate:9")}},
		"(shear_x), augmix":  {Mix: mustMix(t, "augmix")},
		"in 2 views":         {Views: 2},
		"3 and without Warp": {Shared: 3},
	} {
		dir := t.TempDir()
		j := mirrorJob(in, dir)
		j.OnError = Skip
		j.Task = Mirror{Tree: in, Dir: dir, Variants: []transform.Variant{{}}, Transform: plan.Single}
		if _, err := Run(t.Context(), j); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
		}
		if made, err := os.ReadDir(dir); err != nil || len(made) > 0 {
			t.Errorf("%s: %d files were made (%v)", says, len(made), err)
		}
	}
	dir := t.TempDir()
	plan := &transform.Pipeline{Mix: mustMix(t, "augmix-photometric"), Ops: []transform.OpSpec{mustOp(t, "posterize:4")}}
	j := mirrorJob(in, dir)
	j.Task = Mirror{Tree: in, Dir: dir, Variants: []transform.Variant{{}}, Transform: plan.Single}
	mustRun(t, j)
}

// A warp of a pipeline without a Shared geometry leaves the boxes where they are, as the images stay.
func TestPipelineWarpOfNothing(t *testing.T) {
	in := yolo(t, 2)
	j := shared(t, in, t.TempDir())
	plan := new(transform.Pipeline)
	task := j.Task.(Mirror)
	task.Transform, task.Warp = plan.Single, PipelineWarp(plan, j.Seed)
	j.Task = task
	mustRun(t, j)
	was, is := strings.Fields(tree(t, in.Root)["labels/val/1.txt"]), strings.Fields(tree(t, j.Out.Path)["labels/val/1.txt"])
	if len(was) != 5 || len(is) != 5 {
		t.Fatalf("%q, %q", was, is)
	}
	for i := range was {
		a, err1 := strconv.ParseFloat(was[i], 64)
		b, err2 := strconv.ParseFloat(is[i], 64)
		if err := errors.Join(err1, err2); err != nil || math.Abs(a-b) > 1e-6 {
			t.Errorf("%q became %q (%v)", was, is, err)
		}
	}
}

// Quality 0 is the default, and one that JPEG does not have is an error before anything is made.
func TestQuality(t *testing.T) {
	in := yolo(t, 2)
	made := map[int]string{}
	for _, quality := range []int{0, data.DefaultQuality, -1, 101} {
		dir, forms := t.TempDir(), &transform.Corruptions{Names: []string{"brightness"}, Severities: []float64{2}}
		j := mirrorJob(in, dir)
		j.Task = Mirror{Tree: in, Dir: dir, Variants: forms.Variants(), Quality: quality, Transform: forms.Transform}
		_, err1 := Run(t.Context(), j)
		o := TreeOptions{Dir: filepath.Join(dir, "tree"), Variants: forms.Variants(), Ext: ".jpg", Quality: quality}
		s, err2 := OpenTree(o, nil)
		if quality < 0 || quality > 100 {
			if !errors.Is(err1, ErrOption) || !errors.Is(err2, ErrOption) || !strings.Contains(err1.Error(), "(allowed: 1 to 100") {
				t.Errorf("quality %d: %v, %v", quality, err1, err2)
			}
			continue
		}
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		file, err := s.AppendPart(nil, noise(1, 20, 10))
		if err != nil {
			t.Fatal(err)
		}
		made[quality] = tree(t, dir)["brightness/2/images/val/0.JPG"] + string(file)
	}
	if made[0] == "" || made[0] != made[data.DefaultQuality] {
		t.Error("quality 0 is not the default")
	}
}
