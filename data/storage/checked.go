package storage

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
)

// checkedWriter commits a file only where its bytes have the hash that was said.
type checkedWriter struct {
	Writer
	name, want string
	sum        hash.Hash
}

// Checked returns w with a Commit that fails unless what was written has the hash, in hexadecimal. name is for the error.
func Checked(w Writer, name, sha256 string) Writer {
	return &checkedWriter{Writer: w, name: name, want: sha256}
}

// Write writes and hashes p.
func (w *checkedWriter) Write(p []byte) (int, error) {
	if w.sum == nil {
		w.sum = sha256.New()
	}
	n, err := w.Writer.Write(p)
	w.sum.Write(p[:n])
	return n, err
}

// Commit compares and commits.
func (w *checkedWriter) Commit() error {
	if w.sum == nil {
		w.sum = sha256.New()
	}
	if got := hex.EncodeToString(w.sum.Sum(nil)); got != w.want {
		w.Abort()
		return fmt.Errorf("%s: what was written has the SHA-256 %s, want %s", w.name, got, w.want)
	}
	return w.Writer.Commit()
}
