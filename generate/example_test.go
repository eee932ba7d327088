package generate_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/annotated"
	"github.com/augmix-go/augmix/data/folder"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/transform"
)

// gradients is a source of four small images.
type gradients struct{ next int }

func (g *gradients) Info() data.Info { return data.Info{Format: "gradients", Len: 4} }
func (g *gradients) Close() error    { return nil }
func (g *gradients) Next(s *data.Sample) error {
	if g.next == 4 {
		return io.EOF
	}
	s.Key, s.Index, s.Label, s.Name = fmt.Sprintf("gradient%d", g.next), g.next, data.NoLabel, "gradients"
	s.Form, s.W, s.H, s.Data = data.GrayForm, 16, 16, s.Data[:0]
	for i := range 16 * 16 {
		s.Data = append(s.Data, byte(i*g.next))
	}
	g.next++
	return nil
}

// A folder of AugMix images for the consistency loss: of each input the clean image and two mixtures.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "mixed")

	method, err := mix.ParseMethod("augmix", mix.Options{})
	if err != nil {
		panic(err)
	}
	plan := &transform.Pipeline{
		Crop: transform.Crop{Kind: transform.RandomCrop, N: 16, Pad: 2}, Flip: true, Mix: method, Views: 3,
	}
	res, err := generate.Run(context.Background(), generate.Job{
		Source: &gradients{},
		Task: generate.PipelineTask(plan, 0, func(state []byte) (data.Sink, error) {
			return folder.Create(out, nil, folder.SinkOptions{Overwrite: true}, state)
		}),
		Out:  generate.Output{Path: out},
		Seed: 1,
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(res.Done, "samples,", res.Items, "images")
	for _, f := range res.Manifest.Files[:3] {
		fmt.Println(f.Path)
	}
	damage, err := generate.Verify(context.Background(), generate.Output{Path: out}, 2)
	fmt.Println("good:", err == nil && damage.OK())
	// Output:
	// 4 samples, 12 images
	// gradient0-v0.png
	// gradient0-v1.png
	// gradient0-v2.png
	// good: true
}

// ImageNet-C's form of a data set, which gets a second corruption later. Its image of fog at severity 3 is the same whatever else is
// made.
func ExampleBenchmark() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	out := generate.Output{Path: filepath.Join(dir, "benchmark")}
	for _, names := range [][]string{{"fog"}, {"fog", "brightness"}} {
		b := &generate.Benchmark{
			Forms:  &transform.Corruptions{Names: names, Severities: []float64{3, 4.5}},
			Format: "folder", Encoding: data.Encoding{JPEG: true, Quality: 85},
		}
		res, err := generate.Run(context.Background(), b.Job(&gradients{}, out, -1))
		if err != nil {
			panic(err)
		}
		fmt.Println(b.Parts(), len(res.Manifest.Files), "files")
	}
	fmt.Println(generate.Parts(out))
	// Output:
	// [fog/3 fog/4.5] 8 files
	// [fog/3 fog/4.5 brightness/3 brightness/4.5] 16 files
	// [brightness/3 brightness/4.5 fog/3 fog/4.5] <nil>
}

// What a benchmark would take is estimated from a few samples that are made in memory.
func ExampleBenchmark_Estimate() {
	b := &generate.Benchmark{
		Forms:  &transform.Perturbations{Names: []string{"tilt", "shot_noise"}, Difficulties: []int{1, 2}},
		Format: generate.BenchmarkFormat("cifar10", true),
	}
	out := generate.Output{Path: "CIFAR-10-P"}
	plan, err := b.Estimate(context.Background(), b.Job(&gradients{}, out, 4), 4)
	if err != nil {
		panic(err)
	}
	for _, p := range plan.Parts {
		fmt.Println(p.Name, p.Images, p.Files, p.Bytes)
	}
	// Output:
	// tilt 124 1 95360
	// shot_noise 124 1 95360
	// shot_noise_2 124 1 95360
}

// What an output depends on lies beside it, and is compared before an earlier run is resumed.
func ExampleReadOptions() {
	args := []byte("size: 64\ncrop: 56\n")
	options, err := generate.ReadOptions(args)
	if err != nil {
		panic(err)
	}
	job := generate.Job{Options: options, Records: map[string][]byte{generate.ArgsName: args}}
	fmt.Println(job.Options)
	// Output: [{crop 56} {size 64}]
}

