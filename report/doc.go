// Package report turns the results of runs into a report: the papers' tables with the user's rows beside the published
// ones, figures, the differences between runs, examples, and where every number comes from.
//
// [Load] reads a run (a directory with results.jsonl, or such a file alone), [Build] makes the [Report], which is plain
// data: sections of tables and figures. The Write functions put it on paper:
//
//   - [Report.WriteHTML]: one file that works offline, in light and dark, on paper, without any other file;
//   - [Report.WriteMarkdown]: every table;
//   - [Report.WriteLaTeX]: every table as a paper has it, as wide as a column or as a page of two;
//   - [Report.WriteCSV]: every number, one a line, exact;
//   - [Report.WriteFigures]: every figure, a file each, as PDF, SVG or PNG.
//
// Tables and figures have names ("cifar10-c-error"), the same in every report of such rows: [Report.Tables],
// [Report.Figures] and [Report.Select].
//
// The same runs give the same bytes: there is no clock and no random choice but the paired bootstrap, whose draws are
// keyed by a constant seed.
//
// # Where numbers come from
//
// A number is measured (a row of the run), published (a row of package published), or computed: a mean that no row
// carries but whose every part does, taken by package score and marked as computed. This package does no arithmetic:
// means, intervals and differences are those of package score. A mean with a part
// missing is missing, and says which. Rows of several seeds of one measurement become their mean, marked with the
// number of seeds. Missing numbers are shown as such, never as zero.
//
// A number whose row has no interval gets that of the bootstrap over the run's records, where these hold its parts:
// errors, Brier score and NLL over samples, flip probabilities over sequences, detection over the test set and each
// out-of-distribution set. The intervals of calibration errors and of AUPR are centered (see metrics.BootstrapOptions).
//
// Rows of a run that looked at a limited number of samples, the same for all, are compared like whole ones; the report
// says so at its top.
//
// # Figures of the papers
//
// Figures of the papers that a report draws from the user's own rows, and the suites of "augmix eval" whose rows they
// need. A figure without its rows is left out, and the end of the report says which rows it lacks.
//
//   - ImageNet-C, figures 2 and 4: "mCE and relative mCE on X-C over the clean error" (clean, c), beside the architectures of the
//     paper.
//   - ImageNet-C, figure 3: "CE of noises on X-C" (c).
//   - ImageNet-C's first version, figure 8: "Errors on parts of X" (clean, with --part).
//   - AugMix, figure 5: "Error on X-C of every model", in the overview (clean, c).
//   - AugMix, figure 6: "Prediction consistency and calibration", in the overview (p for the half of consistency; c and
//     calibration for the other; named after what is there).
//   - AugMix, figure 7: "Calibration and error on X-C against severity" (clean, c, calibration).
//   - AugMix, figure 8: "Error on X-C over options of the training", in the overview (c; args.yaml of each training).
//   - AugMix, figure 9: "Fourier sensitivity" (fourier, which writes fourier.npy beside the rows).
//   - AugMix, figure 12: "Error on X-C by corruption" (c).
//   - PixMix, figure 1: "Five safety measures", in the overview, as parallel axes (at least three of c, pgd, p,
//     calibration, ood; named after how many there are).
//   - PixMix, figure 5: the first half of "Calibration and error on X-C against severity" (c, calibration).
//
// # Bold
//
// The best measured number of a column is bold, and with it every one that prints the same: numbers that look equal are not
// set apart. Numbers by another baseline or with other bins are not beside usual ones. Intervals say whether a difference is more than chance; bold does not.
//
// # Differences
//
// The difference of two models is paired where both runs hold records of the same samples (records.npz): the paired bootstrap of
// package metrics, 1000 replicates. So is one that a row has, as augmix score --compare writes it. Otherwise, where both rows carry
// intervals of one level, these are combined as if the two were independent (the square-and-add method of Zou and Donner,
// Statistics in Medicine 2008): too wide for two models on the same images, and marked "unpaired". Else there is no interval.
// Numbers that are other measurements under one name (means over other sets, by another baseline, with other bins) have no difference.
// That of models that are means over seeds is over the seeds that both have.
package report
