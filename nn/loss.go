package nn

import (
	"fmt"
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
)

// Losses take logits [batch][classes] and write the gradient of the returned loss with respect to them to dlogits,
// which may be nil, and may not be logits itself. They compute in float64, sum in the order of the arrays, and fuse
// nothing. A label or a length that does not fit is a programmer's mistake and panics. If logits are not finite the loss
// is NaN or infinite, which is the cheapest place to notice that training has diverged.

func mustLoss(name string, dlogits, logits []float32, classes, rows int) {
	if classes < 1 || rows < 1 || len(logits) != rows*classes {
		panic(fmt.Sprintf("nn: %s of %d logits as %d rows of %d classes", name, len(logits), rows, classes))
	}
	if dlogits != nil && len(dlogits) != len(logits) {
		panic(fmt.Sprintf("nn: %s with %d gradients of %d logits", name, len(dlogits), len(logits)))
	}
}

func mustLabel(name string, label, classes int) {
	if label < 0 || label >= classes {
		panic(fmt.Sprintf("nn: %s with label %d (allowed: 0 to %d)", name, label, classes-1))
	}
}

// logSumExp returns log(sum(exp(z))).
func logSumExp(z []float32) float64 {
	top := math.Inf(-1)
	for _, v := range z {
		top = math.Max(top, float64(v))
	}
	if math.IsInf(top, 0) {
		return top
	}
	var sum float64
	for _, v := range z {
		sum += detmath.Exp(float64(v) - top)
	}
	return top + detmath.Log(sum)
}

// CrossEntropy returns the mean over the batch of -sum(t*log(softmax(z))), where the target t is 1-smoothing at the
// label plus smoothing/classes everywhere (label smoothing, Szegedy et al. 2016, as PyTorch's). A smoothing that is not from 0 to 1 panics.
func CrossEntropy(dlogits, logits []float32, labels []int, classes int, smoothing float64) float64 {
	if !(smoothing >= 0 && smoothing <= 1) {
		panic(fmt.Sprintf("nn: CrossEntropy: smoothing %v (allowed: 0 to 1)", smoothing))
	}
	batch := len(labels)
	mustLoss("CrossEntropy", dlogits, logits, classes, batch)
	base := smoothing / float64(classes)
	var loss float64
	for i, label := range labels {
		mustLabel("CrossEntropy", label, classes)
		z := logits[i*classes:][:classes]
		lse := logSumExp(z)
		loss += float64((1 - smoothing) * (lse - float64(z[label])))
		if smoothing != 0 {
			for _, v := range z {
				loss += float64(base * (lse - float64(v)))
			}
		}
		if dlogits == nil {
			continue
		}
		d := dlogits[i*classes:][:classes]
		for j, v := range z {
			g := detmath.Exp(float64(v)-lse) - base
			if j == label {
				g -= 1 - smoothing
			}
			d[j] = float32(g / float64(batch))
		}
	}
	return loss / float64(batch)
}

// SoftCrossEntropy is CrossEntropy for targets [batch][classes] that are weights of the classes, as mixing labels
// gives. They need not sum to 1.
func SoftCrossEntropy(dlogits, logits, targets []float32, classes int) float64 {
	if classes < 1 || len(targets) != len(logits) {
		panic(fmt.Sprintf("nn: SoftCrossEntropy of %d logits, %d targets, %d classes", len(logits), len(targets), classes))
	}
	batch := len(logits) / classes
	mustLoss("SoftCrossEntropy", dlogits, logits, classes, batch)
	var loss float64
	for i := range batch {
		z, t := logits[i*classes:][:classes], targets[i*classes:][:classes]
		lse := logSumExp(z)
		var total float64
		for j, v := range z {
			total += float64(t[j])
			if t[j] != 0 { // a class of no weight may have an infinite logit
				loss += float64(float64(t[j]) * (lse - float64(v)))
			}
		}
		if dlogits == nil {
			continue
		}
		for j, v := range z {
			dlogits[i*classes+j] = float32((float64(total*detmath.Exp(float64(v)-lse)) - float64(t[j])) / float64(batch))
		}
	}
	return loss / float64(batch)
}

