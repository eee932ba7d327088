package image2image

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/augmix-go/augmix/rng"
)

// cpuSeconds is what the calling thread has used: other work on the machine does not count.
func cpuSeconds() float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano()).Seconds()
}

// BenchmarkImages measures one core: images of 32x32 and 224x224 pixels for every second that it computes, with the published
// weights.
func BenchmarkImages(b *testing.B) {
	style, err := NewStyle(published(b, "style", "magenta_style.npz"))
	if err != nil {
		b.Fatal(err)
	}
	var code Code
	half := [3]float32{0.5, 0.5, 0.5}
	runs := map[string]func(v []float32, side int, s *Scratch){
		"style":     func(v []float32, side int, s *Scratch) { style.Apply(v, side, side, &code, s) },
		"predict":   func(v []float32, side int, s *Scratch) { style.PredictPlanes(&code, v, side, side, s) },
		"noise2net": func(v []float32, side int, s *Scratch) { Noise2Net(v, side, side, half, half, rng.New(1), s) },
	}
	for _, file := range []string{"carn_m.npz", "dncnn_25.npz", "taef2_f16.npz"} {
		n, err := New(published(b, "image2image", file))
		if err != nil {
			b.Fatal(err)
		}
		runs[n.String()] = func(v []float32, side int, s *Scratch) { n.Apply(v, side, side, s) }
		runs[n.String()+" distorted"] = func(v []float32, side int, s *Scratch) { n.Distort(v, side, side, 5, rng.New(1), s) }
	}
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		for _, side := range []int{32, 224} {
			b.Run(fmt.Sprintf("%s/%d", name, side), func(b *testing.B) {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				var s Scratch
				image := pattern(side, side)
				v := slices.Clone(image)
				runs[name](v, side, &s) // plans and memory
				begun := cpuSeconds()
				for b.Loop() {
					copy(v, image)
					runs[name](v, side, &s)
				}
				b.ReportMetric(float64(b.N)/(cpuSeconds()-begun), "images/s")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
