package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/data/storage/storagetest"
)

// remote starts a store that holds 12 images in s3://bucket/in, and returns the folder of the bucket.
func remote(t *testing.T) (bucket string) {
	endpoint, bucket := storagetest.Server(t)
	fill(t, bucket, endpoint)
	return bucket
}

// breakable is remote with a proxy before the store, through which every request goes.
func breakable(t *testing.T) (bucket string, proxy *storagetest.Proxy) {
	endpoint, bucket := storagetest.Server(t)
	proxy = storagetest.NewProxy(t, endpoint)
	fill(t, bucket, proxy.URL)
	return bucket, proxy
}

func fill(t *testing.T, bucket, endpoint string) {
	storagetest.Setenv(t, endpoint)
	t.Setenv("AUGMIX_STAGE", t.TempDir())
	for name, content := range tree(t, photos(t, 12)) {
		write(t, filepath.Join(bucket, "in", name), []byte(content))
	}
}

// stageEmpty fails where a run that is complete left something on this machine.
func stageEmpty(t *testing.T) {
	t.Helper()
	if left := tree(t, os.Getenv("AUGMIX_STAGE")); len(left) > 0 {
		t.Errorf("left in the stage: %d files", len(left))
	}
}

// What is made in a store has the bytes of what is made on the disk, records included, in every format.
func TestRemoteOutputs(t *testing.T) {
	bucket := remote(t)
	for _, c := range []struct {
		name string
		args []string
	}{
		{"corrupt to npy", []string{"corrupt", "--size", "36", "--crop", "32", "--subset", "fog,pixelate", "--output-format", "npy"}},
		{"corrupt to folder", []string{"corrupt", "--subset", "pixelate", "--severity", "2,5", "--output-format", "folder"}},
		{"corrupt to wds", []string{"corrupt", "--subset", "fog,spatter", "--output-format", "wds", "--per-shard", "5", "--image", "png"}},
		{"perturb to gif", []string{"perturb", "--subset", "tilt", "--output-format", "gif", "--size", "20"}},
		{"augment to wds", []string{"augment", "--output-format", "wds", "--per-shard", "5"}},
		{"augment to a folder", []string{"augment", "--size", "20", "--crop", "16"}},
		{"convert to cifar10", []string{"data", "convert", "--size", "36", "--crop", "32", "--output-format", "cifar10"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := strings.ReplaceAll(c.name, " ", "-")
			whole := filepath.Join(t.TempDir(), "out")
			args := append([]string{}, c.args...)
			if c.args[0] != "data" {
				args = append(args, "--seed", "3")
			}
			augmix(t, exitDone, append(args, "s3://bucket/in", "-o", whole)...)
			augmix(t, exitDone, append(args, "s3://bucket/in", "-o", "s3://bucket/out/"+name)...)
			sameTree(t, tree(t, filepath.Join(bucket, "out", name)), tree(t, whole))
			stageEmpty(t)
			augmix(t, exitDone, "verify", "s3://bucket/out/"+name)
			if o := augmix(t, exitDone, append(args, "s3://bucket/in", "-o", "s3://bucket/out/"+name)...); !strings.Contains(o.err, "nothing to do") {
				t.Errorf("done again: %s", o.err)
			}
		})
	}
}

// An array goes to a store with its labels beside it, and a second one does not replace labels that are not its own.
func TestRemoteFile(t *testing.T) {
	bucket := remote(t)
	whole := t.TempDir()
	for _, out := range []string{whole, "s3://bucket/arrays"} {
		for _, name := range []string{"x.npy", "y.npy"} {
			args := []string{"augment", "s3://bucket/in", "--size", "20", "--crop", "16", "-o", out + "/" + name}
			if name == "y.npy" {
				args = append(args, "--limit", "5")
			}
			augmix(t, exitDone, args...)
		}
	}
	sameTree(t, tree(t, filepath.Join(bucket, "arrays")), tree(t, whole))
	stageEmpty(t)
	augmix(t, exitDone, "verify", "s3://bucket/arrays/y.npy")
}

