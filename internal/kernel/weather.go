package kernel

import "fmt"

// Loops of package corrupt that lay something over an image. A byte v stands for v/255; sums are float64 where nothing else is
// said; results are stored as UnitToBytes stores them. dst and src are pixels of one number, dst may be src; what is laid over
// has one number a pixel where nothing else is said.

// Unit64 and Unit32 hold v/255 for every byte v, in float64, as NumPy divides a byte array by 255, and in float32.
var Unit64, Unit32 = func() (a [256]float64, b [256]float32) {
	for v := range a {
		a[v], b[v] = float64(v)/255, float32(v)/255
	}
	return a, b
}()

// mustMatch panics unless dst and src are n pixels.
func mustMatch(dst, src []uint8, n int) {
	if len(dst) != bytesPerPixel*n || len(src) != bytesPerPixel*n {
		panic(fmt.Sprintf("kernel: %d bytes of pixels from %d for %d", len(dst), len(src), n))
	}
}

// AddNormals adds to every channel value x the number (sigma + share·x)·z with the next of z, three a pixel.
func AddNormals(dst, src []uint8, z []float32, sigma, share float64) {
	n := len(dst) / bytesPerPixel
	mustMatch(dst, src, n)
	if len(z) != 3*n {
		panic(fmt.Sprintf("kernel: %d normal numbers for %d pixels", len(z), n))
	}
	for i := addNormalsVector(dst, src, z, sigma, share); i < n; i++ {
		d, p, z := dst[4*i:][:4:4], src[4*i:][:4:4], z[3*i:][:3:3]
		for k := range 3 {
			x := Unit64[p[k]]
			d[k] = unitToByte(x + float64((sigma+float64(share*x))*float64(z[k])))
		}
		d[3] = 255
	}
}

// Snow sets every channel to mix·x + rest·max(x, 1.5g + 0.5), g being the gray value, in float32, and adds the flakes twice,
// the second time from the last to the first.
func Snow(dst, src, flakes []uint8, mix, rest float32) {
	n := len(flakes)
	mustMatch(dst, src, n)
	for i := snowVector(dst, src, flakes, mix, rest); i < n; i++ {
		d, p := dst[4*i:][:4:4], src[4*i:][:4:4]
		r, g, b := Unit32[p[0]], Unit32[p[1]], Unit32[p[2]]
		gray := float32(r*0.299) + float32(g*0.587) + float32(b*0.114)
		white := float32(gray*1.5) + 0.5
		there, turned := Unit64[flakes[i]], Unit64[flakes[n-1-i]]
		d[0] = unitToByte(float64(float32(mix*r)+float32(rest*max(r, white))) + there + turned)
		d[1] = unitToByte(float64(float32(mix*g)+float32(rest*max(g, white))) + there + turned)
		d[2] = unitToByte(float64(float32(mix*b)+float32(rest*max(b, white))) + there + turned)
		d[3] = 255
	}
}

// Fog sets every channel to (x + amount·cloud)·top/(top + amount).
func Fog(dst, src []uint8, cloud []float64, amount, top float64) {
	mustMatch(dst, src, len(cloud))
	for i := fogVector(dst, src, cloud, amount, top, top+amount); i < len(cloud); i++ {
		d, p := dst[4*i:][:4:4], src[4*i:][:4:4]
		add := float64(amount * cloud[i])
		for k := range 3 {
			d[k] = unitToByte(float64((Unit64[p[k]]+add)*top) / (top + amount))
		}
		d[3] = 255
	}
}

// Mud sets every channel to x·(1-weight) + color·weight; both products are rounded to float32 and added in float32.
func Mud(dst, src []uint8, weight []float64, color *[3]float32) {
	mustMatch(dst, src, len(weight))
	for i := mudVector(dst, src, weight, color); i < len(weight); i++ {
		d, p, m := dst[4*i:][:4:4], src[4*i:][:4:4], weight[i]
		for k := range 3 {
			x := float32(float64(Unit32[p[k]]) * (1 - m))
			d[k] = toneToByte(x + float32(float64(color[k])*m))
		}
		d[3] = 255
	}
}

// Water adds to every channel the bytes a times b over top, times strength, times the color, in float32.
func Water(dst, src, a, b []uint8, top, strength float32, color *[3]float32) {
	n := len(a)
	mustMatch(dst, src, n)
	b = b[:n]
	for i := waterVector(dst, src, a, b, top, strength, color); i < n; i++ {
		d, p := dst[4*i:][:4:4], src[4*i:][:4:4]
		m := float32(float32(int(a[i])*int(b[i])) / top * strength)
		for k := range 3 {
			d[k] = toneToByte(Unit32[p[k]] + float32(m*color[k]))
		}
		d[3] = 255
	}
}
