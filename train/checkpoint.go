package train

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/internal/trainedon"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/weights"
)

var (
	// ErrCheckpoint is wrapped by every error about a file that is not a checkpoint of this program, or not one of this
	// run.
	ErrCheckpoint = errors.New("not a checkpoint that can be resumed")
	// ErrOccupied is wrapped by the errors about a folder that holds another run, or one that is not to be resumed.
	ErrOccupied = errors.New("the folder holds a run already")
)

// Keys of a checkpoint's metadata, beside those of package weights.
const (
	keyState  = "augmix.train.state"
	keyConfig = "augmix.train.config"
	keyOlder  = "augmix.train.recipe" // of version 1
)

// stateVersion is the version of the form of state; another is refused.
const stateVersion = 2

// state is where a run stands. There is no state of random generators: all streams are functions of the seed and of
// these numbers.
type state struct {
	Version int `json:"version"`
	Epoch   int `json:"epoch"`    // epochs done
	InEpoch int `json:"in_epoch"` // steps done of the next one; all of them where it is not validated yet
	Steps   int `json:"steps"`    // steps done of the run
	Samples int `json:"samples"`  // of the training set
	Classes int `json:"classes"`
	// Workers stood in checkpoints when weights depended on them.
	Workers int `json:"workers,omitempty"`
	// Data is the fingerprint of the training set, as data.Signature.Samples; empty where it is not held in memory.
	Data string `json:"data,omitempty"`
	// Content is the fingerprint of the bytes of the training set, and Outliers that of the outliers: of all samples as
	// data.Signature.Content, or of the files, as data.Glance, where the set is not held in memory.
	Content  string `json:"content,omitempty"`
	Outliers string `json:"outliers,omitempty"`
	// Files is data.Glance's digest of the files of the training set, whether it is held in memory or not.
	Files string `json:"files,omitempty"`
	// Val is the fingerprint of the bytes of the validation data, as data.Signature.Content; empty for a part of the training set.
	Val string `json:"val,omitempty"`
	// Mixing is the digest of images of the mixing set, and NetworkFiles of the networks that the augmentation runs.
	Mixing       string `json:"mixing,omitempty"`
	NetworkFiles string `json:"network_files,omitempty"`

	// Sums over the epoch at hand.
	Seen    int     `json:"seen"`
	Wrong   int     `json:"wrong"`
	LossSum float64 `json:"loss_sum"`

	Error     jsonFloat `json:"error"` // of the last validation
	Best      jsonFloat `json:"best"`
	BestEpoch int       `json:"best_epoch"` // 0: no validation yet

	// Mixset is the SHA-256 of [MixsetName], the images that were made from earlier weights and are still mixed in;
	// empty without [IterativeFVis].
	Mixset string `json:"mixset,omitempty"`

	// Extended are the times that the run was given more epochs, in their order.
	Extended []Extension `json:"extended,omitempty"`

	// Saved says that Dir holds a checkpoint that this run, or its earlier part, has written.
	Saved bool `json:"-"`
}

func newState() state {
	return state{Version: stateVersion, Error: jsonFloat(math.NaN()), Best: jsonFloat(math.NaN())}
}

// check refuses positions that no run of the configuration has, so that a forged file cannot make a run do nonsense.
func (s *state) check(r *Config) error {
	steps := steps(max(s.Samples, 1), r.Batch)
	sound := s.Version == stateVersion && s.Samples > 0 && s.Classes > 1 &&
		s.Epoch >= 0 && s.Epoch <= r.Epochs && s.InEpoch >= 0 && s.InEpoch <= steps &&
		(s.Epoch < r.Epochs || s.InEpoch == 0) && s.Steps == s.Epoch*steps+s.InEpoch &&
		s.Seen == min(s.InEpoch*r.Batch, s.Samples) && s.Wrong >= 0 && s.Wrong <= s.Seen && finite(s.LossSum) &&
		s.BestEpoch >= 0 && s.BestEpoch <= s.Epoch && len(s.Extended) < r.Epochs
	if !sound {
		return fmt.Errorf("%w: its state %+v is not one of its configuration", ErrCheckpoint, *s)
	}
	return nil
}

// jsonFloat is a float64 whose NaN is null in JSON.
type jsonFloat float64

// MarshalJSON implements [json.Marshaler].
func (f jsonFloat) MarshalJSON() ([]byte, error) {
	if v := float64(f); !math.IsNaN(v) {
		return json.Marshal(v)
	}
	return []byte("null"), nil
}

