package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The error of products, against float64: below 2e-6 in what is 1 at most, for all coefficients of PixMix.
func TestPixMultiplyAccuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 4096
	planes, before, other := make([]float32, 3*n), make([]float32, 3*n), make([]uint8, 4*n)
	worst := 0.0
	for range 60 {
		a, b := r.Float32(), r.Float32()
		if r.IntN(2) == 0 {
			a, b = 1+r.Float32(), -r.Float32()
		}
		for i := range before {
			before[i] = r.Float32()
			if r.IntN(3) == 0 {
				before[i] = float32(r.IntN(256)) / 255
			}
		}
		for i := range other {
			other[i] = uint8(r.Uint32())
		}
		copy(planes, before)
		PixMultiply(planes, other, a, b)
		for i := range n {
			for c := range 3 {
				y := max(2*float64(float32(other[4*i+c])/255), 1e-37)
				want := min(math.Pow(2*float64(before[c*n+i]), float64(a))*math.Pow(y, float64(b))/2, 1)
				e := math.Abs(float64(planes[c*n+i]) - want)
				if worst = max(worst, e); e > 2e-6 {
					t.Fatalf("(2*%v)^%v * (2*%d/255)^%v / 2 = %v, want %v", before[c*n+i], a, other[4*i+c], b, planes[c*n+i], want)
				}
			}
		}
	}
	t.Logf("largest error %.2g", worst)
}

func TestLog2Exp2(t *testing.T) {
	if log2(1) != 0 || log2(0.25) != -2 || log2(2) != 1 || log2(0) != pixZero {
		t.Errorf("logarithms of 1, 1/4, 2, 0: %v, %v, %v, %v", log2(1), log2(0.25), log2(2), log2(0))
	}
	if exp2(0) != 1 || exp2(3) != 1 || exp2(-1) != 0.5 || exp2(-126) != 0x1p-126 || exp2(-126.5) != 0 || exp2(pixZero) != 0 {
		t.Errorf("powers: %v %v %v %v %v", exp2(0), exp2(3), exp2(-1), exp2(-126), exp2(-126.5))
	}
	var log, exp float64
	for i := range 200000 {
		x := float32(i+1) / 100000
		log = max(log, math.Abs(float64(log2(x))-math.Log2(float64(x)))/max(1, math.Abs(math.Log2(float64(x)))))
		e := -float32(i) / 2000
		exp = max(exp, math.Abs(float64(exp2(e))/math.Exp2(float64(e))-1))
	}
	if log > 2e-7 || exp > 2e-7 {
		t.Errorf("errors of logarithms %v, of powers %v", log, exp)
	}
}

func TestPlanesToBytes(t *testing.T) {
	dst := make([]uint8, 8)
	PlanesToBytes(dst, []float32{0, 1, 0.5, 2, -1, 0.00196})
	for i, want := range []uint8{0, 128, 0, 255, 255, 255, 0, 255} { // 127.5 + 0.5 is 128; 0.4998 + 0.5 is below 1
		if dst[i] != want {
			t.Errorf("byte %d is %d, want %d", i, dst[i], want)
		}
	}
}

func BenchmarkPixMix(b *testing.B) {
	const n = 1024
	planes, other := make([]float32, 3*n), make([]uint8, 4*n)
	for i := range planes {
		planes[i] = float32(i%256) / 255
	}
	for name, f := range map[string]func(){
		"add":      func() { PixAdd(planes, other, 0.9, 0.1/255, 0.1) },
		"multiply": func() { PixMultiply(planes, other, 0.9, 0.1) },
		"bytes":    func() { PlanesToBytes(other, planes) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(12 * n)
			for b.Loop() {
				f()
			}
		})
	}
}
