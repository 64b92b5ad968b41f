package query_test

import (
	"io"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// TestClosed asks of a closed recording.
func TestClosed(t *testing.T) {
	rec := opentest.File(t, "../../testdata/jdk25-profile.jfr")
	recs := []*mmapjfr.Recording{rec}
	require.NoError(t, rec.Close())
	assert.ErrorIs(t, print.Write(t.Context(), io.Discard, recs, print.Options{}), mmapjfr.ErrClosed)
	for _, text := range []string{"select count(*) from CPULoad", "select count(*) from *"} {
		_, err := query.Run(t.Context(), recs, text)
		assert.ErrorIs(t, err, mmapjfr.ErrClosed, text)
	}
}

// TestRun asks in one step what other tests ask in five, and with times of a recording.
func TestRun(t *testing.T) {
	rec := opentest.File(t, "../../testdata/jdk25-profile.jfr")
	recs := []*mmapjfr.Recording{rec}
	begin := rec.Start().In(engine.RecordingLocation(rec)).Add(-time.Second).Format(time.TimeOnly)
	result, err := query.Run(t.Context(), recs, "select count(*) as n from GarbageCollection where startTime > '"+begin+"'")
	require.NoError(t, err)
	for row, err := range result.Rows {
		require.NoError(t, err)
		assert.EqualValues(t, 7, row[0].Int())
	}

	_, err = query.Run(t.Context(), recs, "select count(* from GarbageCollection")
	var wrong *query.Error
	assert.ErrorAs(t, err, &wrong)
	_, err = query.Run(t.Context(), nil, "select 1 from GarbageCollection")
	assert.Error(t, err)

	whole, err := os.ReadFile("../../testdata/jdk25-chunks.jfr")
	require.NoError(t, err)
	cut := opentest.Bytes(t, whole[:len(whole)*2/3])
	result, err = query.Run(t.Context(), []*mmapjfr.Recording{cut}, "select count(*) from jdk.*")
	assert.Error(t, err, "damage")
	assert.NotNil(t, result, "what can be read is answered")
}
