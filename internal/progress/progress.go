// Package progress shows how far a long run is: a bar that redraws itself on a terminal, a plain line every few seconds
// elsewhere. It writes to standard error's writer only; what a program produces never passes through it.
package progress

import (
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"
)

// Every is the time between two plain lines. Only tests change it.
var Every = 5 * time.Second

// IsTerminal reports whether w is a terminal that can redraw a line.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && cwriter.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// Columns returns how many characters a line of a terminal has, 0 where w is none or does not say.
func Columns(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !cwriter.IsTerminal(int(f.Fd())) {
		return 0
	}
	columns, _, err := cwriter.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// Unit is what a bar counts.
type Unit uint8

// The units.
const (
	Images Unit = iota
	Bytes
)

// Bar is the progress of one run. Its methods are safe for concurrent use.
type Bar struct {
	label string
	unit  Unit
	now   func() time.Time // for tests

	mu       sync.Mutex
	total    int // -1: unknown
	done     int
	rejected int
	first    int // done before this run
	started  time.Time
	shown    time.Time
	stopped  bool
	plain    io.Writer     // nil on a terminal
	tracks   *mpb.Progress // nil elsewhere
	bar      *mpb.Bar
}

// New begins to show a run called label on w. total is how much it will do, or -1 when nobody knows; first is what an
// earlier run did, which counts as done but not for the rate. A nil w shows nothing.
func New(w io.Writer, label string, unit Unit, total, first int) *Bar {
	b := &Bar{label: label, unit: unit, total: total, first: first, done: first, now: time.Now}
	b.started = b.now()
	b.shown = b.started
	switch {
	case w == nil:
	case IsTerminal(w):
		b.terminal(w)
	default:
		b.plain = w
	}
	return b
}

func (b *Bar) terminal(w io.Writer) {
	b.tracks = mpb.New(mpb.WithOutput(w), mpb.WithRefreshRate(120*time.Millisecond), mpb.WithWidth(36))
	text := decor.Any(func(decor.Statistics) string {
		b.mu.Lock()
		defer b.mu.Unlock()
		return " " + b.text()
	})
	name := decor.Any(func(decor.Statistics) string {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.label + " "
	})
	if b.total < 0 {
		b.bar = b.tracks.New(0, mpb.SpinnerStyle(), mpb.PrependDecorators(name), mpb.AppendDecorators(text), mpb.BarFillerTrim())
		return
	}
	style := mpb.BarStyle().Lbound("").Filler("█").Tip("█").Padding("░").Rbound("")
	b.bar = b.tracks.New(int64(b.total), style, mpb.PrependDecorators(name), mpb.AppendDecorators(text))
	b.bar.SetCurrent(int64(b.first))
}

// Set says how much is done, that of earlier runs included, and how many images of it were rejected.
func (b *Bar) Set(done, rejected int) {
	b.mu.Lock()
	b.done, b.rejected = done, rejected
	line := ""
	if now := b.now(); b.plain != nil && now.Sub(b.shown) >= Every {
		b.shown = now
		line = b.label + ": " + b.text() + "\n"
	}
	w := b.plain
	b.mu.Unlock()
	if line != "" {
		_, _ = io.WriteString(w, line)
	}
	if b.bar != nil {
		b.bar.SetCurrent(int64(done))
	}
}

// Relabel calls the run something else from here on, and says how much of what is done an earlier run did.
func (b *Bar) Relabel(label string, first int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.label, b.first = label, first
}

// Stop ends the show; the last state of a bar stays on the terminal. Calls after the first do nothing.
func (b *Bar) Stop() {
	b.mu.Lock()
	stopped, bar := b.stopped, b.bar
	b.stopped = true
	b.mu.Unlock()
	if stopped || bar == nil {
		return
	}
	if !bar.Completed() {
		bar.Abort(false)
	}
	b.tracks.Wait()
}

// Rate returns what was done in this run and how much that is a second.
func (b *Bar) Rate() (done int, perSecond float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.done - b.first, b.rate()
}

func (b *Bar) rate() float64 {
	seconds := b.now().Sub(b.started).Seconds()
	if seconds <= 0 {
		return 0
	}
	return float64(b.done-b.first) / seconds
}

func (b *Bar) text() string {
	rate := b.rate()
	amount, each := strconv.Itoa, " images/s"
	perSecond := Number(rate)
	if b.unit == Bytes {
		amount = func(n int) string { return Size(int64(n)) }
		perSecond, each = Size(int64(rate)), "/s"
	}
	s := amount(b.done)
	if b.total >= 0 {
		s += "/" + amount(b.total)
		if b.total > 0 {
			s += fmt.Sprintf(" (%d %%)", int(100*float64(b.done)/float64(b.total)))
		}
	}
	s += ", " + perSecond + each
	if b.total > b.done && rate > 0 {
		left := time.Duration(float64(b.total-b.done) / rate * float64(time.Second))
		s += ", " + Duration(left) + " left"
	}
	if b.rejected > 0 {
		s += fmt.Sprintf(", %d rejected", b.rejected)
	}
	return s
}

// Number writes a rate with three significant digits at most below a thousand, whole above.
func Number(v float64) string {
	switch {
	case v >= 100 || v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// Duration writes a time as people say it: "0.5 s", "12 s", "4 min 5 s", "2 h 3 min".
func Duration(d time.Duration) string {
	s := int64(math.Round(d.Seconds()))
	switch {
	case d < 9950*time.Millisecond:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
}

// Size writes a number of bytes with a decimal unit.
func Size(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d bytes", n)
	}
	v, u := float64(n)/1000, 0
	for v >= 999.95 && u < 5 {
		v, u = v/1000, u+1
	}
	return fmt.Sprintf("%.1f %cB", v, "kMGTPE"[u])
}
