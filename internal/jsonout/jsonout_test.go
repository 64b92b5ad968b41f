package jsonout_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jsonout"
)

func TestWrite(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, jsonout.Write(&b, map[string]string{"method": "<init>"}))
	assert.Equal(t, "{\n  \"method\": \"<init>\"\n}\n", b.String())
}

func TestNew(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, jsonout.New(&b).Encode([]string{"a&b"}))
	assert.Equal(t, "[\"a&b\"]\n", b.String())
}
