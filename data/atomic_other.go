//go:build !unix

package data

func isInvalid(error) bool { return false }
