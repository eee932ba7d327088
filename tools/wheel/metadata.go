package main

import "fmt"

// What METADATA says; python/pyproject.toml says the same, and a test compares.
const (
	summary        = "Augmented batches and robustness benchmarks for any training loop: AugMix, PixMix, ImageNet-C"
	requiresPython = ">=3.9"
	requiresNumpy  = "numpy>=1.19"
	keywords       = "augmix,pixmix,data augmentation,robustness,imagenet-c,pytorch,jax"
)

// classifiers are those of pyproject.toml.
var classifiers = []string{
	"Development Status :: 4 - Beta",
	"Intended Audience :: Science/Research",
	"License :: OSI Approved :: Apache Software License",
	"Programming Language :: Python :: 3",
	"Topic :: Scientific/Engineering :: Artificial Intelligence",
	"Typing :: Typed",
}

// metadata is the file METADATA (core metadata 2.1), with the description at its end.
func metadata(version string, description []byte) []byte {
	text := fmt.Sprintf("Metadata-Version: 2.1\nName: augmix\nVersion: %s\nSummary: %s\nAuthor: The augmix authors\nLicense: Apache-2.0\n",
		version, summary)
	text += "Project-URL: Homepage, https://github.com/augmix-go/augmix\n"
	text += "Project-URL: Changelog, https://github.com/augmix-go/augmix/blob/main/CHANGELOG.md\n"
	text += "Keywords: " + keywords + "\n"
	for _, c := range classifiers {
		text += "Classifier: " + c + "\n"
	}
	text += "Requires-Python: " + requiresPython + "\nRequires-Dist: " + requiresNumpy + "\nDescription-Content-Type: text/markdown\n\n"
	return append([]byte(text), description...)
}
