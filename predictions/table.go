package predictions

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/metrics"
)

// csvSource reads lines of fields.
type csvSource struct {
	f     io.Closer
	in    *csv.Reader
	c     columns
	ahead []string // the first line, where it is no header
}

func openCSV(path string, opt Options) (source, info, error) { return openText(path, ',', opt, true) }

func openTSV(path string, opt Options) (source, info, error) { return openText(path, '\t', opt, true) }

func labelsCSV(path string) (*Labels, error) {
	s, _, err := openText(path, ',', Options{}, false)
	return labelsFrom(s, err)
}

func labelsTSV(path string) (*Labels, error) {
	s, _, err := openText(path, '\t', Options{}, false)
	return labelsFrom(s, err)
}

func openText(path string, comma rune, opt Options, scoresToo bool) (source, info, error) {
	f, err := storage.OpenFile(path)
	if err != nil {
		return nil, info{}, err
	}
	s, i, err := newCSV(f, comma, opt, scoresToo)
	if err != nil {
		return nil, i, errors.Join(err, f.Close())
	}
	return s, i, nil
}

func newCSV(f io.ReadCloser, comma rune, opt Options, scoresToo bool) (*csvSource, info, error) {
	buf := withoutBOM(f)
	in := csv.NewReader(buf)
	in.Comma, in.ReuseRecord = comma, true
	head, err := readFields(in)
	if err != nil {
		return nil, info{}, csvError(err)
	}
	s := &csvSource{f: f, in: in}
	if !isHeader(head) {
		s.ahead = append(s.ahead, head...)
	}
	if s.c, err = columnsIn(head, s.ahead == nil, &opt, scoresToo); err != nil {
		line, _ := in.FieldPos(0)
		return nil, info{}, fmt.Errorf("line %d: %w", line, err)
	}
	return s, info{
		kind: s.c.kind, classes: len(s.c.class), rows: -1, labels: s.c.label >= 0, ids: s.c.id >= 0,
	}, nil
}

// readFields returns the next line, without the spaces around its fields, valid until the next call.
func readFields(in *csv.Reader) ([]string, error) {
	fields, err := in.Read()
	for i, f := range fields {
		fields[i] = strings.TrimSpace(f)
	}
	return fields, err
}

// columnsIn says which columns a first line has, of names or of a row.
func columnsIn(head []string, named bool, opt *Options, scoresToo bool) (columns, error) {
	c := columns{list: -1, label: -1, id: -1, pred: -1}
	var err error
	switch {
	case scoresToo && slices.Equal(head, []string{"0", "1"}):
		return c, fmt.Errorf("%w: 0 and 1 may be the names of two columns, or scores (allowed: names before the first row, logit_0 and logit_1 or "+
			"prob_0 and prob_1)", ErrContent)
	case named:
		if c, err = columnsOf(head, opt, scoresToo); err != nil {
			return c, err
		}
	case scoresToo:
		for i := range head {
			c.class = append(c.class, i)
		}
	case len(head) == 1:
		c.label = 0
	default:
		return c, fmt.Errorf("%w: %d columns without names, of which none is known to be the labels", ErrContent, len(head))
	}
	switch {
	case c.list >= 0:
		return c, fmt.Errorf("%w: column %q: a text file has a column a class (logit_0, logit_1, ...)", ErrContent, head[c.list])
	case scoresToo && c.pred >= 0 && c.class == nil:
		c.kind = Classes
	case scoresToo:
		return c, checkClasses(len(c.class))
	case c.label < 0:
		return c, fmt.Errorf("%w: no column of labels among %.200q", ErrContent, head)
	}
	return c, nil
}

// withoutBOM reads text without the mark of UTF-8 that some programs write first.
func withoutBOM(r io.Reader) *bufio.Reader {
	buf := bufio.NewReaderSize(r, 256<<10)
	if bom, _ := buf.Peek(3); string(bom) == "\ufeff" {
		_, _ = buf.Discard(3) // they were peeked at
	}
	return buf
}

