package index_test

import (
	"bytes"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
)

// TestRecordingsShareTypes reads one metadata from two recordings, from one that differs in a byte of a name, and once
// nobody uses it any more.
func TestRecordingsShareTypes(t *testing.T) {
	data, err := os.ReadFile("../testdata/jdk25-empty.jfr")
	require.NoError(t, err)
	types := func(data []byte) *schema.TypeSet {
		x, err := index.New(bytes.Clone(data))
		require.NoError(t, err)
		types, err := x.Chunks()[0].Types()
		require.NoError(t, err)
		return types
	}
	first := types(data)
	assert.Same(t, first, types(data))
	const name = "jdk.ThreadPark"
	other := bytes.ReplaceAll(data, []byte(name), []byte("jdk.ThreadPurk"))
	changed := types(other)
	assert.NotSame(t, first, changed)
	assert.NotNil(t, first.Named(name))
	assert.Nil(t, changed.Named(name))
	assert.NotNil(t, changed.Named("jdk.ThreadPurk"))
	runtime.KeepAlive(first)
	runtime.KeepAlive(changed)
	first, changed = nil, nil
	runtime.GC()
	assert.NotNil(t, types(data).Named(name), "whether it is read again or not")
}