// Damage in a store is found; other options are refused; --force replaces, and removes what the new output has not.
func TestRemoteDamaged(t *testing.T) {
	bucket := remote(t)
	run := func(want int, args ...string) outcome {
		return augmix(t, want, append([]string{"corrupt", "s3://bucket/in", "-o", "s3://bucket/out", "--severity", "1"}, args...)...)
	}
	run(exitDone, "--subset", "fog,pixelate")
	if o := run(exitFailed, "--subset", "fog", "--seed", "5"); !strings.Contains(o.err, "seed: was 0, now 5") {
		t.Error(o.err)
	}
	var victim string
	for name := range tree(t, filepath.Join(bucket, "out")) {
		if strings.HasPrefix(name, "pixelate") {
			victim = name
		}
	}
	remove(t, filepath.Join(bucket, "out", victim)) // with its ETag
	write(t, filepath.Join(bucket, "out", victim), []byte("damaged"))
	write(t, filepath.Join(bucket, "out", "stranger"), nil)
	if o := augmix(t, exitFailed, "verify", "s3://bucket/out"); !strings.Contains(o.out+o.err, victim) || !strings.Contains(o.out+o.err, "stranger") {
		t.Errorf("%s%s", o.out, o.err)
	}
	remove(t, filepath.Join(bucket, "out", "stranger"))
	run(exitDone, "--subset", "fog", "--seed", "5", "--force")
	whole := filepath.Join(t.TempDir(), "out")
	augmix(t, exitDone, "corrupt", "s3://bucket/in", "-o", whole, "--severity", "1", "--subset", "fog", "--seed", "5")
	sameTree(t, tree(t, filepath.Join(bucket, "out")), tree(t, whole))
	write(t, filepath.Join(bucket, "taken", "x"), nil)
	if o := augmix(t, exitFailed, "corrupt", "s3://bucket/in", "-o", "s3://bucket/taken"); !strings.Contains(o.err, "s3://bucket/taken holds x") {
		t.Error(o.err)
	}
}

// Shards on machines that share nothing, from and to a store, one of them twice and one late, make the bytes of one run.
func TestRemoteShards(t *testing.T) {
	bucket := remote(t)
	for _, format := range []string{"wds", "npy", "folder"} {
		t.Run(format, func(t *testing.T) {
			args := []string{
				"corrupt", "s3://bucket/in", "--subset", "fog,pixelate", "--severity", "1,3", "--size", "24", "--crop", "20",
				"--output-format", format, "--seed", "2",
			}
			if format == "wds" {
				args = append(args, "--per-shard", "5") // whose borders are not those of the shards
			}
			whole := filepath.Join(t.TempDir(), "out")
			augmix(t, exitDone, append(args, "-o", whole)...)
			out := "s3://bucket/sharded/" + format
			shard := func(want int, sh string) outcome {
				t.Setenv("AUGMIX_STAGE", t.TempDir()) // another machine
				return augmix(t, want, append(args, "-o", out, "--shard", sh)...)
			}
			for _, sh := range []string{"2/3", "0/3", "0/3"} {
				shard(exitDone, sh)
			}
			if o := shard(exitFailed, "0/4"); !strings.Contains(o.err, "shards: was 3, now 4") {
				t.Error(o.err)
			}
			augmix(t, exitFailed, "verify", out) // a part is missing
			shard(exitDone, "1/3")
			shard(exitDone, "2/3") // late
			sameTree(t, tree(t, filepath.Join(bucket, "sharded", format)), tree(t, whole))
			augmix(t, exitDone, "verify", out)
			stageEmpty(t)
		})
	}
}

