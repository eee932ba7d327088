package generate

// Deleted says of outputs that are made one after the other, such as epochs, which of them were deleted after they were
// made, as a training loop does with what it has read: those of which no file is left although a manifest of theirs or of
// one that comes later, or a later one under way, shows that they were made. Files beside an output that others may share
// do not count.
func Deleted(outputs []Output) []bool {
	deleted := make([]bool, len(outputs))
	made := false
	for i := len(outputs) - 1; i >= 0; i-- {
		m, err := ReadManifest(outputs[i])
		there := exists(outputs[i].journal())
		switch {
		case outputs[i].File:
			there = there || exists(outputs[i].Path)
		case err == nil:
			there = there || len(m.present(outputs[i])) > 0
		}
		made = made || there || err == nil
		deleted[i] = made && !there
	}
	return deleted
}
