package weights

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// maxHeader is the format's own limit of the header's length.
const maxHeader = 100_000_000

// maxTensors bounds the work that a header of small entries asks for. The largest networks have some thousands.
const maxTensors = 1 << 16

const metadataKey = "__metadata__"

// entry is a tensor in the header.
type entry struct {
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"` // first and one past the last byte, counted from the end of the header
}

// UnmarshalJSON takes the three members that the format has, each once: encoding/json would fill what is missing and
// take other cases of their letters.
func (e *entry) UnmarshalJSON(b []byte) error {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	var offsets []int64
	for name, v := range map[string]any{"dtype": &e.DType, "shape": &e.Shape, "data_offsets": &offsets} {
		if string(m[name]) == "null" || m[name] == nil {
			return fmt.Errorf("no %s", name)
		}
		if err := json.Unmarshal(m[name], v); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if len(m) != 3 || len(offsets) != 2 {
		return fmt.Errorf("%d members and %d offsets, not 3 and 2", len(m), len(offsets))
	}
	e.Offsets = [2]int64(offsets)
	return nil
}

// widths are the bytes of the types that are read.
var widths = map[string]int64{"F64": 8, "F32": 4, "F16": 2, "BF16": 2}

// Write writes tensors in float32 and metadata in the safetensors format, in the order given: the same tensors give the
// same bytes. The error wraps [ErrTensor] if a name is empty, given twice, reserved or not UTF-8, or a shape is not
// that of the values.
func Write(w io.Writer, ts []Tensor, meta map[string]string) error {
	head, err := header(ts, meta)
	if err != nil {
		return err
	}
	if err := write(w, append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...), ts); err != nil {
		return fmt.Errorf("writing the tensors: %w", err)
	}
	return nil
}

// write writes the header with its length, and the values after it.
func write(w io.Writer, head []byte, ts []Tensor) error {
	if _, err := w.Write(head); err != nil {
		return err
	}
	buf := make([]byte, 0, 1<<16)
	for i := range ts {
		for data := ts[i].Data; len(data) > 0; {
			n := min(len(data), cap(buf)/4)
			for _, v := range data[:n] {
				buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(v))
			}
			if _, err := w.Write(buf); err != nil {
				return err
			}
			data, buf = data[n:], buf[:0]
		}
	}
	return nil
}

