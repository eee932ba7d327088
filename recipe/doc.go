// Package recipe reads recipes: YAML files that say how a table of a paper is reproduced.
//
// The keys of a recipe are those of [train.Config]. Beside them it may hold
//
//	base: cifar.yaml                  a recipe whose keys and methods come first
//	about: AugMix, table 1, ...       which table it reproduces
//	methods:                          named changes of the keys
//	  standard: {}
//	  augmix: {mix: augmix-m3, jsd: true}
//	run:                              what package experiment does with them
//	  methods: [standard, augmix]     in this order; the first is what the others are compared with
//	  test: cifar-10-batches-bin      the test set; by default val, or the test part of data
//	  suites: [clean, c]              what is measured
//	  eval: {limit: 1000}             more options of experiment.Eval
//
// [Read] reads a file or a built-in recipe ([Names]) with its bases, and [Recipe.Method] gives what package train takes:
//
//	r, err := recipe.Read("cifar10-wrn-40-2")
//	...
//	c, err := r.Method("augmix")
//	...
//	result, err := train.Run(ctx, c, train.Options{Dir: "runs/augmix", Train: images, Val: tests})
//
// Package experiment opens the data sets and runs every method of a recipe, from training to the report.
package recipe
