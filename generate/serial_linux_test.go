package generate

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/wds"
	"github.com/augmix-go/augmix/transform"
)

// BenchmarkImageNetC writes ImageNet-C of the JPEG files below the folder AUGMIX_BENCH_JPEG, as its tree and as WebDatasets, and
// says how much of it only one core can do. A run puts images into the sink, checkpoints and seals on the goroutine that called it, which is kept on a
// thread of its own here: its processor time is what is serial. AUGMIX_BENCH_WORKERS says how many workers there are,
// AUGMIX_BENCH_OUT the folder to write to. An iteration is a sample, which becomes 95 files.
//
//	AUGMIX_BENCH_JPEG=DIR go test -run '^$' -bench ImageNetC -benchtime 200x -cpuprofile cpu.out -trace trace.out ./generate
func BenchmarkImageNetC(b *testing.B) {
	b.Run("tree", func(b *testing.B) {
		benchmarkImageNetC(b, func(dir string, v []transform.Variant, state []byte) (PartSink, error) {
			return OpenTree(TreeOptions{Dir: dir, Variants: v, Ext: ".jpg", Quality: 85}, state)
		})
	})
	b.Run("wds", func(b *testing.B) {
		benchmarkImageNetC(b, func(dir string, v []transform.Variant, state []byte) (PartSink, error) {
			jpeg := data.Encoding{JPEG: true, Quality: 85}
			return OpenFan(len(v), jpeg, func(i int, state []byte) (data.Sink, error) {
				return wds.Create(filepath.Join(dir, v[i].Dir()), nil, wds.SinkOptions{Encoding: jpeg}, state)
			}, state)
		})
	})
}

func benchmarkImageNetC(b *testing.B, open func(dir string, v []transform.Variant, state []byte) (PartSink, error)) {
	dir := os.Getenv("AUGMIX_BENCH_JPEG")
	if dir == "" {
		b.Skip("AUGMIX_BENCH_JPEG names no folder of JPEG files")
	}
	workers, _ := strconv.Atoi(os.Getenv("AUGMIX_BENCH_WORKERS"))
	src, err := formats.Open(dir, formats.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	names, err := transform.ExpandCorruptions([]string{"all"}, 0)
	if err != nil {
		b.Fatal(err)
	}
	frost, err := corrupt.NewFrostSet(noise(9, 900, 600))
	if err != nil {
		b.Fatal(err)
	}
	severities, err := transform.ParseSeverities("1-5")
	if err != nil {
		b.Fatal(err)
	}
	c := &transform.Corruptions{Names: names, Severities: severities, Frost: frost, Size: 256, Crop: 224}
	out, err := os.MkdirTemp(os.Getenv("AUGMIX_BENCH_OUT"), "tree-")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(out)
	out = filepath.Join(out, "out")
	var timed timedSink
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	b.ResetTimer()
	serial, all := used(b, unix.RUSAGE_THREAD), used(b, unix.RUSAGE_SELF)
	res, err := Run(b.Context(), Job{
		Out: Output{Path: out}, Source: data.Limit(src, b.N), Workers: workers,
		Task: Variants{Transform: c.Transform, Open: func(state []byte) (PartSink, error) {
			s, err := open(out, c.Variants(), state)
			timed.PartSink = s
			return &timed, err
		}},
	})
	if err != nil {
		b.Fatal(err)
	}
	serial, all = used(b, unix.RUSAGE_THREAD)-serial, used(b, unix.RUSAGE_SELF)-all
	each := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(res.Manifest.Samples) }
	part := serial.Seconds() / all.Seconds()
	b.ReportMetric(each(all), "cpu-ms/sample")
	b.ReportMetric(each(serial), "serial-ms/sample")
	b.ReportMetric(each(timed.waits), "checkpoint-ms/sample")
	b.ReportMetric(1/(part+(1-part)/64), "times-on-64-cores")
	b.ReportMetric(float64(res.Manifest.Items)/b.Elapsed().Seconds(), "images/s")
}

// timedSink notes how long checkpoints take by the clock, which is mostly waiting for the disk.
type timedSink struct {
	PartSink
	waits time.Duration
}

func (t *timedSink) Checkpoint() ([]byte, error) {
	begun := time.Now()
	defer func() { t.waits += time.Since(begun) }()
	return t.PartSink.Checkpoint()
}

// used is the processor time of this thread or process.
func used(b *testing.B, who int) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(who, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func (t *timedSink) Finished() []data.FileSum { return finished(t.PartSink) }
