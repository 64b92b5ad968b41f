package index_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
)

// TestRecordingsShareTypes reads one metadata from two recordings, from one that differs in a byte
// of a name, and once nobody uses it any more.
func TestRecordingsShareTypes(t *testing.T) {
	data, err := os.ReadFile("../../testdata/jdk25-empty.jfr")
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

// TestRecordingsThatAreReadAtOnceShareTypes reads one metadata from several recordings at the same
// time: what differed by luck, tables of several recordings differed in.
func TestRecordingsThatAreReadAtOnceShareTypes(t *testing.T) {
	data, err := os.ReadFile("../../testdata/jdk25-empty.jfr")
	require.NoError(t, err)
	for round := range 20 {
		data := bytes.ReplaceAll(data, []byte("jdk.ThreadPark"), fmt.Appendf(nil, "jdk.Thread%04d", round))
		found := make([]*schema.TypeSet, 4)
		var ready, done sync.WaitGroup
		ready.Add(len(found))
		for i := range found {
			done.Go(func() {
				x, err := index.New(bytes.Clone(data))
				ready.Done()
				ready.Wait()
				if assert.NoError(t, err) {
					found[i], err = x.Chunks()[0].Types()
					assert.NoError(t, err)
				}
			})
		}
		done.Wait()
		for _, types := range found {
			require.Same(t, found[0], types)
		}
	}
}
