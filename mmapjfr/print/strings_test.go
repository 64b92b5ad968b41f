package print_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// TestJSONStringIsWrittenOnce is about characters that are escaped by a letter before
// the first that is not ASCII.
func TestJSONStringIsWrittenOnce(t *testing.T) {
	b := jfrtest.NewChunk()
	emit(b, []any{"a/b: café"}, field(jfrtest.StringClass))
	out := textOf(t, b, print.Options{Format: print.JSON})
	assert.True(t, json.Valid([]byte(out)))
	assert.Contains(t, out, `"f": "a\/b: caf\u00e9"`)
}
