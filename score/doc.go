// Package score is the one place where predictions and rows become the numbers of the robustness papers: means over
// severities and corruptions, CE, mCE and relative mCE, FP, FR and mFR, T5D and mT5D, calibration, out-of-distribution
// detection, bootstrap intervals and paired differences. Packages eval and report and the command "augmix score" call it
// and do no arithmetic of their own, so that the same predictions give the same rows whoever scores them. The formulas
// are those of package metrics, which makes numbers of arrays and knows nothing of rows.
//
// # From predictions
//
// [Files] reads saved logits or probabilities of any framework, one file or the folder of a benchmark (package
// predictions says in which forms), and scores them. A program that has predictions in memory, or that streams them,
// adds them to a [Cell] for each corruption and severity, and scores the cells together with [Cells]. Both give a
// [Result], whose rows are written by results.WriteFile and shown by package report.
//
//	r, err := score.Files{Path: "CIFAR-10-C-logits"}.Score(ctx, score.Options{Model: "resnet20"})
//	...
//	err = results.WriteFile("results.jsonl", r.Rows)
//
// [Compare] takes the differences of two results on the same images. [Detection] scores out-of-distribution detection
// from two lists of scores.
//
// # From rows
//
// A [Book] holds the rows of one model, measured now or years ago, and gives every number of a benchmark: the row's if
// there is one, else the mean of its parts, else why there is none. [Book.Means] and [Book.BenchmarkMeans] make rows of
// such means; that is how a measurement that is resumed completes its benchmark.
//
// # Intervals
//
// [Options.Bootstrap] gives rows percentile intervals of the bootstrap over images (videos), each drawn with all its
// corruptions; [Compare] draws the same images for both models. Where rows have no intervals but a run kept its records,
// [Intervals] and [NewPairs] make them, for all models of a report at once. Every draw has a stream of its own, named after what is measured, so that a
// number's interval does not depend on what else is scored. Intervals of calibration errors and of AUPR are centered (see
// [metrics.BootstrapOptions]). Where there is nothing to pair, [Unpaired] combines two
// intervals.
package score
