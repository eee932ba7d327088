// Package corruption is what packages corrupt, cbar and perturb have in common: tables of parameters that were published
// for square images of a few sides and the rule that gives them for all others, the look-up of published names, and the
// checks that every operation begins with.
package corruption

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/suggest"
	"github.com/augmix-go/augmix/raster"
)

// Errors that the packages export under the same names.
var (
	ErrUnknown  = errors.New("unknown name")
	ErrSeverity = errors.New("severity out of range")
	ErrSize     = errors.New("image too small")
)

// ErrNone is of what is no corruption.
var ErrNone = fmt.Errorf("%w: the corruption is nil or the zero Op (allowed: one of ByName)", ErrUnknown)

// Severities is the number of published severities; they count from 1.
const Severities = 5

// Find returns the index of name in names, published names of operations or profiles, each of which is a what. The
// error wraps ErrUnknown and lists what there is.
func Find(what, name string, names []string) (int, error) {
	if i := slices.Index(names, name); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("%w: %s %.80q%s (there are %s)", ErrUnknown, what, name, suggest.Hint(name, names), strings.Join(names, ", "))
}

// ProfileName returns the name of profile number p.
func ProfileName(p uint8, names []string) string {
	if int(p) < len(names) {
		return names[p]
	}
	return fmt.Sprintf("Profile(%d)", p)
}

// LeastSeverity is the least above 0: less is hardly anything, and parameters would leave the range of float64.
const LeastSeverity = 0.001

// CheckSeverity returns an error that wraps ErrSeverity unless the severity is 0 or LeastSeverity to 5. op is the name of
// the corruption.
func CheckSeverity(op string, severity float64) error {
	if severity != 0 && !(severity >= LeastSeverity && severity <= Severities) { // NaN is neither
		return fmt.Errorf("%s: %w: %v (allowed: 0, and %v to %d)", op, ErrSeverity, severity, LeastSeverity, Severities)
	}
	return nil
}

// CheckProfile returns an error that wraps ErrUnknown unless there is a profile of number p.
func CheckProfile(op string, p uint8, names []string) error {
	if int(p) >= len(names) {
		return fmt.Errorf("%s: %w: profile number %d", op, ErrUnknown, p)
	}
	return nil
}

// CheckSize returns an error that wraps ErrSize if width or height of m are below least.
func CheckSize(op string, m *raster.Image, least int) error {
	if m.W < least || m.H < least {
		return fmt.Errorf("%s: %w: %dx%d (allowed: width and height of at least %d)", op, ErrSize, m.W, m.H, least)
	}
	return nil
}

// Copy makes dst a copy of src: severity 0.
func Copy(pkg string, dst, src *raster.Image) {
	Prepare(pkg, dst, src)
	copy(dst.Pix, src.Pix)
}

// Prepare gives dst the size of src and panics if they share memory.
func Prepare(pkg string, dst, src *raster.Image) {
	if dst == src || len(dst.Pix) > 0 && len(src.Pix) > 0 && &dst.Pix[0] == &src.Pix[0] {
		panic(pkg + ": dst and src share memory")
	}
	dst.Reset(src.W, src.H)
}

// MustLen panics unless a draw has the length that the image needs.
func MustLen(pkg, what string, got, want int) {
	if got != want {
		panic(fmt.Sprintf("%s: %d %s, want %d", pkg, got, what, want))
	}
}
