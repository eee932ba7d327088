package results

import (
	"maps"
	"slices"
	"strings"
)

// trained are the keys of Row.Versions that list what a network was trained on.
var trained = []string{VersionTrainedOn, VersionTrainedOnBar, VersionTrainedOnValidation}

// AddVersions returns the versions of a row with more of them, which win. It changes neither: rows share their versions.
func AddVersions(versions, more map[string]string) map[string]string {
	if len(more) == 0 {
		return versions
	}
	all := map[string]string{}
	maps.Copy(all, versions)
	maps.Copy(all, more)
	return all
}

// JoinVersions returns the versions of a number that several measurements are behind: those that all of them have alike, and the marks of
// each, which are what a network was trained on and generated frost. It returns nil where there are none.
func JoinVersions(of ...map[string]string) map[string]string {
	joined := map[string]string{}
	if len(of) > 0 {
		maps.Copy(joined, of[0])
	}
	maps.DeleteFunc(joined, func(key, value string) bool {
		return slices.ContainsFunc(of, func(v map[string]string) bool { return v[key] != value })
	})
	for _, v := range of {
		for _, key := range trained {
			if names := unite(joined[key], v[key]); names != "" {
				joined[key] = names
			}
		}
		if v[VersionFrost] == FrostGenerated {
			joined[VersionFrost] = FrostGenerated
		}
	}
	if len(joined) == 0 {
		return nil
	}
	return joined
}

// unite returns the names of two lists in alphabetical order, each once.
func unite(a, b string) string {
	const comma = ", "
	names := slices.DeleteFunc(append(strings.Split(a, comma), strings.Split(b, comma)...), func(name string) bool { return name == "" })
	slices.Sort(names)
	return strings.Join(slices.Compact(names), comma)
}
