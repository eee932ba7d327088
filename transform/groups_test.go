package transform

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/corrupt/medical"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Two frames of a group, which are one image here, come out alike where draws are shared, and otherwise not; frames of
// another group have other draws.
func TestGroups(t *testing.T) {
	src := noise(3, 48, 40)
	for _, bar := range []cbar.Profile{cbar.ImageNet, cbar.CIFAR} {
		own := medicalOps(t)
		names, err := ExpandCorruptions(append([]string{"all", BarSubset}, medical.Names()...), bar, own...)
		if err != nil {
			t.Fatal(err)
		}
		groups, err := ParseGroups("^([^/]+)/", 7)
		if err != nil {
			t.Fatal(err)
		}
		plan := &Corruptions{Names: names, Severities: []float64{3}, Own: own, Bar: bar, Groups: groups}
		frames := map[string][]Part{}
		for _, key := range []string{"a/1", "a/2", "b/1"} {
			tr, p := plan.Transform(), new(Parts)
			p.Reset(func(dst []byte, m *raster.Image) ([]byte, error) { return m.AppendRGB(dst), nil })
			if err := SetKey(tr, key); err != nil {
				t.Fatal(err)
			}
			if err := tr.Apply(p, src, SampleKey(rng.NewKey(7), key)); err != nil {
				t.Fatal(err)
			}
			frames[key] = p.All()
		}
		for i, name := range names {
			c, err := plan.Corruption(name)
			if err != nil {
				t.Fatal(err)
			}
			random := c.(interface{ Random() bool }).Random()
			if random && slices.Contains(Shared, name) == slices.Contains(noises, name) {
				t.Errorf("%s: it is either noise or stays through a clip", name)
			}
			alike := bytes.Equal(frames["a/1"][i].Data, frames["a/2"][i].Data)
			if want := !random || slices.Contains(Shared, name); alike != want {
				t.Errorf("%s: two frames of a clip are alike: %v", name, alike)
			}
			if random && bytes.Equal(frames["a/1"][i].Data, frames["b/1"][i].Data) {
				t.Errorf("%s: frames of two clips are alike", name)
			}
		}
	}
}

// medicalOps returns all corruptions of package medical.
func medicalOps(t *testing.T) []corrupt.Corruption {
	five := func(v float64) []float64 { return slices.Repeat([]float64{v}, corrupt.Severities) }
	values := map[string]medical.Values{
		"stain_deposit": {"marks": five(3), "size": five(80)},
		"bubble":        {"radius": five(30), "bubbles": five(20)},
		"black_corner":  {"multiplier": five(1)},
		"characters":    {"words": five(5), "letters": five(8), "scale": five(1)},
	}
	var ops []corrupt.Corruption
	for _, name := range medical.Names() {
		v := values[name]
		if v == nil {
			v = medical.Values{"factor": five(1.2)}
		}
		if strings.HasPrefix(name, "gamma") {
			v = medical.Values{"gamma": five(1.2)}
		}
		op, err := medical.New(name, v)
		if err != nil {
			t.Fatal(err)
		}
		ops = append(ops, op)
	}
	return ops
}

func TestGroupErrors(t *testing.T) {
	if _, err := ParseGroups("(", 1); !errors.Is(err, ErrOption) {
		t.Error(err)
	}
	groups, err := ParseGroups("clip[0-9]+", 1)
	if err != nil {
		t.Fatal(err)
	}
	tr := (&Corruptions{Names: []string{"fog"}, Severities: []float64{1}, Groups: groups, Profile: corrupt.Auto}).Transform()
	if err := SetKey(tr, "photo7"); !errors.Is(err, ErrOption) {
		t.Error(err)
	}
	if err := errors.Join(SetKey(tr, "x/clip7/3"), SetKey((&Corruptions{}).Transform(), "photo7")); err != nil {
		t.Error(err)
	}
}

// TestGroupSizes: frames of a clip that differ in size are named once, where a corruption shares draws.
func TestGroupSizes(t *testing.T) {
	for name, want := range map[string]string{"fog": `in the group "a", "a/1" is 12x10 and "a/2" 12x11`, "gaussian_noise": ""} {
		groups, err := ParseGroups("^[^/]+", 1)
		if err != nil {
			t.Fatal(err)
		}
		plan := &Corruptions{Names: []string{name}, Severities: []float64{1}, Groups: groups, Profile: corrupt.Auto}
		for _, s := range []struct {
			key  string
			w, h int
		}{{"a/1", 12, 10}, {"b/1", 9, 9}, {"a/2", 12, 11}, {"b/2", 8, 9}} {
			if groups.Mixed() != "" && s.key == "a/2" {
				t.Error(groups.Mixed())
			}
			tr, parts := plan.Transform(), new(Parts) // as of another goroutine
			parts.Reset(func(dst []byte, _ *raster.Image) ([]byte, error) { return dst, nil })
			if err := errors.Join(SetKey(tr, s.key), tr.Apply(parts, raster.New(s.w, s.h), rng.NewKey(1))); err != nil {
				t.Fatal(err)
			}
		}
		if groups.Mixed() != want {
			t.Errorf("%s: %q, want %q", name, groups.Mixed(), want)
		}
	}
}
