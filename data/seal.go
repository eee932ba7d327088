package data

// Sealed is an [Indexed] source whose images have a checksum that does not say which of them is damaged. It compares it by itself when all
// of them were read, in whatever order, and Read returns what that finds.
type Sealed interface {
	Indexed
	// Seal reads the images that were not read yet, and compares.
	Seal() error
}

// Seal compares the checksum of src where it has one that is of all its samples: for whoever needs all of them sound and read some
// of them at another time. It reads nothing where all were read.
func Seal(src Source) error {
	if s, ok := src.(interface{ Seal() error }); ok {
		return s.Seal()
	}
	return nil
}
