package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/corrupt/frost"
	"github.com/augmix-go/augmix/corrupt/tables"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/stream"
	"github.com/augmix-go/augmix/transform"
)

// streamSettings opens the textures of frost for a plan that has it, and returns what the images of a stream depend on that the plan
// does not say.
func streamSettings(a *app, plan *transform.Corruptions, profile *tables.Set, f *frosting, in *input) (stream.Settings, error) {
	read := in.options(a)
	read.Reading.Opaque = false // says which images are taken, and not what they are
	s := stream.Settings{"parameters": profile.Sum(), "reading": read.HowRead()}
	if !slices.Contains(plan.Names, "frost") {
		return s, nil
	}
	s["frost"] = "generated"
	if f.FrostDir != "" {
		sum, err := frost.Sum(f.FrostDir)
		if err != nil {
			return nil, err
		}
		s["frost"] = sum[:12]
	}
	return s, f.complete(a, plan)
}

// hintSettings adds to an error about a manifest of images that were made otherwise the flags that make them.
func hintSettings(err error) error {
	var other *stream.OtherSettingsError
	if !errors.As(err, &other) {
		return err
	}
	var flags []string
	for _, name := range other.Differ() {
		if flag := settingFlag(name, other.Was); flag != "" && !slices.Contains(flags, flag) {
			flags = append(flags, flag)
		}
	}
	return fmt.Errorf("%w\n(those of the manifest are made with %s)", err, strings.Join(flags, ", "))
}

// hintConvert adds to an error the command that makes data of which samples can be taken from anywhere.
func hintConvert(src data.Source, err error) error {
	if _, ok := src.(data.Indexed); ok {
		return err
	}
	return fmt.Errorf("%w (augmix data convert)", err)
}

// settingFlag is the flag that makes a setting what it was.
func settingFlag(name string, was stream.Settings) string {
	value := was[name]
	switch {
	case name == "profile" || name == "parameters":
		return "--profile " + profileOf(was)
	case name == "frost" && value == "generated":
		return "no --frost-dir"
	case name == "frost":
		return "--frost-dir DIR with the photographs of then"
	case name == "reading":
		return "--gray, --window and --channels as then"
	case name == "filter" && value == "": // it is that of no resize
		return ""
	case value == "":
		return "no --" + name
	}
	return "--" + name + " " + value
}

// profileOf is what --profile was for these settings.
func profileOf(was stream.Settings) string {
	if was["parameters"] == "" {
		return was["profile"]
	}
	for _, name := range tables.Builtin() {
		if set, err := tables.Open(name); err == nil && set.Sum() == was["parameters"] {
			return name
		}
	}
	return "FILE with the parameters of then"
}
