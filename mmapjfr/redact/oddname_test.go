package redact

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

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
