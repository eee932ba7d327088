//go:build amd64 && !noasm

package conv

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/augmix-go/augmix/internal/cpu"
)

// layers are convolutions of the papers' networks.
var layers = []struct {
	name string
	Shape
}{
	{"wrn_first", Shape{32, 32, 3, 16, 3, 3, 1, 1, 1}},
	{"wrn_16-32", Shape{32, 32, 16, 32, 3, 3, 1, 1, 1}},
	{"wrn_32", Shape{32, 32, 32, 32, 3, 3, 1, 1, 1}},
	{"wrn_32-64s2", Shape{32, 32, 32, 64, 3, 3, 2, 1, 1}},
	{"wrn_64", Shape{16, 16, 64, 64, 3, 3, 1, 1, 1}},
	{"wrn_128", Shape{8, 8, 128, 128, 3, 3, 1, 1, 1}},
	{"wrn_short16", Shape{32, 32, 16, 32, 1, 1, 1, 0, 1}},
	{"wrn_short64s2", Shape{16, 16, 64, 128, 1, 1, 2, 0, 1}},
	{"densenet_48-12", Shape{32, 32, 48, 12, 3, 3, 1, 1, 1}},
	{"densenet_132-48", Shape{32, 32, 132, 48, 1, 1, 1, 0, 1}},
	{"densenet_150-48", Shape{16, 16, 150, 48, 1, 1, 1, 0, 1}},
	{"densenet_48-12at16", Shape{16, 16, 48, 12, 3, 3, 1, 1, 1}},
	{"densenet_300-48", Shape{8, 8, 300, 48, 1, 1, 1, 0, 1}},
	{"densenet_216-108", Shape{32, 32, 216, 108, 1, 1, 1, 0, 1}},
	{"allconv_96", Shape{32, 32, 96, 96, 3, 3, 1, 1, 1}},
	{"allconv_96s2", Shape{32, 32, 96, 192, 3, 3, 2, 1, 1}},
	{"allconv_192at16", Shape{16, 16, 192, 192, 3, 3, 1, 1, 1}},
	{"allconv_192p0", Shape{8, 8, 192, 192, 3, 3, 1, 0, 1}},
	{"resnext_64-128", Shape{32, 32, 64, 128, 1, 1, 1, 0, 1}},
	{"resnext_128g4", Shape{32, 32, 128, 128, 3, 3, 1, 1, 4}},
	{"resnext_256g4s2", Shape{32, 32, 256, 256, 3, 3, 2, 1, 4}},
	{"resnext_256g4", Shape{16, 16, 256, 256, 3, 3, 1, 1, 4}},
	{"resnext_512g4", Shape{8, 8, 512, 512, 3, 3, 1, 1, 4}},
	{"resnext_512-1024", Shape{8, 8, 512, 1024, 1, 1, 1, 0, 1}},
	{"resnext_512-1024s2", Shape{16, 16, 512, 1024, 1, 1, 2, 0, 1}},
	{"resnet50_stem", Shape{224, 224, 3, 64, 7, 7, 2, 3, 1}},
	{"resnet50_64at56", Shape{56, 56, 64, 64, 3, 3, 1, 1, 1}},
	{"resnet50_64-256", Shape{56, 56, 64, 256, 1, 1, 1, 0, 1}},
	{"resnet50_256-64", Shape{56, 56, 256, 64, 1, 1, 1, 0, 1}},
	{"resnet50_128s2", Shape{56, 56, 128, 128, 3, 3, 2, 1, 1}},
	{"resnet50_128at28", Shape{28, 28, 128, 128, 3, 3, 1, 1, 1}},
	{"resnet50_512-128", Shape{28, 28, 512, 128, 1, 1, 1, 0, 1}},
	{"resnet50_256at14", Shape{14, 14, 256, 256, 3, 3, 1, 1, 1}},
	{"resnet50_1024-256", Shape{14, 14, 1024, 256, 1, 1, 1, 0, 1}},
	{"resnet50_512at7", Shape{7, 7, 512, 512, 3, 3, 1, 1, 1}},
	{"resnet50_512-2048", Shape{7, 7, 512, 2048, 1, 1, 1, 0, 1}},
	{"resnet50_1024-2048s2", Shape{14, 14, 1024, 2048, 1, 1, 2, 0, 1}},
	{"resnext50_128g32", Shape{56, 56, 128, 128, 3, 3, 1, 1, 32}},
	{"alexnet_first", Shape{224, 224, 3, 64, 11, 11, 4, 2, 1}},
}

// cpuSeconds is what the calling thread has used: other work on the machine does not count.
func cpuSeconds() float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano()).Seconds()
}

