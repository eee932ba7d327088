package perturb

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
)

// The columns: frames, the mean, standard deviation, enlargement and threshold of the layer, radius and sigma of the
// motion blur, weight of the image against its whitened form, direction of frame 0 and degrees between frames.
var snowTable = table{
	Kinds: []kind{count, level, level, level, level, length, length, level, level, level},
	Sets: [4]set{
		{{31, .05, .3, 2, .5, 10, 2, .85, -150, 4}},
		{{31, .05, .28, 2, .5, 10, 2.5, .85, -150, 4}},
		{{31, .05, .3, 3, .5, 14, 4, .85, -150, 4}},
		{{31, .05, .3, 3, .5, 14, 4, .85, -150, 4}},
	},
}

// drawLayer draws the layer of snow or spatter before scaling: one normal number a pixel, in row order.
func drawLayer(q *Sequence) {
	r := q.key.Rand()
	q.s.normals = buffer.Resize(q.s.normals, q.src.W*q.src.H)
	r.FillNormal32(q.s.normals)
}

// beginSnow makes q.s.bytes[0] the flakes before the motion blur, which are the same in all frames, and q.s.colors the
// image mixed with its whitened form.
func beginSnow(q *Sequence) {
	s, w, h := q.s, q.src.W, q.src.H
	scaleLayer(q)
	filter.Zoom(&s.other, &s.field, q.v[3], &s.axisX, &s.axisY)
	s.bytes[0], s.bytes[1] = buffer.Resize(s.bytes[0], w*h), buffer.Resize(s.bytes[1], w*h)
	for i, v := range s.other.Pix {
		if v < q.v[4] {
			v = 0
		}
		s.bytes[0][i] = filter.Byte(v)
	}
	s.colors = buffer.Resize(s.colors, 3*w*h)
	whiten(s.colors, q.src.Pix, q.v[7])
}

// scaleLayer makes q.s.field the drawn layer with its mean and standard deviation, columns 1 and 2.
func scaleLayer(q *Sequence) {
	q.s.field.Reset(q.src.W, q.src.H, 1)
	kernel.ScaleAdd(q.s.field.Pix, q.s.normals, q.v[2], q.v[1])
}

// whiten makes dst mix·x + (1-mix)·max(x, 1.5g + 0.5) in float64, three numbers a pixel. The gray g and what is
// computed from it are float32.
func whiten(dst []float64, src []uint8, mix float64) {
	rest := 1 - mix
	for len(src) >= 4 && len(dst) >= 3 {
		r, g, b := kernel.Unit32[src[0]], kernel.Unit32[src[1]], kernel.Unit32[src[2]]
		gray := float32(r*0.299) + float32(g*0.587) + float32(b*0.114)
		white := float64(float32(gray*1.5) + 0.5)
		for k := range 3 {
			x := kernel.Unit64[src[k]]
			dst[k] = float64(mix*x) + float64(rest*max(x, white))
		}
		src, dst = src[4:], dst[3:]
	}
}

// frameSnow smears the flakes and adds them twice, the second time turned by 180°.
func frameSnow(q *Sequence, dst *raster.Image, i int) {
	s, w, h := q.s, q.src.W, q.src.H
	s.motion.Set(q.v[5], q.v[6], q.v[8]+float64(q.v[9]*float64(i)))
	s.motion.Gray(s.bytes[1], s.bytes[0], w, h)
	dst.Reset(w, h)
	flakes, n := s.bytes[1], w*h
	for j := range n {
		x, out := s.colors[3*j:][:3:3], dst.Pix[4*j:][:4:4]
		there, turned := kernel.Unit64[flakes[j]], kernel.Unit64[flakes[n-1-j]]
		out[0] = filter.Byte(x[0] + there + turned)
		out[1] = filter.Byte(x[1] + there + turned)
		out[2] = filter.Byte(x[2] + there + turned)
		out[3] = 255
	}
}
