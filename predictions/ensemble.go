package predictions

import (
	"errors"
	"fmt"
	"io"

	"github.com/augmix-go/augmix/metrics"
)

// ensemble is the mean of the probabilities of several files of the same samples.
type ensemble struct {
	members []*member
	chunk   Batch // rows that all members have in memory
}

// member is a file of an ensemble, and what was read of it and not yet given away.
type member struct {
	*Reader
	batch Batch
	used  int // rows of batch
}

// openEnsemble opens a file and those of Options.With. What only the mean must fit, such as labels of a file, is for the reader of the mean.
func openEnsemble(path string, opt Options) (source, info, error) {
	e := &ensemble{}
	about, err := e.open(append([]Part{{Path: path, Array: opt.Array}}, opt.With...), opt)
	if err != nil {
		return nil, info{}, errors.Join(err, e.Close())
	}
	return e, about, nil
}

func (e *ensemble) open(parts []Part, opt Options) (about info, err error) {
	for i := range parts {
		one := Options{Kind: opt.Kind, Array: parts[i].Array, Predicted: true, Unlabeled: opt.Unlabeled}
		r, err := Open(parts[i].Path, one)
		if err != nil {
			return about, err
		}
		e.members = append(e.members, &member{Reader: r})
		if r.kind == Classes {
			return about, fmt.Errorf("%w: %s has predicted classes alone; an ensemble is of logits or probabilities", ErrKind, r.path)
		}
		first := e.members[0].Reader
		switch {
		case r.classes != first.classes:
			return about, fmt.Errorf("%w: %s has %d classes, %s %d", ErrEnsemble, r.path, r.classes, first.path, first.classes)
		case r.frames != first.frames:
			return about, fmt.Errorf("%w: %s has %d frames a video, %s %d", ErrEnsemble, r.path, r.frames, first.path, first.frames)
		case r.rows >= 0 && first.rows >= 0 && r.rows != first.rows:
			return about, fmt.Errorf("%w: %s has %d rows, %s %d", ErrEnsemble, r.path, r.rows, first.path, first.rows)
		}
		if i == 0 {
			about = r.info
		}
		about.rows = max(about.rows, r.rows)
		about.labels, about.ids = about.labels || r.labels, about.ids || r.ids
	}
	about.kind = Probs
	return about, nil
}

func (e *ensemble) next(b *Batch, most int) error {
	b.Classes = e.members[0].classes
	for b.Rows < most {
		n, err := e.ready(most - b.Rows)
		if err == io.EOF && b.Rows > 0 {
			return nil
		}
		if err != nil {
			return err
		}
		c := &e.chunk
		c.reset()
		c.Rows, c.Classes = n, b.Classes
		c.F64 = append(c.F64, make([]float64, n*c.Classes)...)
		for _, m := range e.members {
			if err := m.add(c); err != nil {
				return err
			}
			m.used += n
		}
		for _, sum := range c.F64 {
			b.F64 = append(b.F64, sum/float64(len(e.members)))
		}
		b.Labels, b.IDs = append(b.Labels, c.Labels...), append(b.IDs, c.IDs...)
		b.Rows += n
	}
	return nil
}

// ready returns how many rows, at most so many, every member has in memory, and reads more where one has none.
func (e *ensemble) ready(n int) (int, error) {
	ended := 0
	for _, m := range e.members {
		if m.used == m.batch.Rows {
			m.used = 0
			switch err := m.Next(&m.batch); {
			case errors.Is(err, io.EOF):
				m.batch.reset()
				ended++
				continue
			case err != nil:
				return 0, err
			}
		}
		n = min(n, m.batch.Rows-m.used)
	}
	switch {
	case ended == len(e.members):
		return 0, io.EOF
	case ended > 0:
		return 0, e.uneven()
	}
	return n, nil
}

// uneven names a file that ended before another.
func (e *ensemble) uneven() error {
	short, long := e.members[0], e.members[0]
	for _, m := range e.members {
		if m.batch.Rows == 0 {
			short = m
		} else {
			long = m
		}
	}
	return fmt.Errorf("%w: %s ends after %d rows, %s does not", ErrEnsemble, short.path, short.row, long.path)
}

// add adds the probabilities of the member's next rows, and compares their labels and ids with those of the members before.
func (m *member) add(b *Batch) error {
	from, to := m.used, m.used+b.Rows
	var err error
	if len(m.batch.F32) > 0 {
		err = addRows(b, m, m.batch.F32[from*b.Classes:])
	} else {
		err = addRows(b, m, m.batch.F64[from*b.Classes:])
	}
	if err == nil && len(m.batch.Labels) > 0 {
		err = same(m, &b.Labels, m.batch.Labels[from:to], "label")
	}
	if err == nil && len(m.batch.IDs) > 0 {
		err = same(m, &b.IDs, m.batch.IDs[from:to], "id")
	}
	return err
}

func addRows[F metrics.Float](b *Batch, m *member, rows []F) error {
	add := metrics.AddSoftmax[F]
	if m.kind == Probs {
		add = metrics.AddProbs[F]
	}
	for i := range b.Rows {
		if err := add(b.F64[i*b.Classes:][:b.Classes], m.batch.First+m.used+i, rows[i*b.Classes:][:b.Classes]); err != nil {
			return fmt.Errorf("%s: %w", m.path, err)
		}
	}
	return nil
}

// same takes what a member says of rows, or compares it with what is known.
func same[T comparable](m *member, known *[]T, says []T, what string) error {
	if len(*known) == 0 {
		*known = append(*known, says...)
		return nil
	}
	for i := range says {
		if says[i] != (*known)[i] {
			return fmt.Errorf("%w: row %d of %s has another %s than the file before it", ErrEnsemble, m.batch.First+m.used+i, m.path, what)
		}
	}
	return nil
}

func (e *ensemble) Close() error {
	var err error
	for _, m := range e.members {
		err = errors.Join(err, m.Reader.Close())
	}
	return err
}
