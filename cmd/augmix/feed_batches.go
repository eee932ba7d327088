package main

import (
	"context"

	"github.com/augmix-go/augmix/feed"
	"github.com/augmix-go/augmix/internal/feedwire"
	"github.com/augmix-go/augmix/internal/terminal"
)

// slots returns how many slots fit in --memory: two at least, so that one is made while the other is used.
func (c *feedCmd) slots(l *feed.Slot) int {
	if c.Memory == 0 {
		return c.Slots
	}
	return min(c.Slots, max(2, int(int64(c.Memory)/int64(feedwire.SlotBytes(l.Bytes)))))
}

// hello describes the feed.
func (c *feedCmd) hello(l *feed.Loader) *feedwire.Hello {
	o := l.Options()
	h := &feedwire.Hello{
		Version: build().Version, Samples: l.Samples(), Batches: l.Batches(), Classes: l.Classes(), Rank: o.Rank,
		WorldSize: o.WorldSize, Batch: o.Batch, Views: o.Views, Tail: o.Tail.String(), Epochs: o.Epochs,
		Epoch: l.Position().Epoch, Position: l.Position().Samples, Seed: o.Seed, Layout: o.Layout.String(),
		Mean: o.Norm.Mean[:], Std: o.Norm.Std[:], Fingerprint: l.Fingerprint(),
	}
	if forms := l.Forms(); forms != nil {
		h.Forms = forms
	}
	h.Fields = fieldsOf(l.Layout())
	return h
}

// fieldsOf are the arrays of a slot, counted from its beginning.
func fieldsOf(s *feed.Slot) (fields []feedwire.Field) {
	for _, f := range s.Fields {
		f.Offset += feedwire.ContentsOffset
		fields = append(fields, feedwire.Field(f))
	}
	return fields
}

// feeder makes messages of a loader's batches.
type feeder struct {
	loader *feed.Loader
	end    epochEnd
}

// epochEnd is the body of the message at the end of an epoch.
type epochEnd struct {
	Epoch   int `json:"epoch"`
	Samples int `json:"samples"` // of this process since it began or the epoch did
	Refused int `json:"refused"`
}

// refusal is the body of the message about a refused sample.
type refusal struct {
	Index  int    `json:"index"`
	Key    string `json:"key"`
	File   string `json:"file"`
	Reason string `json:"reason"`
}

func (f *feeder) next(ctx context.Context, contents []byte) (*feedwire.Batch, error) {
	b, err := f.loader.Next(ctx, contents)
	if err != nil {
		return nil, err
	}
	out := &feedwire.Batch{Epoch: b.Epoch, Index: b.Index, N: b.N}
	for _, r := range b.Refused {
		out.Before = append(out.Before, feedwire.Note{
			Kind: feedwire.KindWarn, Epoch: b.Epoch, Body: refusal{r.Index, r.Key, r.Name, terminal.OneLine(r.Reason)},
		})
	}
	f.end.Epoch, f.end.Samples, f.end.Refused = b.Epoch, f.end.Samples+b.N, f.end.Refused+len(b.Refused)
	if b.Last {
		out.After = []feedwire.Note{{Kind: feedwire.KindEpoch, Epoch: b.Epoch, Body: f.end}}
		f.end = epochEnd{}
	}
	return out, nil
}
