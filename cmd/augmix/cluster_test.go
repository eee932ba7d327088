package main

import (
	"strings"
	"testing"
)

func TestCluster(t *testing.T) {
	o := augmix(t, exitDone, "cluster", "slurm", "--tasks", "16", "corrupt", "in", "-o", "out", "--subset", "fog", "-j", "2")
	for _, want := range []string{"#SBATCH --array=0-15\n", "augmix corrupt in -o out --subset fog -j 2 --shard auto/16 &\n", "exec augmix verify out\n"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("no %q in\n%s", want, o.out)
		}
	}
	if o := augmix(t, exitDone, "cluster", "k8s", "corrupt", "s3://a/in", "-o", "s3://a/out"); strings.Contains(o.out, "persistentVolumeClaim") {
		t.Error("a common disk for a command that needs none")
	}
	if o := augmix(t, exitDone, "cluster", "k8s", "corrupt", "in", "-o", "s3://a/out"); !strings.Contains(o.out, "persistentVolumeClaim") {
		t.Error("no common disk for the input")
	}
	for want, args := range map[string][]string{
		"missing flags: --out=OUT":  {"slurm", "corrupt", "in"},
		"is not divided into parts": {"slurm", "train", "--data", "in", "-o", "x"},
		"the job file says it":      {"slurm", "corrupt", "in", "-o", "x", "--shard", "0/2"},
		"allowed: 1 to 10000":       {"slurm", "--tasks", "0", "corrupt", "in", "-o", "x"},
		"did you mean":              {"slurm", "corupt", "in", "-o", "x"},
		"must be one of \"slurm\"":  {"ray", "corrupt", "in", "-o", "x"},
	} {
		if o := augmix(t, exitUsage, append([]string{"cluster"}, args...)...); !strings.Contains(o.err, want) {
			t.Errorf("%q: %s", args, o.err)
		}
	}
}

// A file of this machine that any flag names needs the common disk; what the program has by a name, or a store, does not.
func TestClusterDisk(t *testing.T) {
	in, out := "s3://a/in", "s3://a/out"
	for _, c := range []struct {
		disk bool
		args []string
	}{
		{true, []string{"corrupt", in, "-o", out, "--frost-dir", "frost"}},
		{true, []string{"corrupt", in, "-o", out, "--profile", "my.yaml"}},
		{true, []string{"corrupt", in, "-o", out, "--labels", "val.txt"}},
		{true, []string{"corrupt", in, "-o", out, "--classes", "map.txt"}},
		{true, []string{"corrupt", in, "-o", out, "--subset", "style_transfer", "--style-weights", "w.npz"}},
		{true, []string{"corrupt", in, "-o", out, "--subset", "style_transfer", "--styles", "s3://a/art+art"}},
		{true, []string{"augment", in, "-o", out, "--mix", "pixmix", "--mixset", "fractals+./own"}},
		{true, []string{"augment", in, "-o", out, "--mix", "pixmix", "--mixset-cache", "cache"}},
		{true, []string{"augment", in, "-o", out, "--mix", "deepaugment", "--network", "carn_m.npz"}},
		{false, []string{"corrupt", in, "-o", out, "--profile", "224"}},
		{false, []string{"corrupt", in, "-o", out, "--profile", "medmnist-c/pathmnist", "--labels", "s3://a/val.txt"}},
		{false, []string{"corrupt", in, "-o", out, "--classes", "cifar100-superclasses", "--subset", "fog", "--without", "dog"}},
		{false, []string{"perturb", in, "-o", out, "--profile", "32"}},
		{false, []string{"augment", in, "-o", out, "--mix", "pixmix", "--mixset", "fractals-n10+s3://a/set", "--mixset-cache", "auto"}},
		{false, []string{"mixset", "fractals", "-o", "s3://a/set.npy"}},
	} {
		tasks := "--tasks=2"
		if c.args[0] == "mixset" {
			tasks = "--tasks=1"
		}
		o := augmix(t, exitDone, append([]string{"cluster", "k8s", tasks}, c.args...)...)
		if got := strings.Contains(o.out, "persistentVolumeClaim"); got != c.disk {
			t.Errorf("%q: a common disk: %v, want %v", c.args, got, c.disk)
		}
	}
}

