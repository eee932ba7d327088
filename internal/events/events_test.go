package events

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// The reader below was written from the formats' descriptions and shares nothing with the writer: its own framing, its
// own checksum (bit by bit), and Google's package for the wire format.

// event is what the reader makes of an Event message.
type event struct {
	wall    float64
	step    int64
	version string
	restart bool
	tag     string
	simple  float32
	has     string // simple, image or text
	image   []byte
	w, h    uint64
	text    string
	plugin  string
}

// crcBitwise is CRC-32C from its polynomial, reflected.
func crcBitwise(b []byte) uint32 {
	c := ^uint32(0)
	for _, v := range b {
		c ^= uint32(v)
		for range 8 {
			c = c>>1 ^ 0x82f63b78*(c&1)
		}
	}
	return ^c
}

// readEvents reads a file, or says where it is not one.
func readEvents(file []byte) ([]event, error) {
	var out []event
	r := bytes.NewReader(file)
	for r.Len() > 0 {
		at := len(file) - r.Len()
		message, err := readFrame(r)
		if err != nil {
			return out, fmt.Errorf("byte %d: %w", at, err)
		}
		e, err := parseEvent(message)
		if err != nil {
			return out, fmt.Errorf("byte %d: %w", at, err)
		}
		out = append(out, e)
	}
	return out, nil
}

func readFrame(r *bytes.Reader) ([]byte, error) {
	unmask := func(v uint32) uint32 {
		v -= 0xa282ead8
		return v>>17 | v<<15
	}
	var head struct {
		N   uint64
		CRC uint32
	}
	if err := binary.Read(r, binary.LittleEndian, &head); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.AppendUint64(nil, head.N)
	if unmask(head.CRC) != crcBitwise(n) {
		return nil, errors.New("checksum of the length")
	}
	if head.N > uint64(r.Len()) {
		return nil, io.ErrUnexpectedEOF
	}
	message := make([]byte, head.N)
	if _, err := io.ReadFull(r, message); err != nil {
		return nil, err
	}
	var sum uint32
	if err := binary.Read(r, binary.LittleEndian, &sum); err != nil {
		return nil, err
	}
	if unmask(sum) != crcBitwise(message) {
		return nil, errors.New("checksum of the message")
	}
	return message, nil
}

// fields walks over the fields of a message.
func fields(b []byte, f func(n protowire.Number, t protowire.Type, number uint64, content []byte) error) error {
	for len(b) > 0 {
		n, t, k := protowire.ConsumeTag(b)
		if k < 0 {
			return protowire.ParseError(k)
		}
		b = b[k:]
		var number uint64
		var content []byte
		switch t {
		case protowire.VarintType:
			number, k = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			number, k = protowire.ConsumeFixed64(b)
		case protowire.Fixed32Type:
			var v uint32
			v, k = protowire.ConsumeFixed32(b)
			number = uint64(v)
		case protowire.BytesType:
			content, k = protowire.ConsumeBytes(b)
		default:
			k = protowire.ConsumeFieldValue(n, t, b)
		}
		if k < 0 {
			return protowire.ParseError(k)
		}
		if err := f(n, t, number, content); err != nil {
			return err
		}
		b = b[k:]
	}
	return nil
}

func parseEvent(b []byte) (e event, err error) {
	err = fields(b, func(n protowire.Number, _ protowire.Type, number uint64, content []byte) error {
		switch n {
		case 1:
			e.wall = math.Float64frombits(number)
		case 2:
			e.step = int64(number)
		case 3:
			e.version = string(content)
		case 5:
			return fields(content, func(n protowire.Number, _ protowire.Type, _ uint64, content []byte) error {
				if n != 1 {
					return fmt.Errorf("field %d of a summary", n)
				}
				return e.value(content)
			})
		case 7:
			return fields(content, func(n protowire.Number, _ protowire.Type, number uint64, _ []byte) error {
				e.restart = n == 1 && number == 1
				return nil
			})
		default:
			return fmt.Errorf("field %d of an event", n)
		}
		return nil
	})
	return e, err
}

