package results

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data/storage"
)

// Names of the metrics on the wire: what Row.Metric says. Every value is a fraction (an error of 4.2 % is 0.042), but
// for the distances and the negative log-likelihood, which have no unit. A metric that is not in this list is as good
// a metric: it is written, read and shown under its own name.
const (
	Top1Error       = "error"            // top-1 error; on a -C or C-bar set without a corruption: its plain mean
	Top5Error       = "top5_error"       // top-5 error
	CE              = "ce"               // corruption error: errors over severities divided by the baseline's
	RelativeCE      = "relative_ce"      // the same of the excess over the clean error
	MeanCE          = "mce"              // mean of ce over the primary corruptions
	RelativeMeanCE  = "relative_mce"     // mean of relative_ce
	FlipProbability = "flip_probability" // FP; without a perturbation: mFP (what PixMix prints as mFR on CIFAR)
	FlipRate        = "flip_rate"        // FR: flip probability divided by the baseline's
	MeanFlipRate    = "mfr"              // mean of flip_rate over the primary perturbations
	Top5Distance    = "top5_distance"    // unT5D; without a perturbation: the mean (PixMix's mT5D on CIFAR)
	Top5Rate        = "t5d"              // T5D: top-5 distance divided by the baseline's
	MeanTop5Rate    = "mt5d"             // mean of t5d
	ZipfDistance    = "zipf_distance"    // unnormalized Zipf distance
	RMSCalibration  = "rms_calibration"  // RMS calibration error, adaptive bins; on -C sets the mean over all cells
	MADCalibration  = "mad_calibration"  // mean absolute calibration error, adaptive bins: adaptive ECE
	ClasswiseECE    = "classwise_ece"    // classwise expected calibration error, equal-width bins
	SmoothECE       = "smooth_ece"       // smooth calibration error smECE, without bins
	MaxCalibration  = "max_calibration"  // maximum calibration error, equal-width bins (MCE; not mce)
	ECE             = "ece"              // expected calibration error, equal-width bins
	NLL             = "nll"              // mean negative log-likelihood, natural logarithm
	Brier           = "brier"            // multiclass Brier score, 0 to 2
	BrierBinary     = "brier_binary"     // Brier score of correct/incorrect
	BrierRefinement = "brier_refinement" // its refinement part
	AURRA           = "aurra"            // area under the response-rate accuracy curve
	AURC            = "aurc"             // area under the risk-coverage curve: 1 - aurra
	ExcessAURC      = "e_aurc"           // aurc minus that of the best order of the same predictions
	SoftF1          = "soft_f1"          // soft F1 of telling wrong predictions from right ones
	AUROC           = "auroc"            // of OOD detection; [View] has the set, without one it is the mean over sets
	AUPR            = "aupr"             // average precision, OOD positive; sets as for auroc
	FPR95           = "fpr95"            // false-positive rate at 95 % recall; sets as for auroc
	Temperature     = "temperature"      // fitted softmax temperature
	Accuracy        = "accuracy"         // 1 - error, only where a paper prints it
	Agreement       = "agreement"        // fraction of equal predictions with the model [View.Against]
	ConfusionShare  = "confusion"        // fraction of the images of [View.Class] that were taken for [View.Said]
	ShapeBias       = "shape_bias"       // share of the shape among predictions of the shape or the texture of images of conflicting cues
	CueAccuracy     = "cue_accuracy"     // fraction of these images whose prediction is of either
	BinAccuracy     = "bin_accuracy"     // of one bin of a reliability diagram: see [ReliabilityRows]
	BinConfidence   = "bin_confidence"   // likewise
)

// VersionFrost is the key of Row.Versions under which a number with generated ice crystals for frost in it, not the published
// photographs, says [FrostGenerated].
const (
	VersionFrost   = "frost"
	FrostGenerated = "generated"
)

// VersionWeights is the key of Row.Versions under which a number says which file its model was in: the digest of that, as
// internal/digest shortens it, and after ", " what was done to the outputs. VersionContent is that under which it says the bytes of the
// test set's samples; Row.Data is of their names and labels alone.
const (
	VersionWeights = "weights"
	VersionContent = "data"
)

// VersionFiles is the key of Row.Versions under which a number of images read from disk beside the test set, a form of it or
// an OOD set, names their files, as data.Glance does.
const VersionFiles = "files"

// VersionPartOf is the key of Row.Versions under which a number of a form on disk that has not the samples of the test set says the
// fingerprint of these, as Row.Data is that of its own.
const VersionPartOf = "part_of"

// VersionTrainedOn is the key of Row.Versions under which numbers of a network say what of ImageNet-C's corruptions it was trained
// on: names of operations and noises, separated by commas.
const VersionTrainedOn = "trained_on"

// VersionTrainedOnBar is the same of ImageNet-C-bar and CIFAR-10-C-bar, and VersionTrainedOnValidation of the four corruptions
// that ImageNet-C has for validation, whose own numbers alone it concerns.
const (
	VersionTrainedOnBar        = "trained_on_cbar"
	VersionTrainedOnValidation = "trained_on_validation"
)

// VersionBaseline is the key of Row.Versions under which a number that is divided by other figures than AlexNet's published ones
// says whose: a model's name and a digest of the figures, "resnet50 (3f2a9c1e)".
const VersionBaseline = "baseline"

// VersionBins is the key of Row.Versions under which a calibration error says its bins, where those are not the default ones:
// "adaptive:50" for bins of 50 samples each, "equal:20" for 20 bins of equal width.
const VersionBins = "bins"

