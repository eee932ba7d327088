package main

import (
	"fmt"

	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/mixset"
)

// nameContents tells the job what lies in the files that options name where nothing else of the job says it: networks, profiles and
// photographs of frost are among the notes, the labels of an unfinished output among the files of its source.
func (a *app) nameContents(job *generate.Job, options []generate.Option) error {
	job.OptionSums = map[string]string{}
	for _, o := range options {
		if o.Name == "labels" {
			job.Labels = o.Value
		}
		sum, err := a.contentOf(o)
		if err != nil {
			return fmt.Errorf("--%s: %w", o.Name, err)
		}
		if sum != "" {
			job.OptionSums[o.Name] = sum
		}
	}
	return nil
}

// contentOf says what lies in the files that an option names, "" where it is no such option or names none.
func (a *app) contentOf(o generate.Option) (sum string, err error) {
	switch {
	case o.Value == "":
	case o.Name == "classes":
		if sum, err = formats.ClassMapSum(o.Value); sum != "" {
			sum = "a list of SHA-256 " + sum
		}
	case o.Name == "mixset" || o.Name == "styles":
		if sum, err = a.glance(o.Value); sum != "" {
			sum = "images of digest " + sum
		}
	}
	return sum, err
}

// glance looks at the images of a set once: those of all epochs are the ones that were read before the first.
func (a *app) glance(spec string) (string, error) {
	if sum, ok := a.glances[spec]; ok {
		return sum, nil
	}
	sum, err := mixset.Glance(spec)
	if a.glances == nil {
		a.glances = map[string]string{}
	}
	if err == nil {
		a.glances[spec] = sum
	}
	return sum, err
}
