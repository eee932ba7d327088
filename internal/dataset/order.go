package dataset

import "github.com/augmix-go/augmix/rng"

// Order writes the order in which the samples of an epoch are taken to dst, which has the length of the set.
func Order(dst []int, seed rng.Key, epoch int) {
	r := seed.Str("order").Uint(uint64(epoch)).Rand()
	r.Perm(dst)
}
