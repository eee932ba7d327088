// Package events writes TensorBoard's event files: curves, images and texts of a run, in the folder that
// "tensorboard --logdir" is pointed at. It needs neither TensorFlow nor a protocol buffer library: the few messages are
// encoded by hand, after tensorflow/core/util/event.proto and tensorflow/core/framework/summary.proto.
//
// An event file is a sequence of TFRecord frames, each of which holds one Event message. A frame is the length of the
// message (64 bits), the masked CRC-32C of those eight bytes, the message, and its masked CRC-32C; all little endian.
package events

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// ErrFormat marks a file that is no event file, or one that is damaged before its last frame.
var ErrFormat = errors.New("events: bad event file")

// prefix begins the name of every event file; TensorBoard looks for "tfevents". The number after it is the time in
// seconds, by which TensorBoard orders the files of a folder.
const (
	prefix = "events.out.tfevents."
	suffix = ".augmix"
	// fileVersion is the content of the first event. From version 2 on, TensorBoard heeds [Writer.Restart].
	fileVersion = "brain.Event:2"
)

// Writer writes the events of a run. It is safe for concurrent use.
type Writer struct {
	mu   sync.Mutex
	f    *os.File
	w    *bufio.Writer
	path string
	buf  []byte
	cut  int64
	err  error
}

// New opens the event file of a folder for appending: the newest that this package wrote there, or a new one. The
// folder is made if it is not there. The rest of a last frame that a crash tore is cut off ([Writer.Cut] says how
// much); a file that is damaged elsewhere is an error that wraps [ErrFormat], and stays as it is.
func New(dir string) (*Writer, error) { return open(dir, time.Now()) }

func open(dir string, now time.Time) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("events: %w", err)
	}
	old, err := filepath.Glob(filepath.Join(globQuote(dir), prefix+"*"+suffix))
	if err != nil {
		return nil, fmt.Errorf("events: %w", err)
	}
	path := filepath.Join(dir, fmt.Sprintf("%s%010d%s", prefix, now.Unix(), suffix))
	if len(old) > 0 {
		path = slices.Max(old) // ten digits until the year 2286, so that the order of names is that of times
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("events: %w", err)
	}
	w := &Writer{f: f, w: bufio.NewWriter(f), path: path}
	if err := w.restore(now); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// globQuote protects the characters of a folder's name that mean something in a pattern.
func globQuote(dir string) string {
	if filepath.Separator == '\\' {
		return strings.ReplaceAll(dir, "[", "[[]")
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}

// restore finds the end of the whole frames and begins an empty file.
func (w *Writer) restore(now time.Time) error {
	st, err := w.f.Stat()
	if err != nil {
		return w.wrap(err)
	}
	end, err := wholeFrames(bufio.NewReader(w.f), st.Size())
	if err != nil {
		return w.wrap(err)
	}
	if w.cut = st.Size() - end; w.cut > 0 {
		if err := w.f.Truncate(end); err != nil {
			return w.wrap(err)
		}
	}
	if _, err := w.f.Seek(end, io.SeekStart); err != nil {
		return w.wrap(err)
	}
	if end > 0 {
		return nil
	}
	return w.event(now, 0, func(b []byte) []byte { return appendBytes(b, eventFileVersion, []byte(fileVersion)) })
}

// wholeFrames returns the length of the frames from the beginning that are whole. A damaged frame that is followed by
// anything is an error; the last one is what a crash leaves.
func wholeFrames(r io.Reader, size int64) (int64, error) {
	var end int64
	var head [12]byte
	var body []byte
	for size-end >= frameExtra {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return 0, err
		}
		n := binary.LittleEndian.Uint64(head[:])
		if binary.LittleEndian.Uint32(head[8:]) != masked(head[:8]) {
			if end == 0 && !allZero(head[:]) {
				return 0, fmt.Errorf("%w: it does not begin with a frame", ErrFormat)
			}
			if rest := size - end; rest > maxTorn {
				return 0, fmt.Errorf("%w: bad frame at byte %d, %d bytes before the end", ErrFormat, end, rest)
			}
			return end, nil
		}
		if n > uint64(size-end-frameExtra) {
			return end, nil
		}
		body = slices.Grow(body[:0], int(n)+4)[:n+4]
		if _, err := io.ReadFull(r, body); err != nil {
			return 0, err
		}
		next := end + frameExtra + int64(n)
		if binary.LittleEndian.Uint32(body[n:]) != masked(body[:n]) {
			if next < size {
				return 0, fmt.Errorf("%w: bad frame at byte %d", ErrFormat, end)
			}
			return end, nil
		}
		end = next
	}
	return end, nil
}

