//go:build !noasm

package kernel

func moveVector(n *LightNet, re, im float64) int {
	w := len(n.Columns)
	count := whole(w, 2)
	if count > 0 {
		moveNEON(&n.Moved[0], &n.Sin[0], &n.Cos[0], &n.Columns[0], count, w, n.Row, re, im)
	}
	return count
}

func gatherVector(n *LightNet, light []float64, re, im, focus float64) int {
	w := len(light)
	count := whole(w, 2)
	if count > 0 {
		gatherNEON(&light[0], &n.Sin[0], &n.Cos[0], &n.Columns[0], count, w, n.Row, re, im, focus)
	}
	return count
}
