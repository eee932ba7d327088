// Simulate says how long an array of tasks takes by the clock, and how much work is lost, where tasks fail and machines are slow.
// Nothing is made; see internal/cluster/simulate.
//
//	go run ./tools/simulate -samples 1000000000 -shards 10000 -slots 1000 -sample 1ms -failing 0.05 -slow 0.05
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/augmix-go/augmix/internal/cluster/simulate"
)

func main() {
	var c simulate.Config
	flag.IntVar(&c.Samples, "samples", 1_000_000_000, "samples of the data set")
	flag.IntVar(&c.Shards, "shards", 10_000, "tasks")
	flag.IntVar(&c.Slots, "slots", 1000, "tasks that run at once")
	flag.DurationVar(&c.Sample, "sample", time.Millisecond, "time that a task takes for a sample")
	flag.DurationVar(&c.Start, "start", 20*time.Second, "time of a task before its first sample")
	flag.DurationVar(&c.Requeue, "requeue", 2*time.Minute, "time from a failure to the next attempt")
	flag.DurationVar(&c.Resubmit, "resubmit", time.Hour, "time until somebody submits tasks again that failed too often")
	flag.DurationVar(&c.Checkpoint, "checkpoint", 10*time.Second, "between two checkpoints; 0: the next attempt does not find them")
	flag.DurationVar(&c.Join, "join", 50*time.Millisecond, "time of joining, for a shard")
	flag.Float64Var(&c.Failing, "failing", 0.05, "share of attempts that fail")
	flag.Float64Var(&c.Slow, "slow", 0.05, "share of attempts on a slow machine")
	flag.Float64Var(&c.Factor, "factor", 4, "how many times as long those take")
	flag.BoolVar(&c.Remote, "remote", false, "the output is in an object store")
	flag.Uint64Var(&c.Seed, "seed", 0, "of chance")
	flag.Parse()
	o, err := simulate.Run(c)
	if err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(2)
	}
	share := func(d time.Duration) string {
		return fmt.Sprintf("%.2f %% of the work", 100*d.Seconds()/o.Busy.Seconds())
	}
	fmt.Printf("wall         %v, %.3f times the ideal %v\n", o.Wall.Round(time.Second), o.Wall.Seconds()/o.Ideal.Seconds(), o.Ideal.Round(time.Second))
	fmt.Printf("work         %.0f task hours\n", o.Busy.Hours())
	fmt.Printf("lost         %.1f task hours, %s\n", o.Lost.Hours(), share(o.Lost))
	fmt.Printf("slow         %.1f task hours, %s\n", o.Slowed.Hours(), share(o.Slowed))
	fmt.Printf("attempts     %d, of which %d failed; %d tasks failed too often\n", o.Attempts, o.Failures, o.Resubmitted)
	fmt.Printf("looks        %d\n", o.Looks)
}