// header returns the JSON header, filled with spaces so that the values start at a multiple of eight bytes.
func header(ts []Tensor, meta map[string]string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	member := func(name string, v any) error {
		key, err := json.Marshal(name)
		if err != nil {
			return err
		}
		value, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
		return nil
	}
	for k, v := range meta {
		if !utf8.ValidString(k) || !utf8.ValidString(v) {
			return nil, fmt.Errorf("%w: the metadata %q is not UTF-8", ErrTensor, k)
		}
	}
	if len(meta) > 0 {
		if err := member(metadataKey, meta); err != nil {
			return nil, err
		}
	}
	if len(ts) > maxTensors {
		return nil, fmt.Errorf("%w: %d tensors (allowed: at most %d)", ErrTensor, len(ts), maxTensors)
	}
	seen := map[string]bool{metadataKey: true, "": true}
	at := int64(0)
	for i := range ts {
		t := &ts[i]
		if seen[t.Name] || !utf8.ValidString(t.Name) {
			return nil, fmt.Errorf("%w: the name %q of tensor %d is empty, given twice, reserved or not UTF-8",
				ErrTensor, t.Name, i)
		}
		seen[t.Name] = true
		if size(t.Shape, int64(len(t.Data))) != int64(len(t.Data)) {
			return nil, fmt.Errorf("%w: %s has %d values and the shape %v", ErrTensor, t.Name, len(t.Data), t.Shape)
		}
		shape := t.Shape
		if shape == nil {
			shape = []int{}
		}
		end := at + 4*int64(len(t.Data))
		if err := member(t.Name, entry{"F32", shape, [2]int64{at, end}}); err != nil {
			return nil, err
		}
		at = end
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	if b.Len() > maxHeader {
		return nil, fmt.Errorf("%w: the header of %d bytes is longer than the format's %d", ErrTensor, b.Len(), maxHeader)
	}
	return b.Bytes(), nil
}

// Read reads a safetensors file of size bytes: its tensors as float32, in the order of the header, and its metadata,
// which is never nil. Float64, float16 and bfloat16 values are converted; other types are an error, but in batch norms' counts of
// steps, which are left out. What is read is checked as the library does: names once, offsets inside the file,
// without gap or overlap. Errors about the content wrap [ErrFormat].
func Read(r io.ReaderAt, size int64) ([]Tensor, map[string]string, error) {
	head, err := readHeader(r, size)
	if err != nil {
		return nil, nil, err
	}
	names, entries, meta, err := parseHeader(head)
	if err != nil {
		return nil, nil, err
	}
	start := 8 + int64(len(head))
	if err := checkOffsets(names, entries, size-start); err != nil {
		return nil, nil, err
	}
	var ts []Tensor
	buf := make([]byte, 1<<16)
	for i, e := range entries {
		if _, ok := widths[e.DType]; !ok {
			continue // left out: parseHeader lets no other through
		}
		data, err := readValues(io.NewSectionReader(r, start+e.Offsets[0], e.Offsets[1]-e.Offsets[0]), e, buf)
		if err != nil {
			return nil, nil, fmt.Errorf("reading %s: %w", names[i], err)
		}
		if !unread(names[i]) {
			ts = append(ts, Tensor{names[i], e.Shape, data})
		}
	}
	return ts, meta, nil
}

func readHeader(r io.ReaderAt, size int64) ([]byte, error) {
	var n [8]byte
	if size < 8 {
		return nil, fmt.Errorf("%w: %d bytes are no safetensors file", ErrFormat, size)
	}
	if _, err := r.ReadAt(n[:], 0); err != nil {
		return nil, fmt.Errorf("reading the header's length: %w", err)
	}
	length := binary.LittleEndian.Uint64(n[:])
	if length > maxHeader || int64(length) > size-8 {
		return nil, fmt.Errorf("%w: a header of %d bytes in a file of %d (allowed: %d)", ErrFormat, length, size, maxHeader)
	}
	head := make([]byte, length)
	if _, err := io.ReadFull(io.NewSectionReader(r, 8, int64(length)), head); err != nil {
		return nil, fmt.Errorf("reading the header: %w", err)
	}
	return head, nil
}

// parseHeader decodes the header token by token: encoding/json would let a second member of a name replace the first.
func parseHeader(head []byte) (names []string, entries []entry, meta map[string]string, err error) {
	bad := func(format string, args ...any) ([]string, []entry, map[string]string, error) {
		return nil, nil, nil, fmt.Errorf("%w: the header "+format, append([]any{ErrFormat}, args...)...)
	}
	if len(head) == 0 || head[0] != '{' {
		return bad("is not a JSON object")
	}
	d := json.NewDecoder(bytes.NewReader(head))
	if _, err := d.Token(); err != nil {
		return bad("is not JSON: %w", err)
	}
	meta = map[string]string{}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return bad("is not JSON: %w", err)
		}
		name := key.(string) // More was true inside an object
		if seen[name] {
			return bad("holds %.60q twice", name)
		}
		seen[name] = true
		if name == metadataKey {
			if err := d.Decode(&meta); err != nil || meta == nil {
				return bad("has metadata that are not strings: %w", cause(err))
			}
			continue
		}
		if len(entries) == maxTensors {
			return bad("describes more than %d tensors", maxTensors)
		}
		var e entry
		if err := d.Decode(&e); err != nil {
			return bad("describes %.60q wrongly: %w", name, err)
		}
		if _, ok := widths[e.DType]; !ok && !unread(name) {
			return bad("gives %.60q the type %.20q (allowed: F32, F64, F16, BF16)", name, e.DType)
		}
		names, entries = append(names, name), append(entries, e)
	}
	if _, err := d.Token(); err != nil {
		return bad("is not JSON: %w", err)
	}
	if rest := strings.TrimRight(string(head[d.InputOffset():]), " \t\r\n\x00"); rest != "" {
		return bad("goes on after its end: %.20q", rest)
	}
	return names, entries, meta, nil
}

