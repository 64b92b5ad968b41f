package redact

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// TestTextsInArrays has secrets in arrays of all integers: of the pieces that are found zeros are left, and the rest stays.
func TestTextsInArrays(t *testing.T) {
	for _, kind := range []string{"byte", "char", "short", "int", "long"} {
		for _, uncompressed := range []bool{false, true} {
			for width := range 2 {
				b := jfrtest.NewChunk()
				if uncompressed {
					b.Uncompressed()
				}
				e := b.Event("shop.E", jfrtest.Of("a", kind).Array(), jfrtest.Of("n", "long"))
				var units []any
				for _, c := range []byte("xy password=opaque1 z") {
					for range width {
						units = append(units, 0)
					}
					units = append(units, int(c))
				}
				b.Emit(e, 1, units, 7)
				b.Emit(e, 1, []any{1, 2, 3, 4, 5, 6}, 7)
				r := New(Default(), Key{})
				data := redacted(t, r, 1, open(t, b.Bytes()))
				assert.EqualValues(t, 1, r.Report().Count(), kind)
				assert.Zero(t, checked(t, data).Count, "%s %v %d", kind, uncompressed, width)
				got := printed(t, data)
				assert.Equal(t, 2, strings.Count(got, `"n":7`))
				if kind == "int" {
					assert.Contains(t, got, "120,")
					assert.NotContains(t, got, "113,")
					assert.Contains(t, got, `[1,2,3,4,5,6]`)
				}
			}
		}
	}
}

// TestSecretsInNames: names of types and fields that are none in Java may hold secrets. Others stay.
func TestSecretsInNames(t *testing.T) {
	b := jfrtest.NewChunk()
	e := b.Event("password=opaque", jfrtest.Of("token=opaque", "long"), jfrtest.Of("password", "long"), jfrtest.Of("a-b", "long"))
	f := b.Event("shop.secret=opaque2", jfrtest.Of("n", "long"))
	b.Emit(e, 1, 5, 6, 7)
	b.Emit(f, 1, 5)
	r := New(Default(), Key{})
	data := redacted(t, r, 1, open(t, b.Bytes()))
	assert.NotContains(t, string(data), "opaque")
	got := printed(t, data)
	assert.Regexp(t, `"hidden_[a-z2-7]{8}","startTime":.*"hidden_[a-z2-7]{8}":5,"password":0,"a-b":7`, got)
	assert.Contains(t, r.Report().String(), "metadata:type")
	assert.Contains(t, r.Report().String(), "metadata:field")
	assert.Equal(t, string(data), string(redacted(t, New(Default(), Key{1}), 1, open(t, data))))
}
