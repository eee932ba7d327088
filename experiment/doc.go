// Package experiment does what a recipe says, from data to report, in typed stages: [Train], [Eval], [Sheet] and [Report].
// Each is a struct that can be used by itself, with a Run method; an [Experiment] plans and runs those of a recipe.
//
//	x, err := experiment.New("cifar10-small", experiment.Options{Dir: "runs", Data: "cifar-10-batches-bin"})
//	...
//	for _, s := range x.Plan(ctx) {
//		fmt.Println(s.Stage.Name, s.Done, s.Took)
//	}
//	err = x.Run(ctx)
//	...
//	rows, err := x.Rows()
//
// # Files
//
// In the folder of an experiment lie
//
//	METHOD/        a run of package train: model.safetensors, last.safetensors, results.jsonl, ...
//	METHOD/eval/   results.jsonl, records.npz, examples/, args.yaml
//	sheet.png      images of the test set under each method's augmentation
//	report.html    the methods side by side, and report.md
//	stages.json    what is done
//
// # Resuming
//
// A stage is done when stages.json has the digest of its options and of the content of its inputs, and its outputs are there.
// It is run again when an option or an input changes; what cannot change the result, such as the number of workers, does
// not count. A stage that was stopped resumes from its last checkpoint (training) or measurement (evaluation).
//
// # Composition
//
// The stages open what is named by strings, with packages data/formats, mixset and models, and leave the work to packages
// train, eval, sheet and report, which take values. Recipes are read by package recipe.
package experiment
