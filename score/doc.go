// Package score turns predictions and measured outcomes into rows of package results: every error, mean, interval and
// difference is defined here.
package score
