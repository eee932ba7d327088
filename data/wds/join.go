package wds

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/augmix-go/augmix/data"
)

// Join writes the samples of shards, plain tar files that a [Sink] made of consecutive parts of a data set, into the folder
// dir, in the given order: the same shards as of a Sink that got all samples, each with o.PerShard of them. Shards of the
// same prefix that lie in dir are replaced. It returns the paths of the new ones.
func Join(dir string, shards []string, o SinkOptions) ([]string, error) {
	o.setDefaults()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the folder of shards: %w", err)
	}
	j := joiner{Sink: &Sink{dir: dir, o: o, seen: newKeySet()}}
	j.st.PerShard = o.PerShard
	for _, name := range shards {
		if err := j.add(name); err != nil {
			return nil, errors.Join(err, j.Abort())
		}
	}
	if err := j.finish(); err != nil {
		return nil, errors.Join(err, j.Abort())
	}
	var names []string
	for _, f := range j.Finished() {
		names = append(names, f.Path)
	}
	return names, nil
}

// joiner is a Sink that takes entries as they are.
type joiner struct{ *Sink }

// add copies the entries of a shard.
func (j *joiner) add(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("cannot open the shard: %w", err)
	}
	defer f.Close()
	w := newWalker(name, &fileReader{f: f}, Options{})
	last := ""
	for {
		e, err := w.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if e.key != last {
			if last = e.key; !j.seen.add(e.key) {
				return fmt.Errorf("cannot write to %s: two samples have the key %q (%w)", j.dir, e.key, fs.ErrExist)
			}
			if err := j.begin(); err != nil {
				return err
			}
		}
		if j.buf, err = readInto(j.buf, w, e.size); err != nil {
			return err
		}
		if err := j.entry(e.name, j.buf); err != nil {
			return err
		}
	}
}

// begin makes room for another sample.
func (j *joiner) begin() error {
	if j.f != nil && j.st.Count == j.o.PerShard {
		if err := j.finishShard(); err != nil {
			return err
		}
	}
	if j.f == nil {
		f, err := data.CreatePartial(j.path(j.st.Shard))
		if err != nil {
			return err
		}
		j.fill(f)
	}
	j.st.Count++
	return nil
}
