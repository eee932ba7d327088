package results

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Version is the version of the format that this package writes. It also reads version 1.
const Version = 2

// MaxLine is the longest line, in bytes without the newline.
const MaxLine = 1 << 20

// Sentinel errors.
var (
	// ErrFormat: a line or a row that is not what this package's documentation says.
	ErrFormat = errors.New("bad row")
	// ErrVersion: a line of a version that this package does not know.
	ErrVersion = errors.New("unknown version")
	// ErrTorn: a last line without a newline, which a crash leaves behind; [OpenAppend] cuts it off.
	ErrTorn = errors.New("the last line is torn")
	// ErrBusy: a file that another program, or another part of this one, appends to.
	ErrBusy = errors.New("another program is writing to this file; wait for it, or name another folder")
	// ErrConflict: two rows give the same measurement different values.
	ErrConflict = errors.New("rows contradict each other")
	// ErrMissing: no row is there for what was asked.
	ErrMissing = errors.New("no such row")
)

// Origin says where a number comes from.
type Origin string

const (
	// Measured by this project's programs.
	Measured Origin = "measured"
	// Published by somebody; Row.Source says where.
	Published Origin = "published"
)

// Interval is an interval around a value.
type Interval struct {
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	Level float64 `json:"level"` // 0.95 for a 95 % interval
}

// Row is one number and all that says what it is. Model, Dataset, Metric and Origin are required.
type Row struct {
	Model   string // name of the model or run, as the user gave it
	Dataset string // "cifar10-c", "imagenet-p", a name of the user's own
	// Corruption, or perturbation, by its published name; empty for clean images and for aggregates over corruptions.
	Corruption string
	// Severity up to 5, the published ones whole; 0 for clean images, for aggregates over severities and for perturbations.
	Severity float64
	// Difficulty of a perturbation sequence, from 1; 0 for still images.
	Difficulty int
	View                 // the part of the data and its treatment, where that is not all of it as it is
	Metric     string    // "error", "mce", "rms_calibration", ...
	Value      float64   // fractions, not percent; NaN where the metric is undefined; never infinite
	Interval   *Interval // nil if none was computed
	N          int64     // number of rows, images or videos behind the value; 0 if not known
	Seed       *uint64   // of the run or of the bootstrap; nil if none was used
	// Data is the fingerprint of the labeled data set that Dataset names, or that its form was made from, as
	// data.Signature.Samples; empty if it is not known. Numbers of one cell with other fingerprints are not comparable.
	Data string
	// Over lists what a mean is over, where that differs from one run to another: the names of the OOD sets behind a mean of
	// detection metrics, in the order of the alphabet.
	Over []string
	// Versions of what could change the value, by name: {"augmix": "v0.3.0", "go": "go1.26"}.
	Versions map[string]string
	Time     time.Time // when it was measured; may be zero for published numbers
	Origin   Origin
	Source   string // for published numbers: paper and table
}

// wire is Row as it is written; the order of the fields is the order on the line.
type wire struct {
	V          int     `json:"v"`
	Model      string  `json:"model"`
	Dataset    string  `json:"dataset"`
	Corruption string  `json:"corruption,omitempty"`
	Severity   float64 `json:"severity,omitempty"`
	Difficulty int     `json:"difficulty,omitempty"`
	View
	Metric   string            `json:"metric"`
	Value    *float64          `json:"value"`
	Interval *Interval         `json:"interval,omitempty"`
	N        int64             `json:"n"`
	Seed     *uint64           `json:"seed,omitempty"`
	Data     string            `json:"data,omitempty"`
	Over     []string          `json:"over,omitempty"`
	Versions map[string]string `json:"versions,omitempty"`
	Time     *time.Time        `json:"time,omitempty"`
	Origin   Origin            `json:"origin"`
	Source   string            `json:"source,omitempty"`
}

// fields says which names a line may have, and whether it must.
var fields = func() map[string]bool {
	f := map[string]bool{
		"v": true, "model": true, "dataset": true, "metric": true, "value": true, "n": true, "origin": true,
		"corruption": false, "severity": false, "difficulty": false, "interval": false, "seed": false,
		"versions": false, "time": false, "source": false, "data": false, "over": false,
	}
	for _, name := range viewFields {
		f[name] = false
	}
	return f
}()

