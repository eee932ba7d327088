package results_test

import (
	"maps"
	"testing"

	"github.com/augmix-go/augmix/results"
)

// TestJoinVersions: what all have alike stays, marks add up, and one measurement keeps what it has.
func TestJoinVersions(t *testing.T) {
	fog := map[string]string{results.VersionTrainedOn: "fog, snow", "go": "1", "weights": "a"}
	frost := map[string]string{results.VersionTrainedOn: "frost, snow", results.VersionFrost: results.FrostGenerated, "go": "1", "weights": "b"}
	lines := map[string]string{results.VersionTrainedOnBar: "lines", "go": "1", "weights": "a"}
	for _, x := range []struct {
		of   []map[string]string
		want map[string]string
	}{
		{nil, nil},
		{[]map[string]string{nil, {}}, nil},
		{[]map[string]string{frost}, frost},
		{[]map[string]string{fog, frost}, map[string]string{
			results.VersionTrainedOn: "fog, frost, snow", results.VersionFrost: results.FrostGenerated, "go": "1",
		}},
		{[]map[string]string{lines, fog}, map[string]string{
			results.VersionTrainedOn: "fog, snow", results.VersionTrainedOnBar: "lines", "go": "1", "weights": "a",
		}},
		{[]map[string]string{nil, lines}, map[string]string{results.VersionTrainedOnBar: "lines"}},
	} {
		if got := results.JoinVersions(x.of...); !maps.Equal(got, x.want) || (got == nil) != (len(x.want) == 0) {
			t.Errorf("%v: %v, want %v", x.of, got, x.want)
		}
	}
}
