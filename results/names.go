package results

import (
	"strconv"
	"strings"
)

// Names of the metrics on the wire: what Row.Metric says. Every value is a fraction (an error of 4.2 % is 0.042), but
// for the distances and the negative log-likelihood, which have no unit. A metric that is not in this list is as good
// a metric: it is written, read and shown under its own name.
const (
	Top1Error        = "error"            // top-1 error; on a -C or C-bar set without a corruption: its plain mean
	Top5Error        = "top5_error"       // top-5 error
	CE               = "ce"               // corruption error: errors over severities divided by the baseline's
	RelativeCE       = "relative_ce"      // the same of the excess over the clean error
	MeanCE           = "mce"              // mean of ce over the primary corruptions
	RelativeMeanCE   = "relative_mce"     // mean of relative_ce
	FlipProbability  = "flip_probability" // FP; without a perturbation: mFP (what PixMix prints as mFR on CIFAR)
	FlipRate         = "flip_rate"        // FR: flip probability divided by the baseline's
	MeanFlipRate     = "mfr"              // mean of flip_rate over the primary perturbations
	Top5Distance     = "top5_distance"    // unT5D; without a perturbation: the mean (PixMix's mT5D on CIFAR)
	Top5Rate         = "t5d"              // T5D: top-5 distance divided by the baseline's
	MeanTop5Rate     = "mt5d"             // mean of t5d
	ZipfDistance     = "zipf_distance"    // unnormalised Zipf distance
	RMSCalibration   = "rms_calibration"  // RMS calibration error, adaptive bins; on -C sets the mean over all cells
	MADCalibration   = "mad_calibration"  // mean absolute calibration error, adaptive bins
	MaxCalibration   = "max_calibration"  // maximum calibration error, equal-width bins (MCE; not mce)
	ECE              = "ece"              // expected calibration error, equal-width bins
	NLL              = "nll"              // mean negative log-likelihood, natural logarithm
	Brier            = "brier"            // multiclass Brier score, 0 to 2
	BrierBinary      = "brier_binary"     // Brier score of correct/incorrect
	BrierRefinement  = "brier_refinement" // its refinement part
	AURRA            = "aurra"            // area under the response-rate accuracy curve
	SoftF1           = "soft_f1"          // soft F1 of telling wrong predictions from right ones
	AUROC            = "auroc"            // anomaly detection; View names the anomalous set, empty is the mean over sets
	AUPR             = "aupr"             // average precision, anomalies positive; View as for auroc
	FPR95            = "fpr95"            // false-positive rate at 95 % recall; View as for auroc
	Temperature      = "temperature"      // fitted softmax temperature
	Accuracy         = "accuracy"         // 1 - error, only where a paper prints it
	Agreement        = "agreement"        // fraction of equal predictions with the model that View names
	BinAccuracy      = "bin_accuracy"     // of one bin of a reliability diagram: see [ReliabilityRows]
	BinConfidence    = "bin_confidence"   // likewise
	SkippedBinSuffix = "_skip_last"       // on a calibration metric: the published code's off-by-one, its last bin left out
)

// Views of a row that have a meaning of their own. A group of corruptions ("noise", "blur", "weather", "digital") and
// the name of a set of anomalous images ("svhn") are views too.
const (
	ViewClean = "clean" // clean images written under the name of a -C set
	ViewPGD   = "pgd"   // adversarial images: l-inf, eps 2/255, 20 steps (PixMix, section 4)
)

// limitView begins the view of rows that only some of the samples stand behind.
const limitView = "limit "

// LimitView returns a view that says that only n samples of the data set were looked at, so that such a row is not taken
// for the whole set's: "limit 1000", or "pgd, limit 1000" for the view "pgd", or "limit 1000; bin 3 of 15" for that bin of
// a reliability diagram. n 0 is all.
func LimitView(view string, n int) string {
	if n <= 0 {
		return view
	}
	part, bin := splitBin(view)
	if part != "" {
		part += ", "
	}
	return joinBin(part+limitView+strconv.Itoa(n), bin)
}

// CutLimit takes apart what [LimitView] made; n is 0 for other views.
func CutLimit(view string) (rest string, n int) {
	part, bin := splitBin(view)
	rest, last := "", part
	if i := strings.LastIndex(part, ", "); i >= 0 {
		rest, last = part[:i], part[i+2:]
	}
	if number, ok := strings.CutPrefix(last, limitView); ok {
		if n, err := strconv.Atoi(number); err == nil && n > 0 {
			return joinBin(rest, bin), n
		}
	}
	return view, 0
}

// A bin of a reliability diagram ends its view; see [ReliabilityRows].
const (
	binView  = "bin "
	binAfter = "; "
)

func splitBin(view string) (part, bin string) {
	if i := strings.LastIndex(view, binAfter+binView); i >= 0 {
		return view[:i], view[i+len(binAfter):]
	}
	if strings.HasPrefix(view, binView) {
		return "", view
	}
	return view, ""
}

func joinBin(part, bin string) string {
	if part != "" && bin != "" {
		return part + binAfter + bin
	}
	return part + bin
}

// Data sets are named like the benchmarks of package metrics: a base ("cifar10", "imagenet", a name of the user's own)
// for clean images and anomaly detection, and the base with a suffix for the forms made from it.
const (
	SuffixC    = "-c"
	SuffixCBar = "-c-bar"
	SuffixP    = "-p"
	SuffixR    = "-r"
)

// Base returns the data set that a -C, C-bar, -P or -R form was made from ("cifar10" for "cifar10-c-bar"), and other
// names as they are.
func Base(dataset string) string {
	base, _ := SplitForm(dataset)
	return base
}

// SplitForm splits the name of a data set into its base and its form: "cifar10-c" is "cifar10" and "c", "cifar10" is
// "cifar10" and "". A variant of another size has a base of its own: "imagenet-c-64" is "imagenet-64" and "c".
func SplitForm(dataset string) (base, form string) {
	name, size := dataset, ""
	for _, s := range []string{"-299", "-64"} {
		if rest, ok := strings.CutSuffix(name, s); ok {
			name, size = rest, s
		}
	}
	for _, s := range []string{SuffixCBar, SuffixC, SuffixP, SuffixR} {
		if rest, ok := strings.CutSuffix(name, s); ok && rest != "" {
			return rest + size, s[1:]
		}
	}
	return dataset, ""
}
