// Package predictions reads model outputs, saved by any framework: logits or probabilities, one row
// an image, with or without labels, from .npy, .npz, .pt, .csv, .tsv, .jsonl and Parquet files. Rows come in batches, so
// memory does not grow with the file.
//
// # Files
//
// The format is detected by the first bytes, and by the extension among the text formats. What is in a file is detected
// by names:
//
//	logits          logits, logit; columns logit_0, logit_1, ... (or logits_0, z_0)
//	probabilities   probs, prob, probabilities, softmax; columns prob_0, prob_1, ... (or probs_0, p_0)
//	either          outputs, scores, predictions, arr_0; columns 0, 1, 2, ... or score_0, output_0
//	class numbers   pred, preds, predicted, y_pred; any array of integers, one a row
//	labels          label, labels, target, targets, y, y_true: class numbers from 0
//	sample ids      id, ids, key, index, name, file, filename, path, image
//
// An .npy file is one array of floats, [rows, classes]. An .npz file has members of these names; a single array of two
// or three axes is taken whatever its name. What torch.save wrote of a tensor is as an .npy file, of a dict as an .npz file; it is
// in memory whole. A .csv file (.tsv: with tabs) begins with a line of column names, or has
// none if every field of the first line is a number and they are not 0, 1, 2 and so on; of 0 and 1 alone, which may be either,
// it is an error. Columns of other names are passed over, and so are spaces around fields. A .jsonl file holds an object a line, with an array of the scores, or just the array. Parquet files have
// a list column of the scores or a column a class.
//
// Class columns must be complete, 0 to classes-1; their order in the file does not matter. Floats may have 16 (npy
// only), 32 or 64 bits; labels are integers. Fortran-ordered arrays are read whole before the first batch.
//
// # Logits or probabilities
//
// Where the name does not say it and [Options.Kind] does not either, the first batch decides: rows of numbers from 0 to
// 1 that sum to one within [metrics.ProbTolerance] are probabilities; rows with a number below 0 or above 1 are logits;
// anything else is an error that asks. Nothing is normalized, clipped or repaired.
//
// # Labels
//
// [Options.Labels] gives labels from a file of their own ([ReadLabels]). Where the predictions have labels too, both
// must agree, and so must sample ids. A file of corrupted images may have several times as many rows as labels
// ([Options.Repeat]), as the published CIFAR-10-C files have five severities one after the other.
// [Options.Unlabeled] passes over labels and ids, as of images of other classes than the model's.
//
// Ids are integers or text, a list of text in what torch.save wrote, and are compared as text: the number 7 is the text "7",
// and NumPy's types U and S of one text are the same. Ids of another type are an error. A single value called as ids are,
// such as the name of the model, is not of the rows and is passed over.
//
// # Versions
//
// A file NAME.versions.json beside NAME.npy says what rows of results are to say of the predictions in their field versions, such as what
// the model was trained on ([ReadVersions]). Package eval writes it.
//
// # Layouts
//
// [Open] reads one file. [Find] finds the files of a benchmark, in one of the layouts that it documents. [Each] hands the
// batches of a file to several goroutines. Package score does all three and takes the metrics.
//
// # Hostile files
//
// What is allocated follows the bytes that are there. A file that is cut short, or whose header promises more than it
// holds, is an error before or after the rows that are there, and never a shorter result: [Reader.Next] ends with
// [io.EOF] only where the file says that it ends.
package predictions
