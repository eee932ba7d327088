package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

// lookup: a table of 256 bytes is all of 16 registers, so that the channels take turns. Between their turns sixteen pixels lie
// in dst channel by channel.
func lookup(file *File) {
	f := file.Func("lookupNEON", "(dst, src *byte, n int, t *Table)",
		"lookupNEON is lookupScalar for n bytes, a multiple of 64; few enough that they stay in the nearest cache.")
	dst, src, n, t := f.Load("dst"), f.Load("src"), f.Load("n"), f.Load("t")
	out, count := f.Reg(), f.Reg()
	table, pixels, v := f.Vecs(16), f.Vecs(4), f.Vec()
	row := f.FillWith(B, 64)
	for c := range 3 {
		for k := 0; k < 16; k += 2 {
			f.LDP(table[k], table[k+1], Post(t, 32))
		}
		f.Go("MOVD %v, %v", dst, out)
		f.Go("MOVD %v, %v", n, count)
		f.Loop(count, 64, func() {
			x := pixels[c]
			switch c {
			case 0:
				f.LD4(B16s(pixels), Post(src, 64))
			case 1:
				f.LDR(Q, x, Ptr(out, 16))
			case 2:
				f.LD1(B16s(pixels), Ptr(out, 0))
			}
			f.SUB(v.B16(), x.B16(), row.B16())
			f.TBL(x, table[:4], x)
			for k := 4; k < 16; k += 4 {
				f.TBX(x, table[k:k+4], v)
				if k < 12 {
					f.SUB(v.B16(), v.B16(), row.B16())
				}
			}
			switch c {
			case 0:
				f.ST1(B16s(pixels), Post(out, 64))
			case 1:
				f.STR(Q, x, Ptr(out, 16))
				f.Go("ADD $64, %v", out)
			case 2:
				f.ST4(B16s(pixels), Post(out, 64))
			}
		})
	}
}
