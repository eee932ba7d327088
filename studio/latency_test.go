package studio

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"testing"
	"time"
)

// BenchmarkSlider is one step of the severity slider at 224 pixels as one corruption's card sees it, over the real server: request,
// corruption, PNG, answer. It reports the median and the 99th percentile over all corruptions and severities; decoding the image comes
// once.
func BenchmarkSlider(b *testing.B) {
	s, err := New(Options{Data: "scenes:n=1,size=224"})
	if err != nil {
		b.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s.Bind(l.Addr())
	ctx, stop := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, l) }()
	get := func(path string) {
		w, err := http.Get(s.URL() + path)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, w.Body); err != nil || w.StatusCode != http.StatusOK {
			b.Fatal(path, w.Status, err)
		}
		_ = w.Body.Close()
	}
	info, err := s.info(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	get("image/corrupt?name=frost&severity=1") // its textures are made once
	var took []time.Duration
	for b.Loop() {
		for _, c := range info.(pageInfo).Corruptions {
			for severity := 1; severity <= 5; severity++ {
				begin := time.Now()
				get(fmt.Sprintf("image/corrupt?name=%s&severity=%d", c.Name, severity))
				took = append(took, time.Since(begin))
			}
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(0, "ns/op")
	stop()
	if err := <-done; err != nil {
		b.Error(err)
	}
	if err := s.Close(); err != nil {
		b.Error(err)
	}
}
