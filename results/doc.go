// Package results is the file in which every measurement of the project is written and from which every table is made:
// results.jsonl, one JSON object a line, one measured (or published) number an object.
//
// # The line
//
// [Row] documents the fields. A line is at most [MaxLine] bytes of UTF-8 and ends with a newline. Field "v" is the
// version of the format, [Version]; a reader refuses a version that it does not know instead of guessing. A value
// that is NaN (a metric that is undefined for these samples, recorded so that its absence is not mistaken for a
// forgotten run) is written as null and read back as NaN. An infinite value is refused: it is a failed measurement,
// not a number. Fields that do not apply are left out, and their zero value means just that: severity 0 is "not at
// one severity", an aggregate or clean images.
//
// Model, data set, corruption, severity, difficulty, [View] and metric are a row's [Key]: no word of them has to be taken
// apart to know what a number is of. [Metric] says how a metric is shown.
//
// Field "data" is the fingerprint of the labeled samples. Rows of one name and other fingerprints are of other data:
// [Merge] refuses them where they have one key, [Row.SameData] tells. Rows of earlier programs have none.
//
// # Versions
//
// Version 1 wrote the fields of View as words in one field, "view": "pgd, limit 1000; bin 3 of 15", and variants of a
// metric in its name, "rms_calibration_skip_last", "auroc_max_logit", "error_difference". Its lines are read, alone or
// among those of version 2, and become the same rows. Words that it had no meaning for become [View.Part]; a bin or an
// agreement that does not say which is an error that names the line.
//
// # Reading
//
// [ReadFile] and [Reader] are strict. A name that is not a field, a field twice, a field in another case, a missing
// required field, a number that is out of range: each is an error that wraps [ErrFormat] and names file and line.
// Nothing is skipped and nothing is repaired.
//
// # Writing
//
// [WriteFile] replaces a file atomically. [OpenAppend] is for runs: each [Appender.Append] writes one whole line with
// one write, and after a crash the torn rest of a last line is found and cut off when the file is opened again. A
// last line that is whole but for its newline is kept and completed.
//
// # Shards
//
// [Merge] joins the rows of several files: rows that say the same are kept once, rows that give the same measurement
// different values are refused, naming both.
//
// # With other packages
//
// Packages eval and score make rows, package train those of every epoch, package published has those of the papers.
// Package score takes means, intervals and differences of rows, package report makes pages of them.
package results
