package stream

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/transform"
)

// Settings are what the images of a stream depend on besides the data, the order and the seed, by name: "size" of "224". What is not
// there has no value.
type Settings map[string]string

// settingsOf returns those that a plan says.
func settingsOf(plan *transform.Corruptions) Settings {
	s := Settings{"profile": plan.Profile.String()}
	if plan.Tables != nil {
		s["profile"], s["parameters"] = plan.Tables.Base().String(), plan.Tables.Sum()
	}
	if transform.AsksBar(plan.Names) {
		s["bar-profile"] = plan.Bar.String()
	}
	if plan.Size > 0 { // without, there is no resize that the filter could be of
		s["size"], s["filter"] = strconv.Itoa(plan.Size), plan.Filter.String()
	}
	if plan.Crop > 0 {
		s["crop"] = strconv.Itoa(plan.Crop)
	}
	return s
}

// String is the text that ParseSettings reads, in the order of names.
func (s Settings) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if s[name] != "" {
			parts = append(parts, name+" "+s[name])
		}
	}
	return strings.Join(parts, "; ")
}

// parseSettings reads what String returns; ok says whether that is what the text is.
func parseSettings(text string) (s Settings, ok bool) {
	s = Settings{}
	for part := range strings.SplitSeq(text, "; ") {
		name, value, _ := strings.Cut(part, " ")
		s[name] = value
	}
	return s, s.String() == text
}

// OtherSettingsError says that a manifest is of images that were made with other settings. It wraps [ErrOrder].
type OtherSettingsError struct {
	Was, Now Settings // of the manifest, and those that are asked for
}

// Differ returns the names of the settings that are not the same, sorted.
func (e *OtherSettingsError) Differ() (names []string) {
	both := maps.Clone(e.Was)
	maps.Copy(both, e.Now)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if e.Was[name] != e.Now[name] {
			names = append(names, name)
		}
	}
	return names
}

func (e *OtherSettingsError) Error() string {
	say := func(s Settings) string {
		var parts []string
		for _, name := range e.Differ() {
			if s[name] == "" {
				parts = append(parts, "no "+name)
			} else {
				parts = append(parts, name+" "+s[name])
			}
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprintf("%v: the images of the manifest have %s, and those asked for %s", ErrOrder, say(e.Was), say(e.Now))
}

func (e *OtherSettingsError) Unwrap() error { return ErrOrder }

// check returns an error where a manifest of these settings, nil where it says none, is not of images with those of now.
func (s Settings) check(now Settings) error {
	if e := (&OtherSettingsError{s, now}); s != nil && len(e.Differ()) > 0 {
		return e
	}
	return nil
}
