package index_test

import (
	"testing"
	"time"
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
			for n := range len(data) + 1 {
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
			began := time.Now()
			// All bits if there is time, else those that are spread evenly.
			const stride = 7919
			for i := range 8 * len(data) {
				bit := i * stride % (8 * len(data))
				data[bit/8] ^= 1 << (bit % 8)
				drive(t, data)
				data[bit/8] ^= 1 << (bit % 8)
				if time.Since(began) > time.Second {
					t.Logf("%d of %d bits", i+1, 8*len(data))
					break
				}
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
			began := time.Now()
			for _, with := range []byte{0xff, 0x00, 0x80, 0x7f, 0x01} {
				for i := range data {
					was := data[i]
					data[i] = with
					drive(t, data)
					data[i] = was
				}
				if time.Since(began) > time.Second {
					break
				}
			}
		})
	}
}
