// Package fixedseed makes property tests the same in every run. Test files that use rapid import it for that effect.
//
// Cases drawn anew each time find more over the months, but a change must not fail for what it did not touch. The
// environment variable AUGMIX_TEST_SEED asks for other cases: a number for a seed, "random" for a new one in each run,
// as the nightly workflow does. The flag -rapid.seed overrides both.
package fixedseed

import (
	"flag"
	"fmt"
	"os"
	"strconv"

	_ "pgregory.net/rapid" // has the flag
)

func init() {
	seed, err := choose(os.Getenv("AUGMIX_TEST_SEED"))
	if err == nil {
		err = flag.Set("rapid.seed", strconv.FormatUint(seed, 10))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fixedseed:", err)
		os.Exit(2)
	}
}

// choose reads AUGMIX_TEST_SEED. 0 makes rapid draw a seed of its own.
func choose(value string) (uint64, error) {
	switch value {
	case "":
		return 1, nil
	case "random":
		return 0, nil
	}
	seed, err := strconv.ParseUint(value, 10, 64)
	if err != nil || seed == 0 {
		return 0, fmt.Errorf("AUGMIX_TEST_SEED is %q, want a number above 0 or random", value)
	}
	return seed, nil
}
