// Package augmix is the root of the module; it holds no code. The program is cmd/augmix, the libraries are the packages
// beside it: mix and augment make augmented images, data reads and writes data sets. docs/architecture.md has the map.
package augmix
