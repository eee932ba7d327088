package generate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/data/wds"
	"github.com/augmix-go/augmix/internal/npy"
)

// ErrShards: parts of a data set that was made in shards are not there, or do not fit each other.
var ErrShards = errors.New("shards incomplete")

// RunShard does the job for one shard of its source, of which total samples are known, and completes the output when it
// is the last. Every shard is written to OUT/.augmix/shard-I-of-N as a data set of its own, so that processes need
// nothing of each other, and on machines without a common disk these folders may be copied into one OUT afterwards. When
// all are there, [Join] makes the output of them; it has the bytes of a run in one piece. What is written as one file, arrays
// and the tar files of WebDatasets, is copied for that, which takes as much room again until it is done.
//
// task returns the job's Task for a folder and the most samples that come there; j.Task may be nil. Force does not go
// with shards: a process cannot know whether what it finds is an earlier run's or its neighbor's. waiting lists the
// shards that are not complete yet. A shard that is all of the source is done as [Run] does the job.
func RunShard(ctx context.Context, j Job, sh Shard, total int, task func(dir string, samples int) Task) (
	res Result, waiting []string, err error,
) {
	if err := sh.check(); err != nil {
		return Result{}, nil, err
	}
	out := j.Out
	if j.Task == nil && task != nil {
		j.Task = task(out.Local().Path, total) // which says what an earlier run must have been of
	}
	if sh.Whole() {
		res, err = Run(ctx, j)
		return res, nil, err
	}
	if err := j.checkShards(total); err != nil {
		return Result{}, nil, err
	}
	if err := j.apart(); err != nil {
		return Result{}, nil, err
	}
	if out.remote() {
		return runShardRemote(ctx, j, sh, total, task)
	}
	r := &run{Job: j}
	if _, err := r.complete(ctx); err != nil || r.already {
		return r.result(), nil, err
	}
	if exists(filepath.Join(out.state(), joiningName)) { // all shards are done, and a Join was cut off or is at work
		r.manifest, waiting, err = Join(ctx, out, j.Workers)
		return r.result(), waiting, err
	}
	if exists(out.journal()) {
		return Result{}, nil, differs(out.Path, "unfinished", Difference{"shards", notSet, sh.String()})
	}
	if err := out.vacant(nil); err != nil {
		if _, err := r.complete(ctx); err != nil || r.already { // the last shards' process has joined them since
			return r.result(), nil, err
		}
		return Result{}, nil, err
	}
	if err := out.checkPlain(); err != nil {
		return Result{}, nil, err
	}
	if n, err := countShards(out); err != nil {
		return Result{}, nil, err
	} else if n != 0 && n != sh.Count {
		return Result{}, nil, differs(out.Path, "unfinished", Difference{"shards", fmt.Sprint(n), fmt.Sprint(sh.Count)})
	}
	if err := j.likeOthers(sh); err != nil {
		return Result{}, nil, err
	}
	if err := r.checkEmpty(total); err != nil {
		return Result{}, nil, err
	}
	j.Out = Output{Path: out.shard(sh)}
	if res, err = j.runPart(ctx, sh, total, task); err != nil {
		return res, nil, err
	}
	return joinLast(ctx, res, out, j.Workers)
}

// joinLast joins the shards of out after one, of the result res, unless others are waited for or the process of another does it.
func joinLast(ctx context.Context, res Result, out Output, workers int) (Result, []string, error) {
	m, waiting, err := Join(ctx, out, workers)
	if errors.Is(err, ErrBusy) {
		return res, nil, nil
	}
	if m != nil {
		res.Manifest = m
	}
	return res, waiting, err
}

// checkShards returns an error where the job cannot be done by shards of so many samples.
func (j *Job) checkShards(total int) error {
	if err := CheckShards(j.Out, j.Force); err != nil {
		return err
	}
	if total < 0 {
		return fmt.Errorf("%w: shards of %d samples (allowed: 0 or more)", ErrOption, total)
	}
	return j.checkTask()
}

// likeOthers returns an error that wraps ErrDiffers where another shard is complete and was made with other options: who finds out when
// all are made has made this one in vain.
func (j *Job) likeOthers(sh Shard) error {
	for i := range sh.Count {
		other := Output{Path: j.Out.shard(Shard{i, sh.Count})}
		m, err := ReadManifest(other)
		if i == sh.Index || err != nil { // joining says what is wrong with it
			continue
		}
		if d := m.basis().changes(diff(m.options(), j.Options), j.basis()); len(d) > 0 {
			return differs(other.Path, "complete", d...)
		}
	}
	return nil
}

