// Package decimal prints numbers with so many digits after the point, halves away from zero.
package decimal

import "strconv"

// nudge is more than the rounding of a float64 and of a few operations on it, and less than any digit that is printed.
const nudge = 1e-12

// Format prints v with so many digits after the point. A number that is a half in decimal, such as 100 times 0.0935 with one digit,
// lies a little beside it in binary, or on it: it goes away from zero either way, so that equal halves print alike.
func Format(v float64, digits int) string { return strconv.FormatFloat(v*(1+nudge), 'f', digits, 64) }
