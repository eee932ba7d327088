//go:build (!amd64 && !arm64) || noasm

package vec

import "github.com/augmix-go/augmix/internal/cpu"

var _ = cpu.Select("elementwise") // there is no assembly in this build

func affineVector(_ []float32, _ int, _ []float32, _, _, _ int, _, _ []float32, _ bool) int { return 0 }

func momentsVector(_, _, _ []float32, _, _, _ int) int { return 0 }

func normSumsVector(_, _, _, _ []float32, _, _, _ int, _, _, _ []float32, _ bool) int { return 0 }

func normGradVector(_ []float32, _ int, _ []float32, _ int, _ []float32, _, _, _ int, _, _, _ []float32, _ bool) int {
	return 0
}

func addVector(_, _ []float32) int { return 0 }

func reluVector(_ []float32) int { return 0 }

func reluGradVector(_, _, _ []float32) int { return 0 }

func sgdVector(_, _, _ []float32, _, _, _, _ float32, _ bool) int { return 0 }

func geluVector(_ []float32) int { return 0 }

func geluGradVector(_, _ []float32) int { return 0 }

func maxVector(_, _ []float32) int { return 0 }

func addScaledVector(_, _ []float32, _ float32) int { return 0 }

func winogradInputVector(_ []float32, _ int, _ []float32, _, _, _ int) bool { return false }

func winogradOutputVector(_ []float32, _ int, _ []float32, _, _, _ int, _ []float32, _ bool) bool {
	return false
}

func winogradOutputGradVector(_ []float32, _ int, _ []float32, _, _, _ int) bool { return false }

func winogradInputGradVector(_ []float32, _ int, _ []float32, _, _, _ int) bool { return false }
