package metrics_test

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/augmix-go/augmix/metrics"
)

func ExampleScore() {
	o, err := metrics.Score(0, []float32{2, 0.5, -1}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	energy, err := metrics.Energy.Of(&o)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("predicts %d with %.3f; the label has rank %d and loss %.3f; energy %.3f\n", o.Pred, o.Conf,
		o.Rank, o.NLL, energy)

	_, err = metrics.Score(17, []float32{2, 0.5, -1}, 3)
	fmt.Println(errors.Is(err, metrics.ErrLabel), err)
	// Output:
	// predicts 0 with 0.786; the label has rank 2 and loss 1.741; energy -2.241
	// true bad label: row 17: 3 (allowed: 0 to 2)
}

// Rows are added by as many workers as there are; the merged result does not depend on how the rows were split.
func ExampleClassification() {
	logits := []float32{3, 1, 0, 2, 2.5, 0, 0, 1, 4, 1, 0.5, 0}
	labels := []int{0, 0, 2, 0}
	var a, b metrics.Classification
	if err := errors.Join(
		metrics.AddRows(&a, 0, logits[:6], labels[:2]),
		metrics.AddRows(&b, 2, logits[6:], labels[2:]),
		a.Merge(&b),
	); err != nil {
		fmt.Println(err)
		return
	}
	top1, err1 := a.Error()
	top2, err2 := a.TopKError(2)
	nll, err3 := a.NLL()
	rms, err4 := a.Calibration().Error(metrics.RMS, metrics.Adaptive{Size: 2})
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("error %.2f, top-2 error %.2f, NLL %.3f, RMS calibration error %.3f\n", top1, top2, nll, rms)
	// Output:
	// error 0.25, top-2 error 0.00, NLL 0.485, RMS calibration error 0.085
}

func ExampleGrid() {
	p, err := metrics.LookupProfile("imagenet-c")
	if err != nil {
		fmt.Println(err)
		return
	}
	g := metrics.NewGrid(p, metrics.ErrorRate)
	for _, c := range p.Primary() {
		for s := 1; s <= 5; s++ {
			if err := g.Set(c, s, 0.1+0.1*float64(s)); err != nil {
				fmt.Println(err)
				return
			}
		}
	}
	mce, err := g.Value(metrics.MeanCE(metrics.AlexNetErrors()))
	if err != nil {
		fmt.Println(err)
		return
	}
	noise, err := g.Value(metrics.GroupMean(metrics.Noise))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mCE %.1f %%, mean error on noise %.1f %%\n", 100*mce, 100*noise)

	cifar, err := metrics.LookupProfile("cifar10-c")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = metrics.NewGrid(cifar, metrics.ErrorRate).Value(metrics.MeanCE(metrics.AlexNetErrors()))
	fmt.Println(errors.Is(err, metrics.ErrNotComputable))
	// Output:
	// mCE 51.7 %, mean error on noise 40.0 %
	// true
}

func ExampleStability() {
	s, err := metrics.NewStability(metrics.Rotate, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.AddPredictions(0, []int{3, 3, 5, 5, 3}); err != nil {
		fmt.Println(err)
		return
	}
	fp, err := s.FlipProbability()
	fmt.Println(fp, err)
	// Output:
	// 0.5 <nil>
}

// The papers' calibration errors, of 200 predictions in two bins.
func ExampleCalibration_RMS() {
	var c metrics.Calibration
	for i := range 200 {
		if err := c.Add(0.5+float64(i/100)*0.4, i%2 == 0); err != nil {
			panic(err)
		}
	}
	rms, err := c.RMS()
	mad, err1 := c.MAD()
	fmt.Printf("%.3f %.3f %v %v\n", rms, mad, err, err1)
	// Output: 0.283 0.200 <nil> <nil>
}

// How well confidence orders predictions: AURC, and its excess over the best order of the same predictions.
func ExampleCalibration_ExcessAURC() {
	var c metrics.Calibration
	for i, conf := range []float64{0.99, 0.9, 0.8, 0.6, 0.5} {
		if err := c.Add(conf, i != 1 && i != 4); err != nil {
			fmt.Println(err)
			return
		}
	}
	aurc, err1 := c.AURC()
	excess, err2 := c.ExcessAURC()
	fmt.Printf("AURC %.4f, E-AURC %.4f, %v\n", aurc, excess, errors.Join(err1, err2))
	// Output:
	// AURC 0.2967, E-AURC 0.1667, <nil>
}

// Smooth calibration error needs no bins: nine in ten are right where the model says 0.8.
func ExampleCalibration_SmoothECE() {
	var c metrics.Calibration
	for i := range 10 {
		if err := c.Add(0.8, i > 0); err != nil {
			fmt.Println(err)
			return
		}
	}
	v, err := c.SmoothECE()
	fmt.Printf("%.4f %v\n", v, err)
	// Output:
	// 0.1000 <nil>
}

// The calibration of every class's probability, not of the predicted one alone.
func ExampleClasswise() {
	c, err := metrics.NewClasswise(metrics.DefaultWidthBins)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, label := range []int{0, 0, 1, 0} {
		probs := []float32{0.5, 0.5}
		o, err := metrics.ScoreProbs(i, probs, label)
		if err := errors.Join(err, metrics.AddClasswise(c, &o, probs)); err != nil {
			fmt.Println(err)
			return
		}
	}
	ece, err := c.ECE()
	fmt.Println(ece, err)
	// Output:
	// 0.25 <nil>
}

// Scores of how unlike the training data a row is.
func ExampleOODScoreOf() {
	logits := []float32{4, 1, 0}
	o, err := metrics.Score(0, logits, metrics.NoLabel)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range []metrics.OODScore{metrics.MSP, metrics.Energy, metrics.Entropy, metrics.GEN} {
		v, err := metrics.OODScoreOf(s, &o, logits)
		fmt.Printf("%s %.4f %v\n", s, v, err)
	}
	// Output:
	// msp -0.9362 <nil>
	// energy -4.0659 <nil>
	// entropy 0.2743 <nil>
	// gen 2.1516 <nil>
}

func ExampleDetection() {
	var d metrics.Detection
	if err := errors.Join(
		d.AddAll([]float64{0.9, 0.8, 0.4}, true),
		d.AddAll([]float64{0.5, 0.3, 0.2, 0.1}, false),
	); err != nil {
		fmt.Println(err)
		return
	}
	auroc, err1 := d.AUROC()
	aupr, err2 := d.AveragePrecision()
	fpr, err3 := d.FPR(metrics.DefaultRecall, metrics.Nearest)
	fmt.Printf("AUROC %.4f, AUPR %.4f, FPR95 %.2f, %v\n", auroc, aupr, fpr, errors.Join(err1, err2, err3))
	// Output:
	// AUROC 0.9167, AUPR 0.9167, FPR95 0.25, <nil>
}

func ExampleBootstrapDifference() {
	// Two models on the same 100 images; the second errs on 12 images less.
	var a, b []float64
	for i := range 100 {
		a = append(a, map[bool]float64{true: 1}[i < 30])
		b = append(b, map[bool]float64{true: 1}[i < 18])
	}
	sa, err1 := metrics.MeanStatistic(a)
	sb, err2 := metrics.MeanStatistic(b)
	if err := errors.Join(err1, err2); err != nil {
		fmt.Println(err)
		return
	}
	iv, err := metrics.BootstrapDifference(sa, sb, metrics.BootstrapOptions{Source: rand.NewPCG(1, 0)})
	fmt.Printf("%.2f [%.2f, %.2f] %v\n", iv.Estimate, iv.Lo, iv.Hi, err)
	// Output:
	// 0.12 [0.06, 0.18] <nil>
}

func ExampleFitTemperature() {
	logits := [][]float32{{4, 0}, {4, 0}, {0, 4}, {4, 0}}
	labels := []int{0, 0, 1, 1}
	t, err := metrics.FitTemperature(func(yield func([]float32, int) bool) {
		for i, row := range logits {
			if !yield(row, labels[i]) {
				return
			}
		}
	})
	// Three of four are right, so the calibrated confidence is 3/4: T = 4/log 3.
	fmt.Printf("T = %.4f, %v\n", t.T, err)
	// Output:
	// T = 3.6410, <nil>
}

func ExampleAgreement() {
	g, err := metrics.NewAgreement(10)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, r := range [][3]int{{3, 3, 3}, {5, 5, 3}, {5, 5, 3}, {1, 7, 1}} {
		if err := g.Add(i, r[0], r[1], r[2]); err != nil {
			fmt.Println(err)
			return
		}
	}
	rate, err := g.Rate()
	fmt.Println(rate, g.Flips(), g.Right(), err)
	// Output:
	// 0.25 [{5 3 2} {7 1 1}] {1 2 1 0} <nil>
}
