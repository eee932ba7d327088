package stream

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/transform"
)

// columns are those of a manifest. The key is that of the sample in the data set; the second corruption is empty where there is one
// alone; the seed is that of every random choice. The first row has in the last column the [Settings] of the images. Manifests of
// earlier versions are without it.
var columns = []string{"position", "key", "label", "corruption", "severity", "corruption2", "severity2", "seed", "images"}

// IsManifest reports whether a text begins as manifests do, those of earlier versions too.
func IsManifest(text []byte) bool {
	line, _, _ := strings.Cut(strings.TrimPrefix(string(text[:min(len(text), 200)]), byteOrderMark), "\n")
	head := strings.Split(strings.TrimSuffix(line, "\r"), ",")
	return slices.Equal(head, columns) || slices.Equal(head, columns[:8])
}

// Samples are the keys and labels of a data set.
type Samples struct {
	Keys   []string
	Labels []int
}

// Describe returns the keys and labels of a data set, whose images are read where it does not know them without.
func Describe(src data.Indexed) (Samples, error) {
	var out Samples
	var s data.Sample
	for i := range src.Len() {
		if err := data.Describe(src, i, &s); err != nil {
			return out, err
		}
		out.Keys, out.Labels = append(out.Keys, s.Key), append(out.Labels, s.Label)
	}
	return out, nil
}

// WriteManifest writes an order as CSV, a line for each position: its columns are position, key, label, corruption, severity,
// corruption2, severity2, seed and images. settings are those of the images.
func WriteManifest(w io.Writer, order Order, samples Samples, seed uint64, settings Settings) error {
	out := csv.NewWriter(w)
	_ = out.Write(columns) // Error returns what goes wrong
	drawn, images := strconv.FormatUint(seed, 10), settings.String()
	for i := range order.Len() {
		step := order.At(i)
		row := []string{strconv.Itoa(i), terminal.CSV(samples.Keys[step.Sample]), strconv.Itoa(samples.Labels[step.Sample])}
		for _, c := range step.Changes {
			severity := ""
			if c.Corruption != "" {
				severity = transform.SeverityName(c.Severity)
			}
			row = append(row, c.Corruption, severity)
		}
		_ = out.Write(append(row, drawn, images))
		images = "" // once, as a file of millions of positions would be half as large again
	}
	out.Flush()
	return out.Error()
}

// Replay is the order of a manifest.
type Replay struct {
	Order
	Seed        uint64
	Corruptions []string // that it names, each once
	Settings    Settings // of its images; nil where it does not say them
}

// ReadManifest reads what [WriteManifest] wrote, for a data set with the same keys and labels. The error wraps [ErrOrder] and
// names the row, also where samples have a key in common, as the manifest does not say which of them it means.
func ReadManifest(r io.Reader, samples Samples) (*Replay, error) {
	rows, err := readCSV(r, columns, columns[:8])
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%w: no positions", ErrOrder)
	}
	out, steps := new(Replay), make(listed, len(rows))
	if out.Settings, err = readSettings(rows[0]); err != nil {
		return nil, err
	}
	at, alike := make(map[string]int, len(samples.Keys)), map[string]bool{}
	for i, key := range samples.Keys {
		key = terminal.CSV(key)
		if _, ok := at[key]; ok {
			alike[key] = true
		}
		at[key] = i
	}
	for i, row := range rows {
		bad := func(column int, allowed string) error {
			return fmt.Errorf("%w: row %d: %s %.80q (allowed: %s)", ErrOrder, i+1, columns[column], row[column], allowed)
		}
		sample, ok := at[row[1]]
		seed, err := strconv.ParseUint(row[7], 10, 64)
		switch {
		case row[0] != strconv.Itoa(i):
			return nil, bad(0, strconv.Itoa(i))
		case !ok:
			return nil, bad(1, "the key of a sample of the data set")
		case alike[row[1]]:
			return nil, bad(1, "a key that one sample alone of the data set has")
		case row[2] != strconv.Itoa(samples.Labels[sample]):
			return nil, bad(2, "the sample's label, "+strconv.Itoa(samples.Labels[sample]))
		case err != nil || i > 0 && seed != out.Seed:
			return nil, bad(7, "the seed of all")
		}
		out.Seed, steps[i].Sample = seed, sample
		for k := range steps[i].Changes {
			name, severity := row[3+2*k], row[4+2*k]
			if name == "" && severity == "" {
				continue
			}
			list, err := transform.ParseSeverities(severity)
			if name == "" || err != nil || len(list) != 1 {
				return nil, bad(4+2*k, fmt.Sprintf("0 to %d, and the name of a corruption", corrupt.Severities))
			}
			steps[i].Changes[k] = Change{name, list[0]}
			if !slices.Contains(out.Corruptions, name) {
				out.Corruptions = append(out.Corruptions, name)
			}
		}
	}
	out.Order = steps
	return out, nil
}

// readSettings returns the settings in the first row of a manifest, nil where it has no such column.
func readSettings(row []string) (Settings, error) {
	if len(row) < len(columns) {
		return nil, nil
	}
	s, ok := parseSettings(row[8])
	if !ok {
		return nil, fmt.Errorf("%w: row 1: %s %.80q (allowed: such as \"crop 32; profile auto\")", ErrOrder, columns[8], row[8])
	}
	return s, nil
}

// mostManifest bounds a manifest, in bytes.
const mostManifest = 1 << 30

// readManifestFile is [ReadManifest] of a file, which its errors name.
func readManifestFile(name string, samples Samples) (*Replay, error) {
	text, err := data.ReadFile(nil, name, mostManifest)
	if err != nil {
		return nil, err
	}
	r, err := ReadManifest(bytes.NewReader(text), samples)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// checkNames returns an error that names the first row of a manifest whose corruption the plan does not know.
func checkNames(name string, order Order, plan *transform.Corruptions) error {
	for _, corruption := range plan.Names {
		_, err := plan.Corruption(corruption)
		if err == nil {
			continue
		}
		for i := range order.Len() {
			if step := order.At(i); step.Changes[0].Corruption == corruption || step.Changes[1].Corruption == corruption {
				return fmt.Errorf("%s: %w: row %d: %w", name, ErrOrder, i+1, err)
			}
		}
	}
	return nil
}
