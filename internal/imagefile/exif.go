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

// tiffTag returns the first value of a tag in the first image file directory of a TIFF structure. Only the types SHORT
// and LONG with a single value are read; both lie in the entry itself.
func tiffTag(tiff []byte, tag uint16) (uint32, bool) {
	const (
		entrySize = 12
		typeShort = 3
		typeLong  = 4
	)
	if len(tiff) < 8 {
		return 0, false
	}
	var order binary.ByteOrder
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 0, false
	}
	at := uint64(order.Uint32(tiff[4:]))
	if at+2 > uint64(len(tiff)) {
		return 0, false
	}
	n := int(order.Uint16(tiff[at:]))
	for p := tiff[at+2:]; n > 0 && len(p) >= entrySize; p, n = p[entrySize:], n-1 {
		if order.Uint16(p) != tag {
			continue
		}
		switch order.Uint16(p[2:]) {
		case typeShort:
			return uint32(order.Uint16(p[8:])), true
		case typeLong:
			return order.Uint32(p[8:]), true
		}
		return 0, false
	}
	return 0, false
}
