package generate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/internal/option"
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
	sh := Shard{index, count}
	if !ok || err1 != nil || err2 != nil || !sh.there() {
		return Shard{}, option.Errorf(ErrOption, "{shard} %q (allowed: I/N with N from 1 to %d and I from 0 to N-1)", s, maxShards)
	}
	return sh, nil
}

// there reports whether there is such a part; the zero Shard is none.
func (s Shard) there() bool {
	return s.Count >= 1 && s.Count <= maxShards && s.Index >= 0 && s.Index < s.Count
}

// check returns an error for a shard that does not exist.
func (s Shard) check() error {
	if s == (Shard{}) || s.there() {
		return nil
	}
	return fmt.Errorf("%w: shard %d of %d (allowed: a Count from 1 to %d with an Index from 0 to Count-1, or the zero Shard)", ErrOption,
		s.Index, s.Count, maxShards)
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

// scheduler is how the environment of a process says which of several it is.
type scheduler struct {
	index, count string // variables; count is "" where none says it
	first        int    // the index of the first
}

// schedulers are those that are known, in the order in which they are looked for.
var schedulers = []scheduler{
	{index: "JOB_COMPLETION_INDEX", count: "JOB_COMPLETIONS"},
	{index: "SLURM_ARRAY_TASK_ID", count: "SLURM_ARRAY_TASK_COUNT"},
	{index: "AWS_BATCH_JOB_ARRAY_INDEX", count: "AWS_BATCH_JOB_ARRAY_SIZE"},
	{index: "PBS_ARRAY_INDEX"},
	{index: "LSB_JOBINDEX", first: 1},
	{index: "SGE_TASK_ID", first: 1},
	{index: "RANK", count: "WORLD_SIZE"},
}

// unset are values by which schedulers say that a job is no array.
var unset = []string{"", "undefined"}

// AutoShard reads "auto" or "auto/N": the shard of N, or of as many as the environment says, that the scheduler of a Kubernetes
// job, of an array of Slurm, AWS Batch, PBS, LSF or Grid Engine, or torchrun (RANK of WORLD_SIZE) gives the process. With N the
// indexes of arrays count from 0, of LSF and Grid Engine from 1, whichever of them were submitted; without it those of Slurm count
// from the first, by SLURM_ARRAY_TASK_MIN and STEP. getenv is [os.Getenv], from the variable that said so. The error wraps ErrOption;
// an environment that says nothing is one. Nothing else takes a part from the environment: an array of tasks may differ in another
// option, such as its seed.
func AutoShard(s string, getenv func(string) string) (sh Shard, from string, err error) {
	count := 0
	if number, ok := strings.CutPrefix(s, "auto/"); ok {
		if count, err = strconv.Atoi(number); err != nil || count < 1 || count > maxShards {
			return sh, "", option.Errorf(ErrOption, "{shard} %q (allowed: auto, or auto/N with N from 1 to %d)", s, maxShards)
		}
	}
	sh, from, err = clusterShard(getenv, count)
	if err == nil && from == "" {
		var names []string
		for _, c := range schedulers {
			names = append(names, c.index)
		}
		err = option.Errorf(ErrOption, "{shard} %s, but no scheduler set a variable (looked for: %s)", s, strings.Join(names, ", "))
	}
	return sh, from, err
}

// clusterShard finds the shard. count is the number of parts, 0 to take it from the environment.
func clusterShard(getenv func(string) string, count int) (sh Shard, from string, err error) {
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
	i := slices.IndexFunc(schedulers, func(c scheduler) bool {
		v := getenv(c.index)
		return !slices.Contains(unset, v) && !(v == "0" && c.first == 1)
	})
	if i < 0 {
		return sh, "", nil
	}
	c := schedulers[i]
	from, sh.Count, sh.Index = c.index, count, number(c.index, 0)-c.first
	if count == 0 && c.count != "" {
		sh.Count = number(c.count, 0)
		if c.index == "SLURM_ARRAY_TASK_ID" {
			sh.Index = (sh.Index - number("SLURM_ARRAY_TASK_MIN", 0)) / max(number("SLURM_ARRAY_TASK_STEP", 1), 1)
		}
	}
	if err == nil && !sh.there() {
		said := c.count
		if said == "" || count != 0 {
			said = "auto/N"
		}
		err = fmt.Errorf("%w: %s is set in the environment, but the number of parts (%s) is missing or does not fit: part %d of %d",
			ErrOption, from, said, sh.Index, sh.Count)
	}
	return sh, from, err
}
