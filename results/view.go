package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// View says which part of the data a number is of and under which treatment it was taken, where that is not all of the
// data as it is. The zero View is. Fields are independent of each other; a row has those that apply.
type View struct {
	// Group of corruptions that an aggregate is over: "noise", "blur", "weather", "digital".
	Group string `json:"group,omitempty"`
	// OOD names the out-of-distribution set that the test set is told from: "svhn". A detection metric without it is
	// the mean over sets.
	OOD string `json:"ood,omitempty"`
	// Score is what makes an image out of distribution in a detection metric: "max_logit", "energy", "xent_uniform",
	// "entropy", "gen"; empty for the papers' maximum softmax probability.
	Score string `json:"score,omitempty"`
	// Attack that made the images adversarial: [AttackPGD], or the spec of another one.
	Attack string `json:"attack,omitempty"`
	// Fourier: one Fourier basis function each was added to the images, and the number is the mean over frequencies.
	Fourier bool `json:"fourier,omitempty"`
	// Epoch of the training that the number was taken in, from 1; 0 for a number of no epoch.
	Epoch int `json:"epoch,omitempty"`
	// Part of a data set with a name of its own, such as the held-out subtypes of ICONS-50. Free text, which also holds
	// what nobody but the user knows.
	Part string `json:"part,omitempty"`
	// Class: the number is of the images of one class alone, which has this name or number.
	Class string `json:"class,omitempty"`
	// Said is the class that images of Class were taken for, in a row of [ConfusionShare].
	Said string `json:"said,omitempty"`
	// Preprocess is the spec of what images went through before the model, where that is not what the model was trained
	// with; [PreprocessNone] for nothing.
	Preprocess string `json:"preprocess,omitempty"`
	// TenCrop: predictions are averages over ten crops of each image.
	TenCrop bool `json:"ten_crop,omitempty"`
	// Among is how many classes predictions were made among, where those are not the ones that the data set asks for: some of
	// the model's because the data set has only these, or all of them where its authors chose among its own. 0 for what is
	// usual.
	Among int `json:"among,omitempty"`
	// Limit is how many samples of the data set were looked at; 0 for all. So such a row is never taken for the whole
	// set's.
	Limit int `json:"limit,omitempty"`
	// SkipLast: a calibration error without its last adaptive bin, the published code's off-by-one.
	SkipLast bool `json:"skip_last,omitempty"`
	// Bin of a reliability diagram, from 1 to Bins, the number of its bins; both 0 for other metrics. See
	// [ReliabilityRows].
	Bin  int `json:"bin,omitempty"`
	Bins int `json:"bins,omitempty"`
	// Against is the other model of a number of two: the value is Model's minus the other's, or for [Agreement] how often
	// both predict the same.
	Against string `json:"against,omitempty"`
}

// Values of [View] that have a meaning of their own.
const (
	AttackPGD      = "pgd"  // l-inf, eps 2/255, 20 steps (PixMix, section 4)
	PreprocessNone = "none" // the model's own preprocessing was left out
)

// maxBins bounds the bins of a reliability diagram.
const maxBins = 10000

// viewFields are the names of View's fields on a line.
var viewFields = []string{
	"group", "ood", "score", "attack", "fourier", "epoch", "part", "preprocess", "ten_crop", "limit", "skip_last", "bin",
	"bins", "against", "class", "said", "among",
}

// Text says the view in words, "pgd, limit 1000; bin 3 of 15", and is empty for the zero View. The words are those of
// version 1 of the format and are frozen: package score keys the streams of its draws with them. Score and SkipLast are
// not among them, as version 1 had them in the name of the metric; see [View.MetricName].
func (v View) Text() string {
	var parts []string
	add := func(s string) {
		if s != "" {
			parts = append(parts, s)
		}
	}
	add(v.Group)
	add(v.OOD)
	add(v.Attack)
	if v.Fourier {
		add(textFourier)
	}
	if v.Epoch > 0 {
		add(textEpoch + strconv.Itoa(v.Epoch))
	}
	add(v.Part)
	if v.Class != "" {
		add(textClass + v.Class)
	}
	if v.Said != "" {
		add(textSaid + v.Said)
	}
	if v.Preprocess == PreprocessNone {
		add(textNotPreprocessed)
	} else {
		add(v.Preprocess)
	}
	if v.TenCrop {
		add(textTenCrop)
	}
	if v.Among > 0 {
		add(fmt.Sprintf(textAmong, v.Among))
	}
	if v.Limit > 0 {
		add(textLimit + strconv.Itoa(v.Limit))
	}
	text := strings.Join(parts, ", ")
	if v.Bins > 0 {
		text = join(text, fmt.Sprintf("%s%d of %d", textBin, v.Bin, v.Bins))
	}
	if v.Against != "" {
		text = join(text, textMinus+v.Against)
	}
	return text
}

// join puts two parts of a text together.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + textAfter + b
}

