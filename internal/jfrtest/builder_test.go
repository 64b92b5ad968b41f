package jfrtest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

func decode(t *testing.T, data []byte) *jfrtest.Recording {
	t.Helper()
	rec, err := jfrtest.Decode(data)
	require.NoError(t, err)
	return rec
}
