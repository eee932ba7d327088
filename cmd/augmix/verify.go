package main

// verifyCmd is dataVerify where everybody looks for it.
type verifyCmd struct{ dataVerify }

// Help is the end of "augmix verify --help".
func (verifyCmd) Help() string {
	return `WHAT IT CHECKS
  Where there is a manifest (PATH/manifest.json, PATH.manifest.json, PATH/epoch-*/manifest.json), every
  file is hashed again: missing, changed and additional files are listed. Where all parts of a run by
  shards are there (augmix corrupt --shard), they are put together first. Without a manifest, or with
  --decode, every sample is read and decoded. Damage is exit status 1.

EXAMPLES
  augmix verify CIFAR-10-C
  augmix verify photos --decode --json`
}
