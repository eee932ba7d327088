package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

func chamfer(file *File) {
	f := file.Func("chamferNEON", "(dst, near, far *int32, n int, side, corner, knight int32)", "chamferNEON is Chamfer for n numbers, a multiple of 4.")
	r, side, corner, knight := f.Loads("dst", "near", "far", "n"), f.Fill("side"), f.Fill("corner"), f.Fill("knight")
	near, far := f.Vecs(5), f.Vecs(2)
	least := func(d, a, b Vec) { f.SMIN(d.S4(), a.S4(), b.S4()) }
	f.Loop(r[3], 4, func() {
		for i, v := range near {
			f.LDR(Q, v, Ptr(r[1], 4*i))
		}
		for i, v := range far {
			f.LDR(Q, v, Ptr(r[2], 4+8*i))
		}
		least(near[1], near[1], near[3])
		least(near[0], near[0], near[4])
		least(far[0], far[0], far[1])
		least(near[0], near[0], far[0])
		f.ADD(near[2].S4(), near[2].S4(), side.S4())
		f.ADD(near[1].S4(), near[1].S4(), corner.S4())
		f.ADD(near[0].S4(), near[0].S4(), knight.S4())
		least(near[2], near[2], near[1])
		least(near[2], near[2], near[0])
		f.STR(Q, near[2], Post(r[0], 16))
		f.Go("ADD $16, %v", r[1])
		f.Go("ADD $16, %v", r[2])
	})
}
