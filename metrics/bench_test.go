package metrics

import (
	"math/rand/v2"
	"testing"
)

func benchLogits(rows, classes int) ([]float32, []int) {
	r := rand.New(rand.NewPCG(1, 2))
	logits := make([]float32, rows*classes)
	labels := make([]int, rows)
	for i := range logits {
		logits[i] = float32(2 * r.NormFloat64())
	}
	for i := range labels {
		labels[i] = r.IntN(classes)
		if r.IntN(4) > 0 {
			logits[i*classes+labels[i]] += 9
		}
	}
	return logits, labels
}

// BenchmarkScore is one row of 1,000 classes and everything that [Classification] adds up.
func BenchmarkScore(b *testing.B) {
	const n, classes = 256, 1000
	logits, labels := benchLogits(n, classes)
	var c Classification
	b.SetBytes(4 * classes)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if i == n {
			i = 0
			c = Classification{}
			c.Calibration().Grow(n)
		}
		if err := AddRows(&c, i, logits[i*classes:][:classes], labels[i:i+1]); err != nil {
			b.Fatal(err)
		}
		i++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

const million = 1_000_000

// BenchmarkMillionRows takes all sorted-confidence metrics of a million rows.
func BenchmarkMillionRows(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var c Calibration
	for range million {
		conf := r.Float64()
		c.add(conf, r.Float64() < conf)
	}
	metrics := map[string]func(*Calibration) (float64, error){
		"rms": (*Calibration).RMS, "aurra": (*Calibration).AURRA, "soft_f1": (*Calibration).SoftF1, "brier": (*Calibration).BrierBinary,
	}
	for name, f := range metrics {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				fresh := Calibration{keys: append([]uint64(nil), c.keys...)}
				b.StartTimer()
				if _, err := f(&fresh); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func benchDetection() *Detection {
	r := rand.New(rand.NewPCG(1, 2))
	d := new(Detection)
	for i := range million {
		if i%6 == 0 {
			d.pos = append(d.pos, r.NormFloat64()+1)
		} else {
			d.neg = append(d.neg, r.NormFloat64())
		}
	}
	return d
}

// BenchmarkAUROC sorts and scores a million scores.
func BenchmarkAUROC(b *testing.B) {
	d := benchDetection()
	for b.Loop() {
		d.curve = nil
		if _, err := d.AUROC(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*million/b.Elapsed().Seconds(), "scores/s")
}

// BenchmarkBootstrap is one replicate of the AUROC of a million scores.
func BenchmarkBootstrap(b *testing.B) {
	s, err := benchDetection().Statistic(AUROC)
	if err != nil {
		b.Fatal(err)
	}
	w := make([]uint32, million)
	src := rand.NewPCG(3, 4)
	for b.Loop() {
		(&drawer{src: src}).draw(w, s.Strata())
		s.Weighted(w)
	}
}

// BenchmarkVideo is a sequence of 31 frames and 1,000 classes.
func BenchmarkVideo(b *testing.B) {
	z, _ := benchLogits(31, 1000)
	for i := 1000; i < len(z); i++ { // neighboring frames resemble each other
		z[i] = z[i-1000] + 0.1*z[i]
	}
	for name, zipf := range map[string]bool{"top5": false, "zipf": true} {
		b.Run(name, func(b *testing.B) {
			s, err := NewStability(Rotate, 1)
			if err != nil {
				b.Fatal(err)
			}
			if zipf {
				s.MeasureZipf()
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := AddVideo(s, 0, z, 1000); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(31*float64(b.N)/b.Elapsed().Seconds(), "frames/s")
		})
	}
}
