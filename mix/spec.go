package mix

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/raster"
)

// Entry is one method of the table of spec strings.
type Entry struct {
	Name    string // first word of the spec
	Doc     string // one line
	Spec    string // the default, written out
	Options string // what may follow the name, one option a line
	Paper   string // where it was published

	parse func(args []arg) (Mixer, error)
}

var table = []Entry{
	{
		Name:  "none",
		Doc:   "leave the image as it is",
		Spec:  "none",
		parse: parseNone,
	}, {
		Name:    "standard",
		Doc:     "mirror at random, then pad and crop at random: what CIFAR recipes start with",
		Spec:    "standard-p4",
		Options: "pN    pad by N black pixels (4)",
		Paper:   "He et al., Deep residual learning, CVPR 2016, section 4.2",
		parse:   parseStandard,
	}, {
		Name: "augmix",
		Doc:  "chains of operations, mixed with each other and with the original",
		Spec: NewAugMix().String(),
		Options: "mS    severity S, 0.1 to 10 (3; the paper's ImageNet runs use 1)\n" +
			"wK    width: K chains (3)\n" +
			"dN    depth: N operations in a chain, -1 for 1 to 3 at random (-1)\n" +
			"aA    alpha of the Dirichlet and Beta distributions (1)\n" +
			"all   all 13 operations, with the four that overlap ImageNet-C\n" +
			"fRRGGBB   fill colour in hexadecimal (000000; the paper's ImageNet runs used 800000)",
		Paper: "Hendrycks et al., AugMix, ICLR 2020",
		parse: parseAugMix,
	}, {
		Name: "pixmix",
		Doc:  "rounds of adding and multiplying with images of a mixing set",
		Spec: NewPixMix().String(),
		Options: "kN    up to N rounds (4)\n" +
			"bB    beta of the coefficients, larger changes less (3; ImageNet 4)\n" +
			"mS    severity S of the operations, 0.1 to 10 (3; ImageNet 1)\n" +
			"all   all 13 operations, with the four that overlap ImageNet-C, as the published recipes have it\n" +
			"input   mix in augmentations of the input only (Mix Input of table 5); needs no mixing set\n" +
			"aug   mix in images of the mixing set only (Mix Aug of table 5)\n" +
			"fRRGGBB   fill colour in hexadecimal (000000)",
		Paper: "Hendrycks et al., PixMix, CVPR 2022",
		parse: parsePixMix,
	}, {
		Name: "mixup",
		Doc:  "average two images and their labels",
		Spec: "mixup-a1",
		Options: "aA    alpha of the Beta distribution (1; 0.2 is common for ImageNet)\n" +
			"each   a weight for each sample of a batch, not one for all",
		Paper: "Zhang et al., mixup, ICLR 2018",
		parse: parseMixup,
	}, {
		Name: "cutmix",
		Doc:  "put a box of one image into another and mix the labels by area",
		Spec: "cutmix-a1-p1",
		Options: "aA    alpha of the Beta distribution (1)\n" +
			"pP    probability (1; the authors' CIFAR runs use 0.5)\n" +
			"each   a box for each sample of a batch, not one for all",
		Paper: "Yun et al., CutMix, ICCV 2019",
		parse: parseCutMix,
	}, {
		Name: "cutout",
		Doc:  "blank a square",
		Spec: "cutout-r0.5",
		Options: "rR    side as a share R of the shorter side (0.5)\n" +
			"sN    side of N pixels instead\n" +
			"fRRGGBB   its colour (the mean: 0 after normalisation)",
		Paper: "DeVries and Taylor, Cutout, 2017",
		parse: parseCutout,
	}, {
		Name: "randomerasing",
		Doc:  "fill a random rectangle with random values",
		Spec: "randomerasing-p0.5-l0.02-h0.4-r0.3",
		Options: "pP    probability (0.5)\n" +
			"lL    least share of the area (0.02)\n" +
			"hH    largest share of the area (0.4)\n" +
			"rR    height over width from R to 1/R (0.3)\n" +
			"mean   fill with the mean instead: 0 after normalisation",
		Paper: "Zhong et al., Random erasing, AAAI 2020",
		parse: parseRandomErasing,
	}, {
		Name: "patchgaussian",
		Doc:  "add Gaussian noise to a square",
		Spec: "patchgaussian-w25-s1",
		Options: "wN    side of N pixels (25; ImageNet 250 with upto)\n" +
			"sS    standard deviation up to S (1)\n" +
			"upto   side uniform up to N",
		Paper: "Lopes et al., Patch Gaussian, 2019",
		parse: parsePatch(false),
	}, {
		Name: "patchuniform",
		Doc:  "add uniform noise to a square",
		Spec: "patchuniform-w25-s1",
		Options: "wN    side of N pixels (25)\n" +
			"sS    standard deviation up to S (1)\n" +
			"upto   side uniform up to N",
		Paper: "baseline of Hendrycks et al., AugMix, ICLR 2020",
		parse: parsePatch(true),
	}, {
		Name: "autoaugment",
		Doc:  "two operations of a policy found by search",
		Spec: "autoaugment-cifar10",
		Options: "cifar10, cifar10full, imagenet, svhn   the policy (cifar10); full: all 95 good sub-policies\n" +
			"torchvision   parameters, sampling and fill of torchvision (the authors' code; timm's for imagenet)\n" +
			"star   AutoAugment*: without the operations that overlap ImageNet-C, and without cutout\n" +
			"fRRGGBB   fill colour in hexadecimal (that of the published code)",
		Paper: "Cubuk et al., AutoAugment, CVPR 2019; star: Hendrycks et al., AugMix, ICLR 2020",
		parse: parseAutoAugment,
	}, {
		Name: "randomautoaugment",
		Doc:  "Random AutoAugment*: a chain of AugMix's operations without mixing",
		Spec: "randomautoaugment-m3-d2",
		Options: "mS    severity S, 0.1 to 10 (3)\n" +
			"dN    N operations, -1 for 1 to 3 at random (2)\n" +
			"fRRGGBB   fill colour in hexadecimal (000000)",
		Paper: "ablation of Hendrycks et al., AugMix, ICLR 2020",
		parse: parseRandomAutoAugment,
	}, {
		Name: "randaugment",
		Doc:  "N operations of fourteen, all of one strength",
		Spec: "randaugment-n2-m9",
		Options: "nN    operations (2)\n" +
			"mM    strength, 0 to 30 (9)\n" +
			"fRRGGBB   fill colour in hexadecimal (000000)",
		Paper: "Cubuk et al., RandAugment, NeurIPS 2020",
		parse: parseRandAugment,
	}, {
		Name: "trivialaugment",
		Doc:  "one operation of fourteen at a random strength",
		Spec: "trivialaugment-wide",
		Options: "wide   the paper's wide space of parameters (the default)\n" +
			"standard   RandAugment's ranges\n" +
			"fRRGGBB   fill colour in hexadecimal (000000)",
		Paper: "Müller and Hutter, TrivialAugment, ICCV 2021",
		parse: parseTrivialAugment,
	}, {
		Name: "gaussian",
		Doc:  "Gaussian noise on some of the images",
		Spec: "gaussian-p0.5",
		Options: "pP    probability (0.5)\n" +
			"sS    standard deviation (one of ImageNet-C's five: 0.08, 0.12, 0.18, 0.26, 0.38)",
		Paper: "Rusak et al., Increasing the robustness of DNNs ..., ECCV 2020",
		parse: parseNoise(false),
	}, {
		Name: "speckle",
		Doc:  "noise in proportion to the values, on some of the images",
		Spec: "speckle-p0.5",
		Options: "pP    probability (0.5)\n" +
			"sS    standard deviation (one of ImageNet-C's five: 0.15, 0.2, 0.35, 0.45, 0.6)",
		Paper: "Rusak et al., Increasing the robustness of DNNs ..., ECCV 2020",
		parse: parseNoise(true),
	},
}

