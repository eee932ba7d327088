package data_test

import (
	"testing"

	"github.com/augmix-go/augmix/internal/memtemp"
)

func TestMain(m *testing.M) { memtemp.Main(m) }
