package wire_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/wire"
)

// forms are both ways to write integers, by name.
var forms = []struct {
	name string
	form wire.IntEncoding
}{
	{"compressed", wire.Compressed},
	{"raw", wire.FixedWidth},
}

// unhex returns the bytes of a hexadecimal text with any white space in it.
func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	require.NoError(t, err)
	return b
}

// appendVarint is the encoder that the decoders are checked with: seven bits at
// a time, eight in the ninth byte. It pads to width.
func appendVarint(dst []byte, v uint64, width int) []byte {
	for n := 1; ; n++ {
		if n == 9 {
			return append(dst, byte(v))
		}
		if v < 0x80 && n >= width {
			return append(dst, byte(v))
		}
		dst = append(dst, byte(v&0x7f)|0x80)
		v >>= 7
	}
}

// cut returns b with a capacity of its own, so that a decoder that reads beyond its end is noticed.
func cut(b []byte) []byte { return append(make([]byte, 0, len(b)), b...)[:len(b):len(b)] }