// Table returns the methods that Parse knows. The rows are shared: do not change them.
func Table() []Entry { return table }

// Parse reads a spec string: a method's name and its options, separated by '-', in any order, each a letter (or word)
// followed by its value: "augmix-m3-w3-d-1". What is left out has its default. Specs joined by '+' are applied one
// after the other, see [Chain]. The error wraps [ErrSpec] and says what is allowed.
//
// A PixMix that Parse returns has no mixing set yet: use [New] for a method that is to be applied.
func Parse(spec string) (Mixer, error) {
	parts := strings.Split(spec, "+")
	if len(parts) > maxStages {
		return nil, fmt.Errorf("%w: %d methods in a row in %q (allowed: 1 to %d)",
			ErrSpec, len(parts), clip(spec), maxStages)
	}
	stages := make([]Mixer, len(parts))
	for i, part := range parts {
		m, err := parseOne(part)
		if err != nil {
			return nil, fmt.Errorf("%w in %q", err, clip(spec))
		}
		stages[i] = m
	}
	m, err := Compose(stages...)
	if err != nil {
		return nil, fmt.Errorf("%w in %q", err, clip(spec))
	}
	return m, nil
}

// clip keeps a message to one line of sense.
func clip(s string) string {
	const most = 200
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}

func parseOne(spec string) (Mixer, error) {
	name, rest, _ := strings.Cut(spec, "-")
	for i := range table {
		if table[i].Name != name {
			continue
		}
		args, err := splitArgs(rest)
		if err != nil {
			return nil, err
		}
		return table[i].parse(args)
	}
	names := make([]string, len(table))
	for i := range table {
		names[i] = table[i].Name
	}
	return nil, fmt.Errorf("%w: no method %q (there are: %s)", ErrSpec, clip(name), strings.Join(names, ", "))
}