// CheckShards returns the error, which wraps ErrOption, with which [RunShard] refuses every shard of an output that cannot be made of
// them. force is the job's Force.
func CheckShards(out Output, force bool) error {
	switch {
	case force:
		return fmt.Errorf("%w: starting over does not go with shards; remove %s first", ErrOption, cmp.Or(out.Path, "what is there"))
	case out.File || out.stream():
		return fmt.Errorf("%w: shards of %s, which is no folder (allowed: an output that is one)", ErrOption, cmp.Or(out.Path, "a stream"))
	}
	return nil
}

// runPart does the job for one shard, to j.Out.
func (j Job) runPart(ctx context.Context, sh Shard, total int, task func(dir string, samples int) Task) (Result, error) {
	whole, err := data.TakeFingerprint(j.Source)
	if err != nil {
		return Result{}, err
	}
	if whole.Content, err = data.Glance(j.Source); err != nil { // the other shards may have a copy, with other times
		return Result{}, err
	}
	from, to := sh.Range(total)
	j.shard, j.whole, j.PartTask = sh.String(), &whole, nil // parts do not get more of them, only what is joined
	j.Source = data.Slice(j.Source, from, to)
	j.Task = task(j.Out.Path, to-from)
	return Run(ctx, j)
}

// shard is the folder of one shard of an output.
func (p Output) shard(sh Shard) string {
	return storage.Join(p.state(), fmt.Sprintf(data.ShardPrefix+"%d-of-%d", sh.Index, sh.Count))
}

// countShards returns into how many parts the output was divided by the runs that left something there, 0 when none did.
func countShards(p Output) (int, error) {
	entries, err := storage.ReadDir(p.state())
	if err != nil {
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // the output is no folder
			return 0, nil
		}
		return 0, err
	}
	n := 0
	for _, e := range entries {
		var i, count int
		if k, _ := fmt.Sscanf(e.Name(), data.ShardPrefix+"%d-of-%d", &i, &count); k != 2 {
			continue
		}
		if n != 0 && n != count || count < 2 || count > maxShards {
			return 0, fmt.Errorf("%w: %s holds shards of several runs (%s)", ErrShards, p.state(), e.Name())
		}
		n = count
	}
	return n, nil
}

// Sharded reports whether runs by shards have left something that is not one output yet.
func Sharded(p Output) bool {
	n, err := countShards(p)
	return n > 0 || err != nil
}

// Join makes one output of the shards at out when all are complete, and removes them. Until then it returns the missing
// ones and does nothing. A shard whose files are not those of its manifest is an error that wraps ErrDamaged, one under another's name
// wraps ErrShards; nothing is moved or removed then. It resumes where an earlier Join was cut off. Of several at once one does the work; the others
// return ErrBusy, or nothing at all when it is done before they look. Workers 0 are as many as there are cores.
//
// Shards beside a complete output are of an earlier run that was cut off at its end, or that another has started over from: they are
// removed, and never put together over it.
func Join(ctx context.Context, out Output, workers int) (m *Manifest, missing []string, err error) {
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	n, err := countShards(out)
	if n == 0 && err == nil {
		return nil, nil, nil
	}
	if over, err := joinedAlready(ctx, out); over || err != nil {
		return nil, nil, err
	}
	if err != nil {
		return nil, nil, err
	}
	if missing := incomplete(out, n); len(missing) > 0 {
		return nil, missing, nil
	}
	if out.remote() {
		m, err := joinRemote(ctx, out, n, workers)
		return m, nil, err
	}
	lock, err := out.lock()
	if err != nil {
		return nil, nil, err
	}
	defer lock.Close()
	if missing := incomplete(out, n); len(missing) > 0 { // another process has joined them since
		if exists(out.Record(ManifestName)) {
			err = out.removeState()
		}
		return nil, nil, err
	}
	parts, err := readShards(out, n)
	if err != nil {
		return nil, nil, err
	}
	if !exists(filepath.Join(out.state(), joiningName)) { // else what is moved already is missing in its part
		if err := checkFiles(ctx, out, n, workers); err != nil {
			return nil, nil, err
		}
	}
	if m, err = join(ctx, out, parts, workers); err != nil {
		return nil, nil, err
	}
	return m, nil, out.removeState()
}

