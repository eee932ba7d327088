//go:build unix

package main

import "strings"

// scenario is a command to attack. It runs in a folder of its own with the inputs in ../in; all that it writes there is
// its output.
type scenario struct {
	name    string
	format  string
	args    []string
	durable bool // written by package generate: final names hold final bytes, and there are --checkpoint and --force
}

// command is the part of the command line before its flags, for the table.
func (s scenario) command() string {
	if s.args[0] == "data" {
		return s.args[0] + " " + s.args[1]
	}
	return s.args[0]
}

// inputs are made once, before all trials, in a folder in.
var inputs = [][]string{
	words("data convert scenes:n=24 -o folder"),
	words("data convert scenes:n=24 -o x.npy"),
	words("data convert scenes:n=24 -o shards --output-format wds --per-shard 9"),
	words("train --data scenes:n=32 --model wrn-10-1 --epochs 1 --batch 16 -j 1 -o run"),
}

var scenarios = []scenario{
	written("augment", "folder", "augment ../in/folder -o out --mix augmix --flip"),
	written("augment", "npy", "augment ../in/x.npy -o out.npy --mix augmix --crop pad4:32"),
	written("augment", "npz", "augment ../in/x.npy -o out.npz --mix pixmix-k2-b3-m1 --mixset fractals-n4 --deflate"),
	written("augment", "wds", "augment ../in/shards -o out --output-format wds --per-shard 5 --views 3"),
	written("augment", "cifar10", "augment scenes:n=20 -o out --output-format cifar10"),
	written("augment", "epochs", "augment ../in/folder -o out --epochs 3 --image jpeg"),
	written("augment", "epochs-npy", "augment ../in/x.npy -o out.npy --epochs 3"),
	written("augment", "soft-folder", "augment ../in/folder -o out --mix cutmix-p0.5"),
	written("augment", "soft-npy", "augment ../in/x.npy -o out.npy --mix mixup"),
	written("augment", "soft-wds", "augment ../in/x.npy -o out --output-format wds --per-shard 9 --mix cutmix"),
	written("corrupt", "npy", "corrupt ../in/x.npy -o out --subset noise,brightness"),
	written("corrupt", "folder", "corrupt ../in/folder -o out --subset contrast,jpeg_compression --severity 1,3"),
	written("corrupt", "wds", "corrupt ../in/shards -o out --subset brightness,pixelate --severity 2,4 --per-shard 9"),
	written("corrupt", "cbar", "corrupt scenes:n=8 -o out --subset blue_noise_sample,checkerboard_cutout --output-format npy"),
	written("perturb", "npy", "perturb scenes:n=6 -o out --subset tilt,brightness --output-format npy"),
	written("perturb", "folder", "perturb scenes:n=3 -o out --subset scale --output-format folder"),
	written("perturb", "gif", "perturb scenes:n=6 -o out --subset rotate,translate --output-format gif"),
	written("perturb", "apng", "perturb scenes:n=6 -o out --subset tilt --output-format apng"),
	written("perturb", "wds", "perturb scenes:n=6 -o out --subset tilt --output-format wds --per-shard 40"),
	written("mixset", "folder", "mixset fractals -n 16 --size 36 -o out"),
	written("mixset", "npy", "mixset mixed -n 16 --size 36 -o out.npy"),
	written("mixset", "npz", "mixset escape -n 12 --size 36 -o out.npz"),
	written("mixset", "wds", "mixset mixed -n 16 --size 36 -o out --output-format wds --per-shard 5"),
	written("convert", "folder", "data convert ../in/x.npy -o out"),
	written("convert", "npy", "data convert ../in/folder -o out.npy"),
	written("convert", "npz", "data convert ../in/shards -o out.npz"),
	written("convert", "wds", "data convert ../in/folder -o out --output-format wds --per-shard 5"),
	written("convert", "cifar10", "data convert scenes:n=20 -o out --output-format cifar10"),
	other("train", "", "train --data scenes:n=48 --val scenes:n=16,split=test --model wrn-10-1 --epochs 3 --batch 16 -j 2 -o out"),
	other("train", "fvis", "train --data scenes:n=32 --model wrn-10-1 --epochs 2 --batch 16 --mix pixmix --mixset iterative-fvis-n4 -j 2 -o out"),
	other("train", "adversarial", "train --data scenes:n=32 --model wrn-10-1 --epochs 2 --batch 16 --adversarial --adv-steps 2 --ema 0.9 -j 2 -o out"),
	other("eval", "", "eval ../in/run/model.safetensors scenes:n=12,split=test --suite clean,c --subset noise --severity 1,3 -o out --logits -j 2"),
	other("eval", "sequences", "eval ../in/run/model.safetensors scenes:n=6,split=test --suite p,ood --perturbation tilt,brightness -o out -j 2"),
}

func words(line string) []string { return strings.Fields(line) }

func written(command, format, line string) scenario {
	return scenario{name: command + "-" + format, format: format, args: words(line), durable: true}
}

func other(command, format, line string) scenario {
	s := scenario{name: command, format: format, args: words(line)}
	if format != "" {
		s.name += "-" + format
	}
	return s
}
