package studio

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"
)

// BenchmarkSlider is one step of the severity slider at 224 pixels as one corruption's card sees it: request, corruption, PNG. It
// reports the median and the 99th percentile over all corruptions and severities; decoding the image comes once.
func BenchmarkSlider(b *testing.B) {
	s, do := serve(b, Options{Data: "scenes:n=1,size=224"})
	info, err := s.info(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	do("GET", "image/corrupt?name=frost&severity=1", nil, nil) // its textures are made once
	var took []time.Duration
	for b.Loop() {
		for _, c := range info.(pageInfo).Corruptions {
			for severity := 1; severity <= 5; severity++ {
				begin := time.Now()
				w := do("GET", fmt.Sprintf("image/corrupt?name=%s&severity=%d", c.Name, severity), nil, nil)
				took = append(took, time.Since(begin))
				if w.Code != http.StatusOK {
					b.Fatal(w.Body)
				}
			}
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(0, "ns/op")
}