// JoinAll does [Join] for the outputs at path: the one that path is, or those of several epochs, path/epoch-NAME. joined is called with each
// that was made. One that cannot be joined does not keep the others from it: the error, which wraps ErrShards where parts are not done, is
// of all that are left. A path at which no run by shards has left anything is none. Parts that a run was laying to a complete output when it
// was killed are put to it too.
func JoinAll(ctx context.Context, path string, workers int, joined func(Output, *Manifest)) error {
	var errs []error
	for _, p := range outputsAt(path, Sharded) {
		m, missing, err := Join(ctx, p, workers)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case len(missing) > 0:
			err = fmt.Errorf("%s is %w: parts that are not done: %s", p.Path, ErrShards, strings.Join(missing, ", "))
		case err == nil && m != nil:
			joined(p, m)
		}
		errs = append(errs, err)
	}
	for _, p := range outputsAt(path, Output.moving) {
		m, err := finishMove(p)
		if err == nil {
			joined(p, m)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// joinedAlready reports whether the output is complete, and removes the shards there then. A Join on this machine that has set its mark
// goes on.
func joinedAlready(ctx context.Context, out Output) (bool, error) {
	switch _, err := storage.Stat(out.Record(ManifestName)); {
	case errors.Is(err, os.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case out.remote():
		return true, removeShards(ctx, out)
	}
	if exists(filepath.Join(out.state(), joiningName)) {
		return false, nil
	}
	lock, err := out.lock()
	if err != nil {
		return true, err
	}
	defer lock.Close()
	if exists(out.more().Path) {
		return true, out.clearShards()
	}
	return true, out.removeState()
}

// incomplete lists the shards without a manifest.
func incomplete(out Output, n int) []string {
	var names []string
	begun := map[string]bool{}
	if out.remote() { // a request for a thousand: that of each is asked for only when all have begun
		entries, err := storage.ReadDir(out.state())
		for _, e := range entries {
			begun[e.Name()] = true
		}
		for i := range n {
			if sh := (Shard{i, n}); err == nil && !begun[path.Base(out.shard(sh))] {
				names = append(names, sh.String())
			}
		}
		if names != nil {
			return names
		}
	}
	for i := range n {
		sh := Shard{i, n}
		if !exists(storage.Join(out.shard(sh), ManifestName)) {
			names = append(names, sh.String())
		}
	}
	return names
}

// joiningName marks an output where a Join has begun: files under final names are its own from then on.
const joiningName = "joining"

// join moves and concatenates the files of the shards into the output and writes its manifest.
func join(ctx context.Context, out Output, parts []*Manifest, workers int) (*Manifest, error) {
	mark := filepath.Join(out.state(), joiningName)
	if !exists(mark) {
		if err := out.vacant(nil); err != nil {
			return nil, err
		}
		if err := data.WriteFileAtomic(mark, nil); err != nil {
			return nil, err
		}
	}
	owners := map[string][]int{} // shards that have a file
	sums := map[string]File{}    // of the last of them
	var names, folders []string  // of all files but tar files, and of those
	tars := map[string][]string{}
	for i, m := range parts {
		for _, f := range m.Files {
			if path.Ext(f.Path) == ".tar" && !m.AsIs {
				dir := path.Dir(f.Path)
				if tars[dir] == nil {
					folders = append(folders, dir)
				}
				tars[dir] = append(tars[dir], filepath.Join(out.shard(Shard{i, len(parts)}), filepath.FromSlash(f.Path)))
				continue
			}
			if owners[f.Path] == nil {
				names = append(names, f.Path)
			}
			owners[f.Path], sums[f.Path] = append(owners[f.Path], i), f
		}
	}
	names, err := dropLists(out, parts, names, owners)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	known := map[string]File{} // what is moved: checked before the mark was set
	for _, name := range names {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if isMoved(parts, name, owners[name]) {
			known[name] = sums[name]
		}
		if err := joinFile(out, parts, name, owners[name]); err != nil {
			return nil, err
		}
	}
	for _, dir := range folders {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		made, err := joinTars(out, dir, tars[dir], parts[0].PerShard)
		if err != nil {
			return nil, err
		}
		names = append(names, made...)
	}
	slices.Sort(names)
	if err := joinFolders(out, parts); err != nil {
		return nil, err
	}
	for _, name := range parts[0].Records {
		if err := joinCopy(out, name, len(parts)); err != nil {
			return nil, err
		}
	}
	if err := out.sweep(nil); err != nil {
		return nil, err
	}
	return joinManifest(ctx, out, parts, names, known, workers)
}

// joinFile makes one file of the output.
func joinFile(out Output, parts []*Manifest, name string, owners []int) error {
	dst := filepath.Join(out.Path, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(dst), 0o777); err != nil {
		return err
	}
	from := func(i int) string { return filepath.Join(out.shard(Shard{i, len(parts)}), filepath.FromSlash(name)) }
	switch {
	case isMoved(parts, name, owners):
	case filepath.Ext(name) == ".npy":
		var files []string
		var samples []int
		for i, m := range parts {
			n := m.Samples - len(m.Rejected)
			switch owns := slices.Contains(owners, i); {
			case owns:
				files, samples = append(files, from(i)), append(samples, n)
			case n > 0: // of labels, which all samples have or none
				return fmt.Errorf("%w: shard %s of %s has no %s, shard %s has", ErrShards, Shard{i, len(parts)}, out.Path, name,
					Shard{owners[0], len(parts)})
			}
		}
		return joinArrays(dst, files, samples)
	case filepath.Base(name) == classesName && !parts[owners[0]].AsIs:
		return joinClasses(out, parts, name, owners)
	case name == TargetsName:
		var files []string
		for _, i := range owners {
			files = append(files, from(i))
		}
		return joinLines(dst, files)
	case len(owners) > 1:
		return fmt.Errorf("%w: shards %d and %d both have %s", ErrShards, owners[0], owners[1], name)
	}
	err := os.Rename(from(owners[0]), dst)
	if errors.Is(err, os.ErrNotExist) && exists(dst) {
		return nil // moved before the last Join was cut off
	}
	return err
}

// isMoved reports whether a file of the output is that of the one shard that has it, and not made of the files of several.
func isMoved(parts []*Manifest, name string, owners []int) bool {
	joined := filepath.Ext(name) == ".npy" || filepath.Base(name) == classesName || name == TargetsName
	return len(owners) == 1 && (parts[owners[0]].AsIs || !joined)
}

// joinTars makes the WebDataset in a folder of the output of the shards' tar files, which are in order, and returns their
// names.
func joinTars(out Output, dir string, tars []string, perShard int) ([]string, error) {
	made, err := wds.Join(filepath.Join(out.Path, filepath.FromSlash(dir)), tars, wds.SinkOptions{PerShard: perShard})
	var names []string
	for _, name := range made {
		names = append(names, path.Join(dir, filepath.Base(name)))
	}
	return names, err
}

// joinCopy lays a file that is the same in all shards that have it into the output.
func joinCopy(out Output, name string, n int) error {
	for i := range n {
		text, err := os.ReadFile(filepath.Join(out.shard(Shard{i, n}), filepath.FromSlash(name)))
		if err == nil {
			return data.WriteFileAtomic(filepath.Join(out.Path, filepath.FromSlash(name)), text)
		}
		if !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return fmt.Errorf("%w: no shard has %s", ErrShards, name)
}

// joinLines concatenates text files.
func joinLines(dst string, files []string) error {
	out, err := storage.CreateAtomic(dst)
	if err != nil {
		return err
	}
	defer out.Abort()
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("cannot write %s: %w", dst, err)
		}
	}
	return out.Commit()
}

// joinArrays concatenates arrays block by block: file i has for each block, of which all have as many, samples[i] rows.
func joinArrays(dst string, files []string, samples []int) error {
	if filepath.Base(dst) == labelsName {
		return joinLabels(dst, files, samples)
	}
	var in []*arrayInput
	defer func() {
		for _, a := range in {
			_ = a.f.Close()
		}
	}()
	var head npy.Header
	rows, blocks := 0, 0
	for i, name := range files {
		if samples[i] == 0 {
			continue
		}
		a, err := openArray(name)
		if err != nil {
			return err
		}
		in = append(in, a)
		n := a.header.Shape[0]
		if blocks == 0 {
			head, blocks = a.header, n/samples[i]
		}
		if n != blocks*samples[i] || !slices.Equal(head.Shape[1:], a.header.Shape[1:]) || head.DType != a.header.DType {
			return fmt.Errorf("%w: %s is %s %v, %s is %s %v for %d samples", ErrShards,
				files[0], head.DType, head.Shape, name, a.header.DType, a.header.Shape, samples[i])
		}
		a.block = a.size / int64(blocks)
		rows += n
	}
	head.Shape = slices.Clone(head.Shape)
	head.Shape[0] = rows
	out, err := storage.CreateAtomic(dst)
	if err != nil {
		return err
	}
	defer out.Abort()
	if _, err := npy.WriteHeader(out, head); err != nil {
		return err
	}
	for b := range int64(blocks) {
		for _, a := range in {
			if _, err := io.CopyN(out, io.NewSectionReader(a.f, a.start+b*a.block, a.block), a.block); err != nil { // io.EOF where it is cut off
				return fmt.Errorf("cannot write %s of %s: %w", dst, a.f.Name(), err)
			}
		}
	}
	return out.Commit()
}

// arrayInput is an array being read.
type arrayInput struct {
	f      *os.File
	header npy.Header
	start  int64 // of the elements
	size   int64 // of all of them
	block  int64 // of a block
}

func openArray(name string) (*arrayInput, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	h, n, err := npy.ReadHeader(f)
	if err == nil && len(h.Shape) == 0 {
		err = fmt.Errorf("%w: no axes", data.ErrFormat)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	count, err := h.Len()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return &arrayInput{f: f, header: h, start: int64(n), size: int64(count) * int64(h.ItemSize())}, nil
}

// joinLabels concatenates labels. A shard without class names whose labels are all below 256 has them as bytes where
// another has integers: the result is then of integers, as it would be in one piece.
func joinLabels(dst string, files []string, samples []int) error {
	var parts [][]int64
	narrow, blocks := true, 0
	for i, name := range files {
		a, err := npy.ReadFile(name)
		if err != nil {
			return err
		}
		var labels []int64
		switch v := a.Data.(type) {
		case []int64:
			labels, narrow = v, false
		case []uint8:
			for _, l := range v {
				labels = append(labels, int64(l))
			}
		}
		if samples[i] == 0 || len(labels)%samples[i] != 0 || i > 0 && len(labels) != blocks*samples[i] {
			return fmt.Errorf("%w: %s holds %d labels of %d samples", ErrShards, name, len(labels), samples[i])
		}
		blocks = len(labels) / samples[i]
		parts = append(parts, labels)
	}
	var all []int64
	for b := range blocks {
		for i, labels := range parts {
			all = append(all, labels[b*samples[i]:][:samples[i]]...)
		}
	}
	var file bytes.Buffer
	if err := npy.Write(&file, labelArray(all, narrow)); err != nil {
		return err
	}
	return data.WriteFileAtomic(dst, file.Bytes())
}

// labelArray makes an array of labels, of bytes if narrow.
func labelArray(labels []int64, narrow bool) *npy.Array {
	a := &npy.Array{Shape: []int{len(labels)}, Data: labels}
	if narrow {
		small := make([]uint8, len(labels))
		for i, l := range labels {
			small[i] = uint8(l)
		}
		a.Data = small
	}
	return a
}

// joinManifest writes the manifest that a run in one piece would have left, of the files names. Those of known are not read again.
func joinManifest(ctx context.Context, out Output, parts []*Manifest, names []string, known map[string]File, workers int) (*Manifest, error) {
	var made []string
	for _, name := range names {
		if _, ok := known[name]; !ok {
			made = append(made, name)
		}
	}
	sums, _, err := hashFiles(ctx, out, made, nil, workers)
	if err != nil {
		return nil, err
	}
	for _, f := range sums {
		known[f.Path] = f
	}
	files := make([]File, len(names))
	for i, name := range names {
		files[i] = known[name]
	}
	m := *parts[0]
	var content uint64
	m.Samples, m.Items, m.Bytes, m.Files, m.Rejected = 0, 0, 0, files, []data.Rejected{}
	m.Input, m.Shard, m.PerShard, m.AsIs = nil, "", 0, false
	for _, part := range parts {
		for _, f := range part.Rejected {
			f.Index += m.Samples
			m.Rejected = append(m.Rejected, f)
		}
		one, err := strconv.ParseUint(part.Content, 16, 64)
		if err != nil {
			return nil, fmt.Errorf("%w: content %q in the manifest of a shard of %s", ErrRecord, part.Content, out.Path)
		}
		content += one
		m.Samples += part.Samples
		m.Items += part.Items
	}
	for _, f := range files {
		m.Bytes += f.Size
	}
	m.Content = fmt.Sprintf("%016x", content)
	return &m, m.write(out)
}
