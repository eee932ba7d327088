// Package results is the file in which every measurement of the project is written and from which every table is made:
// results.jsonl, one JSON object a line, one measured (or published) number an object.
//
// # The line
//
// [Row] documents the fields. A line is at most [MaxLine] bytes of UTF-8 and ends with a newline. Field "v" is the
// version of the format, [Version]; a reader refuses a version that it does not know instead of guessing. A value
// that is NaN (a metric that is undefined for these rows, recorded so that its absence is not mistaken for a
// forgotten run) is written as null and read back as NaN. An infinite value is refused: it is a failed measurement,
// not a number. Fields that do not apply are left out, and their zero value means just that: severity 0 is "not at
// one severity", an aggregate or clean images.
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
package results
