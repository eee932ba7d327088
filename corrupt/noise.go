package corrupt

import "github.com/augmix-go/augmix/internal/filter"

// tones holds v/255 for every byte v.
var tones = func() (t [256]float64) {
	for v := range t {
		t[v] = filter.Unit(uint8(v))
	}
	return t
}()
