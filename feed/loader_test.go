package feed

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/perturb"
	"github.com/augmix-go/augmix/transform"
)

// TestWorldSizes: the batches of all ranks together are those of one process with batches as large, for any method.
func TestWorldSizes(t *testing.T) {
	for _, spec := range []string{"augmix", "mixup", "augmix+cutmix"} {
		for _, tail := range []Tail{Drop, Pad} {
			o := Options{
				Mix: method(t, spec), Crop: crop(t, "pad2:10"), Flip: true, Views: 2, Batch: 16, Epochs: 2, Tail: tail, Seed: 3,
				DType: Float32,
			}
			l, want := all(t, newImages(50), o)
			if len(want) != 2*[]int{3, 0, 4}[tail] {
				t.Fatalf("%d batches", len(want))
			}
			for _, world := range []int{2, 4} {
				o.Batch, o.WorldSize = 16/world, world
				for rank := range world {
					o.Rank, o.Workers = rank, rank+1
					part, got := all(t, newImages(50), o)
					if len(got) != len(want) {
						t.Fatalf("rank %d of %d has %d batches, want %d", rank, world, len(got), len(want))
					}
					for b := range got {
						if got[b].After != want[b].After || got[b].Epoch != want[b].Epoch {
							t.Errorf("position %v, want %v", got[b].After, want[b].After)
						}
						for i := range o.Batch {
							if sample(part, &got[b], i) != sample(l, &want[b], rank*o.Batch+i) {
								t.Fatalf("%s: batch %d of rank %d of %d: sample %d differs", spec, b, rank, world, i)
							}
						}
					}
				}
			}
		}
	}
}

// TestResume: a loader that begins after any batch makes what follows it, with any number of workers, with or without a
// cache, and the position after the last batch of an epoch is the next epoch.
func TestResume(t *testing.T) {
	o := Options{Mix: method(t, "augmix+cutmix-p0.5"), Views: 3, Batch: 16, Epochs: 3, Tail: Short, Seed: 5}
	_, want := all(t, newImages(40), o)
	for k, b := range want {
		o.From, o.Workers, o.Cache = b.After, 1+k%7, int64(k%2)<<20
		l, got := all(t, newImages(40), o)
		if len(got) != len(want)-k-1 {
			t.Fatalf("%d batches from %v, want %d", len(got), o.From, len(want)-k-1)
		}
		for i := range got {
			if !reflect.DeepEqual(got[i], want[k+1+i]) {
				t.Fatalf("batch %d from %v differs", i, o.From)
			}
		}
		if last := b.Index == 2; last != b.Last || last != (b.After == Position{Epoch: b.Epoch + 1}) {
			t.Errorf("batch %d of 3: last %v, then %v", b.Index, b.Last, b.After)
		}
		if l.Position() != (Position{Epoch: 3}) {
			t.Errorf("at the end the position is %v", l.Position())
		}
	}
	// The end of an epoch, said in samples, is the beginning of the next.
	for _, p := range []int{40, 48, 1000} {
		o.From = Position{Epoch: 1, Samples: p}
		if l, err := New(t.Context(), newImages(40), o); err != nil || l.Position() != (Position{Epoch: 2}) {
			t.Errorf("from %v: %v, %v", o.From, l.Position(), err)
		}
	}
	o.From, o.Tail = Position{Samples: 32}, Drop
	if l, err := New(t.Context(), newImages(40), o); err != nil || l.Position() != (Position{Epoch: 1}) {
		t.Errorf("behind the last whole batch: %v, %v", l.Position(), err)
	}
}

