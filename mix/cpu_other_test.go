//go:build !unix

package mix

import "time"

var started = time.Now()

// processTime returns the time since the start: the processor's is not known here.
func processTime() time.Duration { return time.Since(started) }
