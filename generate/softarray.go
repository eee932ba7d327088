package generate

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/mix"
)

// densify makes the soft labels of a sample dense, where the number of classes is known.
func (s *softSink) densify(targets []mix.Target) {
	if s.classes == 0 {
		return
	}
	for len(s.dense) < len(targets) {
		s.dense = append(s.dense, make([]float32, s.classes))
	}
	for v, t := range targets {
		clear(s.dense[v])
		for _, w := range t {
			if w.Class < s.classes { // the sink rejects the label otherwise
				s.dense[v][w.Class] += w.Weight
			}
		}
	}
}

// targetLine is a line of the file of soft labels.
type targetLine struct {
	Key    string     `json:"key"`
	Target mix.Target `json:"target"`
}

// mostClass bounds the columns of an array of soft labels.
const mostClass = 1 << 24

// ReadTargets reads a file of soft labels, [TargetsName], and calls visit with the lines in order. An error names the line.
func ReadTargets(path string, visit func(key string, target mix.Target) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot read the soft labels: %w", err)
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<16)
	for n := 1; ; n++ {
		text, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(text) == 0 {
			return nil
		}
		var line targetLine
		if err == nil || errors.Is(err, io.EOF) {
			if err = json.Unmarshal(text, &line); err != nil {
				err = fmt.Errorf("%w: %w", data.ErrFormat, err)
			}
		}
		for _, one := range line.Target {
			if err == nil && (one.Class < 0 || one.Class > mostClass) {
				err = fmt.Errorf("%w: class %d (allowed: 0 to %d)", data.ErrLabel, one.Class, mostClass)
			}
		}
		if err == nil {
			err = visit(line.Key, line.Target)
		}
		if err != nil {
			return fmt.Errorf("%s line %d: %w", path, n, err)
		}
	}
}

// writeTargets makes the array at path of the soft labels in the file at lines. classes is their number, 0 for what the
// greatest class asks for.
func writeTargets(path, lines string, classes int) error {
	rows, most := 0, 0
	err := ReadTargets(lines, func(_ string, t mix.Target) error {
		rows++
		for _, w := range t {
			most = max(most, w.Class+1)
		}
		return nil
	})
	if err != nil {
		return err
	}
	classes = max(classes, most)
	out, err := storage.CreateAtomic(path)
	if err != nil {
		return err
	}
	defer out.Abort()
	w := bufio.NewWriterSize(out, 1<<18)
	if _, err := npy.WriteHeader(w, npy.Header{DType: "<f4", Shape: []int{rows, classes}}); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	row := make([]byte, 4*classes)
	err = ReadTargets(lines, func(_ string, t mix.Target) error {
		clear(row)
		for _, one := range t {
			at := row[4*one.Class:]
			sum := math.Float32frombits(binary.LittleEndian.Uint32(at)) + one.Weight // a class may appear twice
			binary.LittleEndian.PutUint32(at, math.Float32bits(sum))
		}
		_, err := w.Write(row)
		return err
	})
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		return err
	}
	return out.Commit()
}
