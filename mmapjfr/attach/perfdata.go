package attach

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// The layout of hsperfdata files, version 2: a prologue, and then entries one after
// the other, each with its name and its value inside.
const (
	perfMagic        = 0xcafec0c0
	perfOrderAt      = 4 // 1 is little-endian
	perfMajorAt      = 5
	perfAccessibleAt = 7
	perfUsedAt       = 8
	perfEntriesAt    = 24
	perfPrologue     = 32

	perfEntryHead = 20 // length, name, vector, type, flags, unit, variability, data
	perfVectorAt  = 8
	perfTypeAt    = 12
	perfDataAt    = 16
)

var errPerfData = errors.New("this is not an hsperfdata file")

// parsePerfData returns the texts in a file of counters. Those that stand before
// something that is damaged are returned together with the error.
func parsePerfData(b []byte) (map[string]string, error) {
	if len(b) < perfPrologue || binary.BigEndian.Uint32(b) != perfMagic {
		return nil, errPerfData
	}
	var order binary.ByteOrder = binary.BigEndian
	if b[perfOrderAt] == 1 {
		order = binary.LittleEndian
	}
	if b[perfMajorAt] != 2 {
		return nil, fmt.Errorf("%w of version 2, but of %d", errPerfData, b[perfMajorAt])
	}
	if b[perfAccessibleAt] == 0 {
		return nil, fmt.Errorf("%w yet: the JVM is starting", errPerfData)
	}
	if used := order.Uint32(b[perfUsedAt:]); uint64(used) < uint64(len(b)) {
		b = b[:used]
	}
	if len(b) < perfPrologue {
		return nil, errPerfData
	}
	texts := make(map[string]string)
	at := uint64(order.Uint32(b[perfEntriesAt:]))
	for at < uint64(len(b)) {
		rest := b[at:]
		if len(rest) < perfEntryHead {
			return texts, fmt.Errorf("%w: an entry is cut", errPerfData)
		}
		length := order.Uint32(rest)
		if length == 0 {
			break // the rest is not used
		}
		if length < perfEntryHead || uint64(length) > uint64(len(rest)) {
			return texts, fmt.Errorf("%w: an entry has %d bytes", errPerfData, length)
		}
		name, text, ok, err := perfEntry(rest[:length], order)
		if err != nil {
			return texts, err
		}
		if ok {
			texts[name] = text
		}
		at += uint64(length)
	}
	return texts, nil
}

// perfEntry returns the name and the text of an entry. ok is false for what is not
// a text.
func perfEntry(e []byte, order binary.ByteOrder) (name, text string, ok bool, err error) {
	nameAt, size, dataAt := order.Uint32(e[4:]), order.Uint32(e[perfVectorAt:]), order.Uint32(e[perfDataAt:])
	if size == 0 || e[perfTypeAt] != 'B' {
		return "", "", false, nil
	}
	if nameAt < perfEntryHead || dataAt < nameAt || uint64(dataAt) > uint64(len(e)) || uint64(size) > uint64(len(e))-uint64(dataAt) {
		return "", "", false, fmt.Errorf("%w: the parts of an entry lie outside of it", errPerfData)
	}
	return cString(e[nameAt:dataAt]), cString(e[dataAt : dataAt+size]), true, nil
}

// cString is the bytes up to the first that is zero, as a text.
func cString(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	return strings.ToValidUTF8(string(b), "\ufffd")
}
