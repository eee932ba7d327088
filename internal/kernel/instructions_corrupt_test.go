package kernel

import "math/rand/v2"

// corruptionLoops are the loops of TestInstructions that only corruptions call; dst and src are images of 32x32 pixels.
func corruptionLoops(r *rand.Rand, dst, src []uint8) []instructionLoop {
	const n = 32
	floats, numbers := make([]float32, 3*n*n), make([]float64, 3*n*n)
	for i := range floats {
		floats[i], numbers[i] = r.Float32(), 65535*r.Float64()
	}
	clouds, more := make([]float64, n*n), make([]float64, 4*n*n)
	for i := range clouds {
		clouds[i] = r.Float64()
	}
	words, sums, steps := make([]uint64, n*n), make([]uint64, n*n+16), make([]int32, n*n)
	for i := range words {
		words[i] = r.Uint64()
	}
	from, to := make([]int, 8), make([]int, 8)
	for i := range to {
		from[i], to[i] = i, 8+i
	}
	kinds, color := make([]uint8, 3*n*n), &[3]float32{0.1, 0.5, 1}
	colors, moved := make([]Color, (n+1)*(n+1)), make([]Color, n*n)
	places, still, reach := make([]int32, n*n+4), make([]int32, n), make([]float32, n)
	for i := range still {
		still[i] = int32(i << 10)
	}
	forward, back := Complex{more[:2*n*n], more[2*n*n:]}, Complex{numbers[:n*n], numbers[n*n:]}
	odd := FFTOdd{Half: 1, Turn: numbers[:2], Last: numbers[:4]}
	net := LightNet{make([]float64, 2*n*n), numbers[:2*n*n], numbers[:2*n*n], clouds, 0.1}
	var stream PCG
	stream.Start(1, 2)
	var table JPEGTable
	table.Set(&[64]int64{})
	return []instructionLoop{
		{"JPEGBlocks, sample", func() {
			for y := 0; y < n; y += 8 {
				JPEGBlocks(dst[n*y:n*n], n, src[n*y:n*n], n, n/8, &table)
			}
		}},
		{"PCG, word", func() {
			for range n * n / PCGBlock {
				stream.Next(PCGBlock)
			}
		}},
		{"Uniforms, word", func() { Uniforms(floats[:2*n*n], words) }},
		{"Impulses, word", func() { Impulses(kinds[:2*n*n], words, 1<<20) }},
		{"AddImpulses", func() { AddImpulses(dst, src, kinds) }},
		{"AddNormals", func() { AddNormals(dst, src, floats, 0.1, 0) }},
		{"Snow", func() { Snow(dst, src, src[:n*n], 0.7, 0.3) }},
		{"Fog", func() { Fog(dst, src, clouds, 1.5, 1) }},
		{"Mud", func() { Mud(dst, src, clouds, color) }},
		{"Water", func() { Water(dst, src, src[:n*n], src[n*n:2*n*n], 1000, 0.5, color) }},
		{"BytesToNumbers", func() { BytesToNumbers(numbers, src, 255) }},
		{"ScaleAdd, number", func() { ScaleAdd(more[:n*n], floats[:n*n], 0.5, 0.1) }},
		{"Round32, number", func() { Round32(floats[:n*n], numbers[:n*n], 0.5) }},
		{"QuantumToBytes", func() { QuantumToBytes(dst, numbers) }},
		{"TonePlanes", func() { TonePlanes(more[:3*n*n], src) }},
		{"MeanToBytes", func() { MeanToBytes(dst, numbers, floats, 7) }},
		{"Runs of 8, number", func() { Runs(words, sums, from, to) }},
		{"AddBits, number", func() { AddBits(more[:n*n], words, 21, 21, 0.5) }},
		{"Chamfer, number", func() { Chamfer(steps, places, places, 3, 5, 7) }},
		{"Tones", func() { Tones(moved, src) }},
		{"ColorsToBytes", func() { ColorsToBytes(dst, moved) }},
		{"MoveColors", func() {
			for y := range n {
				MoveColors(moved[n*y:][:n], colors, n+1, n+1, still, places[:n], 5, int32(y<<10))
			}
		}},
		{"Displace", func() {
			for y := range n {
				Displace(moved[n*y:][:n], colors, n+1, n+1, 0, y, reach, reach)
			}
		}},
		{"FFT4, number", func() { FFT4(forward, forward, n*n/4, n*n/4, n*n/4, &[6]float64{}) }},
		{"FFTOdd of 3, number", func() { odd.Pass(forward, back, n*n/3, n*n/3, n*n/3) }},
		{"LightNet.Move, place", func() { net.Move(0.8, 0.6) }},
		{"LightNet.Gather, place", func() { net.Gather(more[:n*n], 0.8, 0.6, 0.1) }},
	}
}