// What every task would refuse is refused before a job is submitted, in the same words; one task may do it.
func TestClusterRefuses(t *testing.T) {
	in := photos(t, 2)
	for _, c := range []struct {
		want  string
		alone bool // one task does it
		args  []string
	}{
		{"starting over does not go with shards; remove x first", true, []string{"corrupt", in, "-o", "x", "--force"}},
		{"starting over does not go with shards; remove x first", true, []string{"perturb", in, "-o", "x", "--force"}},
		{"starting over does not go with shards; remove x first", true, []string{"augment", in, "-o", "x", "--force"}},
		{"--shard goes with --output-format folder and wds", true, []string{"augment", in, "-o", "x.npy"}},
		{"--shard goes with --output-format folder and wds", true, []string{"augment", in, "-o", "x.npz", "--mix", "none"}},
		{"--shard goes with --output-format folder and wds", true, []string{"augment", in, "-o", "-"}},
		{"--shard does not go with annotated images", true, []string{"augment", in, "-o", "x", "--output-format", "tree"}},
		{"-o x.npy: the output is a folder", false, []string{"corrupt", in, "-o", "x.npy"}},
		{"-o x.npz: the output is a folder", false, []string{"perturb", in, "-o", "x.npz"}},
		{"-o -: the output is a folder", false, []string{"perturb", in, "-o", "-"}},
		{"-o - is one image", true, []string{"corrupt", in, "-o", "-"}},
		{"-o x.png is one image", true, []string{"corrupt", in, "-o", "x.png", "--subset", "fog", "--severity", "3"}},
		{"--shard does not go with --output-format medmnist", true, []string{"corrupt", in, "-o", "x", "--output-format", "medmnist"}},
		{"--shard does not go with perturb and --output-format tree", true, []string{"perturb", in, "-o", "x", "--output-format", "tree", "--images", "*.png"}},
		{"with --stream, which reads from front to end", true, []string{"corrupt", in, "-o", "x", "--stream"}},
		{"with --stream, which reads from front to end", true, []string{"augment", in, "-o", "x", "--stream"}},
	} {
		o := augmix(t, exitUsage, append([]string{"cluster", "slurm", "--tasks", "3"}, c.args...)...)
		if o.out != "" || !strings.Contains(o.err, "augmix "+c.args[0]+" in 3 tasks: ") || !strings.Contains(o.err, c.want) {
			t.Errorf("%q: %s%s", c.args, o.out, o.err)
		}
		if c.alone {
			augmix(t, exitDone, append([]string{"cluster", "slurm", "--tasks", "1"}, c.args...)...)
		}
		t.Chdir(t.TempDir())
		if o := augmix(t, exitUsage, append(c.args, "--shard", "0/3")...); !strings.Contains(o.err, c.want) {
			t.Errorf("%q: a task says %s", c.args, o.err)
		}
	}
}

// A part that no scheduler says is asked for.
func TestShardAuto(t *testing.T) {
	for _, name := range []string{"JOB_COMPLETION_INDEX", "SLURM_ARRAY_TASK_ID", "RANK"} {
		t.Setenv(name, "")
	}
	in, out := photos(t, 3), t.TempDir()+"/out"
	if o := augmix(t, exitUsage, "corrupt", in, "-o", out, "--shard", "auto/3"); !strings.Contains(o.err, "no scheduler set a variable") {
		t.Error(o.err)
	}
	t.Setenv("RANK", "1")
	if o := augmix(t, exitDone, "corrupt", in, "-o", out, "--subset", "fog", "--shard", "auto/3"); !strings.Contains(o.err, "part 1/3, from RANK in the environment") {
		t.Error(o.err)
	}
}