// arg is one option of a spec: its letters and what follows them.
type arg struct{ key, value string }

func (a arg) String() string { return a.key + a.value }

// splitArgs cuts "m3-w3-d-1" at every '-' that does not start a number.
func splitArgs(s string) ([]arg, error) {
	var args []arg
	for s != "" {
		n := 0
		for n < len(s) && 'a' <= s[n] && s[n] <= 'z' {
			n++
		}
		if n == 0 {
			return nil, fmt.Errorf("%w: option %q does not start with a lower-case letter", ErrSpec, s)
		}
		end := len(s)
		if i := strings.IndexByte(s[n:], '-'); i > 0 {
			end = n + i
		} else if i == 0 && n+1 < len(s) && isNumeric(s[n+1]) { // a negative number
			if j := strings.IndexByte(s[n+1:], '-'); j >= 0 {
				end = n + 1 + j
			}
		} else if i == 0 {
			end = n
		}
		args = append(args, arg{s[:n], s[n:end]})
		if end == len(s) {
			break
		}
		if s = s[end+1:]; s == "" {
			return nil, fmt.Errorf("%w: it ends in '-'", ErrSpec)
		}
	}
	return args, nil
}

func isNumeric(c byte) bool { return '0' <= c && c <= '9' || c == '.' }

func (a arg) float() (float64, error) {
	v, err := strconv.ParseFloat(a.value, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: option %q wants a number after %q", ErrSpec, a, a.key)
	}
	return v, nil
}

func (a arg) int() (int, error) {
	v, err := strconv.Atoi(a.value)
	if err != nil {
		return 0, fmt.Errorf("%w: option %q wants a whole number after %q", ErrSpec, a, a.key)
	}
	return v, nil
}

// bare returns an error if the option has a value.
func (a arg) bare() error {
	if a.value != "" {
		return fmt.Errorf("%w: option %q takes no value", ErrSpec, a)
	}
	return nil
}

// fill reads an 'f' and six hexadecimal digits. Digits above nine are letters and so part of the option's key.
func (a arg) fill(c *raster.RGB) error {
	s := a.String()
	if len(s) != 7 || s[0] != 'f' {
		return errOption
	}
	v, err := strconv.ParseUint(s[1:], 16, 32)
	if err != nil {
		return errOption
	}
	*c = raster.RGB{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v)}
	return nil
}

// errOption is what the function of eachArg returns for an option that the method does not have.
var errOption = errors.New("no such option")

// eachArg calls f for every option of the method called name, whose options are listed in known.
func eachArg(name, known string, args []arg, f func(a arg) error) error {
	for _, a := range args {
		err := f(a)
		if err == errOption {
			return fmt.Errorf("%w: %s has no option %q (there are: %s)", ErrSpec, name, a, known)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// fillOption is the option of a fill colour, nothing for black.
func fillOption(c raster.RGB) string {
	if c == (raster.RGB{}) {
		return ""
	}
	return fillText(c)
}

func fillText(c raster.RGB) string { return fmt.Sprintf("-f%02x%02x%02x", c.R, c.G, c.B) }

func parseAugMix(args []arg) (Mixer, error) {
	m := NewAugMix()
	err := eachArg("augmix", "m, w, d, a, all, fRRGGBB", args, func(a arg) (err error) {
		switch a.key {
		case "m":
			m.Severity, err = a.float()
		case "w":
			m.Width, err = a.int()
		case "d":
			m.Depth, err = a.int()
		case "a":
			m.Alpha, err = a.float()
		case "all":
			m.AllOps, err = true, a.bare()
		default:
			return a.fill(&m.Fill)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, m.Check()
}

// String returns the spec of a: severity, width and depth always, the others where they are not the default.
func (a *AugMix) String() string {
	s := "augmix-m" + number(a.Severity) + "-w" + strconv.Itoa(a.Width) + "-d" + strconv.Itoa(a.Depth)
	if a.Alpha != 1 {
		s += "-a" + number(a.Alpha)
	}
	if a.AllOps {
		s += "-all"
	}
	return s + fillOption(a.Fill)
}
