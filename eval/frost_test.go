package eval

import (
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/frost"
	"github.com/augmix-go/augmix/rng"
)

// smallFrost returns one small texture of frost: the nine of [frost.Default] take seconds.
func smallFrost(t *testing.T) *corrupt.FrostSet {
	t.Helper()
	set, err := corrupt.NewFrostSet(frost.Generate(frost.Rime, 256, 256, rng.New(1)))
	if err != nil {
		t.Fatal(err)
	}
	return set
}
