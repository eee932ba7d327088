package eval

import (
	"bufio"
	"encoding/binary"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
)

// saver writes the logits of one measurement: an npy file float32 [parts*N, classes] (or [N, frames, classes]), all
// rows of the first part (severity), then of the second, and beside it NAME.labels.npy int64 with one label a row and
// NAME.versions.json, the versions of the measurement's rows; or such files for each part. The zero saver saves nothing.
//
// The number of rows is known at the end only and rows of the parts arrive side by side, so each part goes to a
// temporary file of its own and they are joined at the end.
type saver struct {
	paths    []string // one, or one a part
	versions []byte   // content of NAME.versions.json
	classes  int
	parts    []*partFile
	frames   int // of a sequence; 0 for still images
}

type partFile struct {
	f      *os.File
	w      *bufio.Writer
	rows   int
	labels []int64
	buf    []byte
}

// saver begins the files of the measurement whose row base is, which are called after corruption; severities is nil but for a
// corruption's.
func (e *Evaluator) saver(base results.Row, corruption string, severities []float64) (*saver, error) {
	if e.LogitsDir == "" {
		return &saver{}, nil
	}
	more := map[string]string{results.VersionView: viewOf(&base), results.VersionSamples: base.Data}
	maps.DeleteFunc(more, func(_, value string) bool { return value == "" })
	versions, err := predictions.MarshalVersions(results.AddVersions(base.Versions, more))
	if err != nil {
		return nil, err
	}
	s := &saver{paths: e.logitsPaths(base.Dataset, corruption, severities), versions: versions, classes: e.Predictor.Classes()}
	dir, name := filepath.Split(s.paths[0])
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	for range max(1, len(severities)) {
		f, err := os.CreateTemp(dir, "."+name+".*"+storage.TempSuffix)
		if err != nil {
			s.abort()
			return nil, err
		}
		s.parts = append(s.parts, &partFile{f: f, w: bufio.NewWriterSize(f, 1<<16)})
	}
	return s, nil
}

// row appends a row of logits to a part.
func (s *saver) row(p, label int, logits []float32) error {
	if s.paths == nil {
		return nil
	}
	f := s.parts[p]
	f.buf = f.buf[:0]
	for _, v := range logits {
		f.buf = binary.LittleEndian.AppendUint32(f.buf, math.Float32bits(v))
	}
	f.labels = append(f.labels, int64(label))
	f.rows += len(logits) / s.classes
	_, err := f.w.Write(f.buf)
	return err
}

// commit gives the files their names.
func (s *saver) commit() error {
	each := len(s.parts) // parts of a file
	if len(s.paths) > 1 {
		each = 1
	}
	for i, path := range s.paths {
		if err := s.write(path, s.parts[i*each:(i+1)*each]); err != nil {
			return err
		}
	}
	s.abort()
	return nil
}

// write makes the file of some parts, and those beside it.
func (s *saver) write(path string, parts []*partFile) error {
	out, err := storage.CreateAtomic(path)
	if err != nil {
		return err
	}
	defer out.Abort()
	n := 0
	var labels []int64
	for _, p := range parts {
		n += p.rows
		labels = append(labels, p.labels...)
	}
	shape := []int{n, s.classes}
	if s.frames > 0 {
		shape = []int{n / s.frames, s.frames, s.classes}
	}
	if _, err := npy.WriteHeader(out, npy.Header{DType: "<f4", Shape: shape}); err != nil {
		return err
	}
	for _, p := range parts {
		if err := p.w.Flush(); err != nil {
			return err
		}
		if _, err := p.f.Seek(0, 0); err != nil {
			return err
		}
		if _, err := p.f.WriteTo(out); err != nil {
			return err
		}
	}
	// The labels and the versions first: whoever sees the logits finds them complete.
	if err := data.WriteFileAtomic(predictions.VersionsPath(path), s.versions); err != nil {
		return err
	}
	beside := strings.TrimSuffix(path, ".npy") + ".labels.npy"
	if err := npy.WriteFile(beside, &npy.Array{Shape: []int{len(labels)}, Data: labels}); err != nil {
		return err
	}
	return out.Commit()
}

// abort removes what is not finished. After commit it does nothing.
func (s *saver) abort() {
	for _, p := range s.parts {
		_ = p.f.Close()
		_ = os.Remove(p.f.Name())
	}
	s.parts = nil
}