// cause is an error also where the JSON is null.
func cause(err error) error {
	if err == nil {
		return errors.New("null")
	}
	return err
}

// checkOffsets returns an error unless the tensors fill the bytes after the header, each once, and shapes and offsets
// agree.
func checkOffsets(names []string, entries []entry, length int64) error {
	// The offsets of different tensors are disjoint and leave no gap exactly if, walked in the order of their starts, each
	// starts where the one before it ends.
	from := map[int64][]int{}
	for i, e := range entries {
		if e.Offsets[0] < 0 || e.Offsets[1] < e.Offsets[0] || e.Offsets[1] > length {
			return fmt.Errorf("%w: %.60q lies at %v of %d bytes", ErrFormat, names[i], e.Offsets, length)
		}
		bytes := e.Offsets[1] - e.Offsets[0]
		if bytes > math.MaxInt/4 { // on a machine of 32 bits
			return fmt.Errorf("%w: %.60q has %d bytes", ErrFormat, names[i], bytes)
		}
		if w, ok := widths[e.DType]; ok && size(e.Shape, bytes) != bytes/w || ok && bytes%w != 0 {
			return fmt.Errorf("%w: %.60q has the shape %v of %s in %d bytes", ErrFormat, names[i], e.Shape, e.DType, bytes)
		}
		from[e.Offsets[0]] = append(from[e.Offsets[0]], i)
	}
	at, found := int64(0), 0
	for {
		next := at
		for _, i := range from[at] { // empty tensors may share a start with one other
			found++
			if end := entries[i].Offsets[1]; end > at {
				if next > at {
					return fmt.Errorf("%w: %.60q shares its bytes", ErrFormat, names[i])
				}
				next = end
			}
		}
		if next == at {
			break
		}
		at = next
	}
	if found != len(entries) || at != length {
		return fmt.Errorf("%w: the tensors overlap or leave bytes out: %d of %d bytes, %d of %d tensors follow each other",
			ErrFormat, at, length, found, len(entries))
	}
	return nil
}

// readValues reads the values of one tensor.
func readValues(r io.Reader, e entry, buf []byte) ([]float32, error) {
	width := int(widths[e.DType])
	count := int((e.Offsets[1] - e.Offsets[0]) / int64(width))
	data := make([]float32, 0, count)
	for len(data) < count {
		chunk := buf[:min(len(buf), (count-len(data))*width)]
		if _, err := io.ReadFull(r, chunk); err != nil {
			return nil, err
		}
		data = AppendValues(data, e.DType, chunk)
	}
	return data, nil
}

// AppendValues appends little-endian numbers of a type of safetensors, "F64", "F32", "F16" or "BF16", as float32. What is left of b behind
// the last whole number is not looked at.
func AppendValues(data []float32, dtype string, b []byte) []float32 {
	for width := int(widths[dtype]); width > 0 && len(b) >= width; b = b[width:] {
		data = append(data, value(dtype, b))
	}
	return data
}

// value decodes one number.
func value(dtype string, b []byte) float32 {
	switch dtype {
	case "F32":
		return math.Float32frombits(binary.LittleEndian.Uint32(b))
	case "F64":
		return float32(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	case "BF16":
		return math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16)
	}
	return half(binary.LittleEndian.Uint16(b))
}

// half converts an IEEE 754 binary16.
func half(h uint16) float32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch exp {
	case 0: // zero and subnormal: frac * 2^-24
		return math.Float32frombits(sign | math.Float32bits(float32(frac)*(1.0/(1<<24))))
	case 31:
		return math.Float32frombits(sign | 255<<23 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<13)
}
