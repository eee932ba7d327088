package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

// mixer sums images for sixteen pixels at a time.
type mixer struct {
	f                    *Func
	srcs, weights, count Reg
	at, p, header, wp, k Reg
	sums, pixels, t      []Vec
	weight               Vec
}

func newMixer(f *Func) *mixer {
	m := &mixer{
		f: f, srcs: f.Load("srcs"), weights: f.Load("weights"), count: f.Load("count"),
		at: f.Reg(), p: f.Reg(), header: f.Reg(), wp: f.Reg(), k: f.Reg(),
		sums: f.Vecs(12), pixels: f.Vecs(4), t: f.Vecs(4), weight: f.Vec(),
	}
	f.Go("MOVD $0, %v", m.at)
	return m
}

// sum adds the images at this place and moves on: four registers for each channel.
func (m *mixer) sum() {
	f := m.f
	for _, v := range m.sums {
		f.ZERO(v)
	}
	f.Go("MOVD %v, %v", m.srcs, m.header)
	f.Go("MOVD %v, %v", m.weights, m.wp)
	f.Go("MOVD %v, %v", m.count, m.k)
	f.Loop(m.k, 1, func() {
		f.Go("MOVD.P 24(%v), %v", m.header, m.p) // of a slice
		f.Go("ADD %v, %v", m.at, m.p)
		f.LD4(B16s(m.pixels), Ptr(m.p, 0))
		f.LDR(S, m.weight, Post(m.wp, 4))
		for c, x := range m.pixels[:3] {
			floats(f, x, m.t)
			for i, v := range m.t {
				s := m.sums[4*c+i].S4()
				f.FMULE(v.S4(), v.S4(), m.weight.At(S, 0))
				f.FADD(s, s, v.S4())
			}
		}
	})
	f.Go("ADD $64, %v", m.at)
}

func mixBytes(file *File) {
	f := file.Func("mixBytesNEON", "(dst *byte, n int, srcs *[]uint8, weights *float32, count int)",
		"mixBytesNEON is the loop of MixBytes for n bytes, a multiple of 64.")
	dst, n, m, half := f.Load("dst"), f.Load("n"), newMixer(f), f.FillWith(S, 0x3f000000)
	f.Loop(n, 64, func() {
		m.sum()
		for _, s := range m.sums {
			f.FADD(s.S4(), s.S4(), half.S4())
		}
		for c := range 3 {
			toBytes(f, m.pixels[c], m.sums[4*c:4*c+4])
		}
		f.CMEQ(m.pixels[3].B16(), m.pixels[3].B16(), m.pixels[3].B16())
		f.ST4(B16s(m.pixels), Post(dst, 64))
	})
}

func mixPlanes(file *File) {
	f := file.Func("mixPlanesNEON",
		"(dst *float32, n, plane int, srcs *[]uint8, weights *float32, count int, scale, bias *[3]float32)",
		"mixPlanesNEON is the loop of MixPlanes for the pixels of n bytes, a multiple of 64; planes are plane bytes apart.")
	n, planes, m := f.Load("n"), planesOf(f, "dst"), newMixer(f)
	sp, bp := f.Load("scale"), f.Load("bias")
	scale, bias := f.Vecs(3), f.Vecs(3)
	for c := range 3 {
		f.LD1R(scale[c].S4(), Post(sp, 4))
		f.LD1R(bias[c].S4(), Post(bp, 4))
	}
	f.Loop(n, 64, func() {
		m.sum()
		for c := range 3 {
			sums := m.sums[4*c : 4*c+4]
			for _, s := range sums {
				f.FMUL(s.S4(), s.S4(), scale[c].S4())
				f.FADD(s.S4(), s.S4(), bias[c].S4())
			}
			f.ST1(S4s(sums), Post(planes[c], 64))
		}
	})
}

// planesOf returns pointers to three planes, which the parameter plane says to be so many bytes apart.
func planesOf(f *Func, name string) []Reg {
	planes, apart := []Reg{f.Load(name), f.Reg(), f.Reg()}, f.Load("plane")
	for c := 1; c < 3; c++ {
		f.Go("ADD %v, %v, %v", apart, planes[c-1], planes[c])
	}
	f.Free(apart)
	return planes
}
