// Package feed makes batches of training images for any training loop: decoded, resized, cropped, flipped, mixed by any
// method, corrupted or perturbed, and written as uint8, float32, float16 or bfloat16 into memory that the caller gives.
//
//	src, err := formats.Open("photos", formats.Options{})
//	...
//	l, err := feed.New(ctx, src, feed.Options{Crop: crop, Flip: true, Mix: method, Views: 3, Batch: 256})
//	...
//	slot := make([]byte, l.Layout().Bytes)
//	for {
//		b, err := l.Next(ctx, slot)
//		if err == io.EOF {
//			break
//		}
//		...
//		step(l.Bytes("images", slot, b.N), l.Int64s("labels", slot, b.N))
//	}
//
// A batch is a function of the data, the options and its place, epoch and index: not of the number of workers, of the
// rank that makes it or of where the run began. The order of an epoch, the crops and the mixes are those of package train
// and of generate: with one rank, float32 batches are train's and uint8 images are what "augmix augment --epoch E" writes.
//
// The command augmix feed hands these batches to another process; its protocol is in docs/feed.md.
package feed