func (e *event) value(b []byte) error {
	return fields(b, func(n protowire.Number, t protowire.Type, number uint64, content []byte) error {
		switch n {
		case 1:
			e.tag = string(content)
		case 2:
			if t != protowire.Fixed32Type {
				return fmt.Errorf("a value of wire type %d", t)
			}
			e.has, e.simple = "simple", math.Float32frombits(uint32(number))
		case 4:
			e.has = "image"
			return fields(content, func(n protowire.Number, _ protowire.Type, number uint64, content []byte) error {
				switch n {
				case 1:
					e.h = number
				case 2:
					e.w = number
				case 4:
					e.image = bytes.Clone(content)
				}
				return nil
			})
		case 8:
			e.has = "text"
			return fields(content, func(n protowire.Number, _ protowire.Type, number uint64, content []byte) error {
				if n == 1 && number != 7 {
					return fmt.Errorf("a tensor of type %d", number)
				}
				if n == 8 {
					e.text = string(content)
				}
				return nil
			})
		case 9:
			return fields(content, func(_ protowire.Number, _ protowire.Type, _ uint64, content []byte) error {
				return fields(content, func(_ protowire.Number, _ protowire.Type, _ uint64, content []byte) error {
					e.plugin = string(content)
					return nil
				})
			})
		}
		return nil
	})
}

func readFile(t testing.TB, path string) []event {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out, err := readEvents(b)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// The checksum of "123456789" is the one that every description of CRC-32C gives.
func TestChecksums(t *testing.T) {
	text := []byte("123456789")
	if c := crcBitwise(text); c != 0xe3069283 || c != crc32.Checksum(text, castagnoli) {
		t.Errorf("CRC-32C is %#x", c)
	}
}

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run[1]", "logs")
	w, err := New(dir)
	must(t, err)
	var pic bytes.Buffer
	must(t, png.Encode(&pic, image.NewRGBA(image.Rect(0, 0, 3, 2))))
	wall := time.UnixMicro(1_700_000_000_250_000)
	must(t,
		w.ScalarAt("train/loss", 1, 2.5, wall), w.ScalarAt("train/loss", 2, math.NaN(), wall),
		w.Scalar("lr", 1<<40, math.Inf(-1)), w.Image("sheet", 3, 3, 2, pic.Bytes()), w.Text("options", 0, "**k** = 3\n"),
		w.Restart(2), w.Flush(), w.Close(),
	)
	if base := filepath.Base(w.Path()); !strings.Contains(base, "tfevents") || filepath.Dir(w.Path()) != dir {
		t.Errorf("the file is %s", w.Path())
	}
	e := readFile(t, w.Path())
	if len(e) != 7 {
		t.Fatalf("%d events", len(e))
	}
	if e[0].version != "brain.Event:2" || e[0].wall < 1e9 {
		t.Errorf("first event %+v", e[0])
	}
	if v := e[1]; v.tag != "train/loss" || v.step != 1 || v.simple != 2.5 || v.wall != 1.70000000025e9 {
		t.Errorf("%+v", v)
	}
	if v := e[2]; v.step != 2 || v.simple == v.simple {
		t.Errorf("%+v", v)
	}
	if v := e[3]; v.step != 1<<40 || !math.IsInf(float64(v.simple), -1) || v.tag != "lr" {
		t.Errorf("%+v", v)
	}
	if v := e[4]; v.has != "image" || v.w != 3 || v.h != 2 || !bytes.Equal(v.image, pic.Bytes()) {
		t.Errorf("%+v", v)
	}
	if v := e[5]; v.text != "**k** = 3\n" || v.plugin != "text" || v.tag != "options" {
		t.Errorf("%+v", v)
	}
	if v := e[6]; !v.restart || v.step != 2 {
		t.Errorf("%+v", v)
	}
	for _, err := range []error{w.Scalar("a", 1, 1), w.Flush(), w.Close()} {
		if !errors.Is(err, errClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
}

// A file that was cut at any byte is whole again after it is opened, without what was torn.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	w, err := New(dir)
	must(t, err)
	must(t, w.Scalar("a", 1, 1), w.Scalar("a", 2, 4), w.Close())
	path := w.Path()
	whole, err := os.ReadFile(path)
	must(t, err)
	for cut := range len(whole) + 1 {
		must(t, os.WriteFile(path, whole[:cut], 0o644))
		before, _ := readEvents(whole[:cut])
		w, err := New(dir)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		must(t, w.Scalar("b", 3, 9), w.Close())
		after := readFile(t, path)
		if after[0].version == "" || len(after) != max(len(before), 1)+1 || after[len(after)-1].tag != "b" {
			t.Fatalf("cut at %d: %d events, before %d", cut, len(after), len(before))
		}
		if st, _ := os.Stat(path); w.Path() != path || w.Cut() < 0 || st.Size() < int64(cut)-w.Cut() {
			t.Fatalf("cut at %d: %s, cut off %d", cut, w.Path(), w.Cut())
		}
	}
	// What a power failure leaves: a page of zeros.
	must(t, os.WriteFile(path, append(bytes.Clone(whole), make([]byte, 4096)...), 0o644))
	w, err = New(dir)
	must(t, err)
	must(t, w.Close())
	if len(readFile(t, path)) != 3 || w.Cut() != 4096 {
		t.Errorf("zeros: cut off %d", w.Cut())
	}
}

func TestResumeRefuses(t *testing.T) {
	dir := t.TempDir()
	w, err := New(dir)
	must(t, err)
	must(t, w.Scalar("a", 1, 1), w.Scalar("a", 2, 4), w.Close())
	path := w.Path()
	whole, err := os.ReadFile(path)
	must(t, err)
	spoilt := bytes.Clone(whole)
	spoilt[60]++ // in the second of three frames
	for _, bad := range [][]byte{spoilt, []byte("this is a text of some length")} {
		must(t, os.WriteFile(path, bad, 0o644))
		if _, err := New(dir); !errors.Is(err, ErrFormat) {
			t.Errorf("%v, want %v", err, ErrFormat)
		}
		if now, _ := os.ReadFile(path); !bytes.Equal(now, bad) {
			t.Error("the file was changed")
		}
	}
	if _, err := New(path); err == nil {
		t.Error("a file was taken for a folder")
	}
}

// The newest file is gone on with.
func TestNewest(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"0000000005.augmix", "0000000070.augmix", "9999999999.other"} {
		must(t, os.WriteFile(filepath.Join(dir, "events.out.tfevents."+name), nil, 0o644))
	}
	w, err := New(dir)
	must(t, err)
	must(t, w.Close())
	if filepath.Base(w.Path()) != "events.out.tfevents.0000000070.augmix" {
		t.Error(w.Path())
	}
}

