//go:build unix

package nn_test

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/rng"
)

// benchNet makes a network with random images and labels for it.
func benchNet(b *testing.B, spec string, size, classes, batch, workers int, train bool) (*nn.Net, []float32, []int) {
	b.Helper()
	g, err := models.Build(spec, graph.Shape{H: size, W: size, C: 3}, classes)
	if err != nil {
		b.Fatal(err)
	}
	net, err := nn.New(g, nn.Options{Workers: workers, Batch: batch, Train: train})
	if err != nil {
		b.Fatal(err)
	}
	key := rng.NewKey(1)
	net.Init(key)
	r := key.Str("images").Rand()
	x := make([]float32, batch*g.Input().Len())
	r.FillNormal32(x)
	labels := make([]int, batch)
	for i := range labels {
		labels[i] = r.IntN(classes)
	}
	return net, x, labels
}

var benchModels = []struct {
	spec          string
	size, classes int
	batch         int
}{
	{"resnet20", 32, 10, 128},
	{"wrn-40-2", 32, 10, 32},
	{"wrn-40-2", 32, 10, 128},
	{"densenet-bc-100-12", 32, 10, 32},
	{"resnext29-4x32", 32, 10, 32},
	{"allconv", 32, 10, 32},
	{"resnet50", 224, 1000, 8},
	{"resnet50", 224, 1000, 32},
}

// usage returns the CPU seconds of the process and the peak of its memory in MiB.
func usage() (seconds, peak float64) {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0, 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()).Seconds(), float64(r.Maxrss) / 1024 // KiB on Linux
}

// measure times steps after one to warm up and reports images a second, by the clock and by CPU time, and the memory.
func measure(b *testing.B, batch int, step func(i int)) {
	b.Helper()
	step(0)
	b.ReportAllocs()
	start, _ := usage()
	b.ResetTimer()
	for i := range b.N {
		step(i)
	}
	end, peak := usage()
	b.ReportMetric(float64(batch*b.N)/b.Elapsed().Seconds(), "images/s")
	b.ReportMetric(float64(batch*b.N)/(end-start), "images/cpu-s")
	b.ReportMetric(peak, "peak-MiB")
}

// workersOf is the number of goroutines of a benchmark: AUGMIX_WORKERS or one.
func workersOf() int {
	n := 1
	fmt.Sscan(os.Getenv("AUGMIX_WORKERS"), &n)
	return n
}

func trainStep(net *nn.Net, x []float32, batch, classes int, loss func(d, logits []float32)) func(i int) {
	d := make([]float32, batch*classes)
	opt := &nn.SGD{Momentum: 0.9, Nesterov: true, WeightDecay: 5e-4}
	return func(i int) {
		logits := net.Forward(x, batch, nn.Mode{Train: true, Key: rng.NewKey(uint64(i))})
		loss(d, logits)
		net.Backward(d)
		opt.Step(net.Tensors(), 0.01)
	}
}

func BenchmarkTrain(b *testing.B) {
	for _, m := range benchModels {
		b.Run(fmt.Sprintf("%s/%d", m.spec, m.batch), func(b *testing.B) {
			net, x, labels := benchNet(b, m.spec, m.size, m.classes, m.batch, workersOf(), true)
			measure(b, m.batch, trainStep(net, x, m.batch, m.classes, func(d, logits []float32) {
				nn.CrossEntropy(d, logits, labels, m.classes, 0)
			}))
		})
	}
}

// BenchmarkJSD is a step of AugMix's loss: three views of 32 images. Images are those of the clean view.
func BenchmarkJSD(b *testing.B) {
	const batch, views, classes = 32, 3, 10
	net, x, labels := benchNet(b, "wrn-40-2", 32, classes, views*batch, workersOf(), true)
	measure(b, batch, trainStep(net, x, views*batch, classes, func(d, logits []float32) {
		nn.JSD(d, logits, labels[:batch], classes, views, 12)
	}))
}

func BenchmarkInfer(b *testing.B) {
	for _, m := range benchModels {
		b.Run(fmt.Sprintf("%s/%d", m.spec, m.batch), func(b *testing.B) {
			net, x, _ := benchNet(b, m.spec, m.size, m.classes, m.batch, workersOf(), false)
			measure(b, m.batch, func(int) { net.Forward(x, m.batch, nn.Mode{}) })
		})
	}
}
