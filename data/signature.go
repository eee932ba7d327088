package data

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
)

// Signature tells data sets apart. Its sums are "sha256:" and the first 16 hexadecimal digits of a SHA-256.
type Signature struct {
	N int // samples
	// Samples is of the names of the classes, and of the key and the label of every sample in their order: two sets with the
	// same one have the same samples under the same class numbers, as far as their names go.
	Samples string
	// Content is of Samples and of the bytes of every sample.
	Content string
}

// Signer makes the signature of samples that are added in the order of their data set. It is made by [NewSigner].
type Signer struct {
	n                int
	samples, content hash.Hash
	line             []byte
}

// NewSigner begins the signature of a data set with the given class names, nil where it has none.
func NewSigner(classes []string) *Signer {
	s := &Signer{samples: sha256.New(), content: sha256.New()}
	s.samples.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(classes))))
	for _, name := range classes {
		s.text(name)
	}
	return s
}

// text adds a name with its length before it, so that no two lists of names give the same bytes.
func (s *Signer) text(name string) {
	s.line = binary.LittleEndian.AppendUint64(s.line[:0], uint64(len(name)))
	s.samples.Write(append(s.line, name...))
}

// Add adds a sample.
func (s *Signer) Add(m *Sample) {
	s.n++
	s.text(m.Key)
	s.line = binary.LittleEndian.AppendUint64(s.line[:0], uint64(int64(m.Label)))
	s.samples.Write(s.line)
	for _, v := range []int{int(m.Form), m.W, m.H, len(m.Data)} {
		s.line = binary.LittleEndian.AppendUint64(s.line, uint64(v))
	}
	s.content.Write(s.line)
	s.content.Write(m.Data)
}

// Sum returns the signature of what was added.
func (s *Signer) Sum() Signature {
	sum := func(h hash.Hash) string { return "sha256:" + hex.EncodeToString(h.Sum(nil)[:8]) }
	names := sum(s.samples)
	content, err := s.content.(hash.Cloner).Clone() // more may be added to this one
	if err != nil {
		panic("data: " + err.Error()) // SHA-256 can be cloned
	}
	content.Write([]byte(names))
	return Signature{N: s.n, Samples: names, Content: sum(content)}
}

// Sign reads a source to its end and returns its signature. Nothing is decoded. Samples that cannot be read are passed
// over, for whoever reads the source next to tell of; any other error is returned, and the cause of ctx.
func Sign(ctx context.Context, src Source) (Signature, error) {
	s := NewSigner(src.Info().Classes)
	var m Sample
	for {
		if err := context.Cause(ctx); err != nil {
			return Signature{}, err
		}
		var bad *SampleError
		switch err := src.Next(&m); {
		case err == io.EOF:
			return s.Sum(), nil
		case errors.As(err, &bad):
		case err != nil:
			return Signature{}, fmt.Errorf("fingerprint of the data: %w", err)
		default:
			s.Add(&m)
		}
	}
}
