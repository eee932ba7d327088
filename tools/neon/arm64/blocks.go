package arm64

// Blocks runs body for blocks of n: of the first size as often as n allows, then of the next. Sizes fall; n is left with what
// is less than the last one.
func (f *Func) Blocks(n Reg, sizes []int, body func(size int)) {
	for _, size := range sizes {
		top, less := f.NewLabel(), f.NewLabel()
		f.Go("SUBS $%d, %v", size, n)
		f.Go("BLT %s", less)
		f.Label(top)
		body(size)
		f.Go("SUBS $%d, %v", size, n)
		f.Go("BGE %s", top)
		f.Label(less)
		f.Go("ADD $%d, %v", size, n)
	}
}
