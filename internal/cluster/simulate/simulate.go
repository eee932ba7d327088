// Package simulate says what an array of tasks costs that fail and are slow, without making an image: how long it takes by the
// clock and how much work is done twice. Shards have the samples that package generate gives them and are tried again as often as
// the job files of package cluster do; a task that ends looks for the other shards as generate does, and the last one joins them.
// Chance is keyed by seed, shard and attempt, so that one change of a parameter leaves everything else as it was.
//
// In this model a node runs one task at a time; an attempt fails at a point that any part of its work is as likely to hold;
// the task that joins does not fail.
package simulate

import (
	"container/heap"
	"errors"
	"fmt"
	"time"

	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/cluster"
	"github.com/augmix-go/augmix/rng"
)

// ErrConfig: parameters that cannot be.
var ErrConfig = errors.New("bad simulation")

// Config is an array of tasks and the machines that it meets.
type Config struct {
	Samples int           // of the data set
	Shards  int           // tasks, 1 to 65,536
	Slots   int           // tasks that run at once
	Sample  time.Duration // that a task takes for a sample
	Start   time.Duration // of a task, before its first sample
	Requeue time.Duration // from a failure to the next attempt
	// Resubmit is how long it takes until somebody submits the tasks again that have failed too often, when all others are done.
	Resubmit time.Duration
	// Checkpoint is how often a task notes what is done; what came after the last is lost with it. 0: all of it, as where the next
	// attempt does not find the folder of this one.
	Checkpoint time.Duration

	Failing float64 // share of attempts that fail, 0 to 0.9
	Slow    float64 // share of attempts on a slow machine, 0 to 1
	Factor  float64 // how many times as long those take, 1 and up

	Join   time.Duration // that the last task takes for a shard, joining
	Remote bool          // the output is in an object store
	Seed   uint64
}

// Outcome is what became of an array.
type Outcome struct {
	Wall   time.Duration // until the output is complete
	Ideal  time.Duration // of samples alone, evenly on all slots
	Busy   time.Duration // of all slots together
	Lost   time.Duration // of it, in attempts that failed: what no checkpoint kept, and their starts
	Slowed time.Duration // of it, what slow machines took longer

	Attempts, Failures int
	Resubmitted        int // tasks that failed too often
	Looks              int // requests by which tasks looked whether the other shards are complete
}

// draw is the fate of an attempt: whether it fails, after which part of its work, and how many times as long that takes.
type draw func(shard, attempt int) (fails bool, after, factor float64)

// Run simulates. The error wraps ErrConfig.
func Run(c Config) (Outcome, error) {
	if err := c.check(); err != nil {
		return Outcome{}, err
	}
	key := rng.NewKey(c.Seed).Str("simulate")
	return c.run(func(shard, attempt int) (bool, float64, float64) {
		r := key.Uint(uint64(shard)).Uint(uint64(attempt)).Rand()
		fails, after, factor := r.Float64() < c.Failing, r.Float64(), 1.0
		if r.Float64() < c.Slow {
			factor = c.Factor
		}
		return fails, after, factor
	}), nil
}

func (c Config) check() error {
	if _, err := generate.ParseShard(fmt.Sprintf("0/%d", c.Shards)); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	for _, t := range []time.Duration{c.Sample, c.Start, c.Requeue, c.Resubmit, c.Checkpoint, c.Join} {
		if t < 0 {
			return fmt.Errorf("%w: a time of %v (allowed: 0 and up)", ErrConfig, t)
		}
	}
	switch {
	case c.Samples < 1 || c.Slots < 1:
		return fmt.Errorf("%w: %d samples, %d slots (allowed: 1 and up)", ErrConfig, c.Samples, c.Slots)
	case !(c.Failing >= 0 && c.Failing <= 0.9):
		return fmt.Errorf("%w: a share of %v fails (allowed: 0 to 0.9)", ErrConfig, c.Failing)
	case !(c.Slow >= 0 && c.Slow <= 1) || c.Slow > 0 && !(c.Factor >= 1):
		return fmt.Errorf("%w: a share of %v is slow by %v (allowed: 0 to 1, by 1 and up)", ErrConfig, c.Slow, c.Factor)
	}
	return nil
}