// UnmarshalJSON implements [json.Unmarshaler].
func (f *jsonFloat) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*f = jsonFloat(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(f))
}

// Checkpoint is the content of a checkpoint's file.
type Checkpoint struct {
	Config Config
	state  state
	// extensions is the number of state.Extended in the file.
	extensions int
	// earlier is what the weights were trained on before the run, by the keys of results.Row.Versions.
	earlier map[string]string
	// from has the paths in the file, by their keys, of what is now read from others; see moved.
	from map[string]string
	// Weights, Moments and Average are tensors of the network, of the optimizer and, where the configuration says ema, the
	// average of the weights; the names have no prefix.
	Weights, Moments, Average []weights.Tensor
}

// ReadCheckpoint reads a checkpoint that [Run] wrote. The error wraps [ErrCheckpoint] and names the file.
func ReadCheckpoint(path string) (*Checkpoint, error) {
	ts, meta, err := weights.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	c, err := parseCheckpoint(path, meta)
	if err != nil {
		return nil, err
	}
	if want, ok := meta[keySum]; ok && checksum(ts, meta) != want {
		return nil, fmt.Errorf("%w: %s is damaged: its content does not have the checksum that it was written with", ErrCheckpoint,
			path)
	}
	c.Weights, c.Moments, c.Average = weights.Split(ts)
	return c, nil
}

// parseCheckpoint reads the metadata of a checkpoint.
func parseCheckpoint(path string, meta map[string]string) (*Checkpoint, error) {
	if _, older := meta[keyOlder]; older {
		return nil, fmt.Errorf("%w: %s is of an older version of this program, whose keys had other names; its weights can still "+
			"be used, and a new run can start from them", ErrCheckpoint, path)
	}
	c := &Checkpoint{Config: Default(), earlier: trainedon.Earlier(meta)}
	for key, v := range map[string]any{keyConfig: &c.Config, keyState: &c.state} {
		text, ok := meta[key]
		if !ok {
			return nil, fmt.Errorf("%w: %s has no %s in its metadata: it is not the last checkpoint of a run",
				ErrCheckpoint, path, key)
		}
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(v); err != nil {
			return nil, fmt.Errorf("%w: %s: %s: %w", ErrCheckpoint, path, key, err)
		}
	}
	if err := c.Config.Check(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCheckpoint, path, err)
	}
	if err := c.state.check(&c.Config); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// claim looks at the run's folder. It returns the checkpoint to resume, nil to begin.
func (r *runner) claim() (*Checkpoint, error) {
	path := filepath.Join(r.options.Dir, LastName)
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if !r.options.Resume {
			// An empty one is what a run leaves that is killed at its start, before there is anything to resume.
			if info, err := os.Stat(filepath.Join(r.options.Dir, ResultsName)); err == nil && info.Size() > 0 {
				return nil, r.occupied(ResultsName)
			}
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !r.options.Resume {
		return nil, r.occupied(LastName)
	}
	last, err := ReadCheckpoint(path)
	if err != nil {
		return nil, err
	}
	last.extensions = len(last.state.Extended)
	if err := r.agree(last); err != nil {
		return nil, err
	}
	return last, nil
}

// occupied is the error about a folder that has the file name of another run.
func (r *runner) occupied(name string) error {
	return fmt.Errorf("%w: %s has a %s; resume it or name another folder", ErrOccupied, r.options.Dir, name)
}

// restore gives the network, the optimizer and the average their values.
func (r *runner) restore(c *Checkpoint) error {
	path := filepath.Join(r.options.Dir, LastName)
	if c.state.Samples != r.train.Len() || c.state.Classes != r.classes {
		return fmt.Errorf("%w: %s was trained on %d samples of %d classes, %s has %d of %d", ErrCheckpoint, path,
			c.state.Samples,
			c.state.Classes, r.config.Data, r.train.Len(), r.classes)
	}
	if was, now := c.state.Data, r.signature; bothKnown(was, now) && was != now {
		return fmt.Errorf("%w: %s was trained on other samples or classes than %s has now (%s, now %s)", ErrCheckpoint, path,
			r.config.Data, was, now)
	}
	if otherBytes(c.state.Content, r.train.Content()) {
		return fmt.Errorf("%w: %s was trained on other bytes under the names of %s (%s, now %s)", ErrCheckpoint, path, r.config.Data,
			c.state.Content, r.train.Content())
	}
	if err := r.sameFiles(c); err != nil {
		return err
	}
	if err := r.sameInputs(&c.state); err != nil {
		return fmt.Errorf("%w: %s %w", ErrCheckpoint, path, err)
	}
	if r.extra != nil && otherBytes(c.state.Outliers, r.extra.set.Content()) {
		return fmt.Errorf("%w: %s was trained with other outliers than %s has now (%s, now %s)", ErrCheckpoint, path,
			r.config.Outliers, c.state.Outliers, r.extra.set.Content())
	}
	if err := r.knowsMoved(c); err != nil {
		return err
	}
	moments, aux := splitExtra(c.Moments, keyAux)
	moments, noise := splitExtra(moments, keyANT)
	for _, part := range []struct {
		dst []weights.Tensor
		src []weights.Tensor
	}{{tensors(r.net.Tensors(), ""), c.Weights}, {tensors(r.opt.State(), ""), moments}, {r.average(""), c.Average}, {tensors(r.net.Aux(), ""), aux}} {
		if err := weights.Fill(part.dst, part.src); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrCheckpoint, path, err)
		}
	}
	if err := r.ant.restore(noise, c.state.Epoch); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrCheckpoint, path, err)
	}
	r.net.Changed()
	r.state.Saved, r.earlier = true, c.earlier
	return r.restoreSet()
}

