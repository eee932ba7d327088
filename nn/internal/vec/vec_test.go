package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestMomentsFarFromZero has a mean of 1000 deviations, where sums of squares without a shift would lose the variance.
func TestMomentsFarFromZero(t *testing.T) {
	const n, c = 1024, 19
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float32, n*c)
	for i := range x {
		x[i] = float32(1000 + r.NormFloat64())
	}
	sum, sq := make([]float32, c), make([]float32, c)
	Moments(sum, sq, x, c, n, c)
	for j := range c {
		var mean, m2 float64
		for p := range n {
			mean += float64(x[p*c+j]) / n
		}
		for p := range n {
			d := float64(x[p*c+j]) - mean
			m2 += d * d
		}
		gotMean := float64(x[j]) + float64(sum[j])/n
		gotM2 := float64(sq[j]) - float64(sum[j])*float64(sum[j])/n
		if math.Abs(gotMean-mean) > 1e-5 || math.Abs(gotM2-m2) > 1e-4*m2 { // 1024 roundings
			t.Errorf("channel %d: mean %v and squares %v, want %v and %v", j, gotMean, gotM2, mean, m2)
		}
	}
}

// TestRowsWithGaps checks the copies between images of different widths by hand.
func TestRowsWithGaps(t *testing.T) {
	dst := []float32{9, 9, 9, 9, 9, 9, 9}
	CopyRows(dst[1:], 3, []float32{1, 2, 3, 4}, 2, 2, 2)
	AddRows(dst[1:], 3, []float32{10, 0, 20}, 2, 2, 1)
	for i, want := range []float32{9, 11, 2, 9, 23, 4, 9} {
		if dst[i] != want {
			t.Fatalf("got %v, element %d should be %v", dst, i, want)
		}
	}
}

func TestSumSquares(t *testing.T) {
	x := make([]float32, 5001)
	for i := range x {
		x[i] = 1 + 1.0/1024
	}
	if got, want := SumSquares(x), 5001*(1+1.0/1024)*(1+1.0/1024); math.Abs(got-want) > 1e-9 {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestMaxIndex keeps the first of equals, as PyTorch does.
func TestMaxIndex(t *testing.T) {
	dst, index := []float32{1, 1, 1}, []uint16{5, 5, 5}
	MaxIndex(dst, index, []float32{1, 2, 0}, 7)
	if dst[0] != 1 || dst[1] != 2 || dst[2] != 1 || index[0] != 5 || index[1] != 7 || index[2] != 5 {
		t.Errorf("%v from %v", dst, index)
	}
}