// isHeader reports whether a first line is one of names: not all numbers, or just 0, 1, 2 and so on.
func isHeader(fields []string) bool {
	counting := len(fields) > 1
	for i, f := range fields {
		if _, err := strconv.ParseFloat(f, 64); err != nil {
			return true
		}
		counting = counting && f == strconv.Itoa(i)
	}
	return counting
}

func csvError(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: no lines", ErrFormat)
	}
	if errors.As(err, new(*csv.ParseError)) {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return err
}

func (s *csvSource) Close() error { return s.f.Close() }

func (s *csvSource) next(b *Batch, limit int) error {
	for b.Rows < limit {
		fields := s.ahead
		if fields == nil {
			var err error
			fields, err = readFields(s.in)
			if err == io.EOF {
				break
			}
			if err != nil {
				return csvError(err)
			}
		}
		s.ahead = nil
		if err := s.add(b, fields); err != nil {
			line, _ := s.in.FieldPos(0)
			return fmt.Errorf("line %d, row %d: %w", line, b.First+b.Rows, err)
		}
		b.Rows++
	}
	if b.Rows == 0 {
		return io.EOF
	}
	b.Classes = len(s.c.class)
	return nil
}

func (s *csvSource) add(b *Batch, fields []string) error {
	for class, i := range s.c.class {
		v, err := strconv.ParseFloat(fields[i], 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return fmt.Errorf("%w: %.40q for class %d is no number", ErrFormat, fields[i], class)
		}
		b.F64 = append(b.F64, v) // out of range is infinite, which scoring refuses
	}
	for _, of := range []struct {
		what string
		at   int
		to   *[]int
	}{{"label", s.c.label, &b.Labels}, {"predicted class", s.classColumn(), &b.Pred}} {
		if of.at < 0 {
			continue
		}
		v, err := parseLabel([]byte(fields[of.at]))
		if err != nil {
			return fmt.Errorf("%s: %w", of.what, err)
		}
		*of.to = append(*of.to, v)
	}
	if i := s.c.id; i >= 0 {
		b.IDs = append(b.IDs, hashID([]byte(fields[i])))
	}
	return nil
}

// classColumn is the column of predicted classes, -1 where scores say more.
func (s *csvSource) classColumn() int {
	if s.c.kind == Classes {
		return s.c.pred
	}
	return -1
}

// jsonSource reads a value a line.
type jsonSource struct {
	f         io.Closer
	in        *bufio.Reader
	line      int
	buf       []byte
	opt       Options
	scoresToo bool
	started   bool
	shape     jsonRow // which fields the first row has; all must have them
	key       string  // the name of the scores
	kind      Kind
	classes   int
}

// jsonRow is what a line says.
type jsonRow struct {
	scores       []float64
	pred         int // where there are no scores
	label        int
	id           uint64
	hasLabel     bool
	hasID, isKey bool
}

func openJSONL(path string, opt Options) (source, info, error) { return openLines(path, opt, true) }

func labelsJSONL(path string) (*Labels, error) {
	s, _, err := openLines(path, Options{}, false)
	return labelsFrom(s, err)
}

func openLines(path string, opt Options, scoresToo bool) (source, info, error) {
	f, err := storage.OpenFile(path)
	if err != nil {
		return nil, info{}, err
	}
	s, i, err := newJSONL(f, opt, scoresToo)
	if err != nil {
		return nil, i, errors.Join(err, f.Close())
	}
	return s, i, nil
}

func newJSONL(f io.ReadCloser, opt Options, scoresToo bool) (*jsonSource, info, error) {
	s := &jsonSource{f: f, in: withoutBOM(f), opt: opt, scoresToo: scoresToo}
	// The first line says what all have.
	line, err := s.readLine()
	if err == io.EOF {
		return nil, info{}, fmt.Errorf("%w: no lines", ErrFormat)
	}
	if err != nil {
		return nil, info{}, err
	}
	row, err := s.parse(line)
	if err != nil {
		return nil, info{}, fmt.Errorf("line %d: %w", s.line, err)
	}
	if scoresToo && s.kind != Classes {
		if err := checkClasses(len(row.scores)); err != nil {
			return nil, info{}, fmt.Errorf("line %d: %w", s.line, err)
		}
	} else if !scoresToo && !row.hasLabel {
		return nil, info{}, fmt.Errorf("line %d: %w: no label", s.line, ErrContent)
	}
	s.shape, s.classes = row, len(row.scores)
	return s, info{kind: s.kind, classes: s.classes, rows: -1, labels: row.hasLabel, ids: row.hasID}, nil
}