func TestTails(t *testing.T) {
	order := func(tail Tail, n, batch int) (list []int64, sizes []int) {
		l, got := all(t, newImages(n), Options{Batch: batch, Epochs: 1, Tail: tail, InOrder: true})
		for i := range got {
			list = append(list, l.Int64s("index", got[i].slot, got[i].N)...)
			sizes = append(sizes, got[i].N)
			for k, label := range l.Int64s("labels", got[i].slot, got[i].N) {
				if want := int64(i*batch+k) % int64(n) % 3; label != want {
					t.Errorf("label %d, want %d", label, want)
				}
			}
		}
		return list, sizes
	}
	for tail, want := range map[Tail][]int64{
		Drop: {0, 1, 2, 3}, Short: {0, 1, 2, 3, 4, 5, 6}, Pad: {0, 1, 2, 3, 4, 5, 6, -1},
	} {
		list, sizes := order(tail, 7, 4)
		if !slices.Equal(list, want) || tail == Short && sizes[1] != 3 {
			t.Errorf("%v: %v in batches of %v, want %v", tail, list, sizes, want)
		}
	}
	if list, _ := order(Pad, 3, 8); !slices.Equal(list, []int64{0, 1, 2, -1, -1, -1, -1, -1}) {
		t.Errorf("a batch larger than the data: %v", list)
	}
}

// TestSkip: what cannot be read is told and replaced, the same way for any number of workers and ranks.
func TestSkip(t *testing.T) {
	for spec, refused := range map[string][]int{"augmix": {0, 7, 9, 20}, "mixup": {0, 7, 9, 30}} {
		t.Run(spec, func(t *testing.T) { testSkip(t, spec, refused) })
	}
}

func testSkip(t *testing.T, spec string, refused []int) {
	src := func() *images {
		p := newImages(40)
		p.bad = map[int]bool{0: true, 7: true, 9: true}
		if p.unlabeled = 30; spec == "augmix" { // which needs no labels, and whose partners need not have one size
			p.odd, p.unlabeled = 20, -1
		}
		return p
	}
	o := Options{Mix: method(t, spec), Batch: 8, Epochs: 2, Skip: true, Seed: 1, Workers: 1}
	l, want := all(t, src(), o)
	told := map[int]bool{}
	for i := range want {
		for _, k := range l.Int64s("index", want[i].slot, want[i].N) {
			if slices.Contains(refused, int(k)) {
				t.Errorf("sample %d was to be refused", k)
			}
		}
		for k, v := range l.Float32s("targets", want[i].slot, want[i].N) {
			if k%3 == 0 && v+l.Float32s("targets", want[i].slot, want[i].N)[k+1]+l.Float32s("targets", want[i].slot, want[i].N)[k+2] < 0.999 {
				t.Errorf("batch %d: the label of sample %d is not whole", i, k/3)
			}
		}
		for _, r := range want[i].Refused {
			told[r.Index] = true
		}
	}
	if got := slices.Sorted(maps.Keys(told)); !slices.Equal(got, refused) {
		t.Errorf("refused %v, want %v", got, refused)
	}
	o.Workers = 7
	if _, again := all(t, src(), o); !reflect.DeepEqual(again, want) {
		t.Error("other batches with 7 workers")
	}
	o.Batch, o.WorldSize = 4, 2
	for o.Rank = range 2 {
		part, got := all(t, src(), o)
		if len(got) != len(want) {
			t.Fatalf("%d batches, want %d", len(got), len(want))
		}
		for b := range got {
			for i := range 4 {
				if sample(part, &got[b], i) != sample(l, &want[b], o.Rank*4+i) {
					t.Fatalf("rank %d: batch %d differs", o.Rank, b)
				}
			}
		}
	}
}

