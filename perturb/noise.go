package perturb

import (
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/raster"
)

// The columns of the noises: frames, strength.
var noiseKinds = []kind{count, level}

// Standard deviations, white is 1.
var gaussianNoiseTable = table{
	Kinds: noiseKinds,
	Sets: [4]set{
		{{31, .02}, {31, .04}, {31, .06}},
		{{31, .025}, {31, .05}, {31, .075}},
		{{31, .03}, {31, .05}, {31, .08}},
		{{31, .035}, {31, .055}, {31, .085}},
	},
}

// Mean photon counts at white.
var shotNoiseTable = table{
	Kinds: noiseKinds,
	Sets: [4]set{
		{{31, 700}, {31, 400}, {31, 200}},
		{{31, 500}, {31, 250}, {31, 125}},
		{{31, 300}, {31, 120}, {31, 60}},
		{{31, 250}, {31, 100}, {31, 50}},
	},
}

// Standard deviations at white.
var speckleNoiseTable = table{
	Kinds: noiseKinds,
	Sets: [4]set{
		{{31, .05}, {31, .07}, {31, .10}},
		{{31, .05}, {31, .10}, {31, .15}},
		{{31, .05}, {31, .10}, {31, .15}},
		{{31, .06}, {31, .11}, {31, .16}},
	},
}

func frameGaussianNoise(q *Sequence, dst *raster.Image, i int) {
	if i == 0 {
		dst.CopyFrom(q.src)
		return
	}
	c, r := corrupt.GaussianNoise{Sigma: q.v[1]}, q.key.Uint(uint64(i)).Rand()
	c.Draw(&q.s.normals, q.src.W, q.src.H, &r)
	c.Apply(dst, q.src, q.s.normals)
}

func frameShotNoise(q *Sequence, dst *raster.Image, i int) {
	if i == 0 {
		dst.CopyFrom(q.src)
		return
	}
	c, r := corrupt.ShotNoise{Lambda: q.v[1]}, q.key.Uint(uint64(i)).Rand()
	c.Draw(&q.s.counts, q.src, &r, &q.s.corrupt)
	c.Apply(dst, q.src, q.s.counts)
}

func frameSpeckleNoise(q *Sequence, dst *raster.Image, i int) {
	if i == 0 {
		dst.CopyFrom(q.src)
		return
	}
	c, r := corrupt.SpeckleNoise{Sigma: q.v[1]}, q.key.Uint(uint64(i)).Rand()
	c.Draw(&q.s.normals, q.src.W, q.src.H, &r)
	c.Apply(dst, q.src, q.s.normals)
}