// Whenever a run is killed, what has a final name in the store is whole, and the same command ends with the same bytes.
func TestRemoteKilled(t *testing.T) {
	bucket := remote(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(t.TempDir(), "out")
	args := []string{"corrupt", "s3://bucket/in", "--subset", "fog,spatter", "--output-format", "wds", "--per-shard", "3"}
	augmix(t, exitDone, append(args, "-o", whole)...)
	want := tree(t, whole)
	killed := 0
	if err := os.Mkdir(filepath.Join(bucket, "killed"), 0o777); err != nil {
		t.Fatal(err)
	}
	for after := 20 * time.Millisecond; ; after += 60 * time.Millisecond {
		cmd := exec.Command(program, append(args, "-o", "s3://bucket/killed", "--checkpoint", "3ms")...)
		cmd.Env = append(os.Environ(), "AUGMIX_TEST_MAIN=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		err := cmd.Wait()
		timer.Stop()
		for name, content := range tree(t, filepath.Join(bucket, "killed")) {
			if !strings.HasPrefix(name, ".augmix/") && content != want[name] {
				t.Fatalf("after %v %s is not what it will be", after, name)
			}
		}
		if err == nil {
			break
		}
		killed++
	}
	if killed == 0 {
		t.Error("never killed")
	}
	sameTree(t, tree(t, filepath.Join(bucket, "killed")), want)
	stageEmpty(t)
}

// Without permission to write, and with a store that fails, a run says so in one line, and resumes.
func TestRemoteRefused(t *testing.T) {
	bucket, proxy := breakable(t)
	args := []string{"corrupt", "s3://bucket/in", "--subset", "fog", "--severity", "2", "-o", "s3://bucket/refused"}
	puts := func(fault storagetest.Fault, from int) {
		n := 0
		proxy.Break(func(_ int, r *http.Request) storagetest.Fault {
			if r.Method == http.MethodPut {
				if n++; n > from {
					return fault
				}
			}
			return storagetest.None
		})
	}
	for _, c := range []struct {
		fault storagetest.Fault
		from  int // 0: the claim; some files
		want  string
	}{
		{storagetest.Denied, 0, "these keys may not do that"},
		{storagetest.Denied, 3, "these keys may not do that"},
		{storagetest.Skewed, 3, "the clock of this machine differs"},
	} {
		puts(c.fault, c.from)
		if o := augmix(t, exitFailed, args...); strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, c.want) {
			t.Error(o.err)
		}
	}
	puts(storagetest.None, 0)
	augmix(t, exitDone, args...)
	whole := filepath.Join(t.TempDir(), "out")
	augmix(t, exitDone, append(args[:len(args)-1], whole)...)
	sameTree(t, tree(t, filepath.Join(bucket, "refused")), tree(t, whole))
	if o := augmix(t, exitFailed, "corrupt", "s3://bucket/in", "-o", "s3://no-such-bucket/x"); !strings.Contains(o.err, "there is no such bucket") {
		t.Error(o.err)
	}
}

// Errors of what is made on this machine for a store, whole, in parts or as the results of an evaluation, name the place in the store.
func TestRemoteErrorsNameTheStore(t *testing.T) {
	bucket := remote(t)
	write(t, filepath.Join(bucket, "run", "results.jsonl"), []byte("no row\n"))
	dir := t.TempDir()
	model, set := filepath.Join(dir, "net.safetensors"), filepath.Join(dir, "set")
	constantNet(t, model, map[int]float32{1: 1})
	classFolder(t, set, 2, "n01440764", "n01443537")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"s3://bucket/c100", []string{"data", "convert", "s3://bucket/in", "-o", "s3://bucket/c100", "--output-format", "cifar100", "--size", "32", "--crop", "32"}},
		{"s3://bucket/run/results.jsonl", []string{
			"eval", model, set, "--model", "densenet-7-2", "--norm", "half", "--input-size", "32", "--size", "32", "--crop", "32", "-o", "s3://bucket/run",
		}},
	} {
		o := augmix(t, exitFailed, c.args...)
		if !strings.Contains(o.err, c.want) || strings.Contains(o.err, os.Getenv("AUGMIX_STAGE")) {
			t.Errorf("%s: %s", strings.Join(c.args, " "), o.err)
		}
	}
}

// Of two jobs that begin at once in one place, both end where they are the same, and one where they differ: what is there then is
// all of one of them.
func TestRemoteTwoJobs(t *testing.T) {
	bucket := remote(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	refused := regexp.MustCompile("other options|is complete without fog") // while the other job runs, or after its end
	want := map[string]map[string]string{}
	for _, severity := range []string{"1", "2"} {
		whole := filepath.Join(t.TempDir(), "out")
		augmix(t, exitDone, "corrupt", "s3://bucket/in", "--subset", "fog", "--severity", severity, "-o", whole)
		want[severity] = tree(t, whole)
	}
	for _, severities := range [][]string{{"1", "1"}, {"1", "2"}} {
		name := strings.Join(severities, "-")
		var jobs []*exec.Cmd
		var said [2]strings.Builder
		for i, severity := range severities {
			cmd := exec.Command(program, "corrupt", "s3://bucket/in", "--subset", "fog", "--severity", severity, "-o", "s3://bucket/"+name)
			cmd.Env = append(os.Environ(), "AUGMIX_TEST_MAIN=1", "AUGMIX_STAGE="+t.TempDir()) // two machines
			cmd.Stderr = &said[i]
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			jobs = append(jobs, cmd)
		}
		done := ""
		for i, cmd := range jobs {
			switch err := cmd.Wait(); {
			case err == nil:
				done += severities[i]
			case severities[0] == severities[1] || !refused.MatchString(said[i].String()):
				t.Errorf("%s: %s", name, &said[i])
			}
		}
		if ends := len(done); ends == 0 || severities[0] == severities[1] && ends != 2 || severities[0] != severities[1] && ends != 1 {
			t.Fatalf("%s: %q ended", name, done)
		}
		sameTree(t, tree(t, filepath.Join(bucket, name)), want[done[:1]])
	}
}
