package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOneImage: one image is not the place of many, and nothing is left of the attempt.
func TestOneImage(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "one.png")
	for _, line := range []string{
		"augment scenes:n=2,size=32 --mix none", "data convert scenes:n=2,size=32", "stream scenes:n=2,size=32",
		"corrupt scenes:n=2,size=32 --subset contrast --severity 1",
	} {
		if o := augmix(t, exitUsage, append(strings.Fields(line), "-o", out)...); !strings.Contains(o.err, "one.png is one image, and of IN ") {
			t.Errorf("%s: %s", line, o.err)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("left: %v", files)
	}
	augmix(t, exitDone, "augment", "scenes:n=2,size=32", "--mix", "none", "--limit", "1", "-o", out)
}

// TestEffect: a flag to which nothing looks is refused before anything is written, and one with its default value is not, as an args.yaml
// has those of all flags.
func TestEffect(t *testing.T) {
	const set = "scenes:n=2,size=32"
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	array := filepath.Join(dir, "in.npy")
	augmix(t, exitDone, "data", "convert", set, "-o", array, "--quality", "95", "--png", "fast")
	corrupt := "corrupt " + array + " -o " + out + " --subset contrast "
	for line, want := range map[string]string{
		"export " + set + " -o x.safetensors --opset 15":                                                 "--opset 15 has no effect (it needs an .onnx file to write)",
		"report " + set + " -o - --format md --json":                                                     "--json with -o -",
		"cluster slurm --json -- corrupt " + set + " -o x":                                               "--json: a job file is a script",
		corrupt + "--carry link":                                                                         "--carry link has no effect (it needs an output of the format tree)",
		corrupt + "--per-shard 3":                                                                        "--per-shard 3 has no effect (it needs an output of the format wds)",
		corrupt + "--quality 50":                                                                         "--quality 50 has no effect (it needs JPEG files to write)",
		corrupt + "--image png":                                                                          "--image png has no effect (it needs an output of the format folder or wds)",
		corrupt + "--shard-keys":                                                                         "names of shards in keys for the format npy (allowed with: wds)",
		"perturb " + set + " -o " + out + " --delay 1s":                                                  "--delay 1s has no effect (it needs an output of the format gif or apng)",
		"stream " + set + " -o " + out + ".csv --manifest-only --quality 50":                             "--quality 50 has no effect (it needs images to write",
		"stream " + set + " -o " + out + ".csv --manifest-only --deflate":                                "--deflate has no effect",
		"stream " + set + " -o " + out + ".csv --manifest-only --image jpeg":                             "--image jpeg has no effect",
		"stream " + set + " -o " + out + ".npy --png best":                                               "--png best has no effect (it needs PNG files to write)",
		"augment " + set + " -o " + out + " --image jpeg --png best":                                     "--png best has no effect",
		corrupt + "--frost-dir " + dir:                                                                   "--frost-dir " + dir + " has no effect (it needs the corruption frost)",
		corrupt + "--filter box --crop 20":                                                               "--filter box has no effect (it needs --size)",
		corrupt + "--bar-profile cifar":                                                                  "--bar-profile cifar has no effect (it needs corruptions of cbar)",
		"stream " + set + " -o " + out + " --subset fog --bar-profile imagenet":                          "--bar-profile imagenet has no effect (it needs corruptions of cbar)",
		"sheet -o " + out + ".png --window 0:20":                                                         "--window 0:20 has no effect (it needs IN)",
		"sheet -o " + out + ".png --corruptions --classes nothere":                                       "--classes nothere has no effect (it needs IN)",
		"sheet -o " + out + ".png --mixset fractals --count 3":                                           "--count 3 has no effect (it needs IN)",
		"augment " + set + " -o " + out + " --mix none --skip-deleted":                                   "--skip-deleted has no effect (it needs --epochs)",
		"stream " + set + " -o " + out + " --subset fog --frost-dir " + dir:                              "has no effect (it needs the corruption frost)",
		"stream " + set + " -o " + out + " --filter box":                                                 "--filter box has no effect (it needs --size)",
		"perturb " + set + " -o " + out + " --filter box":                                                "--filter box has no effect (it needs --size)",
		"augment " + set + " -o " + out + " --mix none --fill ff0000":                                    "--fill ff0000 has no effect (it needs --op, or --geometry shared)",
		"augment " + set + " -o " + out + " --filter lanczos --crop pad4:32":                             "--filter lanczos has no effect (it needs --size or --crop rrc:N)",
		"augment " + set + " -o " + out + " --mixset-cache auto":                                         "--mixset-cache auto has no effect (it needs a mix that mixes images in",
		"data convert " + set + " -o " + out + " --seed 5":                                               "--seed 5 has no effect (it needs --shuffle)",
		"data convert " + set + " -o " + out + " --filter box":                                           "--filter box has no effect (it needs --size)",
		"augment " + set + " -o " + out + " --deflate":                                                   "--deflate has no effect (it needs an output of the format npz or medmnist)",
		"data convert " + set + " -o " + out + ".npz --output-split val --image jpeg":                    "--image jpeg has no effect",
		"eval none.pth " + set + " --ood-neighbors 0":                                                    "--ood-neighbors 0 (allowed: 1 to 100000; without, 50)",
		"eval none.pth " + set + " --ood a=x;b=y;a=z":                                                    "a is given twice (allowed: each name once)",
		"eval none.pth " + set + " --ood a=x --ood a=z":                                                  "a is given twice (allowed: each name once)",
		"eval none.pth " + set + " --pgd-eps 0":                                                          "--pgd-eps 0 (allowed: above 0; without, 2)",
		"eval none.pth " + set + " --pgd-step 0":                                                         "--pgd-step 0 (allowed: above 0; without, 0.5)",
		"eval none.pth " + set + " --pgd-steps 0":                                                        "--pgd-steps 0 (allowed: 1 and up; without, 20)",
		"eval none.pth " + set + " --quality 0":                                                          "--quality 0 (allowed: 1 to 100; without, 85)",
		"eval none.pth " + set + " --difficulty 0":                                                       "--difficulty 0 (allowed: 1 to 3; without, 1)",
		"eval none.pth " + array + " --split val":                                                        `--split "val" has no effect: ` + array + " has no parts",
		"corrupt " + array + " -o " + out + " --split test":                                              `--split "test" has no effect: ` + array + " has no parts",
		"augment " + array + " -o " + out + " --split train":                                             `--split "train" has no effect`,
		"data convert " + array + " -o " + out + " --split test":                                         `--split "test" has no effect`,
		"verify --decode " + array + " --split test":                                                     `--split "test" has no effect`,
		"perturb - -o " + out + " --split test":                                                          `--split "test" has no effect: - has no parts`,
		"stream " + array + " -o " + out + " --split test":                                               `--split "test" has no effect`,
		"feed " + array + " --split val":                                                                 `--split "val" has no effect`,
		"train --model densenet-7-2 --plan -o x --data " + array + " --split val":                        `--split "val" has no effect`,
		"train --model densenet-7-2 --plan -o x --data " + set + " --val " + array + " --val-split test": `--val-split "test" has no effect`,
	} {
		if o := augmixIn(t.Context(), nil, strings.Fields(line)...); o.code == exitDone || !strings.Contains(o.err, want) {
			t.Errorf("%s: exit code %d: %s", line, o.code, o.err)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 5 { // the array and what belongs to it
		t.Errorf("beside the array: %v", files)
	}
	for _, line := range []string{
		corrupt + "--severity 1,2 --image jpeg --quality 85 --carry copy --bar-profile auto",
		"augment " + set + " -o " + filepath.Join(dir, "two") + " --mix none --op rotate:10 --fill ff0000 --crop rrc:16 --filter box",
		"augment " + set + " -o " + filepath.Join(dir, "one") + " --limit 1 --image jpeg --quality 50 --mix none",
	} {
		augmix(t, exitDone, strings.Fields(line)...)
	}
}
