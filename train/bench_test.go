package train

import (
	"testing"
)

// BenchmarkFeed makes batches of 128 CIFAR-sized images as fast as it can: what the engine can be given at most.
func BenchmarkFeed(b *testing.B) {
	for name, change := range map[string]func(r *Config){
		"standard": func(*Config) {},
		"augmix":   func(r *Config) { r.Mix = "augmix-m3-w3-d-1" },
		"jsd":      func(r *Config) { r.Mix, r.JSD = "augmix-m3-w3-d-1", true },
		"mixup":    func(r *Config) { r.Mix = "mixup-a1" },
	} {
		b.Run(name, func(b *testing.B) {
			r := Default()
			r.Data, r.Model, r.Crop, r.Flip, r.Epochs = "stripes", "wrn-40-2", "pad4:32", true, 1<<20
			change(&r)
			run := &runner{
				config: r, options: Options{Train: newImages(2048, 32, 10)},
				state: newState(), workers: resolveWorkers(0),
			}
			if err := run.readData(b.Context()); err != nil {
				b.Fatal(err)
			}
			f := &feed{
				config: &run.config, set: run.train, method: run.method, norm: r.norm(), classes: 10, w: run.w, h: run.h,
				workers: run.workers,
			}
			f.start(b.Context(), 0, 0, f.config.Epochs)
			defer f.stop()
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				x := f.next()
				n += x.n
				f.done(x)
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "images/s")
		})
	}
}

// BenchmarkStep is one step of training on a batch that is there already: 64 samples, or with the consistency loss 64 times
// three views.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		name, model string
		jsd         bool
	}{{"resnet20", "resnet20", false}, {"resnet20-jsd", "resnet20", true}, {"wrn-40-2", "wrn-40-2", false}} {
		b.Run(c.name, func(b *testing.B) {
			r := Default()
			r.Data, r.Model, r.Crop, r.Flip, r.Batch, r.Workers = "stripes", c.model, "pad4:32", true, 64, 2
			r.JSD = c.jsd
			run := &runner{config: r, options: Options{Dir: b.TempDir(), Name: "x", Train: newImages(256, 32, 10)}}
			if err := run.prepare(b.Context(), nil); err != nil {
				b.Fatal(err)
			}
			defer run.log.close()
			f := &feed{
				config: &run.config, set: run.train, method: run.method, norm: r.norm(), classes: 10,
				w: run.w, h: run.h, workers: 2,
			}
			f.start(b.Context(), 0, 0, f.config.Epochs)
			x := f.next()
			f.stop()
			n := 0
			for b.Loop() {
				if err := run.step(x); err != nil {
					b.Fatal(err)
				}
				n += x.n
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "images/s")
		})
	}
}
