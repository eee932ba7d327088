package transform

// Forms says which forms of each image a benchmark has: [Corruptions] or [Perturbations].
type Forms interface {
	// Variants lists them, in the order of what Transform makes.
	Variants() []Variant
	// Transform returns what makes them, for one goroutine.
	Transform() MultiTransform
	// Keep returns those of them for which keep is true, nil for all. They are made as they would be among the others.
	Keep(keep func(Variant) bool) Forms
	// Published reports whether all are of ImageNet-C or ImageNet-P, whose data sets have labels of 8 bits.
	Published() bool
}

// Keep implements [Forms].
func (c *Corruptions) Keep(keep func(Variant) bool) Forms {
	some := *c
	some.Only = both(c.Only, keep)
	return &some
}

// Keep implements [Forms].
func (c *Perturbations) Keep(keep func(Variant) bool) Forms {
	some := *c
	some.Only = both(c.Only, keep)
	return &some
}

// both returns what is true where a and b are; nil is true of everything.
func both(a, b func(Variant) bool) func(Variant) bool {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(v Variant) bool { return a(v) && b(v) }
}

// Published implements [Forms]: all perturbations are.
func (c *Perturbations) Published() bool { return true }
