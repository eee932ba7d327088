package experiment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/styletransfer"
	"github.com/augmix-go/augmix/internal/digest"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/train"
)

// defaultStyles are the images whose styles are taken where none are named.
const defaultStyles = "mixed-n1000"

// StyleFiles names the files of what takes styles of images: the augmentation style and the corruption style_transfer.
type StyleFiles struct {
	Styles       string `yaml:"styles,omitempty"`        // images whose styles are taken; empty: generated ones
	StyleWeights string `yaml:"style-weights,omitempty"` // file of the network
}

// Networks names the files of augmentations that run a network.
type Networks struct {
	StyleFiles `yaml:",inline"`
	Network    string `yaml:"network,omitempty"` // file of the network that the augmentation deepaugment distorts
}

// network is one of them.
type network struct {
	needed func(mix.Spec) bool
	method string // that needs it
	key    string
	value  *string
}

func (n *Networks) list() []network {
	return []network{
		{mix.Spec.NeedsStyles, "style", "styles", &n.Styles},
		{mix.Spec.NeedsStyles, "style", "style-weights", &n.StyleWeights},
		{mix.Spec.NeedsNetwork, "deepaugment", "network", &n.Network},
	}
}

// Open opens what the methods of specs need and gives it to o. What was chosen is written into n. The error wraps
// [ErrOption] where a file is missing that a method needs, or is named that none does.
func (n *Networks) Open(ctx context.Context, o *mix.Options, workers int, specs ...mix.Spec) (err error) {
	for _, f := range n.list() {
		switch needed := slices.ContainsFunc(specs, f.needed); {
		case needed && f.key == "styles":
		case needed && (*f.value == "" || *f.value == train.WeightsRequired):
			return option.Errorf(ErrOption, "%v is missing: %s needs it (allowed: a file)", option.Key(f.key), f.method)
		case !needed && *f.value != "":
			return option.Errorf(ErrOption, "%v: %s: no method takes it (%s does)", option.Key(f.key), *f.value, f.method)
		}
	}
	if n.StyleWeights != "" {
		if o.Styles, err = n.openStyles(ctx, workers); err != nil {
			return err
		}
	}
	if n.Network != "" {
		o.Network, err = weights.ReadNetwork(n.Network)
	}
	return err
}

func (n *StyleFiles) openStyles(ctx context.Context, workers int) (*image2image.Styles, error) {
	if n.Styles == "" {
		n.Styles = defaultStyles
	}
	s, err := mixset.OpenStyles(ctx, n.Styles, n.StyleWeights, mixset.Options{Workers: workers})
	if err == nil {
		n.Styles = s.String()
	}
	return s, err
}

// Own returns the corruptions among names that run a network, for transform.Corruptions. What was chosen is written into n.
// The error wraps [ErrOption] where a file is missing that one needs, or is named that none does.
func (n *StyleFiles) Own(ctx context.Context, workers int, names ...string) ([]corrupt.Corruption, error) {
	if err := n.check(names...); err != nil || !slices.Contains(names, styletransfer.Name) {
		return nil, err
	}
	s, err := n.openStyles(ctx, workers)
	if err != nil {
		return nil, err
	}
	return []corrupt.Corruption{styletransfer.New(s)}, nil
}

// check returns the error of Own that wraps ErrOption.
func (n *StyleFiles) check(names ...string) error {
	switch needed := slices.Contains(names, styletransfer.Name); {
	case needed && n.StyleWeights == "":
		return option.Errorf(ErrOption, "{style-weights} is missing: %s needs it (allowed: a file)", styletransfer.Name)
	case !needed && n.Styles+n.StyleWeights != "":
		return option.Errorf(ErrOption, "{styles}, {style-weights}: no corruption takes them (%s does)", styletransfer.Name)
	}
	return nil
}

// About says what the styles are, for records of what was made with them; "" where there are none.
func (n *StyleFiles) About() (string, error) {
	if n.StyleWeights == "" {
		return "", nil
	}
	sum, err := sums(n.StyleWeights)
	return fmt.Sprintf("styles of %s, network %s", n.Styles, sum), err
}

// Sum says which weights the networks have; "" where there are none.
func (n *Networks) Sum() (string, error) { return sums(n.StyleWeights, n.Network) }

// sums returns the SHA-256 of each file that is named.
func sums(paths ...string) (string, error) {
	var list []string
	for _, path := range paths {
		if path == "" {
			continue
		}
		sum, _, err := digest.File(path)
		if err != nil {
			return "", err
		}
		list = append(list, "SHA-256 "+sum.String())
	}
	return strings.Join(list, ", "), nil
}
