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
