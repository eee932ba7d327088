package transform

import "github.com/augmix-go/augmix/rng"

// SampleKey returns the key of a sample's streams: the seed narrowed by the sample's key in its data set.
func SampleKey(seed rng.Key, sample string) rng.Key { return seed.Str(sample) }

// EpochKey returns the key of a sample's training images in one epoch: the sample's, narrowed by "augment" and the epoch.
// The crop and the flip, which all views share, draw from it narrowed by "geometry".
func EpochKey(sample rng.Key, epoch int) rng.Key { return sample.Str("augment").Uint(uint64(epoch)) }

// ViewKey returns the key of one mixed view, from 1: the epoch's, narrowed by the number of the view. The only image of
// a single view is view 1 of several, so that adding views changes none.
func ViewKey(epoch rng.Key, view int) rng.Key { return epoch.Uint(uint64(view)) }

func geometryKey(epoch rng.Key) rng.Key { return epoch.Str("geometry") }

// GroupKey returns the key that takes the place of the samples' where those of a group share their draws: the seed narrowed by
// "group" and the group.
func GroupKey(seed rng.Key, group string) rng.Key { return seed.Str("group").Str(group) }

// CorruptionKey returns the key of a corrupted image: the sample's, narrowed by "corrupt", the name of the corruption and
// the severity. So no image depends on which others are made.
func CorruptionKey(sample rng.Key, name string, severity float64) rng.Key {
	return sample.Str("corrupt").Str(name).Number(severity)
}

// PerturbationKey returns the key of a sequence: the sample's, narrowed by "perturb" and the name of the published file,
// gaussian_noise_2 for difficulty 2.
func PerturbationKey(sample rng.Key, file string) rng.Key { return sample.Str("perturb").Str(file) }

// ShuffleKey returns the key of the order in which a data set is written shuffled: that of the seed, narrowed by "shuffle"
// and the epoch, 0 where there are none.
func ShuffleKey(seed uint64, epoch int) rng.Key {
	return rng.NewKey(seed).Str("shuffle").Uint(uint64(epoch))
}