// TestNothingToRead: a data set of which no sample can be read is an error, not a search without end.
func TestNothingToRead(t *testing.T) {
	p := newImages(20)
	p.bad = map[int]bool{}
	for i := range 20 {
		p.bad[i] = true
	}
	if _, err := New(t.Context(), p, Options{Skip: true, Batch: 4}); !errors.Is(err, data.ErrFormat) {
		t.Errorf("nothing can be read: %v", err)
	}
	l, err := New(t.Context(), p, Options{Skip: true, Batch: 4, Crop: crop(t, "8")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Next(t.Context(), make([]byte, l.Layout().Bytes)); err == nil || !strings.Contains(err.Error(), "16 samples in a row") {
		t.Errorf("error %v", err)
	}
}

// TestDTypes: every type and layout holds the same images.
func TestDTypes(t *testing.T) {
	base := Options{Views: 2, Batch: 4, Epochs: 1, Seed: 2, Norm: &mix.ImageNet, Workers: 2}
	pixel := func(o *Options, v, i, c, y, x int) int { // where a value lies
		j := v*o.Batch + i
		if o.Layout == NHWC {
			return ((j*10+y)*10+x)*3 + c
		}
		return ((j*3+c)*10+y)*10 + x
	}
	for _, soft := range []string{"none", "mixup"} { // both ways to make a view
		base.Mix = method(t, soft)
		l, want := all(t, newImages(8), base)
		for d := Uint8; d <= BFloat16; d++ {
			for _, layout := range []Layout{NCHW, NHWC} {
				o := base
				o.DType, o.Layout = d, layout
				other, got := all(t, newImages(8), o)
				for b := range got {
					plain, bytes := l.Bytes("images", want[b].slot, 4), other.Bytes("images", got[b].slot, 4)
					for k := range 2 * 4 * 3 * 100 {
						v, i, c, y, x := k/1200, k/300%4, k/100%3, k/10%10, k%10
						value := float64(plain[pixel(&base, v, i, c, y, x)])
						if d != Uint8 {
							value = (value/255 - float64(mix.ImageNet.Mean[c])) / float64(mix.ImageNet.Std[c])
						}
						at := pixel(&o, v, i, c, y, x)
						var have, within float64
						switch d {
						case Uint8:
							have = float64(bytes[at])
						case Float32:
							have, within = float64(floats(bytes)[at]), 1e-5
						case Float16:
							have, within = fromHalf(uint16(bytes[2*at])|uint16(bytes[2*at+1])<<8, 10), 1.5e-3
						case BFloat16:
							have, within = fromHalf(uint16(bytes[2*at])|uint16(bytes[2*at+1])<<8, 7), 1.2e-2
						}
						if soft == "mixup" && d != Uint8 {
							within += 0.5 / 255 / 0.22 // uint8 is rounded
						}
						if diff := have - value; diff > within || diff < -within {
							t.Fatalf("%s %v %v: value %d is %v, want %v", soft, d, layout, k, have, value)
						}
					}
				}
			}
		}
	}
}

// TestOtherNumbers: an array is not taken for one of other numbers.
func TestOtherNumbers(t *testing.T) {
	l, got := all(t, newImages(4), Options{Batch: 4, Epochs: 1, DType: Float16})
	slot := got[0].slot
	for says, f := range map[string]func(){
		"feed: labels taken for float32, which are int64":   func() { l.Float32s("labels", slot, 4) },
		"feed: images taken for float32, which are float16": func() { l.Float32s("images", slot, 4) },
		"feed: images taken for int64, which are float16":   func() { l.Int64s("images", slot, 4) },
	} {
		func() {
			defer func() {
				if said := recover(); said != says {
					t.Errorf("panic %v, want %q", said, says)
				}
			}()
			f()
		}()
	}
	if l.Float32s("targets", slot, 4) != nil {
		t.Error("an array that the layout does not have")
	}
}

func TestOptionErrors(t *testing.T) {
	half := crop(t, "8")
	for want, o := range map[string]Options{
		"batch -1 (allowed: 1 to 65536)":       {Batch: -1},
		"views 65":                             {Views: 65},
		"rank 2 (allowed: 0 to 1)":             {Rank: 2, WorldSize: 2},
		"rank 1 (allowed: 0 to 0)":             {Rank: 1},
		"epochs -1":                            {Epochs: -1},
		"tail short with a world-size of 2":    {Tail: Short, WorldSize: 2},
		"40 samples make no batch of 41":       {Batch: 41},
		"20 for each of 4 ranks":               {Batch: 20, WorldSize: 4},
		"0:12 is between two batches":          {Batch: 8, From: Position{Samples: 12}},
		"multiples of 16, which is batch":      {Batch: 8, WorldSize: 2, From: Position{Samples: 8}},
		"samples of from -4 (allowed: 0 to":    {Batch: 4, From: Position{Samples: -4}},
		"world-size -1 (allowed: 1 to 65536)":  {WorldSize: -1},
		"views -1 (allowed: 1 to 64)":          {Views: -1},
		"Filter(99)":                           {Batch: 8, Size: 40, Filter: 99},
		"positive deviations":                  {Batch: 8, Norm: &mix.Normalization{}},
		"tail 7 (allowed: 0 to 2)":             {Tail: 7},
		"dtype 4 (allowed: 0 to 3)":            {DType: 4},
		"output-layout 2 (allowed: 0 to 1)":    {Layout: 2},
		"too large":                            {Batch: 1 << 16, Views: 64, Crop: crop(t, "16384"), Tail: Pad},
		"size and crop are theirs":             {Batch: 8, Crop: half, Corruptions: &transform.Corruptions{}},
		"corruptions and perturbations (allow": {Batch: 8, Corruptions: &transform.Corruptions{}, Perturbations: &transform.Perturbations{}},
	} {
		if _, err := New(t.Context(), newImages(40), o); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
	if _, err := New(t.Context(), nil, Options{}); !errors.Is(err, ErrOption) {
		t.Errorf("no source: %v", err)
	}
	p := newImages(40)
	p.unlabeled = 3
	for _, c := range []struct {
		want string
		spec string
	}{{"noise[3]: bad label: no label, and mix mixup-a1 mixes labels", "mixup"}, {"", "augmix"}} {
		l, err := New(t.Context(), p, Options{Batch: 40, Mix: method(t, c.spec)})
		if err == nil {
			_, err = l.Next(t.Context(), make([]byte, l.Layout().Bytes))
		}
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, data.ErrLabel) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v", c.spec, err)
		}
	}
	none := newImages(40)
	none.classes = 0
	if l, err := New(t.Context(), none, Options{Batch: 8, Mix: method(t, "cutmix")}); !errors.Is(err, data.ErrLabel) {
		t.Errorf("a set without classes: %v, %v", l, err)
	}
	for _, s := range []string{"", "1", "1:", ":1", "-1:0", "1:-1", "1:2:3", "1:2x", "a:b", "99999999999:0"} {
		if _, err := ParsePosition(s); !errors.Is(err, ErrOption) {
			t.Errorf("position %q: %v", s, err)
		}
	}
	if p, err := ParsePosition("3:512"); err != nil || p != (Position{3, 512}) || p.String() != "3:512" {
		t.Errorf("%v, %v", p, err)
	}
}

// TestCanceled: a canceled loader stops, and says why.
func TestCanceled(t *testing.T) {
	l, err := New(t.Context(), newImages(40), Options{Batch: 8})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	if _, err := l.Next(ctx, make([]byte, l.Layout().Bytes)); err != why {
		t.Errorf("error %v", err)
	}
	if _, err := l.Next(t.Context(), make([]byte, l.Layout().Bytes)); err != nil || l.Position().Samples != 8 {
		t.Errorf("then %v, at %v", err, l.Position())
	}
}

// TestFingerprint: it holds what batches depend on, and not how they are cut.
func TestFingerprint(t *testing.T) {
	sum := func(change func(o *Options)) string {
		o := Options{Batch: 8, Epochs: 2, Seed: 1}
		change(&o)
		l, err := New(t.Context(), newImages(40), o)
		if err != nil {
			t.Fatal(err)
		}
		return l.Fingerprint()
	}
	seen := map[string]bool{}
	for _, change := range []func(o *Options){
		func(*Options) {},
		func(o *Options) { o.Seed = 2 },
		func(o *Options) { o.Mix = method(t, "augmix") },
		func(o *Options) { o.Views = 2 },
		func(o *Options) { o.Crop = crop(t, "8") },
		func(o *Options) { o.Flip = true },
		func(o *Options) { o.DType = Float32 },
		func(o *Options) { o.Layout = NHWC },
		func(o *Options) { o.Norm = &mix.ImageNet },
		func(o *Options) { o.InOrder = true },
		func(o *Options) { o.Depends = []string{"fractals"} },
	} {
		seen[sum(change)] = true
	}
	if len(seen) != 11 {
		t.Errorf("%d fingerprints of 11", len(seen))
	}
	for i, change := range []func(o *Options){
		func(o *Options) { o.Batch, o.WorldSize, o.Rank = 4, 2, 1 },
		func(o *Options) { o.From, o.Epochs, o.Tail = Position{1, 8}, 9, Pad },
		func(o *Options) { o.Workers, o.Cache, o.Skip = 3, 1<<20, true },
	} {
		if sum(change) != sum(func(*Options) {}) {
			t.Errorf("change %d changes the fingerprint", i)
		}
	}
}

// stopping is a source that calls stop when sample at is read.
type stopping struct {
	data.Source
	at   int
	stop func()
}

func (s *stopping) Next(m *data.Sample) error {
	if s.at--; s.at == -1 {
		s.stop()
	}
	return s.Source.Next(m)
}

// TestStreamError: what is read ahead of a batch takes none away. All batches before a sample that cannot be read come, then its error,
// again and again; a call after an interrupted one goes on with the next sample.
func TestStreamError(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	src := newImages(64)
	src.bad = map[int]bool{50: true}
	l, err := New(ctx, &stopping{once{src}, 20, func() { cancel(stopped) }}, Options{Batch: 8, InOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	slot := make([]byte, l.Layout().Bytes)
	next, interrupted := 0, false
	for {
		b, err := l.Next(ctx, slot)
		if errors.Is(err, stopped) {
			ctx, interrupted = t.Context(), true
			continue
		}
		if err != nil {
			if _, again := l.Next(ctx, slot); !strings.Contains(err.Error(), "noise[50]") || again != err {
				t.Error(err, again)
			}
			break
		}
		for _, index := range l.Int64s("index", slot, b.N) {
			if int(index) != next {
				t.Fatalf("sample %d in place of %d", index, next)
			}
			next++
		}
	}
	if next != 48 || !interrupted {
		t.Error(next, interrupted)
	}
}

// TestStreamForms: an image whose forms have another size than the others' is left out of a stream, unless a crop makes them one size.
func TestStreamForms(t *testing.T) {
	fog := transform.Corruptions{Names: []string{"fog"}, Severities: []float64{1, 2}}
	cropped := fog
	cropped.Crop = 8
	for _, c := range []struct {
		o    Options
		want int
	}{
		{Options{Corruptions: &fog}, 10},
		{Options{Corruptions: &cropped}, 11},
		{Options{Perturbations: &transform.Perturbations{Names: []string{"brightness"}, Difficulties: []int{1}}}, 10},
		{Options{Perturbations: &transform.Perturbations{Names: []string{"brightness"}, Difficulties: []int{1}, Profile: perturb.P64}}, 11},
		{Options{}, 10},
	} {
		src := newImages(11)
		src.odd = 5
		c.o.Batch, c.o.InOrder, c.o.Skip, c.o.Tail, c.o.Epochs = 3, true, true, Short, 1
		_, got := all(t, once{src}, c.o)
		n, refused := 0, 0
		for _, b := range got {
			n, refused = n+b.N, refused+len(b.Refused)
		}
		if n != c.want || refused != 11-c.want {
			t.Errorf("%+v: %d samples, %d refused, want %d in all", c.o, n, refused, c.want)
		}
	}
}

// TestFormsAxis: the forms of an image are along an axis of their own, a single one too.
func TestFormsAxis(t *testing.T) {
	for n, severities := range map[int][]float64{1: {3}, 2: {2, 3}} {
		l, err := New(t.Context(), newImages(8), Options{Corruptions: &transform.Corruptions{Names: []string{"fog"}, Severities: severities}, Batch: 4})
		if err != nil {
			t.Fatal(err)
		}
		if f := l.Layout().Fields[0]; f.Axis != 1 || len(f.Shape) != 5 || f.Shape[0] != n || f.Shape[1] != 4 || len(l.Forms()) != n {
			t.Errorf("%d forms: shape %v, samples along %d", n, f.Shape, f.Axis)
		}
	}
}

// TestStream: a source that can only be read from front to end gives the batches that it gives as files, in its order.
func TestStream(t *testing.T) {
	src := func() *images {
		p := newImages(43)
		p.bad = map[int]bool{0: true, 9: true, 42: true}
		return p
	}
	good := func() *images { // the same samples without the bad ones
		return newImages(43)
	}
	o := Options{Mix: method(t, "augmix"), Views: 2, Batch: 8, InOrder: true, Tail: Short, Skip: true, Seed: 4, Epochs: 1}
	l, got := all(t, once{src()}, o)
	if l.Samples() != -1 || l.Batches() != -1 || len(got) != 5 || !got[4].Last || got[3].Last {
		t.Fatalf("%d samples, %d batches, made %d", l.Samples(), l.Batches(), len(got))
	}
	whole, want := all(t, good(), o)
	at, refused := 0, 0
	for b := range got {
		refused += len(got[b].Refused)
		for i := range got[b].N {
			for at == 0 || at == 9 {
				at++
			}
			if k := l.Int64s("index", got[b].slot, got[b].N)[i]; k != int64(at) {
				t.Fatalf("sample %d, want %d", k, at)
			}
			if sample(l, &got[b], i) != sample(whole, &want[at/8], at%8) {
				t.Fatalf("sample %d differs", at)
			}
			at++
		}
	}
	if at != 42 || refused != 3 {
		t.Errorf("%d samples, %d refused", at, refused)
	}
	for k := range got {
		o.From = Position{Samples: 8 * (k + 1)}
		_, rest := all(t, once{src()}, o)
		if len(rest) != len(got)-k-1 {
			t.Fatalf("%d batches from %v", len(rest), o.From)
		}
		for i := range rest {
			if !slices.Equal(rest[i].slot, got[k+1+i].slot) || rest[i].Index != got[k+1+i].Index {
				t.Errorf("from %v: batch %d differs", o.From, i)
			}
		}
	}
	o.From = Position{Epoch: 1} // as a run that was stopped at the end resumes
	if _, rest := all(t, once{src()}, o); len(rest) != 0 {
		t.Errorf("%d batches behind the only epoch", len(rest))
	}
	o.From, o.Tail = Position{}, Drop
	if _, dropped := all(t, once{newImages(43)}, o); len(dropped) != 5 || !dropped[4].Last {
		t.Errorf("%d whole batches of 43 samples", len(dropped))
	}
	for want, change := range map[string]func(o *Options){
		"a random order":    func(o *Options) { o.InOrder = false },
		"a world size of 2": func(o *Options) { o.WorldSize = 2 },
		"a second epoch":    func(o *Options) { o.Epochs = 2 },
		"tail pad":          func(o *Options) { o.Tail = Pad },
		"takes partners":    func(o *Options) { o.Mix = method(t, "mixup") },
	} {
		c := o
		change(&c)
		if _, err := New(t.Context(), once{newImages(43)}, c); !errors.Is(err, data.ErrUnsupported) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
	o.Skip, o.Batch = false, 4
	if _, err := New(t.Context(), once{src()}, o); !errors.Is(err, data.ErrFormat) || !strings.Contains(err.Error(), "noise[0]") {
		t.Errorf("a bad sample: %v", err)
	}
	if _, err := New(t.Context(), once{newImages(3)}, o); err == nil || !strings.Contains(err.Error(), "3 samples make no batch of 4") {
		t.Errorf("too few samples: %v", err)
	}
}

// TestSteadyMemory: a batch needs no memory for its images.
func TestSteadyMemory(t *testing.T) {
	l, err := New(t.Context(), newImages(64), Options{Mix: method(t, "augmix"), Views: 3, Batch: 32, Flip: true, Crop: crop(t, "pad2:10"), DType: Float32, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	slot := make([]byte, l.Layout().Bytes)
	run := func() {
		if _, err := l.Next(t.Context(), slot); err != nil {
			t.Fatal(err)
		}
	}
	run()
	const batches = 4000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range batches {
		run()
	}
	runtime.ReadMemStats(&after)
	bytes := int64(after.TotalAlloc-before.TotalAlloc) / batches
	t.Logf("%d bytes a batch", bytes)
	if most := int64(32 << 10); bytes > most {
		t.Errorf("%d bytes a batch of %d bytes, want at most %d", bytes, l.Layout().Bytes, most)
	}
}