// sameFiles tells by its files whether the training set is the same where one part of the run held it in memory and the other does not.
func (r *runner) sameFiles(c *Checkpoint) error {
	path := filepath.Join(r.options.Dir, LastName)
	if sameKind(c.state.Content, r.train.Content()) {
		return nil // restore has compared the bytes
	}
	if was, now := c.state.Files, r.train.Files(); bothKnown(was, now) && was != now {
		return fmt.Errorf("%w: %s was trained on other files than %s has now (%s, now %s)", ErrCheckpoint, path, r.config.Data, was, now)
	}
	return nil
}

// knowsMoved returns an error where no fingerprint tells whether what moved is the same. That those that are known are the same, restore has
// found out.
func (r *runner) knowsMoved(c *Checkpoint) error {
	s := &c.state
	samples, networks := bothKnown(s.Data, r.signature), bothKnown(s.NetworkFiles, r.networkFiles)
	val := r.val != nil && bothKnown(s.Val, r.val.content)
	known := map[string]bool{
		"data":   sameKind(s.Content, r.train.Content()) || bothKnown(s.Files, r.train.Files()),
		"labels": samples, "classes": samples, "val": val, "val-labels": val,
		"outliers": r.extra != nil && sameKind(s.Outliers, r.extra.set.Content()),
		"mixset":   bothKnown(s.Mixing, r.mixing), "style-weights": networks, "network": networks,
	}
	for _, p := range r.config.movable() {
		if was := c.from[p.key]; was != "" && !known[p.key] {
			return option.Errorf(ErrCheckpoint, "%v: %s was trained with %s, and cannot tell whether %s holds the same; resume with that path, or with "+
				"a {cache-mb} that holds the images in memory as before", option.Key(p.key), filepath.Join(r.options.Dir, LastName), was, *p.path)
		}
	}
	return nil
}

// sameInputs compares what the run reads beside the training set. What one side does not know is not compared.
func (r *runner) sameInputs(s *state) error {
	differ := func(was, now string) bool { return bothKnown(was, now) && was != now }
	switch {
	case s.BestEpoch > 0 && r.val != nil && differ(s.Val, r.val.content):
		return fmt.Errorf("has a best epoch of other validation data than there is now (%s, now %s)", s.Val, r.val.content)
	case differ(s.Mixing, r.mixing):
		return fmt.Errorf("was trained with other images than the mixing set %s has now (%s, now %s)", r.config.Mixset, s.Mixing, r.mixing)
	case differ(s.NetworkFiles, r.networkFiles):
		return fmt.Errorf("was trained with other networks than style-weights %q and network %q are now (%s, now %s)", r.config.StyleWeights,
			r.config.Network, s.NetworkFiles, r.networkFiles)
	}
	return nil
}

// mixingImages is how many images of a mixing set its digest looks at, the first and the last and others evenly between: those of a
// set may be as many as a training set has.
const mixingImages = 64

