package index_test

import (
	"testing"

	"github.com/mmapjfr/jfr/internal/longtest"
)

// Everything that is asked of a recording is asked of each of its beginnings.
func TestEveryPrefix(t *testing.T) {
	for name, data := range map[string][]byte{
		"compressed": tiny(false).Bytes(),
		"raw":        tiny(true).Bytes(),
		"two chunks": join(small(2).Bytes(), small(1).Uncompressed().Bytes()),
		"unfinished": setState(tiny(false).Bytes(), 9),
	} {
		t.Run(name, func(t *testing.T) {
			for n := 0; n <= len(data); n += longtest.Cases(5, 1) {
				drive(t, data[:n:n])
			}
		})
	}
}

// And of each with one bit turned.
func TestEveryBitFlipped(t *testing.T) {
	for name, data := range map[string][]byte{
		"compressed": tiny(false).Bytes(),
		"raw":        tiny(true).Bytes(),
		"two chunks": join(small(1).Bytes(), small(1).Bytes()),
	} {
		t.Run(name, func(t *testing.T) {
			// All bits, or some that are spread evenly.
			const stride = 7919
			for i := range 8 * len(data) / longtest.Cases(40, 1) {
				bit := i * stride % (8 * len(data))
				data[bit/8] ^= 1 << (bit % 8)
				drive(t, data)
				data[bit/8] ^= 1 << (bit % 8)
			}
		})
	}
}

// Bytes that say something: lengths, counts, encodings, stop bits.
func TestEveryByteReplaced(t *testing.T) {
	for name, data := range map[string][]byte{
		"compressed": tiny(false).Bytes(),
		"raw":        tiny(true).Bytes(),
	} {
		t.Run(name, func(t *testing.T) {
			for turn, with := range []byte{0xff, 0x00, 0x80, 0x7f, 0x01} {
				for i := turn; i < len(data); i += longtest.Cases(29, 1) {
					was := data[i]
					data[i] = with
					drive(t, data)
					data[i] = was
				}
			}
		})
	}
}
