//go:build unix

package main

import (
	"io"
	"os"
	"syscall"
	"testing"
	"time"
)

// BenchmarkScoreFile compares scoring a file of logits with reading it, both from the page cache: by the clock, and by
// the time of the processors, which other programs on the machine disturb less.
func BenchmarkScoreFile(b *testing.B) {
	const n, classes = 50_000, 1000
	dir := b.TempDir()
	labels := fakeLabels(n, classes)
	path := saveArray(b, fakeModel(1, labels, classes, .8), []int{n, classes}, dir, "logits.npy")
	saveArray(b, labels, []int{n}, dir, "logits.labels.npy")
	used := func(f func()) (wall, cpu time.Duration) {
		var u0, u1 syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u0); err != nil {
			b.Fatal(err)
		}
		at := time.Now()
		f()
		wall = time.Since(at)
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u1); err != nil {
			b.Fatal(err)
		}
		total := func(u syscall.Rusage) int64 { return u.Utime.Nano() + u.Stime.Nano() }
		return wall, time.Duration(total(u1) - total(u0))
	}
	buf := make([]byte, 256<<10)
	reading := func() {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		for {
			if _, err := f.Read(buf); err == io.EOF {
				return
			} else if err != nil {
				b.Fatal(err)
			}
		}
	}
	reading()
	var readWall, readCPU, scoreWall, scoreCPU time.Duration
	for b.Loop() {
		w, c := used(reading)
		readWall, readCPU = readWall+w, readCPU+c
		w, c = used(func() { augmix(b, exitDone, "score", path, "-q") })
		scoreWall, scoreCPU = scoreWall+w, scoreCPU+c
	}
	b.ReportMetric(float64(b.N)*n/scoreWall.Seconds(), "rows/s")
	b.ReportMetric(scoreWall.Seconds()/readWall.Seconds(), "wall/read")
	b.ReportMetric(scoreCPU.Seconds()/readCPU.Seconds(), "cpu/read")
}
