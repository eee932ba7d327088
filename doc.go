// Package augmix is the root of the module; it holds no code. The program is cmd/augmix, the libraries are the packages
// beside it: mix and augment make augmented images, data reads and writes data sets. Whole programs are
// in examples/augment, examples/corrupt, examples/score and examples/train. README.md has a table of the packages,
// docs/architecture.md the map.
package augmix
