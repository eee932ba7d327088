package generate

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is a part of a data set: the samples from Index*N/Count up to (Index+1)*N/Count of N, in the source's order. The
// zero Shard is all of it.
type Shard struct{ Index, Count int }

// maxShards bounds how many parts a data set may be divided into.
const maxShards = 1 << 16

// ParseShard reads "I/N", with I from 0 to N-1. The error wraps ErrOption.
func ParseShard(s string) (Shard, error) {
	i, n, ok := strings.Cut(s, "/")
	index, err1 := strconv.Atoi(i)
	count, err2 := strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || count < 1 || count > maxShards || index < 0 || index >= count {
		return Shard{}, fmt.Errorf("%w: shard %q (allowed: I/N with N from 1 to %d and I from 0 to N-1)",
			ErrOption, s, maxShards)
	}
	return Shard{index, count}, nil
}

// String returns the text form.
func (s Shard) String() string { return strconv.Itoa(s.Index) + "/" + strconv.Itoa(max(s.Count, 1)) }

// Whole reports whether the shard is all of the data set.
func (s Shard) Whole() bool { return s.Count <= 1 }

// Range returns the positions of the shard among n samples.
func (s Shard) Range(n int) (from, to int) {
	if s.Whole() {
		return 0, n
	}
	at := func(i int) int { return int(int64(i) * int64(n) / int64(s.Count)) }
	return at(s.Index), at(s.Index + 1)
}

// ClusterShard returns the shard that a cluster's scheduler gives the process by its environment: a Kubernetes job
// (JOB_COMPLETION_INDEX of JOB_COMPLETIONS) or a Slurm array (SLURM_ARRAY_TASK_ID of SLURM_ARRAY_TASK_COUNT, with MIN and
// STEP). getenv is [os.Getenv]. from is the variable that said so, "" where none does and the shard is the whole. The error
// wraps ErrOption.
func ClusterShard(getenv func(string) string) (sh Shard, from string, err error) {
	number := func(name string, missing int) int {
		n, err1 := strconv.Atoi(getenv(name))
		if err1 == nil {
			return n
		}
		if getenv(name) != "" {
			err = fmt.Errorf("%w: %s=%s in the environment is not a number", ErrOption, name, getenv(name))
		}
		return missing
	}
	switch {
	case getenv("JOB_COMPLETION_INDEX") != "":
		from, sh.Count = "JOB_COMPLETION_INDEX", number("JOB_COMPLETIONS", 0)
		sh.Index = number("JOB_COMPLETION_INDEX", 0)
	case getenv("SLURM_ARRAY_TASK_ID") != "":
		from, sh.Count = "SLURM_ARRAY_TASK_ID", number("SLURM_ARRAY_TASK_COUNT", 0)
		step := max(number("SLURM_ARRAY_TASK_STEP", 1), 1)
		sh.Index = (number("SLURM_ARRAY_TASK_ID", 0) - number("SLURM_ARRAY_TASK_MIN", 0)) / step
	default:
		return sh, "", nil
	}
	if err == nil && (sh.Count < 1 || sh.Index < 0 || sh.Index >= sh.Count) {
		err = fmt.Errorf("%w: %s is set in the environment, but the number of parts (JOB_COMPLETIONS, "+
			"SLURM_ARRAY_TASK_COUNT) is missing or does not fit: part %d of %d", ErrOption, from, sh.Index, sh.Count)
	}
	return sh, from, err
}