// task is a shard that is not complete.
type task struct {
	shard   int
	attempt int           // in all
	tries   int           // since it was submitted
	left    time.Duration // work, on a machine that is not slow
	failed  bool          // the attempt under way will fail
}

// simulation is a Config under way.
type simulation struct {
	Config
	Outcome
	draw   draw
	events events
	queue  []*task
	tasks  []task
	free   int // slots
	done   int // shards
	lost   []*task
	now    time.Duration
	// planned counts events.
	planned int
}

func (c Config) run(d draw) Outcome {
	s := &simulation{Config: c, draw: d, tasks: make([]task, c.Shards), free: c.Slots}
	s.Ideal = time.Duration(c.Samples) * c.Sample / time.Duration(c.Slots)
	for i := range s.tasks {
		from, to := generate.Shard{Index: i, Count: c.Shards}.Range(c.Samples)
		s.tasks[i] = task{shard: i, left: time.Duration(to-from) * c.Sample}
		s.queue = append(s.queue, &s.tasks[i])
	}
	s.startAll()
	for s.done < c.Shards {
		if len(s.events) == 0 { // all that is left has failed too often
			for _, t := range s.lost {
				t.tries = 0
				s.at(s.now+c.Resubmit, t, false)
			}
			s.Resubmitted += len(s.lost)
			s.lost = nil
		}
		e := heap.Pop(&s.events).(event)
		s.now = e.time
		if e.end {
			s.end(e.task)
		} else {
			s.queue = append(s.queue, e.task)
		}
		s.startAll()
	}
	s.Wall = s.now + time.Duration(c.Shards)*c.Join
	s.Busy += s.Wall - s.now
	return s.Outcome
}

// startAll gives tasks that wait to slots that are free.
func (s *simulation) startAll() {
	for s.free > 0 && len(s.queue) > 0 {
		t := s.queue[0]
		s.queue = s.queue[1:]
		s.free--
		s.start(t)
	}
}

func (s *simulation) start(t *task) {
	fails, after, factor := s.draw(t.shard, t.attempt)
	t.attempt++
	t.tries++
	s.Attempts++
	work := t.left
	if t.failed = fails; fails {
		work = scale(t.left, after)
	}
	took := scale(work, factor)
	kept := work
	if fails {
		s.Failures++
		kept = 0
		if s.Checkpoint > 0 {
			kept = min(scale(took/s.Checkpoint*s.Checkpoint, 1/factor), work)
		}
		s.Lost += s.Start + took - scale(kept, factor)
	}
	s.Slowed += scale(kept, factor) - kept
	t.left -= kept
	s.Busy += s.Start + took
	s.at(s.now+s.Start+took, t, true)
}

// end is the end of an attempt.
func (s *simulation) end(t *task) {
	s.free++
	switch {
	case !t.failed:
		s.done++
		s.look()
	case t.tries <= cluster.Retries:
		s.at(s.now+s.Requeue, t, false)
	default:
		s.lost = append(s.lost, t)
	}
}

// look counts what a task that has done its shard asks to know whether it is the last: on a disk for the manifest of every
// shard, in a store for a list of shards, by 1,000, and for every manifest only when all shards have begun to be published, which
// they do when they are done.
func (s *simulation) look() {
	switch {
	case !s.Remote:
		s.Looks += s.Shards
	case s.done < s.Shards:
		s.Looks += (s.Shards + 999) / 1000
	default:
		s.Looks += (s.Shards+999)/1000 + s.Shards
	}
}

func scale(d time.Duration, by float64) time.Duration { return time.Duration(float64(d) * by) }
