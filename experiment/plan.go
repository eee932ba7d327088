package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/train"
	"github.com/augmix-go/augmix/transform"
)

// Status is how far a stage is.
type Status struct {
	Stage *Stage
	Done  bool          // Run has nothing to do
	Took  time.Duration // what it took where it is done, else an estimate; 0 where that cannot be told, or is seconds
}

// Plan returns the stages with what is done and how long the rest may take on this machine, measured by a batch of each
// network.
func (x *Experiment) Plan(ctx context.Context) []Status {
	known, seen := measured{map[string]speed{}, map[string]int{}}, map[string]string{}
	var list []Status
	for i := range x.Stages {
		s := Status{Stage: &x.Stages[i]}
		if s.Done = x.done(s.Stage, seen); s.Done {
			s.Took = seconds(x.stamps[s.Stage.Name].Seconds)
		} else {
			s.Took = x.estimate(ctx, s.Stage, &known)
		}
		list = append(list, s)
	}
	return list
}

func seconds(v float64) time.Duration { return time.Duration(v * float64(time.Second)) }

// measured is what was measured and counted for stages that share it.
type measured struct {
	speeds  map[string]speed // by network and crop
	samples map[string]int   // by data set, part and how it is read
}

// speed is what a network does on this machine, measured by one batch: images a second.
type speed struct{ train, predict float64 }

func (k *measured) speed(c *train.Config) speed {
	key := c.Model + " " + c.Crop
	if _, ok := k.speeds[key]; !ok {
		k.speeds[key] = measureSpeed(c)
	}
	return k.speeds[key]
}

func (k *measured) count(path string, o formats.Options, part string) int {
	key := fmt.Sprintf("%q %q %+v", path, part, o)
	if _, ok := k.samples[key]; !ok {
		k.samples[key] = countSamples(path, o, part)
	}
	return k.samples[key]
}

// atMost is a number of samples of which a limit is taken; 0: no limit.
func atMost(n, limit int) int {
	if limit > 0 {
		return min(n, limit)
	}
	return n
}

// estimate returns the time that a stage may take; 0 where that cannot be told.
func (x *Experiment) estimate(ctx context.Context, s *Stage, known *measured) time.Duration {
	c := x.configOf(s)
	if c == nil {
		return 0
	}
	at := known.speed(c)
	if at.train == 0 {
		return 0
	}
	if e := s.Eval; e != nil {
		tests := atMost(known.count(e.In, e.input(), "test"), e.Limit)
		return seconds(float64(tests*e.passes()) / at.predict)
	}
	o, err := c.Input()
	if err != nil {
		return 0
	}
	samples := float64(atMost(known.count(c.Data, o, "train"), c.Limit)) * (1 - c.ValFraction)
	images := float64(c.Epochs) * samples * passesOf(c)
	if c.ANT > 0 {
		images += float64(c.Epochs * c.ANTAlone * c.Batch)
	}
	return seconds(images/at.train) + c.IterativeTime(ctx)
}

// configOf returns the configuration of the network that a stage trains or measures; nil for other stages.
func (x *Experiment) configOf(s *Stage) *train.Config {
	if s.Train != nil {
		return &s.Train.Config
	}
	for i := range x.Stages {
		if t := x.Stages[i].Train; t != nil && s.Eval != nil && t.Name == s.Eval.Name {
			return &t.Config
		}
	}
	return nil
}

// passesOf is how much more a step costs than a plain one, by the images that go through the network.
func passesOf(c *train.Config) float64 {
	switch {
	case c.JSD:
		return float64(c.Views)
	case c.Adversarial:
		return float64(1 + c.AdvSteps)
	case c.Outliers != "":
		return 1 + float64(c.OutlierBatch)/float64(c.Batch)
	case c.Stability > 0, c.AuxMix != "", c.ANT > 0:
		return 2
	case c.AugMax > 0:
		return float64(2 + c.AugMax)
	}
	return 1
}

// passes is about how many images go through the model for each of the test set.
func (e *Eval) passes() int {
	n := 0
	for _, s := range suites {
		if slices.Contains(e.Suites, s.Name) {
			n += s.Passes
		}
	}
	if e.TenCrop {
		n *= 10
	}
	return n
}

// measureSpeed trains one batch of noise. Whatever goes wrong here goes wrong again where it is reported.
func measureSpeed(c *train.Config) (s speed) {
	input, err := models.Input(c.Model)
	if err != nil {
		return speed{}
	}
	if crop, err := transform.ParseCrop(c.Crop); err == nil && crop.N > 0 {
		input.H, input.W = crop.N, crop.N
	}
	g, err := models.Build(c.Model, input, 10)
	if err != nil {
		return speed{}
	}
	// 32 images of 32 by 32, four of 224 by 224: whoever asks for a plan waits for it.
	batch := min(max(32*32*32/(input.H*input.W), 4), 32)
	net, err := nn.New(g, nn.Options{Workers: c.Workers, Batch: batch, Train: true})
	if err != nil {
		return speed{}
	}
	net.Init(rng.NewKey(1))
	x := make([]float32, batch*input.Len())
	labels, d := make([]int, batch), make([]float32, batch*10)
	random := rng.New(1)
	random.FillNormal32(x)
	step := func() {
		nn.CrossEntropy(d, net.Forward(x, batch, nn.Mode{Train: true}), labels, 10, 0)
		net.Backward(d)
	}
	s.train = float64(batch) / fastest(step)
	s.predict = float64(batch) / fastest(func() { net.Forward(x, batch, nn.Mode{}) })
	return s
}

// fastest returns the least of three times, in seconds, after a first that makes the buffers; of fewer where they are long.
func fastest(f func()) float64 {
	least, begun := math.Inf(1), time.Now()
	for i := 0; i < 2 || i < 4 && time.Since(begun) < 2*time.Second; i++ {
		start := time.Now()
		f()
		if took := time.Since(start).Seconds(); i > 0 {
			least = min(least, took)
		}
	}
	return least
}
