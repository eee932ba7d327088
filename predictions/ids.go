package predictions

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/internal/torchfile"
)

// hashID makes a number of an id's text, as which ids are compared: the number 7 is the text "7", in whatever format it is.
func hashID(id []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(id) // never fails
	return h.Sum64()
}

// namesOf returns the names of an archive's arrays but of single values that are called as ids are: a name="resnet50" is not of rows.
func namesOf(z arrays) []string {
	return slices.DeleteFunc(slices.Clone(z.Names()), func(name string) bool {
		if meaningOf(name).role != ids {
			return false
		}
		shape, err := z.Shape(name)
		return err == nil && len(shape) == 0 // of another error reading says more
	})
}

// readIDs reads an array of ids, integers or text.
func readIDs(z arrays, name string) ([]uint64, error) {
	a, err := z.Read(name)
	if err == nil {
		return integerIDs(a, name)
	}
	if !unsupported(err) {
		return nil, formatError(err)
	}
	text, err := z.ReadText(name)
	if unsupported(err) {
		return nil, fmt.Errorf("%w: array %q has ids that are neither integers nor text (of Python objects ids.astype(str) makes text): %w",
			ErrContent, name, err)
	}
	if err != nil {
		return nil, formatError(err)
	}
	out := make([]uint64, len(text.Data))
	for i, id := range text.Data {
		out[i] = hashID([]byte(id))
	}
	return out, nil
}

// unsupported reports whether a file holds something of a type that is not read.
func unsupported(err error) bool {
	return errors.Is(err, npy.ErrUnsupported) || errors.Is(err, torchfile.ErrUnsupported)
}

func integerIDs(a *npy.Array, name string) ([]uint64, error) {
	switch d := a.Data.(type) {
	case []uint8:
		return hashIntegers(d), nil
	case []uint16:
		return hashIntegers(d), nil
	case []uint32:
		return hashIntegers(d), nil
	case []uint64:
		return hashIntegers(d), nil
	case []int8:
		return hashIntegers(d), nil
	case []int16:
		return hashIntegers(d), nil
	case []int32:
		return hashIntegers(d), nil
	case []int64:
		return hashIntegers(d), nil
	}
	return nil, fmt.Errorf("%w: array %q has ids of %s (allowed: integers or text)", ErrContent, name, a.Kind())
}

func hashIntegers[N uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64](ids []N) []uint64 {
	out := make([]uint64, len(ids))
	var text []byte
	for i, id := range ids {
		if id < 0 {
			text = strconv.AppendInt(text[:0], int64(id), 10)
		} else {
			text = strconv.AppendUint(text[:0], uint64(id), 10)
		}
		out[i] = hashID(text)
	}
	return out
}
