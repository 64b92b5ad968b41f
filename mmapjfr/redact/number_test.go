package redact

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
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
		`constant "7" field n.N:*`:   `"b":0,"o":false,"s":0,"c":"\u0000","i":0,"l":0,"f":0,"d":0`,
		"pseudonym field n.N:*":      `"b":0,"o":false,"s":0,"c":"\u0000","i":0,"l":0,"f":0,"d":0`,
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
			assert.Contains(t, printed(t, redacted(t, parsed(t, rule), 1, open(t, b.Bytes()))), want, rule)
		}
	}
}