func TestConcurrent(t *testing.T) {
	w, err := New(t.TempDir())
	must(t, err)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 200 {
				if err := w.Scalar(strings.Repeat("x", g+1), int64(i), float64(g)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	must(t, w.Close())
	if n := len(readFile(t, w.Path())); n != 801 {
		t.Errorf("%d events", n)
	}
}

// FuzzResume opens any file: it is refused, or whole afterwards.
func FuzzResume(f *testing.F) {
	dir := f.TempDir()
	w, err := New(dir)
	must(f, err)
	must(f, w.Scalar("a", 1, 1), w.Text("b", 2, "c"), w.Close())
	path := w.Path()
	whole, err := os.ReadFile(path)
	must(f, err)
	f.Add(whole)
	f.Add(whole[:50])
	f.Add([]byte{})
	f.Add(append(bytes.Clone(whole), 0, 0, 0))
	f.Fuzz(func(t *testing.T, content []byte) {
		must(t, os.WriteFile(path, content, 0o644))
		w, err := New(dir)
		if errors.Is(err, ErrFormat) {
			return
		}
		must(t, err)
		must(t, w.Close())
		now, err := os.ReadFile(path)
		must(t, err)
		r := bytes.NewReader(now)
		for r.Len() > 0 {
			if _, err := readFrame(r); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// FuzzReader shows that the tests' reader stands any input, and that what it reads is framed with right checksums.
func FuzzReader(f *testing.F) {
	w, err := New(f.TempDir())
	must(f, err)
	must(f, w.Scalar("a", 1, 1), w.Text("b", 2, "c"), w.Close())
	whole, err := os.ReadFile(w.Path())
	must(f, err)
	f.Add(whole)
	f.Fuzz(func(t *testing.T, content []byte) {
		if out, err := readEvents(content); err == nil && len(content) > 0 && len(out) == 0 {
			t.Fatal("no events and no error")
		}
	})
}

func ExampleWriter() {
	dir, err := os.MkdirTemp("", "events")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	w, err := New(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = errors.Join(w.Scalar("epoch/error", 1, 0.31), w.Scalar("epoch/error", 2, 0.17), w.Close())
	file, _ := os.ReadFile(w.Path())
	fmt.Println(len(file), "bytes,", err)
	// Output:
	// 138 bytes, <nil>
}

func BenchmarkScalar(b *testing.B) {
	w, err := New(b.TempDir())
	must(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Scalar("train/loss", 7, 1.5); err != nil {
			b.Fatal(err)
		}
	}
	must(b, w.Close())
}
