package progress

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestPlainLines(t *testing.T) {
	var out bytes.Buffer
	b := New(&out, "augment", Images, 1000, 200)
	clock := b.started
	b.now = func() time.Time { return clock }
	b.Set(300, 0)
	if out.Len() != 0 {
		t.Errorf("a line before its time: %q", out.String())
	}
	clock = clock.Add(Every)
	b.Set(400, 2)
	clock = clock.Add(time.Second)
	b.Set(450, 2)
	b.Stop()
	b.Stop()
	if got, want := out.String(), "augment: 400/1000 (40 %), 40 images/s, 15 s left, 2 rejected\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if n, rate := b.Rate(); n != 250 || rate < 41 || rate > 42 {
		t.Errorf("rate %d, %v", n, rate)
	}
}

// TestRelabel: what turns out to be done already counts as done, but not for the rate.
func TestRelabel(t *testing.T) {
	var out bytes.Buffer
	b := New(&out, "clean 1/3", Images, 1000, 0)
	clock := b.started.Add(10 * time.Second)
	b.now = func() time.Time { return clock }
	b.Relabel("fog 3/3", 500)
	b.Set(600, 0)
	if got, want := out.String(), "fog 3/3: 600/1000 (60 %), 10 images/s, 40 s left\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUnknownTotal(t *testing.T) {
	var out bytes.Buffer
	b := New(&out, "x", Images, -1, 0)
	clock := b.started.Add(10 * time.Second)
	b.now = func() time.Time { return clock }
	b.Set(55, 0)
	if got := out.String(); got != "x: 55, 5.50 images/s\n" {
		t.Errorf("got %q", got)
	}
}

func TestBytes(t *testing.T) {
	var out bytes.Buffer
	b := New(&out, "fetch", Bytes, 170_500_000, 0)
	clock := b.started.Add(10 * time.Second)
	b.now = func() time.Time { return clock }
	b.Set(17_050_000, 0)
	if got := out.String(); got != "fetch: 17.1 MB/170.5 MB (10 %), 1.7 MB/s, 1 min 30 s left\n" {
		t.Errorf("got %q", got)
	}
	for n, want := range map[int64]string{0: "0 bytes", 999: "999 bytes", 1000: "1.0 kB", 999_949: "999.9 kB", 999_950: "1.0 MB", 1 << 62: "4.6 EB"} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestSilent(t *testing.T) {
	b := New(nil, "x", Images, 10, 0)
	b.now = func() time.Time { return b.started.Add(time.Hour) }
	b.Set(5, 1)
	b.Stop()
	if IsTerminal(&bytes.Buffer{}) {
		t.Error("a buffer is not a terminal")
	}
}

func TestWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.0 s", 9940 * time.Millisecond: "9.9 s", 9960 * time.Millisecond: "10 s", 59 * time.Second: "59 s", 245 * time.Second: "4 min 5 s", 2*time.Hour + 3*time.Minute: "2 h 3 min",
	} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%v) = %q, want %q", d, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0", 1.234: "1.23", 12.34: "12.3", 1234.5: "1234", 221700: "221700"} {
		if got := Number(v); got != want {
			t.Errorf("Number(%v) = %q, want %q", v, got, want)
		}
	}
	if strings.Contains(Duration(59*time.Second+700*time.Millisecond), "60 s") {
		t.Error("60 s is a minute")
	}
}