const (
	frameExtra = 16 // bytes of a frame beside its message
	// maxTorn is how much a power failure may have spoilt, such as a page of zeros, before it counts as damage.
	maxTorn = 1 << 20
)

func allZero(b []byte) bool {
	return !slices.ContainsFunc(b, func(v byte) bool { return v != 0 })
}

func (w *Writer) wrap(err error) error {
	if err != nil {
		return fmt.Errorf("events: %s: %w", w.path, err)
	}
	return nil
}

// Path returns the name of the file.
func (w *Writer) Path() string { return w.path }

// Cut returns how many bytes of a torn frame were cut off when the file was opened.
func (w *Writer) Cut() int64 { return w.cut }

// Scalar adds a point to the curve called tag, as measured now. Slashes in tags make groups. The value is stored as
// float32; NaN and infinities are shown as such.
func (w *Writer) Scalar(tag string, step int64, value float64) error {
	return w.ScalarAt(tag, step, value, time.Now())
}

// ScalarAt is [Writer.Scalar] with the time of the measurement.
func (w *Writer) ScalarAt(tag string, step int64, value float64, wall time.Time) error {
	return w.value(tag, step, wall, func(b []byte) []byte {
		b = appendKey(b, valueSimple, fixed32)
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(value)))
	})
}

// Image adds an image of the given size, encoded as PNG, whose bytes the caller has.
func (w *Writer) Image(tag string, step int64, width, height int, png []byte) error {
	return w.value(tag, step, time.Now(), func(b []byte) []byte {
		m := appendVarint(nil, imageHeight, uint64(height))
		m = appendVarint(m, imageWidth, uint64(width))
		m = appendVarint(m, imageColors, 3) // RGB
		m = appendBytes(m, imageData, png)
		return appendBytes(b, valueImage, m)
	})
}

// Text adds a text, shown as Markdown.
func (w *Writer) Text(tag string, step int64, text string) error {
	return w.value(tag, step, time.Now(), func(b []byte) []byte {
		plugin := appendBytes(nil, pluginName, []byte("text"))
		b = appendBytes(b, valueMetadata, appendBytes(nil, metadataPlugin, plugin))
		t := appendVarint(nil, tensorType, typeString)
		t = appendBytes(t, tensorShape, appendBytes(nil, shapeDim, appendVarint(nil, dimSize, 1)))
		t = appendBytes(t, tensorString, []byte(text))
		return appendBytes(b, valueTensor, t)
	})
}

// Restart says that the run begins again at a step: TensorBoard forgets what was written for that step and later ones.
func (w *Writer) Restart(step int64) error {
	return w.event(time.Now(), step, func(b []byte) []byte {
		return appendBytes(b, eventSession, appendVarint(nil, sessionStatus, sessionStart))
	})
}

// Flush hands everything to the operating system, so that TensorBoard sees it.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.flush()
}

func (w *Writer) flush() error {
	if w.err == nil {
		w.err = w.wrap(w.w.Flush())
	}
	return w.err
}

// errClosed is what a closed writer returns.
var errClosed = errors.New("events: the writer is closed")

// Close writes everything to the disk and closes the file.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(w.err, errClosed) {
		return w.err
	}
	err := w.flush()
	if err == nil {
		err = w.wrap(w.f.Sync())
	}
	err = errors.Join(err, w.wrap(w.f.Close()))
	w.err = errClosed
	return err
}

// value writes an event with one summary value; body appends what follows its tag.
func (w *Writer) value(tag string, step int64, wall time.Time, body func([]byte) []byte) error {
	return w.event(wall, step, func(b []byte) []byte {
		v := body(appendBytes(nil, valueTag, []byte(tag)))
		return appendBytes(b, eventSummary, appendBytes(nil, summaryValue, v))
	})
}

// event writes a frame; body appends what follows time and step.
func (w *Writer) event(wall time.Time, step int64, body func([]byte) []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	b := append(w.buf[:0], make([]byte, 12)...)
	b = appendKey(b, eventTime, fixed64)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(wall.UnixMicro())/1e6))
	if step != 0 {
		b = appendVarint(b, eventStep, uint64(step))
	}
	b = body(b)
	binary.LittleEndian.PutUint64(b, uint64(len(b)-12))
	binary.LittleEndian.PutUint32(b[8:], masked(b[:8]))
	w.buf = binary.LittleEndian.AppendUint32(b, masked(b[12:]))
	_, err := w.w.Write(w.buf)
	w.err = w.wrap(err)
	return w.err
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// masked is the checksum of TFRecord: CRC-32C, rotated and shifted so that checksums of checksums are no trouble.
func masked(b []byte) uint32 {
	c := crc32.Checksum(b, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}
