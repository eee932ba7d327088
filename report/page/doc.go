// Package page turns the results of runs into a report: the papers' tables with the user's rows beside the published
// ones, figures, the differences between runs, examples, and where every number comes from.
//
// [Load] reads a run (a directory with results.jsonl, or such a file alone), [Build] makes the [Report], which is plain
// data: sections of tables and figures. The Write functions put it on paper:
//
//   - [Report.WriteHTML]: one file that works offline, in light and dark, on paper, without any other file;
//   - [Report.WriteMarkdown] and [Report.WriteLaTeX]: every table;
//   - [Report.WriteCSV]: every number, one a line, exact;
//   - [Report.WritePNG]: every figure, a file each.
//
// The same runs give the same bytes: there is no clock and no random choice but the paired bootstrap, whose draws are
// keyed by a constant seed.
//
// # Where numbers come from
//
// A number is measured (a row of the run), published (a row of package published), or computed: a mean that no row
// carries but whose every part does, taken as package metrics defines it and marked as computed. A mean with a part
// missing is missing, and says which. Rows of several seeds of one measurement become their mean, marked with the
// number of seeds. Missing numbers are shown as such, never as zero.
//
// # Differences
//
// The difference of two models is paired where both runs hold records of the same samples (package results/records):
// the paired bootstrap of package metrics, 1000 replicates. Otherwise, where both rows carry intervals of one level,
// these are combined as if the two were independent (the square-and-add method of Zou and Donner, Statistics in
// Medicine 2008): too wide for two models on the same images, and marked "unpaired". Else there is no interval.
package page
