package nn

import (
	"math"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/nn/graph"
)

// oracle runs a graph in float64 with the obvious loops, the whole batch layer by layer. It is what the engine is
// checked against, and what numeric derivatives are taken of.
type oracle struct {
	g       *graph.Graph
	params  map[string][]float64
	batch   int
	train   bool
	aux     int // images of the auxiliary batch norms
	mix     *FeatureMix
	place   int                                    // its node
	keep    func(node, image, element int) float64 // factor of dropout
	shake   func(node, image int) (alpha, beta float64)
	offset  map[[2]int][]float64 // by node and image of Shake-Shake: what its first result differs by from the sum by beta
	updated map[string][]float64 // running statistics after a forward pass in training
	steep   float64              // the largest factor that a batch norm of the last forward pass multiplied with
	vals    [][]image            // by node and image, of the last forward pass
}

// image is [h][w][c].
type image struct {
	graph.Shape
	v []float64
}

func (p image) at(y, x, c int) float64 {
	if y < 0 || x < 0 || y >= p.H || x >= p.W {
		return 0
	}
	return p.v[(y*p.W+x)*p.C+c]
}

// forward returns the logits of planes, exit by exit.
func (o *oracle) forward(planes []float64) []float64 { return o.from(0, planes) }

// from is forward where nothing before node first has changed since the last forward pass.
func (o *oracle) from(first int, planes []float64) []float64 {
	o.updated, o.steep = map[string][]float64{}, 0
	vals := make([][]image, len(o.g.Nodes))
	copy(vals, o.vals[:first])
	o.vals = vals
	for id, n := range o.g.Nodes {
		if id < first {
			continue
		}
		vals[id] = make([]image, o.batch)
		for i := range o.batch {
			vals[id][i] = image{n.Shape, make([]float64, n.Shape.Len())}
		}
		if id == 0 {
			for i, p := range vals[0] {
				for k := range p.v {
					px := p.H * p.W
					p.v[k] = planes[i*len(p.v)+k%p.C*px+k/p.C]
				}
			}
			o.mixFeatures(vals[0], 0)
			continue
		}
		in := make([][]image, len(n.In))
		for k, j := range n.In {
			in[k] = vals[j]
		}
		if bn, ok := n.Op.(graph.BatchNorm); ok {
			main := o.batch - o.aux
			if main > 0 {
				o.batchNorm(n.Name, bn, in[0][:main], vals[id][:main])
			}
			if o.aux > 0 {
				o.batchNorm(PrefixAux+n.Name, bn, in[0][main:], vals[id][main:])
			}
			continue
		}
		for i := range o.batch {
			args := make([]image, len(in))
			for k := range in {
				args[k] = in[k][i]
			}
			o.node(id, n, i, args, vals[id][i])
		}
		o.mixFeatures(vals[id], id)
	}
	var logits []float64
	for _, k := range o.g.Outputs() {
		for _, p := range vals[k] {
			logits = append(logits, p.v...)
		}
	}
	return logits
}

// firstOf returns the first node that a parameter may be of, by its name; 0 for none.
func (o *oracle) firstOf(parameter string) int {
	name := strings.TrimPrefix(parameter, PrefixAux)
	return max(0, slices.IndexFunc(o.g.Nodes, func(n graph.Node) bool { return n.Name != "" && strings.HasPrefix(name, n.Name+".") }))
}

// mixFeatures does what Mode.Mix says after a node.
func (o *oracle) mixFeatures(vals []image, id int) {
	if o.mix == nil || id != o.place {
		return
	}
	m, was := o.mix, make([][]float64, len(vals))
	for i := range vals {
		was[i] = slices.Clone(vals[i].v)
	}
	for i, p := range vals {
		noise := [2][]float32{make([]float32, len(p.v)), make([]float32, len(p.v))}
		for k, name := range []string{"multiply", "add"} {
			r := m.Key.Uint(uint64(i)).Str(name).Rand()
			r.FillNormal32(noise[k])
		}
		for k := range p.v {
			mixed := float64(m.Lambda)*was[i][k] + (1-float64(m.Lambda))*was[m.Partner[i]][k]
			p.v[k] = mixed*(1+float64(m.Multiply)*float64(noise[0][k])) + float64(m.Add)*float64(noise[1][k])
		}
	}
}