func (s *jsonSource) Close() error { return s.f.Close() }

// readLine returns the next line that is not empty, valid until the next call.
func (s *jsonSource) readLine() ([]byte, error) {
	for {
		s.buf = s.buf[:0]
		s.line++
		for {
			part, err := s.in.ReadSlice('\n')
			s.buf = append(s.buf, part...)
			if err == nil {
				break
			}
			if err == io.EOF {
				if line := bytes.TrimSpace(s.buf); len(line) > 0 {
					return line, nil
				}
				return nil, io.EOF
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return nil, err
			}
		}
		if line := bytes.TrimSpace(s.buf); len(line) > 0 {
			return line, nil
		}
	}
}

func (s *jsonSource) next(b *Batch, limit int) error {
	for b.Rows < limit {
		row := s.shape
		if s.started {
			line, err := s.readLine()
			if err == io.EOF {
				break
			}
			if err == nil {
				row, err = s.parse(line)
			}
			if err == nil {
				err = s.same(&row)
			}
			if err != nil {
				return fmt.Errorf("line %d, row %d: %w", s.line, b.First+b.Rows, err)
			}
		}
		s.started = true
		b.F64 = append(b.F64, row.scores...)
		if s.kind == Classes {
			b.Pred = append(b.Pred, row.pred)
		}
		if row.hasLabel {
			b.Labels = append(b.Labels, row.label)
		}
		if row.hasID {
			b.IDs = append(b.IDs, row.id)
		}
		b.Rows++
	}
	if b.Rows == 0 {
		return io.EOF
	}
	b.Classes = s.classes
	return nil
}

// same refuses a row of another shape than the first.
func (s *jsonSource) same(row *jsonRow) error {
	first := &s.shape
	if len(row.scores) != s.classes {
		return fmt.Errorf("%w: %d scores, the first row has %d", ErrContent, len(row.scores), s.classes)
	}
	if row.hasLabel != first.hasLabel || row.hasID != first.hasID || row.isKey != first.isKey {
		return fmt.Errorf("%w: other fields than in the first row", ErrContent)
	}
	return nil
}

func (s *jsonSource) parse(line []byte) (jsonRow, error) {
	var row jsonRow
	if line[0] == '[' && s.scoresToo {
		var err error
		row.scores, err = parseNumbers(line)
		return row, err
	}
	if line[0] != '{' && !s.scoresToo {
		var err error
		row.hasLabel = true
		row.label, err = parseLabel(line)
		return row, err
	}
	fields, err := parseObject(line)
	if err != nil {
		return row, err
	}
	row.isKey = true
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.name
	}
	c, err := columnsOf(keys, &s.opt, s.scoresToo)
	if err != nil {
		return row, err
	}
	if s.scoresToo {
		if err := s.scores(&row, fields, &c); err != nil {
			return row, err
		}
	}
	if c.label >= 0 {
		row.hasLabel = true
		if row.label, err = parseLabel(fields[c.label].value); err != nil {
			return row, fmt.Errorf("field %q: %w", keys[c.label], err)
		}
	}
	if c.id >= 0 {
		row.hasID = true
		id, err := idText(fields[c.id].value)
		if err != nil {
			return row, fmt.Errorf("field %q: %w", keys[c.id], err)
		}
		row.id = hashID(id)
	}
	return row, nil
}

