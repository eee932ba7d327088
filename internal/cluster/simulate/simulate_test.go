package simulate

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// fate is what a test says of an attempt.
type fate struct {
	fails         bool
	after, factor float64
}

const sec, ms = time.Second, time.Millisecond

// TestByHand: 10 samples of a second in 4 shards of 2, 3, 2 and 3, and starts of a second.
func TestByHand(t *testing.T) {
	type attempt struct{ shard, attempt int }
	for _, test := range []struct {
		name  string
		c     Config
		fates map[attempt]fate
		want  Outcome
	}{
		{
			// 0 from 0 to 3, 1 from 0 to 4, 2 from 3 to 6, 3 from 4 to 8; joined until 12.
			"nothing fails",
			Config{Slots: 2, Join: time.Second},
			nil,
			Outcome{Wall: 12 * sec, Ideal: 5 * sec, Busy: 18 * sec, Attempts: 4, Looks: 16},
		},
		{
			// 1 fails at 1+1.5 and is put last: 0 to 3, 2 from 2.5 to 5.5, 3 from 3 to 7, 1 again from 5.5 to 9.5.
			"one fails and loses all",
			Config{Slots: 2},
			map[attempt]fate{{1, 0}: {true, 0.5, 1}},
			Outcome{Wall: 9500 * ms, Ideal: 5 * sec, Busy: 3*sec + 2500*ms + 3*sec + 4*sec + 4*sec, Lost: 2500 * ms, Attempts: 5, Failures: 1, Looks: 16},
		},
		{
			// A second of it was kept: 1 again from 5.5 to 8.5.
			"with checkpoints",
			Config{Slots: 2, Checkpoint: time.Second},
			map[attempt]fate{{1, 0}: {true, 0.5, 1}},
			Outcome{Wall: 8500 * ms, Ideal: 5 * sec, Busy: 3*sec + 2500*ms + 3*sec + 4*sec + 3*sec, Lost: 1500 * ms, Attempts: 5, Failures: 1, Looks: 16},
		},
		{
			// 3 takes 1+3*4, the others 3, 4 and 3.
			"a slow machine",
			Config{Slots: 4},
			map[attempt]fate{{3, 0}: {false, 0, 4}},
			Outcome{Wall: 13 * sec, Ideal: 2500 * ms, Busy: (3 + 4 + 3 + 13) * sec, Slowed: 9 * sec, Attempts: 4, Looks: 16},
		},
		{
			// 0 fails at once, at 1, 12, 23 and 34; ten minutes later it is submitted again and takes 3. Four look at a list, the last at
			// every manifest too.
			"too often",
			Config{Slots: 4, Requeue: 10 * time.Second, Resubmit: 10 * time.Minute, Remote: true},
			map[attempt]fate{{0, 0}: {true, 0, 1}, {0, 1}: {true, 0, 1}, {0, 2}: {true, 0, 1}, {0, 3}: {true, 0, 1}},
			Outcome{Wall: (34 + 600 + 3) * sec, Ideal: 2500 * ms, Busy: (4 + 3 + 4 + 3 + 4) * sec, Lost: 4 * sec, Attempts: 8, Failures: 4, Resubmitted: 1, Looks: 4 + 4},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.c.Samples, test.c.Shards, test.c.Sample, test.c.Start = 10, 4, time.Second, time.Second
			got := test.c.run(func(shard, n int) (bool, float64, float64) {
				if f, ok := test.fates[attempt{shard, n}]; ok {
					return f.fails, f.after, f.factor
				}
				return false, 0, 1
			})
			if got != test.want {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}

// TestKeyed: the same parameters give the same, work is neither lost nor made, and more failures cost more.
func TestKeyed(t *testing.T) {
	c := Config{
		Samples: 100_003, Shards: 100, Slots: 7, Sample: time.Millisecond, Start: time.Second, Failing: 0.2, Slow: 0.1, Factor: 3,
		Checkpoint: 100 * time.Millisecond, Requeue: time.Second, Resubmit: time.Minute, Seed: 3,
	}
	run := func(c Config) Outcome {
		t.Helper()
		o, err := Run(c)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	one := run(c)
	if two := run(c); one != two {
		t.Errorf("%+v, then %+v", one, two)
	}
	work := time.Duration(c.Samples)*c.Sample + time.Duration(c.Shards)*c.Start
	if got := one.Busy - one.Lost - one.Slowed; (got - work).Abs() > time.Microsecond {
		t.Errorf("useful work %v, want %v", got, work)
	}
	if one.Attempts != c.Shards+one.Failures || one.Failures == 0 {
		t.Errorf("%+v", one)
	}
	c.Checkpoint = 0
	if without := run(c); without.Failures != one.Failures || without.Lost <= one.Lost {
		t.Errorf("without checkpoints %+v, with %+v", without, one)
	}
}

func TestErrors(t *testing.T) {
	good := Config{Samples: 1, Shards: 1, Slots: 1}
	for _, change := range []func(*Config){
		func(c *Config) { c.Samples = 0 }, func(c *Config) { c.Shards = 0 }, func(c *Config) { c.Shards = 1 << 17 }, func(c *Config) { c.Slots = 0 },
		func(c *Config) { c.Failing = 1 }, func(c *Config) { c.Slow = 2 }, func(c *Config) { c.Slow = 0.5 }, func(c *Config) { c.Start = -1 },
	} {
		c := good
		change(&c)
		if _, err := Run(c); !errors.Is(err, ErrConfig) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A hundred shards of a thousand images on ten machines, every twentieth attempt of which fails.
func ExampleRun() {
	o, err := Run(Config{
		Samples: 100_000, Shards: 100, Slots: 10, Sample: 10 * time.Millisecond, Start: time.Second, Checkpoint: 10 * time.Second, Failing: 0.05,
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(o.Ideal, "at best,", o.Failures, "failures")
	// Output: 1m40s at best, 10 failures
}
