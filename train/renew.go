package train

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/digest"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/rng"
)

// IterativeFVis is the mixing set that is drawn from the network in training, again and again: feature visualisations
// of the weights that it has at the start of epochs 0, N, 2N, ... for a mixset-every of N. It is the row "Iterative
// FVis" of PixMix's table 5 (Hendrycks et al., CVPR 2022). Its authors publish neither the code of that row, nor how
// often they drew the images and how many, nor what they mixed in before the first time. So these choices are ours:
//
//   - a new set for every epoch, unless mixset-every says otherwise;
//   - [DefaultDrawn] images, unless the spec says how many: iterative-fvis-nN;
//   - the first set shows the weights that the run begins with, which are random unless the recipe names some;
//   - the weights are those that the optimiser moves, also where an average of them is kept (ema): that lags behind,
//     in a short run by all of it.
const IterativeFVis = "iterative-fvis"

// DefaultDrawn is the number of images of [IterativeFVis]. Over PixMix's 100 epochs that makes 25 600 different ones,
// where the published set has 4 700 feature visualisations, and drawing them takes from a sixth (WRN-40-4) to a half
// (ResNet-20, at first) of the time of an epoch of CIFAR.
const DefaultDrawn = 256

// mostDrawn bounds the memory that a set takes: 0.3 GB for training images of 32 pixels.
const mostDrawn = 1 << 16

// Renewal makes the mixing sets of [IterativeFVis]. (This package cannot: what draws stands above it.)
type Renewal interface {
	// Draw draws a set and returns it as the content of a file, a function of d alone. When ctx is cancelled it
	// returns an error soon.
	Draw(ctx context.Context, d *Drawing) ([]byte, error)
	// Open returns the images of such a file.
	Open(content []byte) (mix.MixingSet, error)
}

// Drawing says which mixing set is to be drawn.
type Drawing struct {
	Net       *nn.Net // shows the weights; not to be changed, nor to be kept
	Epoch     int     // that the set is for, from 0; for messages
	Seed      uint64  // of the images: another for every epoch
	Count     int     // of images
	Size      int     // longer side of the training images
	Mean, Std [3]float32
	Workers   int // the last bits of the images may depend on it, as those of the weights do
}

// Drawn returns how many images are drawn from the network at a time; drawn is false where mixset is none of that
// kind. The error wraps [ErrRecipe].
func (r *Recipe) Drawn() (n int, drawn bool, err error) {
	rest, found := strings.CutPrefix(r.Mixset, IterativeFVis)
	if !found || strings.ContainsAny(rest, `/\`) {
		return 0, false, nil
	}
	if rest == "" {
		return DefaultDrawn, true, nil
	}
	number, found := strings.CutPrefix(rest, "-n")
	if n, err = strconv.Atoi(number); !found || err != nil || n < 1 || n > mostDrawn || number[0] == '+' {
		return 0, true, fmt.Errorf("%w: mixset: %.80q (allowed: %s, or %s-nN with N of 1 to %d images)", ErrRecipe,
			r.Mixset, IterativeFVis, IterativeFVis, mostDrawn)
	}
	return n, true, nil
}

// checkMixset checks what mixset says beside the sets that others open, and what does not go with it.
func (r *Recipe) checkMixset() error {
	_, drawn, err := r.Drawn()
	if err != nil {
		return err
	}
	if !drawn {
		if r.MixsetEvery != 1 {
			return fmt.Errorf("%w: mixset-every: %d: mixset %q is not drawn anew (only %s is)", ErrRecipe,
				r.MixsetEvery, r.Mixset, IterativeFVis)
		}
		return nil
	}
	if m, err := mix.ParseSpec(r.Mix); err == nil && !m.NeedsMixingSet() {
		return fmt.Errorf("%w: mixset: %s: mix %s mixes no images in (pixmix does)", ErrRecipe, r.Mixset, r.Mix)
	}
	return nil
}

// useMixingSet gives the mix its mixing set, in the place of an earlier one.
func (r *runner) useMixingSet(set mix.MixingSet) error {
	var err error
	r.mixer, err = mix.ParseMethod(r.recipe.Mix, mix.Options{MixingSet: set, Size: max(r.w, r.h)})
	return err
}

// renewal returns the next epoch, after the one at hand, for which a mixing set is drawn, or the number of epochs where
// that is for none.
func (r *runner) renewal() int {
	if r.drawn == 0 {
		return r.recipe.Epochs
	}
	every := r.recipe.MixsetEvery
	return min((r.state.Epoch/every+1)*every, r.recipe.Epochs)
}

// toRenew reports whether the mixing set is drawn at the position of the run.
func (r *runner) toRenew() bool {
	return r.drawn > 0 && r.state.InEpoch == 0 && r.state.Epoch%r.recipe.MixsetEvery == 0
}

// renew draws the mixing set, where it is time to. The weights are those of the checkpoint, if there is one: a run that
// is stopped while it draws draws again.
func (r *runner) renew(ctx context.Context) error {
	if !r.toRenew() {
		return nil
	}
	s := &r.state
	norm, random := r.recipe.norm(), rng.NewKey(r.recipe.Seed).Str("mixset").Uint(uint64(s.Epoch)).Rand()
	content, err := r.options.Renewal.Draw(ctx, &Drawing{
		Net: r.net, Epoch: s.Epoch, Seed: random.Uint64(), Count: r.drawn, Size: max(r.w, r.h),
		Mean: norm.Mean, Std: norm.Std, Workers: s.Workers,
	})
	switch {
	case ctx.Err() != nil:
		return errors.Join(context.Cause(ctx), r.save())
	case err != nil:
		return fmt.Errorf("drawing the mixing set of epoch %d: %w", s.Epoch+1, err)
	}
	// The file before any checkpoint that has its digest. That it takes the place of an earlier set is no loss: the last
	// checkpoint, if there is one, is of just this position.
	if err := data.WriteFileAtomic(filepath.Join(r.options.Dir, MixsetName), content); err != nil {
		return fmt.Errorf("cannot keep the mixing set: %w", err)
	}
	sum := sha256.Sum256(content)
	s.Mixset = hex.EncodeToString(sum[:])
	return r.mixDrawn(content)
}

// restoreMixset gives the mix the mixing set that the checkpoint goes on with, from its file: the weights that it
// shows are gone. It does nothing where another is drawn first, or where there is nothing more to train.
func (r *runner) restoreMixset() error {
	if r.drawn == 0 || r.toRenew() || r.state.Epoch == r.recipe.Epochs {
		return nil
	}
	content, err := drawnBefore(filepath.Join(r.options.Dir, MixsetName), r.state.Mixset)
	if err != nil {
		return err
	}
	return r.mixDrawn(content)
}

func (r *runner) mixDrawn(content []byte) error {
	set, err := r.options.Renewal.Open(content)
	if err != nil {
		return fmt.Errorf("the mixing set that was drawn: %w", err)
	}
	return r.useMixingSet(set)
}

// drawnBefore reads the file of a mixing set. It is looked at twice, so that no more is held in memory than a set takes.
func drawnBefore(path, want string) ([]byte, error) {
	got, _, err := digest.File(path)
	if err == nil && got.String() == want {
		return os.ReadFile(path)
	}
	if err == nil {
		err = errors.New("its content is another")
	}
	return nil, fmt.Errorf("%w: %s is not the mixing set that the checkpoint goes on with, and the weights that it "+
		"shows are gone (%w); bring the file back, or begin again in another folder", ErrCheckpoint, path, err)
}
