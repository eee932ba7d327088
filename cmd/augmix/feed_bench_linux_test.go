package main

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/feed"
	"github.com/augmix-go/augmix/mix"
)

// BenchmarkFeed measures the processor time of an image of 224x224, float32, mixed by AugMix: only made, and handed over by
// either transport, of the process that makes it and of the one that reads it.
func BenchmarkFeed(b *testing.B) {
	const samples, batch = 64, 16
	in := "scenes:n=64,size=224,seed=1"
	args := []string{in, "--mix", "augmix", "--dtype", "float32", "--batch", "16"}
	cpu := func() float64 { // of this process, in microseconds
		var u unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e3
	}
	b.Run("made", func(b *testing.B) {
		src, err := formats.Open(in, formats.Options{Split: "train"})
		if err != nil {
			b.Fatal(err)
		}
		m, err := mix.ParseMethod("augmix", mix.Options{})
		if err != nil {
			b.Fatal(err)
		}
		l, err := feed.New(b.Context(), src, feed.Options{Mix: m, DType: feed.Float32, Batch: batch, Cache: 4 << 30, Filter: augment.Bilinear})
		if err != nil {
			b.Fatal(err)
		}
		slots := make([][]byte, 6)
		for i := range slots {
			slots[i] = make([]byte, l.Layout().Bytes)
		}
		next := func(n int) {
			for i := range n {
				if _, err := l.Next(b.Context(), slots[i%len(slots)]); err != nil {
					b.Fatal(err)
				}
			}
		}
		next(2 * samples / batch)
		begun := cpu()
		b.ResetTimer()
		next(b.N)
		b.ReportMetric((cpu()-begun)/float64(b.N*batch), "cpu-µs/image")
	})
	for _, ring := range []bool{true, false} {
		name := map[bool]string{true: "ring", false: "pipe"}[ring]
		b.Run(name, func(b *testing.B) {
			c, err := startFeed(ring, args...)
			if err != nil {
				b.Fatal(err)
			}
			next := func(n int) {
				for range n {
					if err := c.batch(); err != nil {
						b.Fatal(err, c.errs.String())
					}
				}
			}
			next(2 * samples / batch)
			_, before := usage(b, c.cmd.Process.Pid)
			begun := cpu()
			b.ResetTimer()
			next(b.N)
			b.StopTimer()
			read := cpu() - begun
			_, after := usage(b, c.cmd.Process.Pid)
			tick := 1e6 / 100.0 // USER_HZ
			b.ReportMetric(float64(after-before)*tick/float64(b.N*batch), "cpu-µs/image")
			b.ReportMetric(read/float64(b.N*batch), "reader-cpu-µs/image")
			if err := c.end(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