// VersionImages is the key of Row.Versions under which a measured number says how its images were made before the model saw
// them, in words: "size 256 bilinear, crop 224". Package eval does not resume measurements that were made otherwise.
const VersionImages = "images"

// VersionOrder is the key of Row.Versions under which a number of labeled images says in which order their classes came: a
// digest that does not depend on how classes are numbered. Records of rows with other ones are not of the same images at the
// same places.
const VersionOrder = "order"

// VersionIDs is the key of Row.Versions under which a number of images with ids says in which order these came: a digest. Records of
// rows with other ones are not of the same images at the same places; rows without are told from others by [VersionOrder] alone.
const VersionIDs = "ids"

// VersionView is the key of Row.Versions under which saved predictions say what rows say in their View, as View.Encode writes it, and
// VersionSamples that under which they say what rows say in their Data. Rows of these predictions have them there.
const (
	VersionView    = "view"
	VersionSamples = "samples"
)

// Data sets are named like the benchmarks of package metrics: a base ("cifar10", "imagenet", a name of the user's own)
// for clean images and OOD detection, and the base with a suffix for the forms made from it.
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
	name, size := cutSizes(dataset)
	for _, s := range []string{SuffixCBar, SuffixC, SuffixP, SuffixR} {
		if rest, ok := strings.CutSuffix(name, s); ok && rest != "" {
			return rest + size, s[1:]
		}
	}
	return dataset, ""
}

// cutSizes splits the sizes of variants off the end of a name, all of them, so that no name loses one.
func cutSizes(name string) (rest, sizes string) {
	rest = strings.TrimSuffix(strings.TrimSuffix(name, "-64"), "-299")
	if rest == name {
		return name, ""
	}
	shorter, before := cutSizes(rest)
	return shorter, before + name[len(rest):]
}

// IsForm reports whether a name is that of a -C, C-bar or -P form, made from the images of its [Base]: rows of it without a corruption are
// means, and no clean images may be called so.
func IsForm(dataset string) bool {
	_, form := SplitForm(dataset)
	return form != "" && "-"+form != SuffixR
}

// SampleSet returns the labeled set whose images a number of the data set is of: its [Base], but for -R, which is no form
// made from other images and has images of its own.
func SampleSet(dataset string) string {
	if IsForm(dataset) {
		return Base(dataset)
	}
	return dataset
}

// publishedClasses are the numbers of classes of the data sets that published numbers are of.
var publishedClasses = map[string]int{"cifar10": 10, "cifar100": 100, "imagenet": 1000}

// ByClasses returns the published data set with so many classes, "cifar10", "cifar100" or "imagenet", or an empty
// string: what a data set is called that says nothing else of itself.
func ByClasses(classes int) string {
	for name, n := range publishedClasses {
		if n == classes {
			return name
		}
	}
	return ""
}

// OtherClasses says that data with so many classes are called by the name of a published data set, or of a form of it, that has
// others, so that published numbers beside theirs are of another task; else it is "". ImageNet's 1000 may have the background
// before them.
func OtherClasses(dataset string, classes int) string {
	base, form := SplitForm(dataset)
	name, _ := cutSizes(base)
	n, published := publishedClasses[name]
	if !published || "-"+form == SuffixR || classes == n || n == 1000 && classes == 1001 {
		return ""
	}
	return fmt.Sprintf("%d classes under the name %s, which has %d: published numbers are of those", classes, dataset, n)
}

// OwnClasses returns among how many classes predictions are for those who made a data set of some of ImageNet's classes, 200 of ImageNet-R
// and ImageNet-A; 0 for data sets without such a choice.
func OwnClasses(dataset string) int {
	if name, _ := cutSizes(dataset); name == "imagenet-r" || name == "imagenet-a" {
		return 200
	}
	return 0
}

// ModelName is what a model is called after its file or folder: the folder's name, or the file's without its extension.
// Files that every run has (last, best or model, of weights or ONNX) have the name of the run's folder.
func ModelName(path string) string {
	name := filepath.Base(storage.Clean(path))
	if st, err := storage.Stat(path); err == nil && st.IsDir() {
		return name
	}
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	switch stem {
	case "last", "best", "model":
		if abs, err := storage.Abs(path); err == nil && (ext == ".safetensors" || ext == ".npz" || ext == ".onnx") {
			return filepath.Base(storage.Dir(abs))
		}
	}
	return stem
}

// displays are the names of the data sets that papers write otherwise.
var displays = map[string]string{
	"cifar10": "CIFAR-10", "cifar100": "CIFAR-100", "imagenet": "ImageNet", "tiny-imagenet": "Tiny-ImageNet",
	"places365": "Places365", "icons-50": "ICONS-50", "imagenet-a": "ImageNet-A", "imagenet-o": "ImageNet-O",
	"imagenet-v2": "ImageNet-V2", "imagenet-sketch": "ImageNet-Sketch", "cinic10": "CINIC-10", "cue-conflict": "cue conflict",
	"cifar100-superclass": "CIFAR-100, superclasses", "cifar10.1-v4": "CIFAR-10.1 (v4)", "cifar10.1-v6": "CIFAR-10.1 (v6)",
}

// DisplayName writes a data set's name as the papers do: "CIFAR-10-C".
func DisplayName(dataset string) string {
	base, form := SplitForm(dataset)
	name := base
	if d := displays[base]; d != "" {
		name = d
	}
	switch form {
	case "":
		return name
	case "c-bar":
		return name + "-C\u0304"
	}
	return name + "-" + strings.ToUpper(form)
}
