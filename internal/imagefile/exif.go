package imagefile

import "encoding/binary"

// exifOrientation returns the orientation (1 to 8) in a TIFF structure, 1 where there is none or it makes no sense.
func exifOrientation(tiff []byte) int {
	v, ok := tiffTag(tiff, 0x112)
	if !ok || v < 1 || v > 8 {
		return 1
	}
	return int(v)
}

// tiffTag returns the value of a tag in the first image file directory of a TIFF structure, as it lies in the entry
// itself. Only the types SHORT and LONG are read.
func tiffTag(tiff []byte, tag uint16) (uint32, bool) {
	v, _, ok := tiffEntry(tiff, tag)
	return v, ok
}

// tiffSingle is tiffTag for a tag that must have a single value: the entry of several may hold an offset.
func tiffSingle(tiff []byte, tag uint16) (uint32, bool) {
	v, n, ok := tiffEntry(tiff, tag)
	return v, ok && n == 1
}

// tiffEntry returns a tag's first value and its number of values.
func tiffEntry(tiff []byte, tag uint16) (v, n uint32, ok bool) {
	const (
		entrySize = 12
		typeShort = 3
		typeLong  = 4
	)
	if len(tiff) < 8 {
		return 0, 0, false
	}
	var order binary.ByteOrder
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 0, 0, false
	}
	at := uint64(order.Uint32(tiff[4:]))
	if at+2 > uint64(len(tiff)) {
		return 0, 0, false
	}
	left := int(order.Uint16(tiff[at:]))
	for p := tiff[at+2:]; left > 0 && len(p) >= entrySize; p, left = p[entrySize:], left-1 {
		if order.Uint16(p) != tag {
			continue
		}
		switch order.Uint16(p[2:]) {
		case typeShort:
			return uint32(order.Uint16(p[8:])), order.Uint32(p[4:]), true
		case typeLong:
			return order.Uint32(p[8:]), order.Uint32(p[4:]), true
		}
		return 0, 0, false
	}
	return 0, 0, false
}