// MetricName is the name of a metric with its variant, for people: "auroc_max_logit", "rms_calibration_skip_last".
func (v View) MetricName(metric string) string {
	if v.Score != "" {
		metric += "_" + v.Score
	}
	if v.SkipLast {
		metric += suffixSkipLast
	}
	return metric
}

// partParameters is what the last piece of a part begins with where corruptions had parameters that are not the published ones.
const partParameters = "parameters "

// SetParameters adds the hash of parameters of corruptions to the part: those of the user's own, or of a profile of MedMNIST-C. So no
// number is taken for one with the published parameters, or with others. See [View.Parameters].
func (v *View) SetParameters(hash string) {
	if v.Part != "" {
		v.Part += ", "
	}
	v.Part += partParameters + hash
}

// Parameters is the hash that [View.SetParameters] put in, "" where the part has none.
func (v View) Parameters() string {
	last := v.Part[strings.LastIndex(v.Part, ",")+1:]
	hash, found := strings.CutPrefix(strings.TrimPrefix(last, " "), partParameters)
	if !found {
		return ""
	}
	return hash
}

// validate says whether a row of the metric can have the view.
func (v *View) validate(model, metric string) error {
	for _, s := range []string{v.Group, v.OOD, v.Score, v.Attack, v.Part, v.Preprocess, v.Against, v.Class, v.Said} {
		if !utf8.ValidString(s) {
			return formatErr("%q is not UTF-8", s)
		}
	}
	bin := metric == BinAccuracy || metric == BinConfidence
	switch {
	case v.Among < 0:
		return formatErr("among %d (allowed: 0 or more)", v.Among)
	case v.Limit < 0:
		return formatErr("limit %d (allowed: 0 or more)", v.Limit)
	case v.Epoch < 0:
		return formatErr("epoch %d (allowed: 0 or more)", v.Epoch)
	case bin && (v.Bin < 1 || v.Bin > v.Bins || v.Bins > maxBins):
		return formatErr("%s of bin %d of %d (allowed: bin 1 to bins, at most %d)", metric, v.Bin, v.Bins, maxBins)
	case !bin && (v.Bin != 0 || v.Bins != 0):
		return formatErr("bin %d of %d of %s (allowed: of %s and %s)", v.Bin, v.Bins, metric, BinAccuracy, BinConfidence)
	case v.Score != "" && metric != AUROC && metric != AUPR && metric != FPR95:
		return formatErr("score %q of %s (allowed: of %s, %s, %s)", v.Score, metric, AUROC, AUPR, FPR95)
	case v.SkipLast && metric != RMSCalibration && metric != MADCalibration:
		return formatErr("skip_last of %s (allowed: of %s, %s)", metric, RMSCalibration, MADCalibration)
	case (v.Said != "") != (metric == ConfusionShare) || v.Said != "" && v.Class == "":
		return formatErr("%s of class %q said to be %q (allowed: both names, of %s alone)", metric, v.Class, v.Said, ConfusionShare)
	case metric == Agreement && v.Against == "":
		return formatErr("%s without the other model, against", metric)
	case v.Against != "" && v.Against == model:
		return formatErr("against %q, the model itself (allowed: another one)", model)
	}
	return nil
}

// Encode writes the view as one word without spaces, "attack=pgd&limit=1000", its fields named as on a line and in
// alphabetical order: for names of files. The zero View is the empty word. [DecodeView] reads it back.
func (v View) Encode() string {
	line, err := json.Marshal(v)
	if err != nil {
		panic("results: " + err.Error()) // strings, numbers and booleans
	}
	var fields map[string]any
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber() // a limit of a million is 1000000, not 1e+06, which DecodeView refuses
	if err := dec.Decode(&fields); err != nil {
		panic("results: " + err.Error())
	}
	words := url.Values{}
	for name, value := range fields {
		words.Set(name, fmt.Sprint(value))
	}
	return words.Encode()
}

// DecodeView reads what [View.Encode] wrote. The error wraps [ErrFormat].
func DecodeView(word string) (View, error) {
	words, err := url.ParseQuery(word)
	if err != nil {
		return View{}, formatErr("view %q: %v", word, err)
	}
	fields := map[string]json.RawMessage{}
	for name, values := range words {
		switch name {
		case "epoch", "limit", "among", "bin", "bins", "fourier", "ten_crop", "skip_last":
			fields[name] = json.RawMessage(values[0])
		default:
			quoted, err := json.Marshal(values[0])
			if err != nil || !utf8.ValidString(values[0]) {
				return View{}, formatErr("view %q: %s is not UTF-8", word, name)
			}
			fields[name] = quoted
		}
		if len(values) > 1 {
			return View{}, formatErr("view %q: %s twice", word, name)
		}
	}
	var v View
	line, err := json.Marshal(fields)
	if err == nil {
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		err = dec.Decode(&v)
	}
	if err != nil {
		return View{}, formatErr("view %q: %v", word, err)
	}
	return v, nil
}