func (o *oracle) batchNorm(name string, op graph.BatchNorm, in, out []image) {
	gamma, beta := o.params[name+".weight"], o.params[name+".bias"]
	mean, vari := o.params[name+".running_mean"], o.params[name+".running_var"]
	newMean, newVar := make([]float64, len(mean)), make([]float64, len(mean))
	for c := range gamma {
		m, v := mean[c], vari[c]
		if o.train {
			n, sum, sq := 0.0, 0.0, 0.0
			for _, p := range in {
				for k := c; k < len(p.v); k += p.C {
					n++
					sum += p.v[k]
				}
			}
			m = sum / n
			for _, p := range in {
				for k := c; k < len(p.v); k += p.C {
					sq += (p.v[k] - m) * (p.v[k] - m)
				}
			}
			v = sq / n
			newMean[c] = (1-op.Momentum)*mean[c] + op.Momentum*m
			newVar[c] = (1-op.Momentum)*vari[c] + op.Momentum*sq/max(n-1, 1)
		}
		o.steep = max(o.steep, 1/math.Sqrt(v+op.Eps))
		for i, p := range in {
			for k := c; k < len(p.v); k += p.C {
				out[i].v[k] = (p.v[k]-m)/math.Sqrt(v+op.Eps)*gamma[c] + beta[c]
			}
		}
	}
	if o.train {
		o.updated[name+".running_mean"], o.updated[name+".running_var"] = newMean, newVar
	}
}

