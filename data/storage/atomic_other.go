//go:build !unix

package storage

func isInvalid(error) bool { return false }
