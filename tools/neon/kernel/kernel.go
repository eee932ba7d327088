// Package kernel writes the NEON assembly of package internal/kernel. Every function names in its comment the plain Go whose
// bytes it reproduces.
package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

// Generate returns all functions.
func Generate() *File {
	f := NewFile("kernel")
	for _, write := range []func(*File){
		lookup, minMax, andMask, invertFrom, lumaSum, gray, colorBlend, sharpen, mixBytes, mixPlanes,
		pixAdd, pixMultiply, scaleBias, blend, planesToBytes, sumPairs, sumTaps, matMul, lerpRows, addStretched,
		sin, sinCos, angle, unitToBytes, addFour, shearRow, shearColumns, warp,
		resizeRow, resizeColumns, inverseBlock, scaleHSV, yccToRGB, rgbToYCC, halveRows, triangle,
		bytesToNumbers, scaleAdd, round32, uniforms, quantumToBytes, tonePlanes, meanToBytes, runs, addBits,
		addNormals, snow, fog, mud, water, impulses, addImpulses, chamfer, tones, colorsToBytes, moveColors, displace,
		fft4, fftOdd, moveLight, gatherLight, pcg, jpegBlocks,
	} {
		write(f)
	}
	return f
}

// floats makes four registers of float32 of the sixteen bytes of x.
func floats(f *Func, x Vec, out []Vec) {
	widen(f, x, out)
	for _, v := range out {
		f.UCVTF(v.S4(), v.S4())
	}
}

// widen makes four registers of 32-bit lanes of the sixteen bytes of x.
func widen(f *Func, x Vec, out []Vec) {
	f.USHLL(out[0].H8(), x.B8(), 0)
	f.USHLL(out[2].H8(), x.B16(), 0)
	for i := 0; i < 4; i += 2 {
		f.USHLL(out[i+1].S4(), out[i].H8(), 0)
		f.USHLL(out[i].S4(), out[i].H4(), 0)
	}
}

// signedFloats makes four registers of float32 of the words of two; out[0] and out[2] hold those.
func signedFloats(f *Func, out []Vec) {
	for i := 0; i < 4; i += 2 {
		f.SSHLL(out[i+1].S4(), out[i].H8(), 0)
		f.SSHLL(out[i].S4(), out[i].H4(), 0)
	}
	for _, v := range out {
		f.SCVTF(v.S4(), v.S4())
	}
}

// toBytes truncates sixteen floats and cuts them to 0..255: conversions saturate. v is lost.
func toBytes(f *Func, out Vec, v []Vec) {
	for _, x := range v {
		f.FCVTZS(x.S4(), x.S4())
	}
	clip(f, out, v)
}

// clip cuts sixteen whole numbers to 0..255. v is lost.
func clip(f *Func, out Vec, v []Vec) {
	for i := 0; i < 4; i += 2 {
		f.SQXTN(v[i].H4(), v[i].S4())
		f.SQXTN(v[i].H8(), v[i+1].S4())
	}
	f.SQXTUN(out.B8(), v[0].H8())
	f.SQXTUN(out.B16(), v[2].H8())
}

// overlapping repeats body, which does step bytes and moves the pointers on by them; n is at least step. The last time starts
// where it ends with the last byte, and does some again.
func overlapping(f *Func, n Reg, step int, pointers []Reg, body func()) {
	top, done, back := f.NewLabel(), f.NewLabel(), f.Reg()
	f.Label(top)
	body()
	f.Go("SUBS $%d, %v, %v", step, n, n)
	f.Go("BLE %s", done)
	f.Go("CMP $%d, %v", step, n)
	f.Go("BGE %s", top)
	f.Go("SUB $%d, %v, %v", step, n, back)
	for _, p := range pointers {
		f.Go("ADD %v, %v", back, p)
	}
	f.Go("MOVD $%d, %v", step, n)
	f.Go("B %s", top)
	f.Label(done)
	f.Free(back)
}
