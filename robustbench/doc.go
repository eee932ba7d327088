// Package robustbench writes and checks what RobustBench's leaderboard of common corruptions asks of a model: a JSON file of what
// is known about it, model_info/DATASET/corruptions/ID.json, and a line of accuracies, one for each of the 15 corruptions at
// the 5 severities, in unaggregated_results.csv beside it.
//
// The layout is that of the files in the leaderboard's repository as of March 2025. Its own program measures networks by its own
// lists of images, 5,000 of them for ImageNet: numbers of other images are comparable only as far as those are.
package robustbench
