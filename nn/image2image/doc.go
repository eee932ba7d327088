// Package image2image runs fully convolutional networks that make an image of an image, of any size: style transfer,
// super-resolution, denoising, an autoencoder, and networks of random weights.
//
//	net, err := image2image.New(tensors)             // CARN-M, DnCNN, the tiny autoencoder or EDSR, told apart by their tensors
//	net.Apply(v, w, h, &s)                           // v: 3*h*w values in [0, 1], in planes
//
//	style, err := image2image.NewStyle(tensors)      // arbitrary style transfer
//	style.Predict(&code, painting, &s)
//	style.Apply(v, w, h, &code, &s)
//
// The weights are the user's: package nn/weights reads their files (npz, safetensors, those of torch.save), and the
// comments of the networks say which are meant. Package mix makes training images with them (style, deepaugment,
// noise2net), package corrupt/styletransfer a corruption.
//
// # How it runs
//
// A network is a Go function that calls layers one after the other; package nn's convolutions do the arithmetic. One
// image is computed by one goroutine, so that many images take many cores and no result depends on their number. A
// [Scratch] holds the memory of one goroutine: from the second image of a size on nothing is allocated.
//
// Results have the same bits with any number of workers, on any instruction set and architecture.
package image2image
