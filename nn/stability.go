package nn

import (
	"fmt"

	"github.com/augmix-go/augmix/internal/detmath"
)

// Stability returns the term that stability training adds (Zheng et al., CVPR 2016; Hendrycks and Dietterich,
// Benchmarking Neural Network Robustness, 2018): the mean over the batch of -sum(p*log(q)), where p is the softmax for
// an image and q that for the same image with noise. Logits are [2][batch][classes], the images without noise
// first. The gradient flows through p and q alike, as the formula is written.
func Stability(dlogits, logits []float32, classes int) float64 {
	if classes < 1 || len(logits)%(2*classes) != 0 {
		panic(fmt.Sprintf("nn: Stability of %d logits as pairs of %d classes", len(logits), classes))
	}
	batch := len(logits) / (2 * classes)
	mustLoss("Stability", dlogits, logits, classes, 2*batch)
	var loss float64
	for i := range batch {
		at, noisyAt := i*classes, (batch+i)*classes
		clean, noisy := logits[at:][:classes], logits[noisyAt:][:classes]
		cleanLSE, noisyLSE := logSumExp(clean), logSumExp(noisy)
		var row float64
		for j, v := range clean {
			if p := detmath.Exp(float64(v) - cleanLSE); p != 0 { // a class of no weight may have an infinite cost
				row += float64(p * (noisyLSE - float64(noisy[j])))
			}
		}
		loss += row
		if dlogits == nil {
			continue
		}
		for j := range classes {
			p, cost := detmath.Exp(float64(clean[j])-cleanLSE), noisyLSE-float64(noisy[j])
			dlogits[noisyAt+j] = float32((detmath.Exp(-cost) - p) / float64(batch))
			if dlogits[at+j] = 0; p != 0 {
				dlogits[at+j] = float32(p * (cost - row) / float64(batch))
			}
		}
	}
	return loss / float64(batch)
}
