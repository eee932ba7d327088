// Package metrics turns predictions into the numbers of the robustness papers: errors and their AlexNet-normalized
// means, flip probabilities and top-5 distances, calibration, proper scores, OOD detection, agreement between
// models, and bootstrap intervals for all of them. It imports nothing of the project but inner loops:
// whoever has logits, labels and scores can use it.
//
// # Conventions
//
// Every rate is a fraction, not percent: an mCE of 76.7 in a paper is 0.767 here. Logits and probabilities are rows of
// float32 or float64; arithmetic is float64. Class numbers start at 0, severities and difficulties at 1. Equal logits
// are ranked by class number, so the prediction is the first maximum, as with NumPy's argmax. OOD scores grow the
// less a row is like the training data, and out-of-distribution rows are the positive class of a detection metric.
//
// # From a row to a number
//
// [Score] reads a row of logits ([ScoreProbs] one of probabilities), allocates nothing, and returns an [Outcome] with
// all that the metrics need from it. Its sums and exponentials are vector code where the processor has AVX-512, AVX2 or NEON,
// and have the same bits everywhere; the logarithm of the standard library after them may differ between architectures
// by a unit in the last place. Accumulators take outcomes: [Classification] all of the classification
// metrics at once, or one of its parts alone ([Mean], [EqualWidth], [Calibration], [Detection], [Agreement],
// [Stability]); [Classwise] takes the rows too. Each has Add and Merge. Sums over rows are exact ([Mean]), and what is
// sorted is a function of the multiset of rows, so any split of the rows over workers, merged in any order, gives the
// same bits as one pass.
//
// Memory: [Mean], [EqualWidth], [Classwise], [Stability] and the counts are constant; [Agreement] holds the pairs of
// classes it saw; [Calibration] holds 8 bytes a row and [Detection] 8 bytes a score, because their metrics are defined on the
// sorted rows (sorting needs up to twice as much again while a value is taken, and as long as [Calibration.Hold] says).
//
// [Grid] holds one number for each corruption and severity of a benchmark and takes the published means of them,
// named by an [Aggregate]. [Profile] says which benchmark it is: the corruptions, and whether AlexNet's published
// errors mean anything there.
//
// # Uncertainty
//
// A [Statistic] is a metric under integer row weights; [Bootstrap] resamples rows and returns a percentile interval,
// [BootstrapDifference] the interval of a difference between two models scored on the same rows. [Records] keeps the
// outcomes it needs, [Detection] is its own record, [ImageGrid] keeps a value for each image (or each [Video], for flip
// rates), corruption and severity, and [MeanStatistic] takes any number a row, such as agreement.
//
// # Ties
//
// Metrics of sorted rows (adaptive calibration, AURRA, AURC) do not depend on the order of rows with equal confidence:
// where a bin edge cuts through such a group, both sides get the group's share of correct rows. The published Python
// leaves that to an unstable sort; wherever no edge cuts through a group the two agree. Detection metrics use
// distinct thresholds.
//
// # With rows
//
// This package makes numbers of arrays. Package score says which of them a benchmark has, takes them of saved predictions
// and of rows of package results, and writes them as rows.
//
// # Parity
//
// Exact formulas, compared with the published definitions' results at 1e-9 relative (golden group "metrics"), OOD
// scores from float32 logits at 1e-6 (group "ood"). The script testdata/sklearn_check.py compares AUROC, average
// precision, the area under the precision-recall curve and the Brier score with scikit-learn; testdata/README.md says
// how to run it.
package metrics
