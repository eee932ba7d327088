package eval

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// A journal holds what a model in another program has answered so far in one pass, batch by batch: after journalMagic records
// of a head, its answers and their logits, each record with its length and its CRC-32 before it. What is left of a record at the end
// of the file, or is damaged, is cut off and measured again. Numbers are little-endian.
type journal struct {
	f   *os.File
	buf bytes.Buffer
}

const journalMagic = "augmix answers 1\n"

// measurement names one that a journal may hold: a digest of everything that its outcomes depend on.
type measurement [sha256.Size]byte

// measurementOf names the measurement of a row at some severities, nil where there are none, with logits kept or not. The usual
// severities are not said, as journals of older versions do not say them.
func measurementOf(base results.Row, severities []float64, logits bool) (measurement, error) {
	base.Time = time.Time{}
	text, err := json.Marshal(base)
	text = fmt.Append(text, logits)
	if severities != nil && !slices.Equal(severities, severitiesOfSets) {
		text = fmt.Append(text, severities)
	}
	return sha256.Sum256(text), err
}

// head is what a record begins with.
type head struct {
	ID      measurement
	Variant uint32 // severity, from 0
	First   uint32 // row of the first answer; the others follow
	N       uint32 // answers
	Logits  uint32 // numbers that are kept of each
}

// answer is the outcome of an image, or what a sequence contributed.
type answer struct {
	Classes, Label, Pred, Rank int32
	Conf, NLL, Brier           float64 // flip probability, top-5 and Zipf distance of a sequence
	MaxLogit, MeanLogit, LSE   float64
}

func answerOf(o *metrics.Outcome) answer {
	return answer{
		int32(o.Classes), int32(o.Label), int32(o.Pred), int32(o.Rank), o.Conf, o.NLL, o.Brier, o.MaxLogit, o.MeanLogit, o.LogSumExp,
	}
}

func (a *answer) outcome(row int) *metrics.Outcome {
	return &metrics.Outcome{
		Row: row, Classes: int(a.Classes), Label: int(a.Label), Pred: int(a.Pred), Rank: int(a.Rank), Conf: a.Conf, NLL: a.NLL,
		Brier: a.Brier, MaxLogit: a.MaxLogit, MeanLogit: a.MeanLogit, LogSumExp: a.LSE,
	}
}

// answerOfSequence keeps what a sequence contributed in fields of the same type.
func answerOfSequence(label int, v *metrics.Video) answer {
	return answer{Label: int32(label), Conf: v.Flip, NLL: v.Top5, Brier: v.Zipf}
}

func (a *answer) sequence() metrics.Video {
	return metrics.Video{Flip: a.Conf, Top5: a.NLL, Zipf: a.Brier}
}

// sane reports whether a record's answers can be what a model of that many classes gave.
func (a *answer) sane(classes int) bool {
	in := func(v int32) bool { return v >= 0 && int(v) < classes }
	return int(a.Classes) == classes && in(a.Label) && in(a.Pred) && a.Rank >= 1 && int(a.Rank) <= classes
}

// openJournal reads the journal of an earlier run, if there is one, and appends to it from then on. take is given each record
// and says whether it follows on what was taken before; what comes after one that does not is cut off. The file is no other's.
func openJournal(path string, take func(h *head, answers []answer, logits []float32) (bool, error)) (*journal, error) {
	if st, err := os.Lstat(path); err == nil && !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is not a regular file", data.ErrFormat, path)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	j := &journal{f: f}
	end, err := j.replay(take)
	if err == nil {
		err = f.Truncate(end)
	}
	if err == nil && end == 0 {
		_, err = f.WriteString(journalMagic)
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekEnd)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return j, nil
}

// replay returns the end of the last whole record.
func (j *journal) replay(take func(h *head, answers []answer, logits []float32) (bool, error)) (end int64, err error) {
	st, err := j.f.Stat()
	if err != nil {
		return 0, err
	}
	magic := make([]byte, len(journalMagic))
	if _, err := io.ReadFull(j.f, magic); err != nil || string(magic) != journalMagic {
		return 0, nil
	}
	end = int64(len(magic))
	var frame [8]byte
	var body []byte
	for {
		if _, err := io.ReadFull(j.f, frame[:]); err != nil {
			return end, nil
		}
		size := int64(binary.LittleEndian.Uint32(frame[:]))
		if size > st.Size()-end-int64(len(frame)) {
			return end, nil
		}
		body = slices.Grow(body[:0], int(size))[:size]
		if _, err := io.ReadFull(j.f, body); err != nil || crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(frame[4:]) {
			return end, nil
		}
		h, answers, logits, ok := parseRecord(body)
		if ok {
			ok, err = take(h, answers, logits)
		}
		if !ok || err != nil {
			return end, err
		}
		end += int64(len(frame)) + size
	}
}

// parseRecord reads a record.
func parseRecord(body []byte) (*head, []answer, []float32, bool) {
	var h head
	at, err := binary.Decode(body, binary.LittleEndian, &h)
	each := uint64(binary.Size(answer{})) + 4*uint64(h.Logits)
	if err != nil || uint64(h.N)*each != uint64(len(body)-at) || h.N > math.MaxInt32 {
		return nil, nil, nil, false
	}
	answers, logits := make([]answer, h.N), make([]float32, int(h.N)*int(h.Logits))
	n, err := binary.Decode(body[at:], binary.LittleEndian, answers)
	if err == nil {
		_, err = binary.Decode(body[at+n:], binary.LittleEndian, logits)
	}
	return &h, answers, logits, err == nil
}

// add appends a record. A nil journal keeps nothing.
func (j *journal) add(h head, answers []answer, logits []float32) error {
	if j == nil {
		return nil
	}
	h.N, h.Logits = uint32(len(answers)), uint32(len(logits)/len(answers))
	j.buf.Reset()
	j.buf.Write(make([]byte, 8))
	for _, part := range []any{&h, answers, logits} {
		if err := binary.Write(&j.buf, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	b := j.buf.Bytes()
	binary.LittleEndian.PutUint32(b, uint32(len(b)-8))
	binary.LittleEndian.PutUint32(b[4:], crc32.ChecksumIEEE(b[8:]))
	_, err := j.f.Write(b)
	return err
}
