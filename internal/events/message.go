package events

import "encoding/binary"

// Numbers of fields, by message: Event, SessionLog, Summary, Summary.Value, Summary.Image, SummaryMetadata and its
// PluginData, TensorProto and its shape.
const (
	eventTime, eventStep, eventFileVersion, eventSummary, eventSession = 1, 2, 3, 5, 7

	sessionStatus = 1
	sessionStart  = 1 // its value

	summaryValue = 1

	valueTag, valueSimple, valueImage, valueTensor, valueMetadata = 1, 2, 4, 8, 9

	imageHeight, imageWidth, imageColors, imageData = 1, 2, 3, 4

	metadataPlugin, pluginName = 1, 1

	tensorType, tensorShape, tensorString = 1, 2, 8
	typeString                            = 7 // DT_STRING
	shapeDim, dimSize                     = 2, 1
)

// Wire types.
const (
	varint  = 0
	fixed64 = 1
	length  = 2
	fixed32 = 5
)

func appendKey(b []byte, field, wire uint64) []byte { return binary.AppendUvarint(b, field<<3|wire) }

func appendVarint(b []byte, field, v uint64) []byte {
	return binary.AppendUvarint(appendKey(b, field, varint), v)
}

func appendBytes(b []byte, field uint64, v []byte) []byte {
	return append(binary.AppendUvarint(appendKey(b, field, length), uint64(len(v))), v...)
}
