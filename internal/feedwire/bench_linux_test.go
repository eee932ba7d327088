package feedwire

import (
	"context"
	"io"
	"testing"

	"golang.org/x/sys/unix"
)

// BenchmarkHandOver measures what handing over a batch of 16 images of 224x224 in float32 costs both sides together, in
// processor time of an image: nothing is made.
func BenchmarkHandOver(b *testing.B) {
	const images = 16
	cpu := func() float64 {
		var u unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e3
	}
	for _, ring := range []bool{true, false} {
		b.Run(map[bool]string{true: "ring", false: "pipe"}[ring], func(b *testing.B) {
			k, w := newTalk(b, b.Context()), work(0)
			w.Contents, w.Checksum = images*3*224*224*4, false
			if ring {
				k, w = ringed(b, w.Contents)
				w.Checksum = false
			}
			w.Next = func(context.Context, []byte) (*Batch, error) { return &Batch{N: images}, nil }
			done := make(chan error, 1)
			go func() { done <- k.session.Serve(w) }()
			next := func() {
				for {
					m, err := k.Next()
					if err != nil {
						b.Fatal(err)
					}
					if m.Kind != 'B' {
						continue
					}
					if ring {
						err = k.Free(m)
					}
					if err != nil {
						b.Fatal(err)
					}
					return
				}
			}
			for range 10 {
				next()
			}
			begun := cpu()
			b.ResetTimer()
			for range b.N {
				next()
			}
			b.ReportMetric((cpu()-begun)/float64(b.N*images), "cpu-µs/image")
			b.StopTimer()
			_ = k.Send('T', 0, 0)
			go func() { _, _ = io.Copy(io.Discard, k.fromChild) }()
			if err := <-done; err != nil {
				b.Error(err)
			}
		})
	}
}