func (o *oracle) node(id int, n graph.Node, i int, in []image, out image) {
	x := in[0]
	each := func(f func(y, x, c int) float64) {
		k := 0
		for y := range out.H {
			for x := range out.W {
				for c := range out.C {
					out.v[k] = f(y, x, c)
					k++
				}
			}
		}
	}
	switch op := n.Op.(type) {
	case graph.Conv:
		w, b := o.params[n.Name+".weight"], o.params[n.Name+".bias"]
		per, outs := x.C/op.Groups, op.Out/op.Groups
		each(func(oy, ox, oc int) float64 {
			sum := 0.0
			if b != nil {
				sum = b[oc]
			}
			for ky := range op.KH {
				for kx := range op.KW {
					y, xx := oy*op.Stride+ky-op.Pad, ox*op.Stride+kx-op.Pad
					if y < 0 || xx < 0 || y >= x.H || xx >= x.W {
						continue
					}
					tap := w[oc*per*op.KH*op.KW+ky*op.KW+kx:]
					for ic, v := range x.v[(y*x.W+xx)*x.C+oc/outs*per:][:per] {
						sum += tap[ic*op.KH*op.KW] * v
					}
				}
			}
			return sum
		})
	case graph.ReLU:
		for k, v := range x.v {
			out.v[k] = max(v, 0)
		}
	case graph.GELU:
		for k, v := range x.v {
			if op.Sigmoid {
				out.v[k] = v / (1 + math.Exp(-1.702*v))
			} else {
				out.v[k] = v * 0.5 * math.Erfc(-v/math.Sqrt2)
			}
		}
	case graph.MaxPool:
		each(func(oy, ox, c int) float64 {
			best := math.Inf(-1)
			for y := max(oy*op.Stride-op.Pad, 0); y < min(oy*op.Stride-op.Pad+op.K, x.H); y++ {
				for xx := max(ox*op.Stride-op.Pad, 0); xx < min(ox*op.Stride-op.Pad+op.K, x.W); xx++ {
					best = max(best, x.at(y, xx, c))
				}
			}
			return best
		})
	case graph.AvgPool:
		each(func(oy, ox, c int) float64 {
			sum := 0.0
			for y := range op.K {
				for xx := range op.K {
					sum += x.at(oy*op.Stride+y, ox*op.Stride+xx, c)
				}
			}
			return sum / float64(op.K*op.K)
		})
	case graph.AdaptivePool:
		each(func(oy, ox, c int) float64 {
			sum, k := 0.0, 0.0
			for y := oy * x.H / op.H; y < ((oy+1)*x.H+op.H-1)/op.H; y++ {
				for xx := ox * x.W / op.W; xx < ((ox+1)*x.W+op.W-1)/op.W; xx++ {
					sum += x.at(y, xx, c)
					k++
				}
			}
			return sum / k
		})
	case graph.BlurPool:
		rows := map[int][]float64{
			1: {1}, 2: {1, 1}, 3: {1, 2, 1}, 4: {1, 3, 3, 1}, 5: {1, 4, 6, 4, 1}, 6: {1, 5, 10, 10, 5, 1}, 7: {1, 6, 15, 20, 15, 6, 1},
		}
		row := rows[op.Taps]
		mirror := func(k, n int) int {
			return min(max(k, -k), 2*(n-1)-max(k, -k))
		}
		total := math.Exp2(float64(2 * (op.Taps - 1)))
		each(func(oy, ox, c int) float64 {
			sum := 0.0
			for j, a := range row {
				for k, b := range row {
					sum += a * b * x.at(mirror(oy*op.Stride+j-(op.Taps-1)/2, x.H), mirror(ox*op.Stride+k-(op.Taps-1)/2, x.W), c)
				}
			}
			return sum / total
		})
	case graph.Linear:
		w, b := o.params[n.Name+".weight"], o.params[n.Name+".bias"]
		for k := range out.v {
			if b != nil {
				out.v[k] = b[k]
			}
			for j, v := range x.v {
				out.v[k] += w[k*len(x.v)+j] * v
			}
		}
	case graph.Flatten:
		for k := range out.v {
			px := x.H * x.W
			out.v[k] = x.v[k%px*x.C+k/px]
		}
	case graph.Dropout:
		for k, v := range x.v {
			out.v[k] = v
			if o.train && op.P > 0 {
				out.v[k] *= o.keep(id, i, k)
			}
		}
	case graph.Add:
		for _, p := range in {
			for k, v := range p.v {
				out.v[k] += v
			}
		}
	case graph.Concat:
		each(func(y, xx, c int) float64 {
			for _, p := range in {
				if c < p.C {
					return p.at(y, xx, c)
				}
				c -= p.C
			}
			panic("beyond the last part")
		})
	case graph.Subsample:
		each(func(y, xx, c int) float64 {
			if c < op.Before || c >= op.Before+x.C {
				return 0
			}
			return x.at(y*op.Stride, xx*op.Stride, c-op.Before)
		})
	case graph.ShakeShake:
		alpha, beta := 0.5, 0.5
		if o.train {
			alpha, beta = o.shake(id, i)
		}
		// The gradient divides by beta, so that this is what it is the derivative of: a sum by beta with the value at the first
		// point of the sum by alpha.
		at := [2]int{id, i}
		if o.offset[at] == nil {
			o.offset[at] = make([]float64, len(out.v))
			for k := range out.v {
				o.offset[at][k] = (alpha - beta) * (x.v[k] - in[1].v[k])
			}
		}
		for k := range out.v {
			out.v[k] = beta*x.v[k] + (1-beta)*in[1].v[k] + o.offset[at][k]
		}
	case graph.Shift:
		each(func(y, xx, c int) float64 { return x.at(y+op.By, xx+op.By, c) })
	case graph.LearnedGroupConv:
		w := o.params[n.Name+".weight"]
		each(func(y, xx, c int) float64 {
			sum := 0.0
			for k := range x.C {
				sum += w[c*x.C+k] * x.at(y, xx, k)
			}
			return sum
		})
	case graph.Select:
		index := o.params[n.Name+".index"]
		each(func(y, xx, c int) float64 { return x.at(y, xx, int(index[c])) })
	case graph.Shuffle:
		each(func(y, xx, c int) float64 { return x.at(y, xx, c%op.Groups*(x.C/op.Groups)+c/op.Groups) })
	case graph.Upsample:
		each(func(y, xx, c int) float64 { return x.at(y/op.By, xx/op.By, c) })
	case graph.PixelShuffle:
		by := op.By
		each(func(y, xx, c int) float64 { return x.at(y/by, xx/by, c*by*by+y%by*by+xx%by) })
	case graph.Scale:
		each(func(y, xx, c int) float64 { return op.Factor * x.at(y, xx, c) })
	default:
		panic("no oracle for " + op.Kind())
	}
}
