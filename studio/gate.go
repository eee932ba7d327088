package studio

import (
	"context"
	"errors"
	"sync/atomic"
)

// errBusy: more requests wait than a page sends.
var errBusy = errors.New("too many requests wait; try again in a moment")

// maxWaiting bounds the requests that wait for a turn.
const maxWaiting = 512

// gate lets a few renders run at a time. A request that is dropped gives its place in the line away.
type gate struct {
	turns   chan struct{}
	waiting *atomic.Int64
}

func newGate(n int) gate { return gate{make(chan struct{}, n), new(atomic.Int64)} }

// enter waits for a turn, which leave gives back. The error is that of ctx, or errBusy.
func (g *gate) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer g.waiting.Add(-1)
	if g.waiting.Add(1) > maxWaiting {
		return errBusy
	}
	select {
	case g.turns <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *gate) leave() { <-g.turns }
