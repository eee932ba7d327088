package train

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"math"
	"slices"

	"github.com/augmix-go/augmix/nn/weights"
)

// keySum is the key of a checkpoint's checksum. Files of v0.1.0 have none.
const keySum = "augmix.train.sha256"

// checksum returns the SHA-256 of a checkpoint, in hexadecimal: of its metadata but the checksum itself, and of the names,
// shapes and values of its tensors. A flipped bit in a tensor is a plausible number, which nothing else would notice.
func checksum(ts []weights.Tensor, meta map[string]string) string {
	h := sha256.New()
	buf := make([]byte, 0, 1<<16)
	number := func(v int) { buf = binary.LittleEndian.AppendUint64(buf, uint64(v)) }
	text := func(s string) {
		number(len(s))
		buf = append(buf, s...)
	}
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		if key != keySum {
			text(key)
			text(meta[key])
		}
	}
	for i := range ts {
		text(ts[i].Name)
		number(len(ts[i].Shape))
		for _, n := range ts[i].Shape {
			number(n)
		}
		for _, v := range ts[i].Data {
			if len(buf) > 1<<16-4 {
				h.Write(buf)
				buf = buf[:0]
			}
			buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(v))
		}
	}
	h.Write(buf)
	return hex.EncodeToString(h.Sum(nil))
}