var intervalFields = map[string]bool{"lo": true, "hi": true, "level": true}

func formatErr(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
}

// Validate returns an error that wraps [ErrFormat] and says what is allowed if the row cannot be written.
func (r *Row) Validate() error {
	for _, f := range []struct{ name, value string }{
		{"model", r.Model}, {"dataset", r.Dataset}, {"metric", r.Metric},
	} {
		if f.value == "" {
			return formatErr("no %s", f.name)
		}
	}
	for _, s := range append([]string{r.Model, r.Dataset, r.Corruption, r.Metric, r.Source, r.Data}, r.Over...) {
		if !utf8.ValidString(s) {
			return formatErr("%q is not UTF-8", s)
		}
	}
	for k, v := range r.Versions {
		if k == "" || !utf8.ValidString(k) || !utf8.ValidString(v) {
			return formatErr("version %q: %q (allowed: UTF-8, the name not empty)", k, v)
		}
	}
	switch {
	case !(r.Severity >= 0 && r.Severity <= 5):
		return formatErr("severity %v (allowed: 0 to 5)", r.Severity)
	case r.Difficulty < 0 || r.Difficulty > 1000:
		return formatErr("difficulty %d (allowed: 0 to 1000)", r.Difficulty)
	case math.IsInf(r.Value, 0):
		return formatErr("value %v (allowed: finite numbers and NaN)", r.Value)
	case r.N < 0:
		return formatErr("n %d (allowed: 0 or more)", r.N)
	}
	if least, most := r.bounds(); r.Value < least-rounding || r.Value > most+rounding {
		return formatErr("value %v of %s (allowed: fractions from %v to %v)", r.Value, r.Metric, least, most)
	}
	return errors.Join(r.View.validate(r.Model, r.Metric), r.validateInterval(), r.validateOrigin())
}

func (r *Row) validateInterval() error {
	iv := r.Interval
	if iv == nil {
		return nil
	}
	// A percentile interval of a biased metric need not hold the value, so that is not asked for.
	if !(iv.Lo <= iv.Hi) || math.IsInf(iv.Lo, 0) || math.IsInf(iv.Hi, 0) || !(iv.Level > 0 && iv.Level < 1) {
		return formatErr("interval [%v, %v], level %v (allowed: finite, in order, level above 0 and below 1)",
			iv.Lo, iv.Hi,
			iv.Level)
	}
	return nil
}

func (r *Row) validateOrigin() error {
	if y := r.Time.Year(); !r.Time.IsZero() && (y < 1 || y > 9999) {
		return formatErr("time %v (allowed: years 1 to 9999)", r.Time)
	}
	switch r.Origin {
	case Measured:
		if r.Time.IsZero() {
			return formatErr("a measured number without its time")
		}
	case Published:
		if r.Source == "" {
			return formatErr("a published number without its source")
		}
	default:
		return formatErr("origin %q (allowed: %q, %q)", r.Origin, Measured, Published)
	}
	return nil
}

// rounding is how far a fraction may lie outside its bounds.
const rounding = 1e-9

// bounds are those of the value: of a fraction, or of the difference of two. Values of other metrics have none.
func (r *Row) bounds() (least, most float64) {
	switch {
	case !Metric(r.Metric).share:
		return math.Inf(-1), math.Inf(1)
	case r.Against != "" && r.Metric != Agreement:
		return -1, 1
	}
	return 0, 1
}

// AppendLine appends the row as one line, newline included, to dst. It returns the errors of [Row.Validate], and one
// that wraps [ErrFormat] for a line longer than [MaxLine].
func (r *Row) AppendLine(dst []byte) ([]byte, error) {
	if err := r.Validate(); err != nil {
		return dst, err
	}
	w := wire{
		V: Version, Model: r.Model, Dataset: r.Dataset, Corruption: r.Corruption, Severity: r.Severity,
		Difficulty: r.Difficulty, View: r.View, Metric: r.Metric, Interval: r.Interval, N: r.N, Seed: r.Seed,
		Data: r.Data, Over: r.Over, Versions: r.Versions, Origin: r.Origin, Source: r.Source,
	}
	if !math.IsNaN(r.Value) {
		w.Value = &r.Value
	}
	if !r.Time.IsZero() {
		utc := r.Time.UTC()
		w.Time = &utc
	}
	b, err := json.Marshal(w)
	if err != nil {
		return dst, formatErr("%v", err)
	}
	if len(b) > MaxLine {
		return dst, formatErr("a line of %d bytes (allowed: %d)", len(b), MaxLine)
	}
	return append(append(dst, b...), '\n'), nil
}

