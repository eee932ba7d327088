package metrics

import "github.com/augmix-go/augmix/metrics/internal/softmax"

// AddSoftmax adds the probabilities of a row of logits to dst, which has a number for each class. The sums over several models,
// divided by their number, are the predictions of their ensemble. The error is that of [Score].
func AddSoftmax[F Float](dst []float64, row int, logits []F) error {
	if err := checkRow(row, len(logits), NoLabel); err != nil {
		return err
	}
	top, least, ok := softmax.Peak(logits)
	if !ok {
		return badLogit(row, logits)
	}
	arg := softmax.First(logits, top)
	_, rest, _ := softmax.ExpSums(logits, arg, top, least)
	for j, v := range logits {
		e := 1.0
		if j != arg {
			e = softmax.Exp(float64(v) - top)
		}
		dst[j] += e / (1 + rest)
	}
	return nil
}

// AddProbs is [AddSoftmax] for a row of probabilities. The error is that of [ScoreProbs].
func AddProbs[F Float](dst []float64, row int, probs []F) error {
	if err := checkRow(row, len(probs), NoLabel); err != nil {
		return err
	}
	st := softmax.Scan(probs)
	if err := checkProbs(row, probs, &st); err != nil {
		return err
	}
	for j, p := range probs {
		dst[j] += min(float64(p), 1)
	}
	return nil
}
