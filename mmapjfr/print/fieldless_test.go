package print_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// fieldless is a recording with an event that has no fields.
func fieldless() *jfrtest.Builder {
	b := jfrtest.NewChunk()
	none := b.Class("test.None")
	none.SuperType = jfrtest.EventSuperType
	one := b.Event("test.One")
	b.Emit(one, 1_000_000)
	b.Emit(none)
	b.Emit(one, 1_000_001)
	return b
}

// The JDK fails at such an event: it looks for its time.
func TestEventWithoutFields(t *testing.T) {
	for _, question := range [][]string{{"print"}, {"print", "--json"}, {"print", "--xml"}} {
		assert.Contains(t, said.OfBytes(t, "fieldless.jfr", fieldless().Bytes(), question...).Refusal, "internal error")
	}
	only := func(f print.Format) string {
		return textOf(t, fieldless(), print.Options{Format: f, Filters: []mmapjfr.Filter{mmapjfr.Types("test.None")}})
	}
	assert.Equal(t, "test.None {\n}\n\n", only(print.Text))
	assert.Contains(t, only(print.JSON), "{\n      \"type\": \"test.None\", \n      \"values\": {\n\n      }\n    }")
	assert.Contains(t, only(print.XML), "    <event type=\"test.None\">\n    </event>\n\n")
	assert.Equal(t, "{\"@type\":\"test.None\"}\n", only(print.NDJSON))
}

// TestSimpleEvent is about an event type that calls itself simple, as types of values do
// whose one field is shown in their place.
func TestSimpleEvent(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Emit(b.Event("test.One").Simple(), 1_000_000)
	for format, question := range map[print.Format][]string{
		print.Text: {"print"}, print.JSON: {"print", "--json"}, print.XML: {"print", "--xml"},
	} {
		want := said.OfBytes(t, "simple-event.jfr", b.Bytes(), question...)
		require.Empty(t, want.Refusal)
		said.Same(t, want.Out, []byte(textOf(t, b, print.Options{Format: format})))
	}
	assert.Contains(t, textOf(t, b, print.Options{Format: print.NDJSON}), `{"@type":"test.One","startTime":"2023-`)
}

func TestDocumentsAreValidWithoutFields(t *testing.T) {
	assert.True(t, json.Valid([]byte(textOf(t, fieldless(), print.Options{Format: print.JSON}))))
	lines := textOf(t, fieldless(), print.Options{Format: print.NDJSON})
	for line := range strings.Lines(lines) {
		assert.True(t, json.Valid([]byte(line)), line)
	}
	assert.Contains(t, lines, `{"@type":"test.None"}`+"\n")
	dec := xml.NewDecoder(strings.NewReader(textOf(t, fieldless(), print.Options{Format: print.XML})))
	for {
		_, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
}
