package robustbench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/results"
)

// counts are how many clean images the leaderboard measures on, by data set.
var counts = map[string][]int64{"cifar10": {10000}, "cifar100": {10000}, "imagenet": {5000, 50000}}

// profiles are the parameters of corruptions that the leaderboard's images are made with, by data set; auto is by their size.
var profiles = map[string][]string{"cifar10": {"auto", "32"}, "cifar100": {"auto", "32"}, "imagenet": {"auto", "224"}}

// look refuses a number of images that the leaderboard does not have, and notes what else it is of.
func (e *Entry) look(base string, r *results.Row) error {
	for part := range strings.SplitSeq(r.Versions[results.VersionImages], ", ") {
		if profile, ok := strings.CutPrefix(part, "profile "); ok && !slices.Contains(profiles[base], profile) {
			return fmt.Errorf("%w: the corruptions of %s have the parameters of profile %s (allowed: %s)", ErrRows, r.Dataset, profile,
				strings.Join(profiles[base], ", "))
		}
	}
	if r.Versions[results.VersionFrost] == results.FrostGenerated {
		e.note("frost is of generated ice crystals, not of the published photographs")
	}
	if on := r.Versions[results.VersionTrainedOn]; on != "" {
		e.note("the network was trained on %s, which is among what it is scored on: say so in footnote", on)
	}
	if n := r.N; r.Dataset == base && r.Metric == results.Top1Error && n > 0 && !slices.Contains(counts[base], n) {
		e.note("the clean error is of %d images, and that of the leaderboard of %d", n, counts[base][0])
	}
	return nil
}

// note adds a line to Notes, once.
func (e *Entry) note(format string, args ...any) {
	if line := fmt.Sprintf(format, args...); !slices.Contains(e.Notes, line) {
		e.Notes = append(e.Notes, line)
	}
}
