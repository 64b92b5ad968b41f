// Package wirefuzz has the fuzz targets of wire. They are apart from its other tests because go
// test instruments all that a test binary holds, and looks at all of it after every execution:
// without testify, and the HTTP server that comes with it, there are several times as many.
package wirefuzz

// ReferenceVarint is the format's definition of a varint, word by word.
func ReferenceVarint(b []byte) (v uint64, n int) {
	for i := range 9 {
		if i == len(b) {
			return 0, 0
		}
		if i == 8 {
			return v | uint64(b[8])<<56, 9
		}
		v |= uint64(b[i]&0x7f) << (7 * i)
		if b[i]&0x80 == 0 {
			return v, i + 1
		}
	}
	panic("not reached")
}
