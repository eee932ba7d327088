// Package published holds numbers that the papers and their authors print, as data, so that a report can show them
// beside what a user measured.
//
// # What is there
//
// AugMix (Hendrycks et al., ICLR 2020): table 1 the errors on CIFAR-10-C and CIFAR-100-C of the standard networks and
// of AugMix; table 2 and 3 the standard ResNet-50, AugMix, and AugMix with SIN; table 4 (ablation) the methods named
// there; AugMix's clean errors, flip probabilities and calibration errors on CIFAR-10; the released model's figures.
//
// PixMix (Hendrycks et al., CVPR 2022): table 4 the mixing sets; table 5 the variants; table 7 the baseline, PixMix and
// three figures of Outlier Exposure; table 8 the baseline, AugMix without JSD, Outlier Exposure and PixMix; table 9 the
// baseline and PixMix; table 13 the baseline, Outlier Exposure and PixMix; table 14 whole; table 16 the baseline and
// PixMix; of tables 1 and 2 only the figures that disagree with table 7.
//
// ImageNet-C (Hendrycks and Dietterich, ICLR 2019, and its first version of 2018): clean errors, mCE and relative mCE
// of the networks for which they could be confirmed, AlexNet's errors by corruption and severity and its flip
// probabilities, ICONS-50 and the CIFAR-100 super-class experiment.
//
// # What is absent
//
// A number that could not be confirmed is not here, and nothing is filled in:
//
//   - AugMix: table 1's other methods (Cutout, Mixup, CutMix, AutoAugment, adversarial training: for the last only the
//     range over networks is known, 26 to 28 % on CIFAR-10-C); tables 2 and 3 of other methods and all per-corruption
//     and per-perturbation columns; tables 5 and 6.
//   - PixMix: tables 3, 6, 10, 11, 12 and 15; the other rows of tables 1, 2, 7, 8 and 9; of table 16 the other methods.
//   - ImageNet-C: the per-corruption columns of tables 1 and 2, and networks not listed by [All]; which table printed
//     what is not recorded, so Table is empty there. AlexNet's top-5 distances are not published where we could read.
//
// # Consistency
//
// Where the parts of a printed mean are here too, the tests recompute it: PixMix table 16 against table 9 and the
// averages of table 13. All agree within what rounding of the parts and of the mean allows; no exception is known. An
// mCE cannot be recomputed, as no paper's per-corruption CE columns are here. Where several tables of one paper print
// the same quantity, the tests compare them, and [Disagreements] lists the known exceptions.
package published