// OutlierExposure returns the mean over rows of logsumexp(z) - mean(z), which is the cross-entropy to the uniform
// distribution: the term that Outlier Exposure (Hendrycks et al., ICLR 2019) adds, times 0.5, for images that belong
// to no class.
func OutlierExposure(dlogits, logits []float32, classes int) float64 {
	if classes < 1 {
		panic(fmt.Sprintf("nn: OutlierExposure with %d classes", classes))
	}
	rows := len(logits) / classes
	mustLoss("OutlierExposure", dlogits, logits, classes, rows)
	var loss float64
	for i := range rows {
		z := logits[i*classes:][:classes]
		lse := logSumExp(z)
		var sum float64
		for _, v := range z {
			sum += float64(v)
		}
		loss += lse - sum/float64(classes)
		if dlogits == nil {
			continue
		}
		for j, v := range z {
			dlogits[i*classes+j] = float32((detmath.Exp(float64(v)-lse) - 1/float64(classes)) / float64(rows))
		}
	}
	return loss / float64(rows)
}

// jsdFloor is the least value of the mixture inside the logarithm of JSD (clamp in the authors' code).
const jsdFloor = 1e-7

// JSD returns AugMix's loss: the cross-entropy ce of the first view plus lambda times the Jensen-Shannon divergence js
// of the softmax outputs of all views, js = mean over views of KL(p_k || M), M = mean of the p_k. Logits are
// [views][batch][classes], the clean images first. M is clamped to [1e-7, 1], where no gradient flows through it;
// classes of probability 0 contribute nothing to either. Hendrycks et al., AugMix, ICLR 2020; lambda is 12 there, with
// 3 views.
func JSD(dlogits, logits []float32, labels []int, classes, views int, lambda float64) (loss, ce, js float64) {
	batch := len(labels)
	mustViews("JSD", views)
	mustLoss("JSD", dlogits, logits, classes, views*batch)
	clean := batch * classes
	ce = CrossEntropy(firstOf(dlogits, clean), logits[:clean], labels, classes, 0)
	js = divergence(dlogits, logits, batch, classes, views, lambda)
	return ce + float64(lambda*js), ce, js
}

// SoftJSD is JSD with targets [batch][classes] for the clean images in the place of labels.
func SoftJSD(dlogits, logits, targets []float32, classes, views int, lambda float64) (loss, ce, js float64) {
	mustViews("SoftJSD", views)
	if classes < 1 {
		panic(fmt.Sprintf("nn: SoftJSD with %d classes", classes))
	}
	batch := len(targets) / classes
	mustLoss("SoftJSD", dlogits, logits, classes, views*batch)
	clean := batch * classes
	ce = SoftCrossEntropy(firstOf(dlogits, clean), logits[:clean], targets, classes)
	js = divergence(dlogits, logits, batch, classes, views, lambda)
	return ce + float64(lambda*js), ce, js
}

func mustViews(name string, views int) {
	if views < 1 {
		panic(fmt.Sprintf("nn: %s of %d views", name, views))
	}
}

func firstOf(x []float32, n int) []float32 {
	if x == nil {
		return nil
	}
	clear(x[n:])
	return x[:n]
}

// divergence adds the gradient of lambda times the Jensen-Shannon divergence to dlogits and returns the divergence. For
// one image, with q the mean of p_k before the clamp, the derivative by p_k[j] is (log p_k[j] - log
// q[j])/(views*batch): the 1 from the derivative of p*log(p) and the -1 from that of the mixture cancel. Under the
// clamp only the first stays.
func divergence(dlogits, logits []float32, batch, classes, views int, lambda float64) float64 {
	each := 1 / float64(views*batch)
	var js float64
	var lse [8]float64
	norms := lse[:]
	if views > len(norms) {
		norms = make([]float64, views)
	}
	for i := range batch {
		row := func(k int) int { return (k*batch + i) * classes }
		for k := range views {
			norms[k] = logSumExp(logits[row(k):][:classes])
		}
		// The gradient through the softmax needs the sum of p*g of a row first; g is computed twice rather than stored.
		var dots [8]float64
		sums := dots[:]
		if views > len(sums) {
			sums = make([]float64, views)
		}
		for pass := range 2 {
			if pass == 1 && dlogits == nil {
				break
			}
			for j := range classes {
				var q float64
				for k := range views {
					q += detmath.Exp(float64(logits[row(k)+j]) - norms[k])
				}
				q /= float64(views)
				logM := detmath.Log(math.Min(math.Max(q, jsdFloor), 1))
				for k := range views {
					logP := float64(logits[row(k)+j]) - norms[k]
					p := detmath.Exp(logP)
					if p == 0 {
						continue
					}
					g := logP - logM
					if pass == 0 {
						js += float64(p * g * each)
					}
					if q < jsdFloor {
						g++
					}
					if pass == 0 {
						sums[k] += float64(p * g)
					} else {
						dlogits[row(k)+j] += float32(lambda * each * p * (g - sums[k]))
					}
				}
			}
		}
	}
	return js
}
