//go:build !linux

package main

import "testing"

// hasRing says that a feed can use a ring here.
const hasRing = false

func ringMemory(t testing.TB) (fd int, mapped func(size int) []byte) {
	t.Fatal("no ring here")
	return -1, nil
}

const feedParentVariable = "AUGMIX_TEST_FEED_PARENT"

func feedParent() {}
