package internal_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jsonout"
)

func TestJSONWrite(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, jsonout.Write(&b, map[string]string{"method": "<init>"}))
	assert.Equal(t, "{\n  \"method\": \"<init>\"\n}\n", b.String())
}

func TestJSONNew(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, jsonout.New(&b).Encode([]string{"a&b"}))
	assert.Equal(t, "[\"a&b\"]\n", b.String())
}

func TestJSONTimestamp(t *testing.T) {
	type document struct {
		At   jsonout.Timestamp  `json:"at,omitzero"`
		Then *jsonout.Timestamp `json:"then,omitempty"`
	}
	at := jsonout.At(time.Date(2026, 11, 22, 10, 30, 0, 500_000_000, time.UTC))
	for text, d := range map[string]document{
		`{"at":"2026-11-22T10:30:00.500000000Z"}`:   {At: at},
		`{"then":"2026-11-22T10:30:00.000000000Z"}`: {Then: new(jsonout.At(at.Truncate(time.Second)))},
		`{}`: {},
	} {
		got, err := json.Marshal(d)
		require.NoError(t, err)
		assert.Equal(t, text, string(got))
		var again document
		require.NoError(t, json.Unmarshal(got, &again))
		assert.Equal(t, d, again)
	}
}
