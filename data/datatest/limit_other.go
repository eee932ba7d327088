//go:build !linux && !darwin

package datatest

import "testing"

const canLimitFiles = false

func withFileLimit(testing.TB, uint64, func()) {}