// digestMixing is the digest of a mixing set: of the number of its images, and of some of them. It is "" where the set's name says which
// they are, and images are only drawn when they are used.
func digestMixing(set mix.MixingSet) string {
	if s, ok := set.(interface{ Generated() bool }); ok && s.Generated() {
		return ""
	}
	h := sha256.New()
	n := set.Len()
	fmt.Fprintln(h, n)
	for i := range min(n, mixingImages) {
		m := set.Image(i * (n - 1) / max(min(n, mixingImages)-1, 1))
		fmt.Fprintln(h, m.W, m.H)
		h.Write(m.Pix)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// glanceNetworks is the digest of the files of the networks that the augmentation runs, "" where there are none.
func (c *Config) glanceNetworks() (string, error) {
	var files []string
	for _, path := range []string{c.StyleWeights, c.Network} {
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
			files = append(files, path)
		}
	}
	return data.GlanceFiles(files)
}

// bothKnown reports whether two fingerprints can be compared.
func bothKnown(was, now string) bool { return was != "" && now != "" }

// sameKind reports whether two fingerprints tell of the same: those of samples and of files tell nothing of each other.
func sameKind(was, now string) bool {
	a, _, _ := strings.Cut(was, ":")
	b, _, _ := strings.Cut(now, ":")
	return bothKnown(was, now) && a == b
}

// otherBytes reports whether two fingerprints say that data differ.
func otherBytes(was, now string) bool { return was != now && sameKind(was, now) }

// tensors returns the network's or the optimizer's tensors as package weights takes them; they share the values.
func tensors(ts []*nn.Tensor, prefix string) []weights.Tensor {
	out := make([]weights.Tensor, 0, len(ts))
	for _, t := range ts {
		out = append(out, weights.Tensor{Name: prefix + t.Name, Shape: t.Shape, Data: t.Data})
	}
	return out
}

// save writes last.safetensors: everything.
func (r *runner) save() error {
	s := r.state
	s.Workers = 0
	s.Samples, s.Classes, s.Data, s.Content = r.train.Len(), r.classes, r.signature, r.train.Content()
	s.Files, s.Mixing, s.NetworkFiles = r.train.Files(), r.mixing, r.networkFiles
	if r.val != nil {
		s.Val = r.val.content
	}
	if r.extra != nil {
		s.Outliers = r.extra.set.Content()
	}
	meta := r.info().Metadata()
	for key, v := range map[string]any{keyConfig: r.config, keyState: &s} {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		meta[key] = string(text)
	}
	all := append(tensors(r.net.Tensors(), ""), tensors(r.opt.State(), weights.PrefixOptimizer)...)
	all = append(all, tensors(r.net.Aux(), weights.PrefixOptimizer+keyAux)...)
	all = append(all, r.ant.tensors(weights.PrefixOptimizer+keyANT)...)
	all = append(all, r.average(weights.PrefixEMA)...)
	meta[keySum] = checksum(all, meta)
	if err := weights.WriteFile(filepath.Join(r.options.Dir, LastName), all, meta); err != nil {
		return err
	}
	r.state.Saved = true
	return nil
}

// saveModel writes the weights alone, those of the average where one is kept.
func (r *runner) saveModel(name string) error {
	ts := tensors(r.net.Tensors(), "")
	if r.ema != nil {
		ts = r.average("")
	}
	return weights.WriteFile(filepath.Join(r.options.Dir, name), ts, r.info().Metadata())
}

// info says what the weights belong to.
func (r *runner) info() *weights.Info {
	other := map[string]string{}
	trainedon.PutEarlier(other, r.earlier)
	if m := r.config.preprocess(); m != nil {
		other[weights.KeyPreprocess] = m.String()
	}
	if m := r.config.mixes(); m != "none" {
		other[weights.KeyMix] = m
	}
	if r.config.ANT > 0 {
		other[weights.KeyANT] = strconv.FormatFloat(r.config.ANT, 'g', -1, 64)
	}
	if c := &r.config; c.FeatureMix > 0 && c.FeatureAdd+c.FeatureMultiply > 0 {
		other[weights.KeyFeatureNoise] = fmt.Sprintf("%g,%g", c.FeatureAdd, c.FeatureMultiply)
	}
	g := r.config.valGeometry()
	return &weights.Info{
		Preparation: &weights.Preparation{Size: g.Size, Crop: g.Crop.N, Filter: g.Filter.String()},
		Model:       r.config.Model, Input: r.graph.Input(), Classes: r.classes, Names: r.train.Info().Classes, Mean: r.config.Mean, Std: r.config.Std,
		Version: r.options.Versions["augmix"], Other: other,
	}
}
