package formats

import (
	"fmt"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/cifar"
	"github.com/augmix-go/augmix/data/wds"
)

// check returns an error for options that have no meaning for the format, which would go unnoticed.
func (f *Format) check(o *Options) error {
	for _, c := range []struct {
		asked bool
		what  string
		known func(*Format) bool
	}{
		{o.Labels != "", "labels in a file of their own", func(f *Format) bool { return f.labels }},
		{len(o.Channels) > 0, "a choice of channels", func(f *Format) bool { return f.arrays }},
		{o.EveryChannel, "all channels one by one", func(f *Format) bool { return f.arrays && f.Name != MedMNIST }},
		{o.Layout != "", "a layout of axes", func(f *Format) bool { return f.arrays }},
		{o.ShardKeys, "names of shards in keys", func(f *Format) bool { return f.Name == wds.Name }},
		{o.Stream, "reading from front to end", func(f *Format) bool { return f.Name == wds.Name }},
		// Of CIFAR-10 too: a folder may hold either, and package cifar says which.
		{o.Coarse, "coarse classes", func(f *Format) bool {
			return f.Name == cifar.CIFAR10.String() || f.Name == cifar.CIFAR100.String()
		}},
	} {
		if c.asked && !c.known(f) {
			return fmt.Errorf("%w: %s for the format %s (allowed with: %s)", data.ErrUnsupported, c.what, f.Name, names(c.known))
		}
	}
	return nil
}
