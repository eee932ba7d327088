// Package published holds numbers that the papers and their authors print, as data, so that a report can show them
// beside what a user measured.
//
// # What is there
//
// AugMix (Hendrycks et al., ICLR 2020): tables 1 to 6 whole, and two figures of the released code's README.
//
// PixMix (Hendrycks et al., CVPR 2022): tables 1 to 16 whole.
//
// ImageNet-C (Hendrycks and Dietterich): the first version of 2018, "Benchmarking Neural Network Robustness to Common
// Corruptions and Surface Variations", tables 1 and 2 whole, and the figures of its text: multigrid, DenseNet, ResNeXt and
// CondenseNet, CLAHE and non-local means, ICONS-50, the CIFAR-100 super-classes, style transfer. From around the version
// of ICLR 2019: AlexNet's errors by corruption and severity as its authors gave them, AlexNet's flip probabilities as
// another group's evaluation code has them, and figures of the code's README.
//
// RobustBench: the leaderboard of common corruptions, 48 models: clean error, mean error under corruptions, and for ImageNet
// the mean corruption error. It prints accuracies; here are the errors. The numbers by corruption and severity, which it has of
// most of them, are not here.
//
// 2,019 entries; a cell that two tables print is there twice.
//
// # What is absent
//
// The tables of ImageNet-P, which only the second version of that paper has: its networks' flip rates are known from AugMix
// table 3, PixMix tables 9 to 12 and the README. AlexNet's top-5 distances are not published where we could read. Nothing is
// filled in. Where a number stands in the text, Table is empty and the note names the section.
//
// # Consistency
//
// The tests recompute every printed mean whose parts are printed in the same table, 56 of them: all agree within what
// rounding of the parts and of the mean allows. [Disagreements] lists where a paper contradicts itself.
package published
