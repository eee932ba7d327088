//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

func moveVector(n *LightNet, re, im float64) int {
	w := len(n.Columns)
	count := inDoubles(w)
	switch {
	case count == 0:
	case level >= cpu.AVX512:
		moveAVX512(&n.Moved[0], &n.Sin[0], &n.Cos[0], &n.Columns[0], count, w, n.Row, re, im)
	default:
		moveAVX2(&n.Moved[0], &n.Sin[0], &n.Cos[0], &n.Columns[0], count, w, n.Row, re, im)
	}
	return count
}

func gatherVector(n *LightNet, light []float64, re, im, focus float64) int {
	w := len(light)
	count := inDoubles(w)
	switch {
	case count == 0:
	case level >= cpu.AVX512:
		gatherAVX512(&light[0], &n.Sin[0], &n.Cos[0], &n.Columns[0], count, w, n.Row, re, im, focus)
	default:
		gatherAVX2(&light[0], &n.Sin[0], &n.Cos[0], &n.Columns[0], count, w, n.Row, re, im, focus)
	}
	return count
}
