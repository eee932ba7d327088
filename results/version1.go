package results

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Version 1 of the format had one field "view" for all that [View] says, in words, and variants of a metric in its name.
// Files of it are read for good; nothing writes it any more.

// Words of a version 1 view. [View.Text] has the same.
const (
	textLimit           = "limit "
	textClass           = "class " // of version 2 alone, as the next
	textSaid            = "taken for "
	textAmong           = "among %d classes"
	textBin             = "bin "
	textMinus           = "minus "
	textAfter           = "; " // before a bin, and before minus
	textEpoch           = "epoch "
	textFourier         = "fourier"
	textTenCrop         = "ten-crop"
	textNotPreprocessed = "not preprocessed"
	textClean           = "clean" // clean images written under the name of a -C set
)

// Endings of a version 1 metric.
const (
	suffixDifference = "_difference"
	suffixSkipLast   = "_skip_last"
)

var (
	scores1       = []string{"max_logit", "energy", "xent_uniform"}
	detection1    = []string{AUROC, AUPR, FPR95}
	groups1       = []string{"noise", "blur", "weather", "digital"}
	preprocesses1 = []string{"clahe", "nlm"}
)

// fields1 says which names a line of version 1 may have, and whether it must.
var fields1 = func() map[string]bool {
	f := map[string]bool{"view": false}
	for name, must := range fields {
		if !slices.Contains(viewFields, name) && name != "data" && name != "over" {
			f[name] = must
		}
	}
	return f
}()

// parse1 reads a line of version 1. What it says in words of its view becomes fields; words that version 1 had no
// meaning for are View.Part.
func parse1(line []byte) (Row, error) {
	var w struct {
		wire
		View string `json:"view"`
	}
	if err := json.Unmarshal(line, &w); err != nil {
		return Row{}, typeErr(err)
	}
	r := w.row()
	return r, translate(&r, w.View)
}

// translate takes a version 1 view and the ending of the metric apart.
func translate(r *Row, text string) error {
	if r.Metric == Agreement {
		r.Against = text
		return nil // Validate asks for one
	}
	if metric, ok := strings.CutSuffix(r.Metric, suffixDifference); ok {
		if before, other, ok := cutMinus(text); ok {
			r.Metric, r.Against, text = metric, other, before
		}
	}
	for _, s := range scores1 {
		if metric, ok := strings.CutSuffix(r.Metric, "_"+s); ok && slices.Contains(detection1, metric) {
			r.Metric, r.Score = metric, s
		}
	}
	if metric, ok := strings.CutSuffix(r.Metric, suffixSkipLast); ok && (metric == RMSCalibration || metric == MADCalibration) {
		r.Metric, r.SkipLast = metric, true
	}
	if r.Metric == BinAccuracy || r.Metric == BinConfidence {
		var ok bool
		if text, r.Bin, r.Bins, ok = cutBin(text); !ok {
			return formatErr(`view %q of a %s (allowed: "bin 3 of 15", at most %d)`, text, r.Metric, maxBins)
		}
	}
	head := cutTreatment(&r.View, text)
	_, form := SplitForm(r.Dataset)
	epoch, isEpoch := strings.CutPrefix(head, textEpoch)
	number, err := strconv.Atoi(epoch)
	switch {
	case head == "":
	case slices.Contains(detection1, r.Metric):
		r.OOD = head
	case head == AttackPGD || strings.HasPrefix(head, AttackPGD+"-"):
		r.Attack = head
	case head == textFourier:
		r.Fourier = true
	case isEpoch && err == nil && number > 0 && strconv.Itoa(number) == epoch:
		r.Epoch = number
	case r.Corruption == "" && slices.Contains(groups1, head):
		r.Group = head
	case head == textClean && form == "c" && r.Corruption == "" && r.Severity == 0:
		r.Dataset = Base(r.Dataset)
	default:
		r.Part = head
	}
	return nil
}

// cutMinus takes "minus OTHER" from the end of a view.
func cutMinus(text string) (before, other string, ok bool) {
	if other, ok = strings.CutPrefix(text, textMinus); ok {
		return "", other, other != ""
	}
	before, other, ok = strings.Cut(text, textAfter+textMinus)
	return before, other, ok && other != ""
}

// cutBin takes "bin 3 of 15" from the end of a view.
func cutBin(text string) (before string, bin, bins int, ok bool) {
	before, last := "", text
	if i := strings.LastIndex(text, textAfter+textBin); i >= 0 {
		before, last = text[:i], text[i+len(textAfter):]
	}
	last, ok = strings.CutPrefix(last, textBin)
	a, b, found := strings.Cut(last, " of ")
	bin, err1 := strconv.Atoi(a)
	bins, err2 := strconv.Atoi(b)
	if !ok || !found || err1 != nil || err2 != nil || bin < 1 || bin > bins || bins > maxBins {
		return text, 0, 0, false
	}
	return before, bin, bins, true
}

// cutTreatment takes the limit, the ten crops and the preprocessing from the end of a view and returns what is left.
func cutTreatment(v *View, text string) (head string) {
	parts := strings.Split(text, ", ")
	last := func() string {
		if len(parts) == 0 {
			return ""
		}
		return parts[len(parts)-1]
	}
	if number, ok := strings.CutPrefix(last(), textLimit); ok {
		if n, err := strconv.Atoi(number); err == nil && n > 0 {
			v.Limit, parts = n, parts[:len(parts)-1]
		}
	}
	if last() == textTenCrop {
		v.TenCrop, parts = true, parts[:len(parts)-1]
	}
	name, _, _ := strings.Cut(last(), "-")
	switch {
	case last() == textNotPreprocessed:
		v.Preprocess, parts = PreprocessNone, parts[:len(parts)-1]
	case slices.Contains(preprocesses1, name):
		v.Preprocess, parts = last(), parts[:len(parts)-1]
	}
	return strings.Join(parts, ", ")
}

// ParseText reads a text of [View.Text] back: version 1 views of files other than results.jsonl, whose words need no
// metric to be understood. ood says that the first words are the name of an out-of-distribution set.
func ParseText(text string, ood bool) View {
	r := Row{Metric: Top1Error}
	if ood {
		r.Metric = AUROC
	}
	// An error is one about bins, which neither metric has.
	_ = translate(&r, text)
	return r.View
}
