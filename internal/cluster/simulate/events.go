package simulate

import (
	"container/heap"
	"time"
)

// event is the end of an attempt, or a task that may be tried again.
type event struct {
	time   time.Duration
	number int // of the event: of two at one time the one that was planned first comes first
	task   *task
	end    bool
}

// events are those to come, a heap.
type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].time < e[j].time || e[i].time == e[j].time && e[i].number < e[j].number
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}

// at plans an event.
func (s *simulation) at(t time.Duration, k *task, end bool) {
	s.planned++
	heap.Push(&s.events, event{t, s.planned, k, end})
}
