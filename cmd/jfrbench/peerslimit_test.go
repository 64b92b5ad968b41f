package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/parallel"
)

func TestLimits(t *testing.T) {
	for _, size := range []int{0, 1, parallel.PartSize, 3*parallel.PartSize + 1} {
		l, err := measureLimits(writeFile(t, make([]byte, size)), 2)
		require.NoError(t, err)
		require.Positive(t, l.workers)
		require.Positive(t, l.touch)
		require.Positive(t, l.read)
	}
	_, err := measureLimits("nosuch.jfr", 1)
	require.ErrorContains(t, err, "the limits of this machine could not be measured: ")
	require.Equal(t, time.Duration(3), limits{touch: 3, read: 4}.faster())
	require.Equal(t, time.Duration(2), limits{touch: 3, read: 2}.faster())
	require.Zero(t, limits{}.faster())
}

// TestLimitsReadAll: each byte is read, by one of the workers.
func TestLimitsReadAll(t *testing.T) {
	data := make([]byte, 3*parallel.PartSize)
	for i := range data {
		data[i] = 7
	}
	buffers := make([]byte, parallel.PartSize)
	_, err := readParts(writeFile(t, append(data, 9)), 1, buffers)
	require.NoError(t, err)
	require.Equal(t, byte(9), buffers[0], "the last part is shorter")
	require.Equal(t, byte(7), buffers[1])

	touched.Store(0)
	_, err = touchPages(writeFile(t, data[:parallel.PartSize]), 2)
	require.NoError(t, err)
	require.NotZero(t, touched.Load())
}
