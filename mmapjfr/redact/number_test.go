package redact

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// printed returns the events of a recording as JSON.
func printed(t testing.TB, data []byte) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, print.Write(t.Context(), &out, []*mmapjfr.Recording{open(t, data)}, print.Options{Format: print.NDJSON}))
	return out.String()
}

// TestNumbersOfWholeFields: rules for whole fields change numbers of all types.
func TestNumbersOfWholeFields(t *testing.T) {
	const was = `"b":113,"o":true,"s":1130,"c":"q","i":113000,"l":1130000000,"f":150.5,"d":-1500.25`
	for rule, want := range map[string]string{
		"blank field n.N:*":          `"b":0,"o":false,"s":0,"c":"\u0000","i":0,"l":0,"f":0,"d":0`,
		"constant field n.N:*":       `"b":0,"o":false,"s":0,"c":"\u0000","i":0,"l":0,"f":0,"d":0`,
		`constant "7" field n.N:*`:   `"b":7,"o":true,"s":7,"c":"\u0007","i":7,"l":7,"f":7,"d":7`,
		`constant "0.5" field n.N:*`: `"b":0,"o":false,"s":0,"c":"\u0000","i":0,"l":0,"f":0.5,"d":0.5`,
		"generalise field n.N:*":     `"b":100,"o":false,"s":1000,"c":"d","i":100000,"l":1000000000,"f":200,"d":-2000`,
		"pseudonym field n.N:*":      "",
		"hash field n.N:*":           "",
		"constant field n.N:b,n.N:o": `"b":0,"o":false,"s":1130,"c":"q","i":113000,"l":1130000000,"f":150.5,"d":-1500.25`,
	} {
		for _, uncompressed := range []bool{false, true} {
			b := jfrtest.NewChunk()
			if uncompressed {
				b.Uncompressed()
			}
			e := b.Event("n.N", jfrtest.Of("b", "byte"), jfrtest.Of("o", "boolean"), jfrtest.Of("s", "short"), jfrtest.Of("c", "char"), jfrtest.Of("i", "int"),
				jfrtest.Of("l", "long"), jfrtest.Of("f", "float"), jfrtest.Of("d", "double"))
			b.Emit(e, 1, 113, true, 1130, int('q'), 113000, 1130000000, float32(150.5), -1500.25)
			require.Contains(t, printed(t, b.Bytes()), was)
			got := printed(t, redacted(t, parsed(t, rule), 1, open(t, b.Bytes())))
			if want != "" {
				assert.Contains(t, got, want, rule)
				continue
			}
			assert.Contains(t, got, `"o":false`)
			for _, value := range []string{`"b":113,`, `"s":1130,`, `"c":"q"`, `"i":113000,`, `"l":1130000000,`, `"f":150.5,`, `"d":-1500.25`} {
				assert.NotContains(t, got, value, rule)
			}
		}
	}
}

// TestOtherNumbers: no two numbers become the same one, the sign stays, and another key gives others.
func TestOtherNumbers(t *testing.T) {
	r, other := parsed(t, "pseudonym field x:y"), New(&Rules{}, Key{1})
	for _, of := range []rewrite.Place{
		{Number: rewrite.Integer, Bits: 8}, {Number: rewrite.Integer, Bits: 16}, {Number: rewrite.Unsigned, Bits: 16}, {Number: rewrite.Integer, Bits: 32},
		{Number: rewrite.Integer, Bits: 64}, {Number: rewrite.Real, Bits: 32}, {Number: rewrite.Real, Bits: 64},
	} {
		seen := make(map[int64]bool)
		same, others := 0, 0
		for i := range int64(256) {
			n := i - 128
			switch of.Number {
			case rewrite.Unsigned:
				n = i
			case rewrite.Real:
				n = realBits(float64(n)/4, of.Bits)
			}
			is := r.otherNumber(of, n)
			require.False(t, seen[is], "%v: %d", of, n)
			seen[is] = true
			assert.Equal(t, is, r.otherNumber(of, n))
			if of.Number == rewrite.Real {
				assert.False(t, math.IsNaN(realOf(is, of.Bits)) || math.IsInf(realOf(is, of.Bits), 0))
				assert.Equal(t, math.Signbit(realOf(n, of.Bits)), math.Signbit(realOf(is, of.Bits)))
			} else {
				assert.Equal(t, n < 0, is < 0)
			}
			if is == n {
				same++
			}
			if is == other.otherNumber(of, n) {
				others++
			}
		}
		assert.Less(t, same, 12, "%v", of)
		assert.Less(t, others, 12, "%v", of)
	}
	nan := realBits(math.NaN(), 64)
	assert.Equal(t, nan, r.otherNumber(rewrite.Place{Number: rewrite.Real, Bits: 64}, nan))
}
