package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

// pcg is in general registers, which multiply 64 bits, as vectors do not; plain Go loads its constants for each word anew.
func pcg(file *File) {
	f := file.Func("pcgNEON", "(word, his, los *uint64, n int, hi, lo *uint64)",
		"pcgNEON is PCG.Next for n words, the first being that of the state hi, lo, which moves on.")
	r := f.Loads("word", "his", "los", "n", "hi", "lo")
	constant := func(v uint64) Reg {
		c := f.Reg()
		f.Go("MOVD $0x%x, %v", v, c)
		return c
	}
	mulHi, mulLo := constant(0x2360ed051fc65da4), constant(0x4385df649fccf645)
	addHi, addLo := constant(0x5851f42d4c957f2d), constant(0x14057b7ef767814f)
	output := constant(0xda942042e4dd58b5)
	hi, lo, t, u := f.Reg(), f.Reg(), f.Reg(), f.Reg()
	f.Go("MOVD (%v), %v", r[4], hi)
	f.Go("MOVD (%v), %v", r[5], lo)
	f.Loop(r[3], 1, func() {
		f.Go("MOVD.P %v, 8(%v)", hi, r[1])
		f.Go("MOVD.P %v, 8(%v)", lo, r[2])
		f.Go("EOR %v>>32, %v, %v", hi, hi, t)
		f.Go("MUL %v, %v, %v", output, t, t)
		f.Go("EOR %v>>48, %v, %v", t, t, t)
		f.Go("ORR $1, %v, %v", lo, u)
		f.Go("MUL %v, %v, %v", u, t, t)
		f.Go("MOVD.P %v, 8(%v)", t, r[0])
		f.Go("MADD %v, %v, %v, %v", hi, addHi, mulLo, hi)
		f.Go("MADD %v, %v, %v, %v", lo, hi, mulHi, hi)
		f.Go("UMULH %v, %v, %v", lo, mulLo, t)
		f.Go("MUL %v, %v, %v", mulLo, lo, lo)
		f.Go("ADDS %v, %v, %v", addLo, lo, lo)
		f.Go("ADC %v, %v, %v", t, hi, hi)
	})
	f.Go("MOVD %v, (%v)", hi, r[4])
	f.Go("MOVD %v, (%v)", lo, r[5])
}
