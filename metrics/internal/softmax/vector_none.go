//go:build (!amd64 && !arm64) || noasm

package softmax

import "github.com/augmix-go/augmix/internal/cpu"

var _ = cpu.Select("softmax") // there is no assembly in this build

func scanVector[F Float](row []F, a *scanned) int { return 0 }

// expVector adds all of a row or nothing. near says that no term lies below the floor.
func expVector[F Float](row []F, skip int, top float64, near bool, a *summed) bool { return false }

func countVector[F Float](row []F, v float64) (n, count int) { return 0, 0 }

func firstVector[F Float](row []F, v float64) (n int, found bool) { return 0, false }

func peakVector(row []float32, a *peaked) int { return 0 }