// ParseLine reads one line, with or without its newline. It returns an error that wraps [ErrVersion] or [ErrFormat].
func ParseLine(line []byte) (Row, error) {
	if len(line) > MaxLine+1 {
		return Row{}, formatErr("a line of %d bytes (allowed: %d)", len(line), MaxLine)
	}
	if !utf8.Valid(line) {
		return Row{}, formatErr("the line is not UTF-8")
	}
	version, err := versionOf(line)
	if err != nil {
		return Row{}, err
	}
	parse, known := parse2, fields
	if version == 1 {
		parse, known = parse1, fields1
	}
	if err := checkFields(line, known); err != nil {
		return Row{}, err
	}
	r, err := parse(line)
	if err != nil {
		return r, err
	}
	return r, r.Validate()
}

// parse2 reads a line of version 2.
func parse2(line []byte) (Row, error) {
	var w wire
	if err := json.Unmarshal(line, &w); err != nil {
		return Row{}, typeErr(err)
	}
	return w.row(), nil
}

// row is what a line says.
func (w *wire) row() Row {
	r := Row{
		Model: w.Model, Dataset: w.Dataset, Corruption: w.Corruption, Severity: w.Severity, Difficulty: w.Difficulty,
		View: w.View, Metric: w.Metric, Value: math.NaN(), Interval: w.Interval, N: w.N, Seed: w.Seed,
		Data: w.Data, Over: w.Over, Versions: w.Versions, Origin: w.Origin, Source: w.Source,
	}
	if w.Value != nil {
		r.Value = *w.Value
	}
	if w.Time != nil {
		r.Time = w.Time.UTC()
	}
	return r
}

// typeErr is the error of a line that is no JSON, or whose fields are of other types, in words.
func typeErr(err error) error {
	other := (*json.UnmarshalTypeError)(nil)
	if !errors.As(err, &other) {
		return formatErr("%v", err)
	}
	allowed := map[reflect.Kind]string{
		reflect.Float64: "a number", reflect.String: "text", reflect.Bool: "true or false",
	}[other.Type.Kind()] // objects and lists were looked at before
	return formatErr("%s is of the type %s (allowed: %s)", cmp.Or(other.Field, "the line"), other.Value, cmp.Or(allowed, "a whole number"))
}

