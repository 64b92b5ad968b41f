package print_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// TestMarshalJSON compares what package encoding/json makes of events with the JSON document.
func TestMarshalJSON(t *testing.T) {
	for _, name := range []string{"jdk25-kinds.jfr", "jdk17-oldobjects.jfr"} {
		rec := open(t, name)
		var want struct {
			Recording struct{ Events []json.RawMessage }
		}
		out := writtenOf(t, rec, print.Options{Format: print.JSON, Order: print.ByFile, StackDepth: math.MaxInt})
		require.NoError(t, json.Unmarshal(out, &want))
		i := 0
		for ev, err := range rec.Events() {
			require.NoError(t, err)
			if raw := want.Recording.Events[i]; longtest.Every(i, 31) || ev.Type().Name() == "jdk.OldObjectSample" {
				got, err := json.Marshal(ev)
				require.NoError(t, err)
				require.Equal(t, compacted(t, raw), compacted(t, got), "%s, event %d", name, i)
			}
			i++
		}
		assert.Len(t, want.Recording.Events, i)
	}
	var none struct {
		Event mmapjfr.Event
		Value mmapjfr.Value
	}
	got, err := json.Marshal(none)
	require.NoError(t, err)
	assert.JSONEq(t, `{"Event":null,"Value":null}`, string(got))
}

// compacted returns a document whose texts are all escaped in one way.
func compacted(t *testing.T, raw []byte) string {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	require.NoError(t, d.Decode(&v))
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}