// Each of several epochs has an output of its own.
func ExampleOutput_Epoch() {
	fmt.Println(filepath.ToSlash(generate.Output{Path: "mixed"}.Epoch(3).Path))
	fmt.Println(generate.Output{Path: "mixed.npy", File: true}.Epoch(12).Path)
	// Output:
	// mixed/epoch-003
	// mixed-epoch-012.npy
}

// CIFAR-10-C's form of a data set: an array for each corruption, all severities of it one after the other.
func ExampleOpenArrays() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	names, err := transform.ExpandCorruptions([]string{"fog", "noise"}, cbar.CIFAR)
	if err != nil {
		panic(err)
	}
	c := &transform.Corruptions{Names: names, Severities: []float64{1, 2, 3, 4, 5}}
	res, err := generate.Run(context.Background(), generate.Job{
		Source: &gradients{},
		Task: generate.Variants{Transform: c.Transform, Open: func(state []byte) (generate.PartSink, error) {
			return generate.OpenArrays(generate.ArrayOptions{Dir: dir, Variants: c.Variants(), Samples: 4}, state)
		}},
		Out: generate.Output{Path: dir},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(res.Done, "samples,", res.Items, "images")
	for _, f := range res.Manifest.Files {
		fmt.Println(f.Path, f.Size)
	}
	// Output:
	// 4 samples, 100 images
	// fog.npy 15488
	// gaussian_noise.npy 15488
	// impulse_noise.npy 15488
	// shot_noise.npy 15488
	// speckle_noise.npy 15488
}

// CIFAR-10-P's form: a row of frames for each sample.
func ExampleOpenArrays_frames() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	p := &transform.Perturbations{Names: []string{"shot_noise", "tilt"}, Difficulties: []int{1, 2}}
	res, err := generate.Run(context.Background(), generate.Job{
		Source: &gradients{},
		Task: generate.Variants{Transform: p.Transform, Open: func(state []byte) (generate.PartSink, error) {
			return generate.OpenArrays(generate.ArrayOptions{Dir: dir, Variants: p.Variants(), Samples: 4, Frames: true}, state)
		}},
		Out: generate.Output{Path: dir},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(res.Done, "samples,", res.Items, "frames")
	for _, f := range res.Manifest.Files {
		fmt.Println(f.Path)
	}
	// Output:
	// 4 samples, 372 frames
	// shot_noise.npy
	// shot_noise_2.npy
	// tilt.npy
}

// A folder that gets more files again and again is given as it is, or, of s3://, as a stage that is published afterwards.
func ExampleInFolder() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	err = generate.InFolder(context.Background(), dir, nil, []string{"rows"}, func(dir string) error {
		return os.WriteFile(filepath.Join(dir, "rows"), []byte("one\n"), 0o666)
	})
	text, _ := os.ReadFile(filepath.Join(dir, "rows"))
	fmt.Printf("%v %q\n", err, text)
	// Output: <nil> "one\n"
}

// A data set of YOLO's under fog: images change, all other files are copied.
func ExampleMirror() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file, err := data.Encoding{JPEG: true}.Append(nil, raster.New(32, 24))
	if err != nil {
		panic(err)
	}
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for name, text := range map[string]string{"images/a.jpg": string(file), "labels/a.txt": "0 0.5 0.5 0.2 0.2\n", "data.yaml": "nc: 1\n"} {
		path := filepath.Join(in, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			panic(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			panic(err)
		}
	}

	tree, err := annotated.Open(in, nil)
	if err != nil {
		panic(err)
	}
	plan := &transform.Corruptions{Names: []string{"fog"}, Severities: []float64{3}}
	res, err := generate.Run(context.Background(), generate.Job{
		Source: tree.Source(),
		Task:   generate.Mirror{Tree: tree, Dir: out, Variants: plan.Variants(), Quality: 85, Transform: plan.Transform},
		Out:    generate.Output{Path: out},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(tree)
	for _, f := range res.Manifest.Files {
		fmt.Println(f.Path)
	}
	// Output:
	// layout yolo: 1 images, 0 masks, 2 other files
	// fog/3/data.yaml
	// fog/3/images/a.jpg
	// fog/3/labels/a.txt
}
