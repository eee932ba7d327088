package rng

// NormalTail draws from the two tails of the normal distribution beyond its base rectangle.
func (r *Rand) NormalTail(sign float64) float64 { return r.normalRest(0, sign) }