// peakFlops measures multiply-adds in registers: operations a second.
func peakFlops() float64 {
	const n, chains = 200_000, 12
	t := cpuSeconds()
	var lanes float64
	switch level {
	case cpu.AVX512:
		peakAVX512(n)
		lanes = 16
	default:
		peakAVX2(n)
		lanes = 8
	}
	return 2 * lanes * chains * n / (cpuSeconds() - t)
}

// benchBytes is how much memory the images of a benchmark fill, so that they come from where a training step finds
// them: not from the second-level cache.
const benchBytes = 48 << 20

// BenchmarkConv measures the passes over a batch, image by image, in multiply-adds of the definition (those with
// padding too, as papers count them), each two operations.
func BenchmarkConv(b *testing.B) {
	for _, l := range layers {
		c := New(l.Shape)
		c.NeedInputGrad = true
		random := func(n int) []float32 {
			d := make([]float32, n)
			for i := range d {
				d[i] = float32(rand.NormFloat64())
			}
			return d
		}
		c.Pack(random(c.WeightLen()))
		in, out := c.H*c.W*c.In, c.OutH()*c.OutW()*c.Out
		batch := min(128, max(2, benchBytes/4/(in+out)))
		one, grad := random(in), random(out)
		src, dst := make([]float32, batch*in), make([]float32, batch*out)
		fill := func() {
			for i := range batch {
				copy(src[i*in:], one)
				copy(dst[i*out:], grad)
			}
		}
		dw, scratch := random(c.GradLen()), make([]float32, c.Scratch())
		flop := 2 * float64(c.OutH()*c.OutW()) * float64(c.WeightLen())
		for _, pass := range []struct {
			name string
			f    func(dst, src []float32)
		}{
			{"forward", func(dst, src []float32) { c.Forward(dst, src, nil, false, 0, c.OutH(), scratch) }},
			{"input", func(dst, src []float32) { c.InputGrad(src, dst, false, 0, c.H, scratch) }},
			{"weight", func(dst, src []float32) { c.WeightGrad(dw, src, dst, 0, c.OutH(), scratch) }},
			{"weightbatch", nil},
		} {
			b.Run(l.name+"/"+pass.name, func(b *testing.B) {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				fill()
				once := func() {
					if pass.f == nil {
						c.WeightGradBatch(dw, src, dst, batch, scratch)
						return
					}
					for i := range batch {
						pass.f(dst[i*out:(i+1)*out], src[i*in:(i+1)*in])
					}
				}
				once() // the system hands out memory when it is first touched
				peak := peakFlops()
				t := cpuSeconds()
				for b.Loop() {
					once()
				}
				t = cpuSeconds() - t
				peak = max(peak, peakFlops())
				speed := flop * float64(b.N*batch) / t
				b.ReportMetric(speed/1e9, "GFLOP/s")
				b.ReportMetric(100*speed/peak, "%peak")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func BenchmarkGemm(b *testing.B) {
	for _, s := range []struct {
		name           string
		m, n, k        int
		transA, transB bool
	}{
		{"forward_128x10x128", 128, 10, 128, false, true},
		{"forward_128x1000x2048", 128, 1000, 2048, false, true},
		{"input_128x2048x1000", 128, 2048, 1000, false, false},
		{"weight_1000x2048x128", 1000, 2048, 128, true, false},
		{"forward_1x1000x2048", 1, 1000, 2048, false, true},
		{"square_512", 512, 512, 512, false, false},
	} {
		b.Run(s.name, func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			dst, x, y := make([]float32, s.m*s.n), make([]float32, s.m*s.k), make([]float32, s.k*s.n)
			for _, d := range [][]float32{dst, x, y} {
				for i := range d {
					d[i] = 1 // the system hands out memory when it is first touched
				}
			}
			peak := peakFlops()
			t := cpuSeconds()
			for b.Loop() {
				Gemm(dst, x, y, s.m, s.n, s.k, s.transA, s.transB, false)
			}
			speed := 2 * float64(s.m*s.n*s.k) * float64(b.N) / (cpuSeconds() - t)
			b.ReportMetric(speed/1e9, "GFLOP/s")
			b.ReportMetric(100*speed/peak, "%peak")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkPack measures both packings and the unpacking of a gradient, which a training step does once.
func BenchmarkPack(b *testing.B) {
	for _, l := range layers {
		if l.name != "wrn_128" && l.name != "resnet50_512at7" && l.name != "resnet50_512-2048" {
			continue
		}
		b.Run(l.name, func(b *testing.B) {
			c := New(l.Shape)
			c.NeedInputGrad = true
			w, dw := make([]float32, c.WeightLen()), make([]float32, c.GradLen())
			for b.Loop() {
				c.Pack(w)
				c.UnpackGrad(w, dw)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(w)), "ns/weight")
		})
	}
}