// scores reads the scores of an object, or the predicted class where there is nothing more.
func (s *jsonSource) scores(row *jsonRow, fields []jsonField, c *columns) error {
	at, kind := c.list, c.kind
	if at < 0 && c.class == nil {
		at, kind = c.pred, Classes
	}
	if at < 0 {
		return fmt.Errorf("%w: no array of scores (a file of JSON lines has them in one field, logits or probs)", ErrContent)
	}
	field := fields[at]
	if s.key == "" {
		s.key, s.kind = field.name, kind
	}
	if field.name != s.key {
		return fmt.Errorf("%w: scores called %q, in the first row %q", ErrContent, field.name, s.key)
	}
	var err error
	if kind == Classes {
		row.pred, err = parseLabel(field.value)
	} else {
		row.scores, err = parseNumbers(field.value)
	}
	if err != nil {
		return fmt.Errorf("field %q: %w", field.name, err)
	}
	return nil
}

// idText returns the id that a value says, as other formats have it: of a string without quotes and escapes. What else JSON has is
// no id: every null would be the same one.
func idText(value []byte) ([]byte, error) {
	if c := value[0]; c != '"' && c != '-' && (c < '0' || c > '9') {
		return nil, fmt.Errorf("%w: id %.40s (allowed: text or a number)", ErrContent, value)
	}
	if value[0] != '"' || bytes.IndexByte(value, '\\') < 0 {
		return bytes.Trim(value, `"`), nil // also bytes that are no UTF-8
	}
	var id string
	if err := json.Unmarshal(value, &id); err != nil {
		return nil, jsonError(value, err)
	}
	return []byte(id), nil
}

type jsonField struct {
	name  string
	value json.RawMessage
}

// parseObject reads the fields of an object in their order; a name given twice is found by columnsOf.
func parseObject(line []byte) ([]jsonField, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	if _, err := d.Token(); err != nil {
		return nil, jsonError(line, err)
	}
	if line[0] != '{' {
		return nil, fmt.Errorf("%w: %.40q (allowed: an object or an array a line)", ErrFormat, line)
	}
	var out []jsonField
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, jsonError(line, err)
		}
		name, _ := t.(string) // a name is always a string
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, jsonError(line, err)
		}
		out = append(out, jsonField{name, v})
	}
	if _, err := d.Token(); err != nil {
		return nil, jsonError(line, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: something follows the object", ErrFormat)
	}
	return out, nil
}

func jsonError(line []byte, err error) error {
	for _, word := range []string{"NaN", "Infinity"} {
		if bytes.Contains(line, []byte(word)) {
			return fmt.Errorf("%w: %s, which is neither JSON nor a prediction", metrics.ErrLogit, word)
		}
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w: %w", ErrFormat, err)
}

// parseNumbers reads an array of numbers.
func parseNumbers(text []byte) ([]float64, error) {
	if text[0] != '[' {
		return nil, fmt.Errorf("%w: scores %.40q (allowed: an array of numbers)", ErrContent, text)
	}
	if bytes.Contains(text, []byte("null")) { // which would be read as 0
		return nil, fmt.Errorf("%w: null", metrics.ErrLogit)
	}
	// A number takes two bytes at least, so that this allocates no more than the line justifies.
	v := make([]float64, 0, bytes.Count(text, []byte(","))+1)
	if err := json.Unmarshal(text, &v); errors.As(err, new(*json.UnmarshalTypeError)) {
		return nil, notNumber(text, err)
	} else if err != nil {
		return nil, jsonError(text, err)
	}
	return v, nil
}

// notNumber names the first element of an array that is no number, which err says less clearly.
func notNumber(text []byte, err error) error {
	var elements []json.RawMessage
	_ = json.Unmarshal(text, &elements) // which has been read as JSON before
	for i, e := range elements {
		var v float64
		if json.Unmarshal(e, &v) != nil {
			return fmt.Errorf("%w: element %d is %.40s (allowed: numbers of 64 bits)", ErrFormat, i, e)
		}
	}
	return jsonError(text, err)
}

// parseLabel reads a class number, within the same bounds as [checkNumbers].
func parseLabel(text []byte) (int, error) {
	v, err := strconv.Atoi(string(text))
	if err != nil || v > math.MaxInt32 || v < -math.MaxInt32 {
		return 0, fmt.Errorf("%w: %.40q (allowed: class numbers)", metrics.ErrLabel, text)
	}
	return v, nil
}