// versionOf looks at the version before anything else, as versions have other fields.
func versionOf(line []byte) (int, error) {
	var head struct {
		V *int `json:"v"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return 0, typeErr(err)
	}
	if head.V == nil {
		return 0, formatErr(`no version "v" (this program knows 1 to %d)`, Version)
	}
	if *head.V < 1 || *head.V > Version {
		return 0, fmt.Errorf("%w %d (this program knows 1 to %d)", ErrVersion, *head.V, Version)
	}
	return *head.V, nil
}

// checkFields refuses what encoding/json lets pass: unknown names, names in another case, names given twice, null, and
// required names that are missing.
func checkFields(line []byte, known map[string]bool) error {
	dec := json.NewDecoder(bytes.NewReader(line))
	if err := checkObject(dec, known, ""); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return formatErr("something follows the object")
	}
	return nil
}

// checkObject reads one object; known is nil if any name is allowed.
func checkObject(dec *json.Decoder, known map[string]bool, path string) error {
	t, err := dec.Token()
	if err != nil {
		return formatErr("%v", err)
	}
	if t != json.Delim('{') {
		return formatErr("%s%v instead of an object", path, t)
	}
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return formatErr("%v", err)
		}
		name, _ := t.(string) // a name is always a string
		if _, ok := known[name]; !ok && known != nil {
			return formatErr("unknown field %q", path+name)
		}
		if seen[name] {
			return formatErr("field %q twice", path+name)
		}
		seen[name] = true
		if err := checkValue(dec, name, path); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return formatErr("%v", err)
	}
	for name, required := range known {
		if required && !seen[name] {
			return formatErr("no field %q", path+name)
		}
	}
	return nil
}

func checkValue(dec *json.Decoder, name, path string) error {
	switch {
	case path == "" && name == "interval":
		return checkObject(dec, intervalFields, "interval.")
	case path == "" && name == "versions":
		return checkObject(dec, nil, "versions.")
	case path == "" && name == "over":
		return checkNames(dec, name)
	}
	t, err := dec.Token()
	if err != nil {
		return formatErr("%v", err)
	}
	if _, nested := t.(json.Delim); nested {
		return formatErr("field %q holds %v", path+name, t)
	}
	if t == nil && path+name != "value" {
		return formatErr("field %q is null", path+name)
	}
	return nil
}

// checkNames asks for a list of strings.
func checkNames(dec *json.Decoder, name string) error {
	t, err := dec.Token()
	if err == nil && t != json.Delim('[') {
		return formatErr("field %q holds %v instead of a list", name, t)
	}
	for err == nil && t != json.Delim(']') {
		if t, err = dec.Token(); err == nil && t != json.Delim(']') {
			if _, ok := t.(string); !ok {
				return formatErr("field %q lists %v (allowed: strings)", name, t)
			}
		}
	}
	if err != nil {
		return formatErr("%v", err)
	}
	return nil
}

// Equal reports whether two rows say the same in every field. NaN equals NaN and times are compared as instants.
func (r *Row) Equal(o *Row) bool {
	return r.Key() == o.Key() && r.sameResult(o) && r.Data == o.Data && r.Time.Equal(o.Time) &&
		maps.Equal(r.Versions, o.Versions)
}

// SameData reports whether two rows may be of one data set: whether they have the same fingerprint, or one has none.
func (r *Row) SameData(o *Row) bool { return r.Data == "" || o.Data == "" || r.Data == o.Data }

// sameResult compares what was found, not when and by which version.
func (r *Row) sameResult(o *Row) bool {
	return sameFloat(r.Value, o.Value) && r.N == o.N && slices.Equal(r.Over, o.Over) && (r.Interval == nil) == (o.Interval == nil) &&
		(r.Interval == nil || *r.Interval == *o.Interval)
}

// overMore reports whether both rows are means over named sets, and r is over all those of o and more.
func (r *Row) overMore(o *Row) bool {
	lacks := func(set string) bool { return !slices.Contains(r.Over, set) }
	return len(o.Over) > 0 && len(r.Over) > len(o.Over) && !slices.ContainsFunc(o.Over, lacks)
}

func sameFloat(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// Key says what a row measured: everything but the outcome (value, interval, n, over) and the circumstances (time,
// versions, and the fingerprint of the data, which older rows lack). Two rows of the same key should have the same outcome. It can be compared and be a map key.
type Key struct {
	Model, Dataset, Corruption string
	Severity                   float64
	Difficulty                 int
	View
	Metric  string
	Seed    uint64
	HasSeed bool
	Origin  Origin
	Source  string
}

// Key returns the row's key.
func (r *Row) Key() Key {
	k := Key{
		Model: r.Model, Dataset: r.Dataset, Corruption: r.Corruption, Severity: r.Severity, Difficulty: r.Difficulty,
		View: r.View, Metric: r.Metric, Origin: r.Origin, Source: r.Source,
	}
	if r.Seed != nil {
		k.Seed, k.HasSeed = *r.Seed, true
	}
	return k
}

func (k Key) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s on %s", k.MetricName(k.Metric), k.Model, k.Dataset)
	if k.Corruption != "" {
		fmt.Fprintf(&b, ", %s", k.Corruption)
	}
	if k.Severity > 0 {
		fmt.Fprintf(&b, ", severity %v", k.Severity)
	}
	if k.Difficulty > 0 {
		fmt.Fprintf(&b, ", difficulty %d", k.Difficulty)
	}
	if text := k.Text(); text != "" {
		fmt.Fprintf(&b, ", %s", text)
	}
	if k.HasSeed {
		fmt.Fprintf(&b, ", seed %d", k.Seed)
	}
	if k.Origin == Published {
		fmt.Fprintf(&b, ", published in %s", k.Source)
	}
	return b.String()
}
