package main

// dataCmd holds the commands about data sets themselves.
type dataCmd struct {
	Info    dataInfo    `cmd:"" help:"Describe a data set: classes, sizes, mean and standard deviation."`
	Convert dataConvert `cmd:"" help:"Convert a data set to another format."`
	Fetch   dataFetch   `cmd:"" help:"Download CIFAR-10 or CIFAR-100 from where it is published, check and unpack it."`
	Verify  verifyCmd   `cmd:"" hidden:"" help:"Another name of augmix verify."`
}
