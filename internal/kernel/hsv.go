package kernel

// ScaleHSV changes pixels in hue, saturation and value with the formulas of package filter's HSV and RGB in float64: the
// saturation becomes saturation·multiply + add, the value becomes value + raise, both cut to 0…1. It does as many pixels as its
// assembly can and returns how many; package corrupt has the plain code, which is the specification. multiply and add are not
// negative. dst may be src.
func ScaleHSV(dst, src []uint8, multiply, add, raise float64) int {
	mustSame(dst, src)
	return scaleHSVVector(dst, src, multiply, add, raise)
}
