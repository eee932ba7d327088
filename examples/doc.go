// Package examples holds small programs that use the packages, each in a folder of its own: augment, corrupt, score and
// train. It has no code itself.
package examples
