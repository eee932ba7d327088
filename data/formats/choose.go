package formats

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/cifar"
	"github.com/augmix-go/augmix/data/storage"
)

// superclasses is the class map of CIFAR-100's 100 classes to its 20.
const superclasses = "cifar100-superclasses"

// ClassMaps returns the names of the built-in class maps.
func ClassMaps() []string { return []string{superclasses} }

// choose applies how samples are read, and the choice of samples and classes. It closes src where it fails.
func choose(src data.Source, path string, o Options) (data.Source, error) {
	filtered, err := data.Filter{Only: o.Only, Without: o.Without}.Apply(o.Reading.Of(src))
	if err == nil && o.Classes != "" {
		var m data.ClassMap
		if m, err = classMap(o.Classes); err == nil {
			filtered, err = m.Apply(filtered)
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), src.Close())
	}
	return filtered, nil
}

// ClassMapSum returns a digest of the pairs of a class map, which is built in or in a file, as [Options].Classes names it: SHA-256 in
// hexadecimal. It is "" for a pipe, which is another at each run.
func ClassMapSum(name string) (string, error) {
	if !slices.Contains(ClassMaps(), name) {
		if st, err := storage.Stat(name); err == nil && !st.Mode().IsRegular() {
			return "", nil
		}
	}
	m, err := classMap(name)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, p := range m.Pairs() {
		fmt.Fprintf(h, "%q %q\n", p[0], p[1])
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// classMap returns a built-in class map, or reads a file of one.
func classMap(name string) (data.ClassMap, error) {
	if name == superclasses {
		return data.NewClassMap(name, cifar.Superclasses()), nil
	}
	f, err := data.OpenFile(name)
	if err != nil {
		return data.ClassMap{}, fmt.Errorf("cannot read the list of classes: %w (there is also, built in: %s)", err,
			strings.Join(ClassMaps(), ", "))
	}
	defer f.Close()
	return data.ReadClassMap(f, name)
}
